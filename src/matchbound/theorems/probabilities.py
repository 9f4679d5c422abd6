"""Probabilities as numbers and words that never say more than holds."""

import math
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction


def at_least(probability: Fraction) -> float:
    """The largest number whose decimals are not above a probability; 0 if that is negative."""
    probability = max(probability, Fraction(0))
    number = float(probability)
    return number if Fraction(repr(number)) <= probability else math.nextafter(number, 0)


def percent(probability: float) -> str:
    """Rounded down, so that what is missing to 100% has at most four digits."""
    missing = Context(prec=4, rounding=ROUND_CEILING).plus(1 - Decimal(repr(probability)))
    return f"{(100 * (1 - missing)).normalize():f}%"
