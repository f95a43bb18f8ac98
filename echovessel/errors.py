"""Every error raised on purpose, in one tree."""

from __future__ import annotations


class EchoVesselError(Exception):
    """Base of all errors raised on purpose; the message says what, where, and what to do.

    EchoVesselError
    ├── ConfigError           a setting is unknown, missing or out of range
    ├── InputError            an argument can't be used: naive time, empty query, odd id
    │   ├── WeightError       a scoring weight is negative, NaN or out of range
    │   ├── NotFoundError     no such message, node, entity, session, persona or preset
    │   └── WasForgotten      it was deleted for good; storing it again must be asked for
    ├── StoreError            the memory file can't be used as it is
    │   ├── EmbedderMismatch  its vectors were made by another embedder
    │   ├── StoreBusy         another process holds the write lock for too long
    │   ├── StoreFull         no space left on the disk
    │   ├── StoreReadOnly     the file or its folder can't be written
    │   ├── StoreDamaged      the file is cut off or overwritten
    │   └── StoreForeign      made by another program, or by a newer EchoVessel
    ├── FormatError           a file to import is not what it says it is
    ├── ModelError            a model did not answer usefully
    │   └── SpendingLimit     the user's limit on what models may cost is reached
    └── MissingExtra          an optional package is needed; names the pip line
    """


class ConfigError(EchoVesselError):
    """A setting is unknown, missing or out of range."""


class InputError(EchoVesselError):
    """An argument can't be used."""


class WeightError(InputError):
    """A scoring weight is negative, NaN or out of range."""


class NotFoundError(InputError):
    """No such message, node, entity, session, persona or preset."""


class WasForgotten(InputError):
    """It was deleted for good; storing it again must be asked for."""


class StoreError(EchoVesselError):
    """The memory file can't be used as it is."""


class EmbedderMismatch(StoreError):
    """The vectors in the file were made by another embedder."""


class StoreBusy(StoreError):
    """Another process holds the write lock for too long."""


class StoreFull(StoreError):
    """No space left on the disk; nothing of the failed write was kept."""


class StoreReadOnly(StoreError):
    """The file or its folder can't be written."""


class StoreDamaged(StoreError):
    """The file is cut off or overwritten."""


class StoreForeign(StoreError):
    """Made by another program, or by a newer EchoVessel."""


class FormatError(EchoVesselError):
    """A file to import is not what it says it is."""


class ModelError(EchoVesselError):
    """A model did not answer usefully."""


class SpendingLimit(ModelError):
    """The user's limit on what language models may cost is reached."""


class MissingExtra(EchoVesselError):
    """An optional package is needed; the message names the pip line."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs an optional package. Install it with: pip install 'echovessel[{extra}]'"
        )
