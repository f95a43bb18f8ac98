"""`echovessel export` and `import`: a whole vessel in one file, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echovessel.cli.options import DEFAULT_HOME, Home
from echovessel.errors import InputError

if TYPE_CHECKING:
    from echovessel.runtime.archive import Secret

PassFile = Annotated[
    Path | None, typer.Option("--passphrase-file", help="A file whose first line is the passphrase.")
]


def export_(
    target: Annotated[Path, typer.Argument(help="The file to make, such as lin.zip.")],
    persona: Annotated[
        list[str] | None, typer.Option(help="Whose; again for several. All of the home when left out.")
    ] = None,
    card: Annotated[
        bool, typer.Option("--card", help="A V3 character card (.json or .png) of one persona instead.")
    ] = False,
    encrypt: Annotated[bool, typer.Option("--encrypt", help="With age; a passphrase is asked for.")] = False,
    passphrase_file: PassFile = None,
    recipient: Annotated[str, typer.Option(help="Encrypt for this age public key.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    home: Home = DEFAULT_HOME,
) -> None:
    """Write all a vessel remembers into TARGET: a zip of JSON lines that can be read without this program."""
    from echovessel.runtime.archive import Secret, export_archive

    if card:
        if encrypt or passphrase_file or recipient:
            raise InputError("A card is made to be shared, and is not encrypted.")
        _card(target, persona or [], force=force, home=home)
        return
    secret = None
    if recipient:
        secret = Secret(recipient=recipient)
    elif encrypt or passphrase_file:
        secret = Secret(passphrase=_passphrase(passphrase_file, confirm=True))
    done = export_archive(home, target, personas=persona or [], secret=secret, force=force)
    typer.echo(
        f"Wrote {done.path}: {', '.join(done.personas)}; {done.rows['messages']} messages,"
        f" {done.rows['nodes']} memories. To read it in: echovessel import {done.path}"
    )


def import_(
    source: Annotated[Path, typer.Argument(help="A file that `echovessel export` made.")],
    as_: Annotated[str | None, typer.Option("--as", help="Give its persona this id here.")] = None,
    passphrase_file: PassFile = None,
    identity: Annotated[Path | None, typer.Option(help="A file with the age private key.")] = None,
    home: Home = DEFAULT_HOME,
) -> None:
    """Read an export in. Only what is new arrives; what was forgotten here stays forgotten."""
    from echovessel.runtime.archive import Secret, import_archive
    from echovessel.runtime.archive.seal import is_sealed

    secret: Secret | None = None
    if source.is_file() and is_sealed(source):
        if identity is not None:
            secret = Secret(identity=identity)
        else:
            secret = Secret(passphrase=_passphrase(passphrase_file, confirm=False))
    done = import_archive(home, source, secret=secret, as_persona=as_)
    typer.echo(
        f"{', '.join(done.personas)}: {done.new.get('messages', 0)} messages and {done.new.get('nodes', 0)} memories"
        f" new; {done.total} rows in all, {done.known} known from before."
    )
    if done.forgotten:
        typer.echo(f"{done.forgotten} rows were left out: they, or what they hang on, were forgotten here.")
    if done.unmatched:
        typer.echo(
            f"{done.unmatched} marks of forgotten things in the file can't be compared with this home's."
        )
    if done.new.get("messages") or done.new.get("nodes"):
        typer.echo("Vectors are made as the vessel is used, or at once with: echovessel reembed")


def _passphrase(file: Path | None, *, confirm: bool) -> str:
    """From a file or a prompt: an argument would stay in the shell's history and be seen by other users."""
    if file is None:
        asked: str = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm)
        return asked
    try:
        lines = file.expanduser().read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} can't be read as a passphrase file.") from error
    if not lines or not lines[0]:
        raise InputError(f"The first line of {file} is empty; it should be the passphrase.")
    return lines[0]


def _card(target: Path, personas: list[str], *, force: bool, home: Path) -> None:
    import json

    from echovessel.cli.options import opened_memory
    from echovessel.distill.cards import blank_picture, card_of, into_png
    from echovessel.runtime.archive.export import fresh_file

    if len(personas) > 1:
        raise InputError("A card holds one persona. Give one --persona.")
    if target.suffix.lower() not in (".json", ".png"):
        raise InputError(f"{target} should end in .json or .png.")
    with opened_memory(home, personas[0] if personas else None) as memory:
        card = card_of(memory)
    with fresh_file(target.expanduser(), force=force) as stream:
        if target.suffix.lower() == ".png":
            stream.write(into_png(blank_picture(), card))
        else:
            stream.write(json.dumps(card, ensure_ascii=False, indent=2).encode())
    typer.echo(f"Wrote {target}: {card['data']['name']} as a V3 card, without any talk or user.")
