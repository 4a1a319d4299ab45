"""How high the water stands at Saltmere."""

import math

# Hours from one high water to the next.
TIDE = 12.42


def height(hour):
    """Hands above the low-water mark, an hour after the last spring tide."""
    moon = math.cos(2 * math.pi * hour / (TIDE * 57))
    return 9 + (6 + 2 * moon) * math.cos(2 * math.pi * hour / TIDE)


def next_high_water(hour):
    """The hour of the next high water."""
    return math.ceil(hour / TIDE) * TIDE
