"""Loops over candidate pairs, compiled."""

from matchbound.compiled import compiled


@compiled
def count_shared(x, y, texts, others, shared, alone):  # type: ignore[no-untyped-def]
    """Count the tokens that both texts of a pair have, and those that one has alone.

    A text's tokens are numbers from `starts` on, in rising order.
    """
    starts, tokens = texts
    other_starts, other_tokens = others
    for k in range(x.size):
        i, i_end = starts[x[k]], starts[x[k] + 1]
        j, j_end = other_starts[y[k]], other_starts[y[k] + 1]
        size, both = i_end - i + j_end - j, 0
        while i < i_end and j < j_end:
            if tokens[i] < other_tokens[j]:
                i += 1
            elif tokens[i] > other_tokens[j]:
                j += 1
            else:
                both += 1
                i += 1
                j += 1
        shared[k], alone[k] = both, size - 2 * both


@compiled
def best_free(order, x, y, scores, best_x, best_y, is_kept):  # type: ignore[no-untyped-def]
    """Keep the pairs, in this order, both of whose records are free; they are then taken.

    `best_x` and `best_y`, 0 at first, become the score of the pair that took a record.
    """
    for k in order:
        if best_x[x[k]] == 0 and best_y[y[k]] == 0 and scores[k] > 0:
            best_x[x[k]] = scores[k]
            best_y[y[k]] = scores[k]
            is_kept[k] = True
