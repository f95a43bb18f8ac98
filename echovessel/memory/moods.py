"""L6: how do I feel? One snapshot per persona and scope, back to neutral after half a day."""

from __future__ import annotations

import json
import math
from datetime import datetime, timedelta

from echovessel.clock import aware, from_micros, to_micros
from echovessel.errors import InputError
from echovessel.memory.context import Context
from echovessel.memory.records import Mood
from echovessel.text import clean

LASTS = timedelta(hours=12)
NEUTRAL = "neutral"
NEUTRAL_ENERGY = 0.5


class Moods:
    """The mood towards the context's scope. No history is kept."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def get(self, at: datetime | None = None) -> Mood:
        """The mood at a moment, now when left out: neutral where none is known or it is 12 hours old.

        Raises
        ------
        InputError
            `at` has no time zone.
        """
        moment = self._context.clock.now() if at is None else aware(at, "at")
        row = self._context.store.row(
            "SELECT snapshot, updated_at FROM moods WHERE persona = ? AND scope = ?",
            (self._context.persona, self._context.scope.key),
        )
        updated = None if row is None else from_micros(row[1])
        if row is None or updated is None or not timedelta(0) <= moment - updated < LASTS:
            return Mood(NEUTRAL, NEUTRAL_ENERGY, "", updated or moment)
        snapshot = json.loads(row[0])
        return Mood(snapshot["mood"], snapshot["energy"], snapshot["last_user_signal"], updated)

    def set(self, mood: Mood) -> None:
        """Keep a mood, unless a later one is kept already: sessions may be read out of order.

        Raises
        ------
        InputError
            No mood named, an energy outside 0..1, or a time without a zone.
        """
        name = clean(mood.mood).strip()
        if not name:
            raise InputError("a mood needs a name, such as 'calm'.")
        if not (math.isfinite(mood.energy) and 0.0 <= mood.energy <= 1.0):
            raise InputError(f"energy must lie between 0 and 1, found {mood.energy}.")
        signal = clean(mood.last_user_signal)
        snapshot = {"mood": name, "energy": float(mood.energy), "last_user_signal": signal}
        stored = json.dumps(snapshot, ensure_ascii=False)
        with self._context.store.write():
            self._context.store.run(
                "INSERT INTO moods (persona, scope, snapshot, updated_at) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (persona, scope)"
                " DO UPDATE SET snapshot = excluded.snapshot, updated_at = excluded.updated_at"
                " WHERE excluded.updated_at >= moods.updated_at",
                (self._context.persona, self._context.scope.key, stored, to_micros(mood.updated_at)),
            )
