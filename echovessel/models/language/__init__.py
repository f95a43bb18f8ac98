"""Language models behind one protocol of two methods."""

from echovessel.models.language.protocol import (
    LanguageModel,
    Piece,
    Purpose,
    Reply,
    Request,
    Role,
    Say,
    Usage,
)
from echovessel.models.language.scripted import ScriptedModel

__all__ = [
    "LanguageModel",
    "Piece",
    "Purpose",
    "Reply",
    "Request",
    "Role",
    "Say",
    "ScriptedModel",
    "Usage",
]
