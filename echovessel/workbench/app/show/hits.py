"""The recall inspector: a question asked with given weights, and the answer as HTML."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta

from echovessel.clock import from_micros, start_of_day
from echovessel.errors import InputError
from echovessel.markup import Html, el, join
from echovessel.memory.recall import Recall, Weights
from echovessel.memory.recall.factors import FACTORS
from echovessel.memory.recall.result import Hit, Memo
from echovessel.plots.style import KIND_COLOURS
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.parts import act, bar, chip, empty, fold, turns
from echovessel.workbench.app.words import Words

SLIDERS = (*FACTORS, "half_life", "min_relevance", "blend")
# Factors that count for a raw message by a weight of its own.
OF_MESSAGES = {"relevance": "message_relevance", "impact": "message_impact"}
HITS = 10


@dataclass(frozen=True)
class Asked:
    """A question as it stands on the page."""

    query: str
    preset: str
    values: tuple[float, ...]
    as_of: str = ""
    past: bool = False
    k: int = HITS

    @property
    def weights(self) -> Weights:
        """The preset with the sliders' values; what counts for messages by itself moves in proportion."""
        base, moved = Weights.preset(self.preset), dict(zip(SLIDERS, map(float, self.values), strict=True))
        for name, own in OF_MESSAGES.items():
            share = getattr(base, own) / getattr(base, name) if getattr(base, name) else 1.0
            moved[own] = round(moved[name] * share, 4)
        return base.with_(**moved)


def slider_values(preset: str) -> tuple[float, ...]:
    """Where the sliders stand for a preset."""
    weights = Weights.preset(preset)
    return tuple(float(getattr(weights, name)) for name in SLIDERS)


def end_of_day(text: str, zone_name: str) -> datetime | None:
    """The last moment of a day written as 2026-03-02; None for an empty text.

    Raises
    ------
    InputError
        It is no date.
    """
    if not text.strip():
        return None
    try:
        day = date.fromisoformat(text.strip())
        following = day + timedelta(days=1)
    except (ValueError, OverflowError) as error:
        raise InputError(f"{text.strip()[:40]!r} is no date. Write it as 2026-03-02.") from error
    return from_micros(start_of_day(following, zone_name)).astimezone(UTC) - timedelta(microseconds=1)


def ask(opened: Opened, asked: Asked) -> Recall:
    """The real recall, with these weights."""
    return opened.vessel.recall(
        asked.query,
        weights=asked.weights,
        k=asked.k,
        as_of=end_of_day(asked.as_of, opened.zone),
        include_superseded=asked.past,
    )


def answer(opened: Opened, words: Words, result: Recall) -> Html:
    """The hits as cards, then what was left out."""
    return join(
        (_summary(opened, words, result), hits(opened, words, result), dropped(opened, words, result))
    )


def hits(opened: Opened, words: Words, result: Recall) -> Html:
    """Each hit with its bar, badges, and the turns it rests on."""
    if not result.hits:
        return empty(words, "empty_hits")
    longest = max(max(hit.score for hit in result.hits), 1e-9)
    return el("ol", join(_card(opened, words, result, hit, longest) for hit in result.hits), class_="hits")


def dropped(opened: Opened, words: Words, result: Recall) -> Html:
    """The nearest of what was left out, with the rule in words."""
    if not result.dropped:
        return Html("")
    counts = join(
        chip(f"{words(f'rule_{rule}')} · {count}")
        for rule, count in sorted(result.dropped_counts.items())
        if count
    )
    rows = join(
        el(
            "li",
            el("span", f"{memo.factors.relevance:.2f}", class_="number", title=words("factor_relevance")),
            el("div", el("p", act(_said(memo), "open", memo.id)), el("small", words(f"rule_{memo.rule}"))),
        )
        for memo in result.dropped
    )
    return fold(
        el(
            "span",
            words("dropped_title"),
            " ",
            el("small", words("dropped_shown", count=len(result.dropped))),
        ),
        el("div", counts, class_="chips"),
        el("ol", rows, class_="dropped"),
        class_="wide",
    )


