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
from echovessel.models.language.structured import Parsed, structured

__all__ = [
    "LanguageModel",
    "Parsed",
    "Piece",
    "Purpose",
    "Reply",
    "Request",
    "Role",
    "Say",
    "ScriptedModel",
    "Usage",
    "structured",
]
