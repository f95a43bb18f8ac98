"""What can be forgotten, named in a typed way."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from echovessel.memory.records import CoreLabel, Scope


class TargetKind(StrEnum):
    """The kinds of things that can be forgotten."""

    MESSAGE = "message"
    NODE = "node"
    SESSION = "session"
    ENTITY = "entity"
    ALIAS = "alias"
    CORE_LINE = "core-line"
    SCOPE = "scope"
    PERSONA = "persona"
    IMPORT = "import"
    EVERYTHING = "everything"


@dataclass(frozen=True, slots=True)
class Target:
    """One thing to forget. Make it by the method of its kind."""

    kind: TargetKind
    id: str = ""
    detail: str = ""

    @classmethod
    def message(cls, message: str) -> Target:
        """One message, with its place in the talk."""
        return cls(TargetKind.MESSAGE, message)

    @classmethod
    def node(cls, node: str) -> Target:
        """One event, thought, intention or expectation; the messages it rests on stay."""
        return cls(TargetKind.NODE, node)

    @classmethod
    def session(cls, session: str) -> Target:
        """A session with every message in it."""
        return cls(TargetKind.SESSION, session)

    @classmethod
    def entity(cls, entity: str) -> Target:
        """A person or thing under all its names, with the memories about it; messages that name it stay."""
        return cls(TargetKind.ENTITY, entity)

    @classmethod
    def alias(cls, entity: str, text: str) -> Target:
        """One name of an entity, with the links that rested on it."""
        return cls(TargetKind.ALIAS, entity, text)

    @classmethod
    def core_line(cls, label: CoreLabel | str, line: str) -> Target:
        """One line of a core block, in all its revisions."""
        return cls(TargetKind.CORE_LINE, str(CoreLabel(label)), line)

    @classmethod
    def user(cls, name: str) -> Target:
        """All that one user and the persona share."""
        return cls(TargetKind.SCOPE, Scope.user(name).key)

    @classmethod
    def group(cls, name: str) -> Target:
        """All that one group and the persona share."""
        return cls(TargetKind.SCOPE, Scope.group(name).key)

    @classmethod
    def persona(cls, persona: str) -> Target:
        """A persona with all it knows of everybody."""
        return cls(TargetKind.PERSONA, persona)

    @classmethod
    def imported(cls, import_id: str) -> Target:
        """What one import brought, and what derives from it."""
        return cls(TargetKind.IMPORT, import_id)

    @classmethod
    def everything(cls) -> Target:
        """All personas of the file."""
        return cls(TargetKind.EVERYTHING)
