"""What every part of a memory shares: the file, the persona, the scope, the clock."""

from __future__ import annotations

from dataclasses import dataclass, replace

from echovessel.clock import Clock, to_micros
from echovessel.memory.engine import Store
from echovessel.memory.ids import IdMaker
from echovessel.memory.records import Scope


@dataclass(frozen=True)
class Context:
    """One persona seen from one scope. Reads cover `shared` and `scope`; writes go to `scope`.

    `zone` is where days are counted when neither user, group nor persona has a zone of its own; None is the
    machine's.
    """

    store: Store
    persona: str
    scope: Scope
    clock: Clock
    ids: IdMaker
    import_id: str | None = None
    zone: str | None = None

    @property
    def readable(self) -> tuple[str, ...]:
        """Keys of the scopes that may be read from here."""
        shared = Scope.shared().key
        return (shared,) if self.scope.key == shared else (shared, self.scope.key)

    def now(self) -> int:
        """The present moment as it is stored."""
        return to_micros(self.clock.now())

    def new_id(self) -> str:
        """A fresh sortable id."""
        return self.ids.new(self.clock.now())

    def within(self, scope: Scope) -> Context:
        """The same, seen from another scope."""
        return replace(self, scope=scope)
