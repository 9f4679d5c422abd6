"""Probabilities as numbers and as text, rounded so that they never claim too much."""

import math
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction


def at_least(probability: Fraction) -> float:
    """The largest float that is written with decimals not above a probability; 0 if negative."""
    probability = max(probability, Fraction(0))
    number = float(probability)
    return number if Fraction(repr(number)) <= probability else math.nextafter(number, 0)


def percent(probability: float) -> str:
    """The probability in percent, rounded down so that 100% minus it has at most four digits."""
    missing = Context(prec=4, rounding=ROUND_CEILING).plus(1 - Decimal(repr(probability)))
    return f"{(100 * (1 - missing)).normalize():f}%"
