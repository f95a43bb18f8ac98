"""Encryption with age (https://age-encryption.org): by a passphrase, or for a recipient's key."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

from echovessel.errors import FormatError, InputError, MissingExtra

MAGIC = b"age-encryption.org/v1"
# pyrage takes text under a passphrase whole; with a key it streams.
MOST_IN_MEMORY = 1 << 30


@dataclass(frozen=True, slots=True)
class Secret:
    """What seals or opens an archive; exactly one of the three.

    Attributes
    ----------
    passphrase : str
    recipient : str
        A public key, ``age1...``; seals.
    identity : path, optional
        A file with a private key, as ``age-keygen`` writes it; opens.
    """

    passphrase: str = field(default="", repr=False)
    recipient: str = ""
    identity: Path | None = None


def is_sealed(path: str | os.PathLike[str]) -> bool:
    """Whether a file is encrypted with age."""
    with Path(path).open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


def seal(plain: Path, target: BinaryIO, secret: Secret) -> None:
    """Encrypt a file.

    Raises
    ------
    InputError
        The recipient is no age key, or the file is too large for a passphrase.
    MissingExtra
        pyrage is not installed.
    """
    age = _age()
    with plain.open("rb") as source:
        if secret.recipient:
            try:
                key = age.x25519.Recipient.from_str(secret.recipient)
            except age.RecipientError as error:
                raise InputError(
                    "The recipient is no age public key. Give one that begins with age1."
                ) from error
            age.encrypt_io(source, target, [key])
            return
        if not secret.passphrase:
            raise InputError("An empty passphrase protects nothing. Give one, or a recipient.")
        if plain.stat().st_size > MOST_IN_MEMORY:
            raise InputError(
                "The archive is over 1 GB, too large for a passphrase. Encrypt it for a recipient."
            )
        target.write(age.passphrase.encrypt(source.read(), secret.passphrase))


def unseal(sealed: Path, target: BinaryIO, secret: Secret) -> None:
    """Decrypt a file.

    Raises
    ------
    FormatError
        The secret is wrong, or the file is cut off or changed.
    InputError
        The identity file holds no key.
    MissingExtra
        pyrage is not installed.
    """
    age = _age()
    try:
        with sealed.open("rb") as source:
            if secret.identity is not None:
                age.decrypt_io(source, target, [_identity(age, secret.identity)])
                return
            if sealed.stat().st_size > MOST_IN_MEMORY:
                raise InputError(f"{sealed} is over 1 GB, too large for a passphrase.")
            target.write(age.passphrase.decrypt(source.read(), secret.passphrase))
    except (age.DecryptError, ValueError, OSError) as error:
        raise FormatError(
            f"{sealed} can't be decrypted: the passphrase or key is wrong, or the file is damaged."
        ) from error


def _identity(age: ModuleType, path: Path) -> object:
    try:
        lines = path.expanduser().read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror or error}.") from error
    for line in lines:
        if line.startswith("AGE-SECRET-KEY-"):
            try:
                return age.x25519.Identity.from_str(line.strip())
            except age.IdentityError as error:
                raise InputError(f"{path} holds a broken age key.") from error
    raise InputError(f"{path} holds no age key. Give the file that age-keygen wrote.")


def _age() -> ModuleType:
    try:
        return import_module("pyrage")
    except ImportError as error:
        raise MissingExtra("Encryption", "age") from error
