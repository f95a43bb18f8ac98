"""Whether a record could have been written by us: what the tables themselves don't check."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from echovessel.clock import zone
from echovessel.errors import InputError
from echovessel.memory.records import Scope

_JSON = frozenset({"emotions", "tags", "attachments", "snapshot", "detail", "body"})
_DAYS = frozenset({"occurred_from", "occurred_to", "valid_from", "valid_to", "due_on"})


def check(row: dict[str, Any]) -> None:
    """Refuse odd scopes, zones, days and broken JSON, on which a later read would stumble.

    Raises
    ------
    ValueError
        As it says.
    """
    try:
        if "scope" in row:
            Scope.parse(row["scope"])
        if row.get("zone") is not None:
            zone(row["zone"])
    except (InputError, AttributeError) as error:
        raise ValueError(str(error)) from error
    for column, value in row.items():
        if column in _JSON:
            json.loads(value)
        elif column in _DAYS and value is not None:
            date.fromisoformat(value)