def python_for(opened: Opened, asked: Asked) -> str:
    """The same question as Python that runs."""
    base = Weights.preset(asked.preset)
    changed = {
        name: value
        for name, value in asdict(asked.weights).items()
        if name in (*SLIDERS, *OF_MESSAGES.values()) and value != getattr(base, name)
    }
    weights = f"Weights.preset({asked.preset!r})"
    if changed:
        weights += f".with_({', '.join(f'{name}={value:g}' for name, value in changed.items())})"
    options = [f"weights={weights}", f"k={asked.k}"]
    moments = {"now": opened.now, "as_of": end_of_day(asked.as_of, opened.zone)}
    imports = ["from echovessel import Vessel, Weights"]
    if moments["as_of"] is not None:
        moments["now"] = None  # ages are counted from as_of
    if any(moments.values()):
        imports.insert(0, "from datetime import datetime\n")
    options += [
        f"{name}=datetime.fromisoformat({at.isoformat()!r})" for name, at in moments.items() if at is not None
    ]
    if asked.past:
        options.append("include_superseded=True")
    arguments = "".join(f"    {option},\n" for option in (repr(asked.query), *options))
    return "\n".join(
        [*imports, "", f"v = {opened.code}", f"hits = v.recall(\n{arguments})", "print(hits.explain())"]
    )


def copyable(words: Words, code: str) -> Html:
    """Code with a button that copies it."""
    return el(
        "div",
        el("button", words("copy"), type="button", class_="copy", data_copy=True, data_done=words("copied")),
        el("pre", el("code", code), tabindex="0"),
        class_="code",
    )


def _summary(opened: Opened, words: Words, result: Recall) -> Html:
    named = [opened.memory.directory.get(entity).name for entity in result.anchors]
    names = (
        el("span", words("anchors"), " ", join(chip(name, kind="anchor") for name in named))
        if named
        else None
    )
    took = words(
        "took", hits=len(result), considered=result.considered, ms=f"{sum(result.timings.values()):.1f}"
    )
    stages = " · ".join(f"{stage} {spent:.1f} ms" for stage, spent in result.timings.items())
    return el("div", el("span", took, title=stages), names, class_="summary")


def _card(opened: Opened, words: Words, result: Recall, hit: Hit, longest: float) -> Html:
    raw = asdict(hit.factors)
    when = words.day(opened.day(hit.happened_at), opened.today)
    return el(
        "li",
        el(
            "div",
            el("span", f"{hit.rank}", class_="rank"),
            el("span", words(f"kind_{hit.kind}"), class_="kind", style=f"--kind:{KIND_COLOURS[hit.kind]}"),
            el("span", when, class_="when"),
            join(_badges(words, hit)),
            el("span", f"{hit.score:.2f}", class_="score", title=words("score")),
            class_="head",
        ),
        el("p", _said(hit), class_="said"),
        bar(words, hit.contributions, raw, longest),
        el(
            "div",
            _around(opened, words, result, hit),
            act(words("open_memory"), "open", hit.id),
            class_="foot",
        ),
        class_="card hit",
    )


def _badges(words: Words, hit: Hit) -> list[Html]:
    found = []
    if hit.factors.anchored:
        found.append(chip(words("badge_anchor"), kind="anchor", title=words("badge_anchor_why")))
    if hit.below_gate:
        found.append(chip(words("badge_below"), kind="below", title=words("badge_below_why")))
    if hit.superseded:
        found.append(chip(words("badge_superseded"), kind="past", title=words("badge_superseded_why")))
    if hit.folded:
        said = words("badge_folded", count=len(hit.folded))
        found.append(chip(said, kind="folded", title=words("badge_folded_why")))
    return found


def _around(opened: Opened, words: Words, result: Recall, hit: Hit) -> Html:
    messages = result.context(hit)
    if not messages:
        return el("small", words("no_source"), class_="muted")
    quotes: list[str] = []
    if hit.layer == "node":
        quotes = [source.quote for source in opened.memory.nodes.get(hit.id).sources]
    return fold(words("source_turns"), turns(opened, words, messages, here=hit.sources, quotes=quotes))


def _said(memo: Memo) -> str:
    return f"{memo.speaker}: {memo.text}" if memo.speaker else memo.text
