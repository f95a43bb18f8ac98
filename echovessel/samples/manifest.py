"""A set of labelled conversations: which files, and which part each belongs to."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from echovessel.errors import FormatError
from echovessel.samples.conversation import Conversation, Kind, Language

Split = Literal["tuning", "reporting"]


class Entry(BaseModel):
    """One conversation of a set.

    Attributes
    ----------
    path : str or None
        Its file, relative to the manifest.
    sample : str or None
        Its file among the samples that ship with the package. One of the two is given.
    split : str
        ``tuning``: numbers and gates may be chosen on it. ``reporting``: only measured on.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    path: str | None = None
    sample: str | None = None
    language: Language
    kind: Kind
    split: Split

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if (self.path is None) == (self.sample is None):
            raise ValueError(f"{self.id} needs either a path or a sample")
        return self

    def file(self, folder: Path) -> Path:
        """Where its conversation lies, seen from the manifest's folder."""
        return folder / self.path if self.path is not None else Path(__file__).parent / str(self.sample)


class Manifest(BaseModel):
    """What a ``dataset.toml`` says."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    name: str
    version: str
    licence: str
    entries: Annotated[tuple[Entry, ...], Field(alias="conversation", min_length=1)]

    @classmethod
    def read(cls, path: Path) -> Manifest:
        """Read a manifest.

        Raises
        ------
        FormatError
            Missing, not TOML, or no manifest; names the first field at fault.
        """
        try:
            return cls.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise FormatError(
                f"{path} can't be read: {error.strerror}. Give the path of a dataset.toml."
            ) from error
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise FormatError(f"{path} is not TOML: {error}. Fetch it again, or mend that line.") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "conversation"
            raise FormatError(f"{path}, field {where}: {first['msg']}. See datasets/README.md.") from error


def read_set(path: Path, *, split: Split | None = None) -> list[Conversation]:
    """The conversations of a set, in the manifest's order.

    Parameters
    ----------
    path : Path
        A ``dataset.toml``.
    split : str, optional
        Only this part; both when left out.

    Raises
    ------
    FormatError
        The manifest or a file can't be read, a file holds another conversation than the manifest says, or
        its labels don't hold.
    """
    manifest = Manifest.read(path)
    chosen = [entry for entry in manifest.entries if split in (None, entry.split)]
    return [_conversation(entry, entry.file(path.parent)) for entry in chosen]


def _conversation(entry: Entry, file: Path) -> Conversation:
    talk = Conversation.read(file)
    for field in ("id", "language", "kind"):
        said, found = getattr(entry, field), getattr(talk, field)
        if said != found:
            raise FormatError(
                f"{file} has {field} {found!r}, but the manifest says {said!r}. Mend one of them."
            )
    problems = talk.problems()
    if problems:
        raise FormatError(f"{file} has {len(problems)} faults in its labels, the first: {problems[0]}.")
    return talk
