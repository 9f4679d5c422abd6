"""How alike two texts are: equal, by Jaro and Winkler, by edits, by tokens."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
TEXT = ("equal", "winkler", "ratio", "token set")


def compare_texts(texts: NDArray[np.object_], a: Ints, b: Ints) -> list[Floats]:
    """The similarities of pairs of texts, from 0 to 1; NaN where one is missing.

    `a` and `b` are positions in `texts`, all different; -1 is missing.
    """
    from rapidfuzz.distance import JaroWinkler
    from rapidfuzz.fuzz import ratio, token_set_ratio
    from rapidfuzz.process import cpdist

    is_missing, is_equal = (a < 0) | (b < 0), a == b
    equal = np.where(is_missing, np.nan, is_equal).astype(np.float32)
    differ = np.flatnonzero(~is_missing & ~is_equal)
    # Many pairs have the same two texts: they are compared once.
    keys = a[differ].astype(np.int64) * len(texts) + b[differ]
    keys, back = np.unique(keys, return_inverse=True)
    sides = texts[keys // max(len(texts), 1)].tolist(), texts[keys % max(len(texts), 1)].tolist()
    columns = [equal]
    for scorer, most in ((JaroWinkler.similarity, 1), (ratio, 100), (token_set_ratio, 100)):
        column = equal.copy()
        column[differ] = (cpdist(*sides, scorer=scorer, dtype=np.float32) / most)[back]
        columns.append(column)
    return columns
