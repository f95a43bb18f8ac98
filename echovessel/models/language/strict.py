"""A JSON schema that every provider's strict mode takes."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

# Not every provider takes these; pydantic checks them afterwards.
_UNCHECKED = ("default", "title", "minLength", "maxLength", "uniqueItems")


def response_format(schema: type[BaseModel]) -> dict[str, Any]:
    """The schema in the form of OpenAI: every field required, no others, only keywords that all providers take.

    An object with free keys can't be strict; the schema then guides, and `structured` checks.
    """
    whole = schema.model_json_schema()
    strict = _tighten(whole)
    return {
        "type": "json_schema",
        "json_schema": {"name": schema.__name__, "schema": whole, "strict": strict},
    }


def _tighten(node: Any) -> bool:
    """Make a schema strict where it stands; whether that could be done everywhere in it."""
    possible = True
    if isinstance(node, list):
        for item in node:
            possible &= _tighten(item)
    elif isinstance(node, dict):
        for keyword in _UNCHECKED:
            node.pop(keyword, None)
        fields = node.pop("properties", None)
        if fields is None and node.get("type") == "object":
            possible = False
        for value in node.values():
            possible &= _tighten(value)
        if fields is not None:
            # Apart, as a field may have a keyword's name.
            for field in fields.values():
                possible &= _tighten(field)
            node |= {"properties": fields, "required": list(fields), "additionalProperties": False}
    return possible
