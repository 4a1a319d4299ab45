"""Which tide bells ring, and when."""

from tides import height, next_high_water


class Bell:
    """A bell of the sea wall. It rings when the water reaches it."""

    def __init__(self, name, hands):
        self.name = name
        self.hands = hands

    def rings_at(self, hour):
        return height(hour) >= self.hands


class DrownedBell(Bell):
    """The ninth: the water never leaves it, so it should never stop."""

    def rings_at(self, hour):
        return False


def ringing(bells, hour):
    """The bells that ring at an hour."""
    return [bell for bell in bells if bell.rings_at(hour)]


def warning(bells, hour):
    """What to call out in the harbour before the next high water."""
    names = [bell.name for bell in ringing(bells, next_high_water(hour))]
    return "All quiet." if not names else "Mind the " + ", ".join(names) + "."
