"""Readers of archives, one file each, all to one table of lines."""

from __future__ import annotations

from echovessel.distill.archive import Reader
from echovessel.distill.formats.assistants import ChatGPT, Claude
from echovessel.distill.formats.books import Epub, Pdf
from echovessel.distill.formats.chinese import QQ, WeChatTable, WeChatText
from echovessel.distill.formats.discord import DiscordExporter, DiscordPackage
from echovessel.distill.formats.mail import Mbox
from echovessel.distill.formats.plain import Diary, PlainText
from echovessel.distill.formats.roleplay import RisuAI, SillyTavern
from echovessel.distill.formats.subtitles import Srt
from echovessel.distill.formats.tables import Csv, Jsonl
from echovessel.distill.formats.telegram import Telegram
from echovessel.distill.formats.whatsapp import WhatsApp
from echovessel.distill.source import Source
from echovessel.errors import FormatError

# Asked in this order; the first that recognises the content reads it. The plainest formats come last.
READERS: tuple[Reader, ...] = (
    Telegram(),
    DiscordExporter(),
    DiscordPackage(),
    ChatGPT(),
    Claude(),
    RisuAI(),
    SillyTavern(),
    WeChatTable(),
    QQ(),
    WhatsApp(),
    WeChatText(),
    Mbox(),
    Epub(),
    Pdf(),
    Srt(),
    Csv(),
    Jsonl(),
    Diary(),
    PlainText(),
)


def reader_of(source: Source, *, name: str | None = None) -> Reader:
    """The reader of an archive: the one named, else the first that recognises the content.

    Raises
    ------
    FormatError
        No reader has that name, or none recognises the content.
    """
    known = ", ".join(reader.name for reader in READERS)
    if name is not None:
        for reader in READERS:
            if reader.name == name:
                return reader
        raise FormatError(f"No reader is called {name!r}. Known: {known}.")
    for reader in READERS:
        if reader.recognises(source):
            return reader
    raise FormatError(
        f"{source.path} is in no format that is known here. Known: {known}. Name one to force it."
    )
