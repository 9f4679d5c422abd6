"""The words of a column, the rows that contain each, and the words similar to one; compiled.

A text is an array of letters without spaces, and cuts: word i is letters[cuts[i]:cuts[i + 1]]. So
neighbouring words joined are a slice too, as "mcdonald" is of "mc donald".
"""

import numpy as np

from matchbound.compiled import compiled

LETTERS = 1000  # of a text that are searched, so that a field of 100 kB costs no more
WORD = 32  # letters of a word at most: longer ones are cut, so that bits of 64 suffice for edits
RUN, EARLY, JOINED = 3, 8, 12  # of joined words: how many, up to which word, how many letters
LONG_NUMBER, LAST_DIGITS = 7, 4  # a long number is found by its last digits too, so many or so
ROOM = 4096  # words at first: a power of 2, because the low bits of a key select the slot
SPACE = 32

EXACT, ONE_EDIT, BEGINS, TWO_EDITS, BEGUN, FAR = range(6)
# A sketch has a bit for each class of letters; above them the first letter's, and the length.
CLASSES = np.uint64(50)
OF_CLASSES = np.uint64(2**50 - 1)
FIRST, OF_FIRST, LENGTH = np.uint64(50), np.uint64(0xFF << 50), np.uint64(58)
ZERO, ONE = np.uint64(0), np.uint64(1)


@compiled
def code_point(text, i):  # type: ignore[no-untyped-def]
    """The character that begins at a byte of UTF-8, and where the next one begins."""
    lead = np.int64(text[i])
    if lead < 0x80:
        return lead, i + 1
    more = 1 + (lead >= 0xE0) + (lead >= 0xF0)
    code = lead & (0x3F >> more)
    for k in range(i + 1, i + 1 + more):
        code = code << 6 | np.int64(text[k] & 0x3F)
    return code, i + 1 + more


@compiled
def spell(text, start, end, folds, letters, cuts):  # type: ignore[no-untyped-def]
    """Fill in the letters and cuts of text[start:end]; return how many words it has."""
    begins, folded = folds
    size = words = 0
    while start < end and size < letters.size:
        code, start = code_point(text, start)
        if code + 1 >= begins.size:
            continue
        for k in range(begins[code], begins[code + 1]):
            if size == letters.size:
                break
            if folded[k] != SPACE:
                letters[size] = folded[k]
                size += 1
            if size - cuts[words] == WORD or (folded[k] == SPACE and size > cuts[words]):
                words += 1
                cuts[words] = size
    if size > cuts[words]:
        words += 1
        cuts[words] = size
    return words


@compiled
def joins(cuts, start, end):  # type: ignore[no-untyped-def]
    """Whether words start … end - 1, joined, count as a word."""
    return end == start + 1 or (end <= EARLY and cuts[end] - cuts[start] <= JOINED)


@compiled
def letters_key(letters):  # type: ignore[no-untyped-def]
    """A hash of 64 bits (FNV-1a, then mixed); words of equal keys count as equal."""
    key = np.uint64(0xCBF29CE484222325)
    for letter in letters:
        key = (key ^ np.uint64(letter)) * np.uint64(0x100000001B3)
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return key ^ (key >> np.uint64(29))


@compiled
def slot_of(key, slots, keys):  # type: ignore[no-untyped-def]
    """The slot of the word with this key, or the free slot where it would be put."""
    last = np.uint64(slots.size - 1)
    slot = key & last
    while slots[slot] >= 0 and keys[slots[slot]] != key:
        slot = (slot + ONE) & last
    return slot


@compiled
def grown(array, size):  # type: ignore[no-untyped-def]
    """Return the array, copied to a larger one if it lacks room for the words of a row."""
    if size + 2 * LETTERS <= array.size:
        return array
    larger = np.empty(2 * array.size, array.dtype)
    larger[:size] = array[:size]
    return larger


@compiled
def with_room(vocabulary, sizes):  # type: ignore[no-untyped-def]
    """Return the vocabulary with room for the words of a row, and slots at most half full."""
    slots, keys, ends, seen, letters, tokens = vocabulary
    words, size, count = sizes
    keys, ends, seen = grown(keys, words), grown(ends, words), grown(seen, words)
    if 2 * keys.size > slots.size:
        slots = np.full(2 * keys.size, -1, np.int32)
        for word in range(words):
            slots[slot_of(keys[word], slots, keys)] = word
    return slots, keys, ends, seen, grown(letters, size), grown(tokens, count)


@compiled
def add_word(spelt, row, vocabulary, sizes):  # type: ignore[no-untyped-def]
    """Record that a row has this word; return 1, or 0 if it was recorded before."""
    slots, keys, ends, seen, letters, tokens = vocabulary
    key = letters_key(spelt)
    slot = slot_of(key, slots, keys)
    if slots[slot] < 0:
        slots[slot] = sizes[0]
        letters[sizes[1] : sizes[1] + spelt.size] = spelt
        sizes[1] += spelt.size
        keys[sizes[0]], ends[sizes[0]], seen[sizes[0]] = key, sizes[1], -1
        sizes[0] += 1
    word = slots[slot]
    if seen[word] == row:
        return 0
    seen[word] = row
    tokens[sizes[2]] = word
    sizes[2] += 1
    return 1


@compiled
def is_number(word):  # type: ignore[no-untyped-def]
    for letter in word:  # noqa: SIM110 (numba has no all)
        if letter < 48 or letter > 57:
            return False
    return True


