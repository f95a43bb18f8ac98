"""A model's answer as a typed object: whatever came whole is kept, the rest is named, a useless answer asked again."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from echovessel.errors import ModelError
from echovessel.models.language.loosejson import find_object
from echovessel.models.language.protocol import LanguageModel, Reply, Request, Say, Usage
from echovessel.text import clean

T = TypeVar("T", bound=BaseModel)
_GONE: Any = object()
_ROUNDS = 8
_PLAIN = (
    (re.compile(r"^(?:Input|Value error,|Assertion failed,)\s+"), ""),
    (re.compile(r"greater than or equal to"), "at least"),
    (re.compile(r"less than or equal to"), "at most"),
    (re.compile(r"^Field required$"), "is missing"),
)
_UNUSABLE = "That answer can't be used: {why}. Answer again with the whole JSON object and nothing else."
_TOO_LONG = (
    "Your last answer was longer than it may be and was cut off, so that nothing of it can be used. Answer again, "
    "shorter: only the most important items, with the whole JSON object and nothing else."
)
# Said again, as a server that was given the schema may have made nothing of it.
_SCHEMA = " It follows this JSON schema:\n{schema}"


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """What a model answered, as an object.

    Attributes
    ----------
    value : BaseModel
        Of the request's schema.
    dropped : tuple of str
        What could not be used, by its place in the answer, and why: ``events.3.impact: should be at most 10``. An item
        of a list goes as a whole, or else a field that has a default; the rest is kept.
    usage : Usage
        Of all calls made for it.
    """

    value: T
    dropped: tuple[str, ...]
    usage: Usage


async def structured(model: LanguageModel, request: Request) -> Parsed[Any]:
    """Ask for an object of `request.schema`.

    Code fences, thinking aloud and prose around the JSON are passed over, slips of notation mended, and an answer that
    was cut off is kept up to its last whole item. The model is asked once more when nothing can be used, or when a
    list lost all of its items.

    Raises
    ------
    ModelError
        Nothing could be used the second time either; or the call itself failed.
    """
    if request.schema is None:
        raise TypeError("structured() needs a request with a schema")
    first = await model.complete(request)
    reading = _read(first, request.schema)
    if reading.good:
        return Parsed(reading.value, reading.dropped, first.usage)
    try:
        second = await model.complete(_repair(request, first, reading.why))
    except ModelError:
        if reading.value is None:
            raise
        return Parsed(reading.value, reading.dropped, first.usage)
    usage = added(first.usage, second.usage)
    again = _read(second, request.schema)
    if again.value is not None and (again.good or reading.value is None):
        return Parsed(again.value, again.dropped, usage)
    if reading.value is not None:
        return Parsed(reading.value, reading.dropped, usage)
    raise ModelError(
        f"{second.model} gave no usable answer for {request.purpose}, twice: {again.why}. Try again, or name a model "
        "that is better at JSON."
    )


def added(one: Usage, other: Usage) -> Usage:
    """The sum of two calls; a cost that isn't known stays unknown."""
    cost = None if one.cost is None or other.cost is None else one.cost + other.cost
    return Usage(one.input_tokens + other.input_tokens, one.output_tokens + other.output_tokens, cost)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One answer read; `value` is None when nothing can be used, `good` when there is no reason to ask again."""

    value: BaseModel | None
    dropped: tuple[str, ...]
    good: bool
    why: str = ""


def _read(reply: Reply, schema: type[BaseModel]) -> _Reading:
    if not reply.text.strip():
        return _Reading(None, (), False, "it is empty")
    found = find_object(reply.text, keys=_keys(schema), cut=reply.finish == "length")
    if found is None:
        return _Reading(None, (), False, "there is no JSON object in it with the fields asked for")
    kept, dropped = found.value, list(found.lost)
    for _ in range(_ROUNDS):
        try:
            value = schema.model_validate_json(json.dumps(_live(kept)))
        except ValidationError as error:
            units = [_unit(kept, problem, schema) for problem in error.errors()]
            if any(unit is None for unit in units):
                return _Reading(None, (), False, _sentence(error))
            for unit in filter(None, units):
                unit.holder[unit.key] = _GONE
                dropped.append(unit.why)
        else:
            why = "; ".join(dropped)
            if dropped and not any(_live(kept).values()):
                # Nothing left is not the same as nothing to say.
                return _Reading(None, (), False, why)
            emptied = [
                key for key, items in kept.items() if isinstance(items, list) and items and not _live(items)
            ]
            return _Reading(value, tuple(dropped), not (emptied or found.emptied), why)
    return _Reading(None, (), False, "; ".join(dropped))


def _repair(request: Request, reply: Reply, why: str) -> Request:
    """The request asked again; a cut answer isn't shown again, or the model goes on where it stopped."""
    assert request.schema is not None
    form = _SCHEMA.format(schema=json.dumps(request.schema.model_json_schema(), ensure_ascii=False))
    if reply.finish == "length":
        return replace(request, says=(*request.says, Say("user", _TOO_LONG + form)))
    said = (Say("assistant", reply.text),) if reply.text.strip() else ()
    return replace(
        request, says=(*request.says, *said, Say("user", _UNUSABLE.format(why=why[:1_000]) + form))
    )


def _keys(schema: type[BaseModel]) -> frozenset[str]:
    """The names under which the schema's fields may come."""
    names = set(schema.model_json_schema(by_alias=True).get("properties", ()))
    return frozenset(names | set(schema.model_fields))


def _live(value: Any) -> Any:
    """The value without what was dropped, its text such as a database can hold."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {key: _live(item) for key, item in value.items() if item is not _GONE}
    if isinstance(value, list):
        return [_live(item) for item in value if item is not _GONE]
    return value


@dataclass(frozen=True, slots=True)
class _Unit:
    """What goes as a whole: a member of a list or of an object, and why."""

    holder: Any
    key: Any
    why: str


def _unit(tree: dict[str, Any], problem: ErrorDetails, schema: type[BaseModel]) -> _Unit | None:
    """What must go for an error: the innermost list item on its path, else the field of the whole object.

    None when it can't be spared.
    """
    place: list[str] = []
    here: Any = tree
    holder: Any = None
    key: Any = None
    for step in problem["loc"]:
        at: Any = step
        if isinstance(here, list) and isinstance(step, int):
            # Dropped items stay as marks, so that the place named is the one in the answer.
            at = [index for index, item in enumerate(here) if item is not _GONE][step]
            holder, key = here, at
        elif not isinstance(here, dict) or step not in here:
            # A union's tag, or a field that isn't there.
            place.append(str(step))
            continue
        elif here is tree or problem["type"] == "extra_forbidden":
            holder, key = here, at
        place.append(str(at))
        here = here[at]
    if holder is None or (holder is tree and _required(schema, key)):
        return None
    return _Unit(holder, key, f"{'.'.join(place)}: {_plain(problem['msg'])}")


def _required(schema: type[BaseModel], key: str) -> bool:
    """Whether the object has a field of that name, or alias, without a default."""
    return any(
        field.is_required() and key in (name, field.alias) for name, field in schema.model_fields.items()
    )


def _sentence(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, problem['loc'])) or 'the object'}: {_plain(problem['msg'])}"
        for problem in error.errors()[:5]
    )


def _plain(message: str) -> str:
    for pattern, words in _PLAIN:
        message = pattern.sub(words, message)
    return message
