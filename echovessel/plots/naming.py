"""Which names fit into a picture, and on which side of their points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LINE = 17.0  # pixels that a line of 13 pixel type takes
SIDES = (
    *("top center", "bottom center", "middle right", "middle left"),
    *("top right", "top left", "bottom right", "bottom left"),
)

Box = tuple[float, float, float, float]


def text_width(text: str) -> float:
    """About how many pixels a text takes in 13 pixel type; Chinese characters are square."""
    return sum(13.5 if ord(character) > 0x2E7F else 7.6 for character in text)


def sides_of_names(
    names: Sequence[str],
    places: NDArray[np.floating],
    radii: Sequence[float],
    *,
    width: float,
    height: float,
    over: int = 12,
) -> list[str | None]:
    """Where each name may stand without touching another or a point; None where there is no room.

    Parameters
    ----------
    names : sequence of str
        The most important first: it gets the room.
    places : array of shape (n, 2)
        Where the points stand, in pixels from the left and from the top.
    radii : sequence of float
        Of the points, in pixels.
    width, height : float
        Of the picture, in pixels. No name leaves it.
    over : int
        So many of the most important names may cover points, where there is no better place.

    Returns
    -------
    list of plotly's text positions, one for each name.
    """
    points = [
        (float(x) - radius, float(y) - radius, float(x) + radius, float(y) + radius)
        for (x, y), radius in zip(places, radii, strict=True)
    ]
    taken: list[Box] = []
    found: list[str | None] = []
    for number, name in enumerate(names):
        others = [box for place, box in enumerate(points) if place != number]
        boxes = {side: _box(text_width(name), places[number], radii[number], side) for side in SIDES}
        inside = {
            side: box
            for side, box in boxes.items()
            if box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height
        }
        free = [side for side, box in inside.items() if not any(_touch(box, other) for other in taken)]
        clear = [side for side in free if not any(_touch(inside[side], other) for other in others)]
        side = next(iter(clear or (free if number < over else [])), None)
        found.append(side)
        if side is not None:
            taken.append(inside[side])
    return found


def _box(wide: float, place: NDArray[np.floating], radius: float, side: str) -> Box:
    x, y = float(place[0]), float(place[1])
    down, along = side.split()
    left = {"center": x - wide / 2, "right": x + radius, "left": x - radius - wide}[along]
    top = {"top": y - radius - LINE, "middle": y - LINE / 2, "bottom": y + radius}[down]
    return left, top, left + wide, top + LINE


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
