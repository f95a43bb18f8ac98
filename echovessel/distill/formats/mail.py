"""E-mail: mbox."""

from __future__ import annotations

import email.policy
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parseaddr, parsedate_to_datetime

import regex

from echovessel.distill.archive import Line, Options, Report
from echovessel.distill.formats.html import text_of
from echovessel.distill.source import Source

_FROM = regex.compile(rb"From .*\d{4}\s*")
_QUOTED_HEAD = regex.compile(
    r"(?:On .{6,200} wrote|在.{6,200}写道|.{2,200}于.{6,100}写道)\s*[:：]", regex.DOTALL
)
_ORIGINAL = regex.compile(
    r"-{2,}\s*(?:Original Message|Forwarded message|原始邮件|转发的邮件)\s*-{2,}.*", regex.I
)


class Mbox:
    """A mail box. Of each mail what its writer wrote is read: no quotation, no signature."""

    name = "mbox"
    title = "e-mail"

    def recognises(self, source: Source) -> bool:
        """A first line ``From ...`` with headers below."""
        member = source.only(".mbox")
        if member is None:
            return False
        head = source.head(member)
        return head.startswith("From ") and regex.search(r"^From: ", head, regex.MULTILINE) is not None

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """One line a mail, in the box's order."""
        member = source.one(".mbox", what="mail boxes")
        for number, raw in enumerate(_mails(source, member), start=1):
            place = f"mail {number}"
            mail = BytesParser(EmailMessage, policy=email.policy.default).parsebytes(raw)
            try:
                line = _line(mail, place)
            except (LookupError, ValueError, AttributeError, IndexError, TypeError) as error:
                report.skip(place, f"it can't be read ({type(error).__name__})")
                continue
            if line.sent_at is None:
                report.note(f"Some mails have no date that can be read, the first is {place}.")
            if report.accept(line):
                yield line


def _mails(source: Source, member: str) -> Iterator[bytes]:
    """The mails one by one; a body's own line ``From`` is escaped with ``>`` in the file."""
    held: list[bytes] = []
    blank = True
    with source.bytes(member) as stream:
        for raw in stream:
            if blank and _FROM.fullmatch(raw):
                if held:
                    yield b"".join(held)
                held = []
            else:
                held.append(raw[1:] if regex.match(rb">+From ", raw) else raw)
            blank = not raw.strip()
    if held:
        yield b"".join(held)


def _line(mail: EmailMessage, place: str) -> Line:
    name, address = parseaddr(str(mail.get("From", "")))
    body = mail.get_body(("plain", "html"))
    content = "" if body is None else str(body.get_content())
    if body is not None and body.get_content_subtype() == "html":
        content = text_of(content)
    files = [part.get_filename() or "file" for part in mail.iter_attachments()]
    return Line(
        _own(content),
        place,
        name or address,
        _moment(mail),
        external_id=str(mail["Message-ID"]).strip() if mail["Message-ID"] else None,
        reply_to=str(mail["In-Reply-To"]).strip() if mail["In-Reply-To"] else None,
        attachment=files[0] if files else "",
    )


def _own(text: str) -> str:
    """What the writer wrote."""
    kept: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.rstrip("\n") == "-- " or _ORIGINAL.fullmatch(line.strip()):
            break
        if not line.startswith(">"):
            kept.append(line.rstrip())
    return _QUOTED_HEAD.sub("", "\n".join(kept)).strip()


def _moment(mail: EmailMessage) -> datetime | None:
    if not mail["Date"]:
        return None
    try:
        moment = parsedate_to_datetime(str(mail["Date"]))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
