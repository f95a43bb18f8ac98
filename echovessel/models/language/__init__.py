"""Language models behind one protocol of two methods."""

from echovessel.models.language.local import LocalServer, find_local
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
from echovessel.models.language.provider import LiteLLMModel, ProviderSettings
from echovessel.models.language.recorder import RecordedModel
from echovessel.models.language.scripted import ScriptedModel
from echovessel.models.language.structured import Parsed, structured

__all__ = [
    "LanguageModel",
    "LiteLLMModel",
    "LocalServer",
    "Parsed",
    "Piece",
    "ProviderSettings",
    "Purpose",
    "RecordedModel",
    "Reply",
    "Request",
    "Role",
    "Say",
    "ScriptedModel",
    "Usage",
    "find_local",
    "structured",
]