@compiled
def add_rows(text, offsets, folds, first, counts, wholes, vocabulary, sizes):  # type: ignore[no-untyped-def]
    """Record the words of the rows from `first` on, their numbers, and each whole text's key."""
    spelt, cuts = np.empty(LETTERS, np.uint32), np.zeros(LETTERS + 1, np.int64)
    for k in range(offsets.size - 1):
        row = first + k
        vocabulary = with_room(vocabulary, sizes)
        words = spell(text, offsets[k], offsets[k + 1], folds, spelt, cuts)
        if words:
            wholes[row] = letters_key(spelt[: cuts[words]])
        for start in range(words):
            for end in range(start + 1, min(start + RUN, words) + 1):
                if joins(cuts, start, end):
                    part = spelt[cuts[start] : cuts[end]]
                    counts[row] += add_word(part, row, vocabulary, sizes)
                    if part.size >= LONG_NUMBER and is_number(part):
                        counts[row] += add_word(part[-LAST_DIGITS:], row, vocabulary, sizes)
                        if part.size > LONG_NUMBER:
                            counts[row] += add_word(part[-LONG_NUMBER:], row, vocabulary, sizes)
    return vocabulary


@compiled
def rows_by_word(tokens, counts, starts):  # type: ignore[no-untyped-def]
    """The rows sorted by their words, by a counting sort.

    On return, starts[word + 1] is the end of the word's rows.
    """
    rows = np.empty(tokens.size, np.uint32)
    token = 0
    for row in range(counts.size):
        for _ in range(counts[row]):
            word = tokens[token]
            rows[starts[word + 1]] = row
            starts[word + 1] += 1
            token += 1
    return rows


@compiled
def sketch(word):  # type: ignore[no-untyped-def]
    """A word's length, first letter and classes of letters, in 64 bits, to rule out others fast."""
    bits = np.uint64(word.size) << LENGTH | np.uint64(word[0] & 0xFF) << FIRST
    for letter in word:
        bits |= ONE << (np.uint64(letter) % CLASSES)
    return bits


@compiled
def sketches(ends, letters):  # type: ignore[no-untyped-def]
    result = np.empty(ends.size, np.uint64)
    start = 0
    for word in range(ends.size):
        result[word] = sketch(letters[start : ends[word]])
        start = ends[word]
    return result


@compiled
def edits(places, size, other):  # type: ignore[no-untyped-def]
    """The number of insertions, deletions, substitutions and swaps between two words.

    places[letter] has a bit for each place of the letter in the first word, of this size. Columns
    of the table of distances are bits of a number. Source: Hyyrö, "A bit-vector algorithm for
    computing Levenshtein and Damerau edit distances" (2003).
    """
    more, less, diagonal, before = ~ZERO, ZERO, ZERO, ZERO
    last = ONE << np.uint64(size - 1)
    distance = size
    for letter in other:
        here = places[letter & 0xFFFF]
        swap = ((~diagonal & here) << ONE) & before
        diagonal = (((here & more) + more) ^ more) | here | less | swap
        up, down = less | ~(diagonal | more), diagonal & more
        distance += np.int64((up & last) != ZERO) - np.int64((down & last) != ZERO)
        up, down = (up << ONE) | ONE, down << ONE
        more, less = down | ~(diagonal | up), up & diagonal
        before = here
    return distance


@compiled
def begins(word, other):  # type: ignore[no-untyped-def]
    for k in range(word.size):  # noqa: SIM110 (numba has no all)
        if word[k] != other[k]:
            return False
    return True


@compiled
def at_most(bits, most):  # type: ignore[no-untyped-def]
    for _ in range(most):
        bits &= bits - ONE  # clears the lowest bit
    return bits == ZERO


@compiled
def level(word, other, places, near):  # type: ignore[no-untyped-def]
    """How similar another word is to the word, from EXACT to FAR."""
    distance = edits(places, word.size, other) if near else 3
    if distance == 0:
        return EXACT if word.size == other.size and begins(word, other) else ONE_EDIT
    if distance == 1:
        return ONE_EDIT
    if word.size < other.size and begins(word, other):
        return BEGINS
    if distance == 2 and word.size > 3:
        return TWO_EDITS
    return BEGUN if other.size < word.size and begins(other, word) else FAR


@compiled
def places_of(word):  # type: ignore[no-untyped-def]
    places = np.zeros(0x10000, np.uint64)
    for k in range(word.size):
        places[word[k] & 0xFFFF] |= ONE << np.uint64(k)
    return places


@compiled
def like(word, joined, marks, ends, letters):  # type: ignore[no-untyped-def]
    """The words similar to this one, and their levels; a `joined` word is allowed fewer edits."""
    words, levels = np.empty(ends.size, np.uint32), np.empty(ends.size, np.uint8)
    own, size, places, count = sketch(word), word.size, places_of(word), 0
    most = 0 if size == 1 else 1 if size <= 3 or joined else 2
    for k in range(ends.size):
        longer = np.int64(marks[k] >> LENGTH) - size
        apart = marks[k] ^ own
        near = abs(longer) <= most and at_most(apart & OF_CLASSES, 2 * most)
        lacking = apart & (own if longer > 0 else marks[k]) & OF_CLASSES
        if near or not (joined or apart & OF_FIRST or lacking):
            other = letters[ends[k - 1] if k else 0 : ends[k]]
            levels[count] = level(word, other, places, near)
            words[count] = k
            count += levels[count] < FAR
    return words[:count].copy(), levels[:count].copy()


@compiled
def spread(words, levels, worth, starts, rows, burden, got):  # type: ignore[no-untyped-def]
    """Raise each row's score to the worth of these words in it; long texts get less."""
    for k in range(words.size):
        most = worth[levels[k]]
        if most == 0:
            continue
        for e in range(starts[words[k]], starts[words[k] + 1]):
            row = rows[e]
            value = max(most - burden[row], most / 8)
            if value > got[row]:
                got[row] = value
