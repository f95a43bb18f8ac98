"""Where the points of a graph stand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

STEPS = 200


def force_layout(
    count: int, links: NDArray[np.integer], weights: NDArray[np.floating], *, seed: int = 0
) -> NDArray[np.float64]:
    """Places of points that push each other apart while their links pull (Fruchterman and Reingold, 1991).

    Parameters
    ----------
    count : int
        How many points.
    links : array of shape (m, 2)
        Pairs of linked points.
    weights : array of shape (m,)
        How strongly each link pulls; greater than 0.
    seed : int
        The same seed, the same picture.

    Returns
    -------
    array of shape (count, 2), within -1..1.
    """
    if count == 0:
        return np.zeros((0, 2))
    angle = 2 * np.pi * np.arange(count) / count
    jitter = np.random.default_rng(seed).normal(scale=0.05, size=(count, 2))
    places = np.column_stack((np.cos(angle), np.sin(angle))) + jitter
    apart = 1.0 / np.sqrt(count)  # the distance at which push and pull of a link of weight 1 are equal
    for step in range(STEPS):
        between = places[:, None, :] - places[None, :, :]
        distance = np.maximum(np.linalg.norm(between, axis=2), 1e-3)
        push = (between * (apart**2 / distance**2)[:, :, None]).sum(axis=1)
        pull = np.zeros_like(places)
        if len(links):
            along = places[links[:, 0]] - places[links[:, 1]]
            force = along * (np.linalg.norm(along, axis=1) / apart * weights)[:, None]
            np.add.at(pull, links[:, 0], -force)
            np.add.at(pull, links[:, 1], force)
        move = push + pull - 0.4 * places  # a pull to the middle keeps lone points in the picture
        length = np.maximum(np.linalg.norm(move, axis=1, keepdims=True), 1e-9)
        heat = 0.12 * (1 - step / STEPS)
        places = places + move / length * np.minimum(length, heat)
    places = places - (places.max(axis=0) + places.min(axis=0)) / 2
    reach = np.abs(places).max()
    return np.asarray(places / reach if reach else places, np.float64)
