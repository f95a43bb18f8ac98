"""An archive as it was read, and what it says of somebody, before anything is kept."""

from __future__ import annotations

from echovessel.distill.claims import Claim
from echovessel.distill.history import Preview
from echovessel.markup import Html, el, join
from echovessel.workbench.app.distilling import Archive
from echovessel.workbench.app.words import Words

PLACES = 5  # shown for each reason to skip
QUOTES = 2  # shown with a claim


def preview_of(words: Words, archive: Archive) -> Html:
    """What is in the file: counts, dates, languages, who speaks, the first messages, what was left out."""
    if archive.card is not None:
        card = archive.card
        holds = words("card_holds", greetings=len(card.greetings), lore=len(card.lore))
        return el("section", el("h3", card.name), el("p", holds), _unwritten(words), class_="card archive")
    assert archive.preview is not None
    found = archive.preview
    return el(
        "section",
        el("h3", words("archive_is", format=found.format)),
        el("p", *_counts(words, found)),
        el("h4", words("archive_speakers")),
        el(
            "ul",
            *(
                el("li", words("archive_speaker", name=s.name or words("no_name"), lines=f"{s.lines:,}"))
                for s in found.speakers[:20]
            ),
        ),
        el("h4", words("archive_first")),
        el(
            "div",
            *(
                _line(
                    line.speaker,
                    f"{line.sent_at:%Y-%m-%d %H:%M}" if line.sent_at else "",
                    line.text or f"[{line.attachment}]",
                )
                for line in found.first
            ),
            class_="turns",
        ),
        _skipped(words, found),
        el("p", words("archive_order_unclear"), class_="hint") if found.report.ambiguous_dates else None,
        *(el("p", note, class_="hint") for note in found.report.notes),
        _unwritten(words),
        class_="card archive",
    )


def claim_label(words: Words, claim: Claim) -> str:
    """A claim with the words that bear it out, as plain text."""
    quotes = [f"“{' '.join(quote.text.split())[:160]}” — {quote.place}" for quote in claim.quotes[:QUOTES]]
    more = len(claim.quotes) - QUOTES
    rest = [words("more_quotes", count=more)] if more > 0 else []
    return "\n".join([f"{words(f'core_{claim.label}')}: {claim.text}", *quotes, *rest])


def _counts(words: Words, found: Preview) -> list[object]:
    parts = [words("archive_lines", lines=f"{found.report.lines:,}", tokens=f"{found.tokens:,}")]
    if found.since and found.until:
        parts.append(words("archive_dates", since=f"{found.since:%Y-%m-%d}", until=f"{found.until:%Y-%m-%d}"))
    parts.append(
        words("archive_languages", listed=", ".join(f"{k} {n:,}" for k, n in found.languages.items()))
    )
    return [" ".join(parts)]


def _line(speaker: str, sent: str, text: str) -> Html:
    return el(
        "div", el("div", el("b", speaker), el("time", sent), class_="who"), el("p", text), class_="turn"
    )


def _skipped(words: Words, found: Preview) -> Html | None:
    if not found.report.skipped:
        return None
    rows = []
    for reason, count in found.report.skipped.items():
        places = [skip.place for skip in found.report.skips if skip.reason == reason][:PLACES]
        rows.append(
            el("li", words("archive_skipped", count=f"{count:,}", reason=reason, places=", ".join(places)))
        )
    return join((el("h4", words("archive_left_out")), el("ul", *rows)))


def _unwritten(words: Words) -> Html:
    return el("p", words("nothing_written"), class_="hint")
