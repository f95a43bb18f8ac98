"""The talk as HTML: what was said, and beside it what a reply was made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from echovessel.clock import aware, zone
from echovessel.markup import Html, el, join
from echovessel.memory.records import Message, Sender, SessionState
from echovessel.mind.prompt import Prompt
from echovessel.plots.style import FACTOR_COLOURS, KIND_COLOURS
from echovessel.runtime.costs import spent
from echovessel.runtime.turn import Turn
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.parts import act, bar, chip, failure, notice
from echovessel.workbench.app.talking import STOPPED
from echovessel.workbench.app.words import Words

SHOWN = 40  # messages of the talk
PLACE = ("local", "main")  # channel and conversation of what is said on the page
RISEN = 6  # memories beside a reply


def persona_of(opened: Opened) -> str:
    """The persona's name."""
    return opened.speaker(Sender.PERSONA, "")


def name_of(opened: Opened, words: Words, sender: Sender, name: str = "") -> str:
    """Who said it; the user is "you" until they have a name of their own."""
    said = opened.speaker(sender, name)
    return words("you") if sender is Sender.USER and said == opened.memory.context.scope.name else said


def voice(opened: Opened, words: Words) -> Html:
    """Who speaks, in one line; and what was spent, once a limit is near."""
    settings, name = opened.vessel.config.model, persona_of(opened)
    if opened.vessel.model is None:
        line = words("voice_memory", name=name)
    else:
        model = settings.main or settings.fast
        line = words("voice_model", name=name, model=model) if model else words("voice_own", name=name)
    return join((el("p", line, class_="voice"), spending_notice(opened, words)))


def spending_notice(opened: Opened, words: Words) -> Html:
    """A sentence for each limit that is near or reached; nothing else."""
    limits = opened.vessel.config.spending
    told = [
        words(
            "limit_reached" if period.reached else "limit_near",
            period=words(f"period_{period.period}"),
            cost=f"{period.cost:.2f}",
            limit=f"{period.limit:.2f}",
            then=words(f"at_limit_{limits.at_limit}"),
        )
        for period in spent(opened.memory, limits)
        if period.near and period.limit is not None
    ]
    return notice(" ".join(told))


def history(opened: Opened, words: Words) -> Html:
    """The latest of what was said, a line between days."""
    messages = opened.memory.log.last(SHOWN)
    if not messages:
        return el("p", words("chat_empty", name=persona_of(opened)), class_="empty first")
    earlier = act(words("chat_earlier"), "layer", "L2", class_="link earlier")
    parts: list[Html] = [earlier] if opened.memory.log.count() > len(messages) else []
    day = None
    last = messages[-1].id
    for message in messages:
        if (its := opened.day(message.sent_at)) != day:
            day = its
            parts.append(el("h3", words.day(day, opened.today), class_="day"))
        parts.append(bubble(opened, words, message, stop=message.id == last))
    return el("div", join(parts), class_="bubbles")


def bubble(opened: Opened, words: Words, message: Message, *, stop: bool = True) -> Html:
    """One message; its time leads to it in Memory. By key, the log is one stop, and arrows lead on: see page.js."""
    local = aware(message.sent_at).astimezone(zone(opened.zone))
    who = name_of(opened, words, message.sender, message.sender_name)
    return _bubble(
        str(message.sender),
        who,
        el("p", message.text),
        act(
            f"{local:%H:%M}",
            "open",
            message.id,
            label=words("open_message", time=f"{local:%H:%M}"),
            stop=stop,
        ),
    )


def pending(opened: Opened, words: Words, text: str) -> Html:
    """What was just sent, before the turn has begun."""
    return _live(opened, words, (text,), _dots(words("stage_hear")))


def live(opened: Opened, words: Words, turn: Turn) -> Html:
    """The turn at hand: what was heard, and the reply as far as it has come."""
    if turn.text:
        said: Html = el("p", turn.text)
    else:
        said = _dots(words("stage_speak" if turn.prompt else "stage_recall"))
    return _live(opened, words, [message.text for message in turn.heard], said)


def after(opened: Opened, words: Words, turn: Turn | None) -> Html:
    """What remains to be told under the talk: that it was stopped, or why no reply came."""
    if turn is None or not turn.why:
        return Html("")
    if turn.why == STOPPED:
        return el("p", words("stopped"), class_="aside-note", role="status")
    return failure(words, turn.why)


def beside(opened: Opened, words: Words, turn: Turn | None) -> Html:
    """What a reply was made from: what rose, with its score bars; the ledger of the prompt; the mood."""
    parts = [_mood(opened, words)]
    if turn is None or turn.recall is None:
        parts.insert(0, _card(words("risen"), el("p", words("risen_empty"), class_="hint")))
        return el("div", join(parts), class_="beside")
    parts.insert(0, _risen(opened, words, turn))
    if turn.prompt is not None:
        about = words("ledger_of", tokens=f"{turn.prompt.tokens:,}", budget=f"{turn.prompt.budget:,}")
        parts.insert(
            1, _card(words("ledger"), ledger(opened, words, rows_of(turn.prompt)), about=about, class_="book")
        )
    parts.append(el("p", act(words("step_through"), "turn", turn.id, class_="link strong")))
    return el("div", join(parts), class_="beside")


def rows_of(prompt: Prompt) -> list[dict[str, object]]:
    """The ledger as a trace keeps it."""
    return [asdict(row) for row in prompt.ledger]


def ledger(opened: Opened, words: Words, rows: Iterable[dict[str, object]]) -> Html:
    """Each section of a prompt with its tokens, and what was cut from it and why."""
    listed = [row for row in rows if row["tokens"] or row["cut"]]
    most = max((_int(row["tokens"]) for row in listed), default=1) or 1
    return el("ul", join(_row(opened, words, row, most) for row in listed), class_="book-rows")


def section_name(opened: Opened, words: Words, section: str) -> str:
    """A section of the prompt in words; an entity's own by its name."""
    kind, _, entity = section.partition(":")
    if not entity:
        return words.or_same("section", kind)
    known = next((one.name for one in opened.memory.directory.list() if one.id == entity), "")
    return words("section_entity", name=known) if known else words("section_about")


def open_talk(opened: Opened) -> bool:
    """Whether there is a talk that can be ended."""
    context = opened.memory.context
    return any(
        (one.scope, one.channel, one.conversation) == (context.scope, *PLACE)
        for one in opened.memory.sessions.list(state=SessionState.OPEN)
    )


def risen(opened: Opened, words: Words, turn: Turn, *, count: int = RISEN) -> Html:
    """The hits of a turn, shortly: kind, text, when, and a bar of what each factor adds."""
    assert turn.recall is not None
    hits = turn.recall.hits[:count]
    longest = max((hit.score for hit in hits), default=1.0) or 1.0
    prompt = turn.prompt
    stands = {item for section in prompt.sections for item in section.items} if prompt else set[str]()
    rows = (
        el(
            "li",
            el(
                "div",
                el(
                    "span", words(f"kind_{hit.kind}"), class_="kind", style=f"--kind:{KIND_COLOURS[hit.kind]}"
                ),
                el("span", words.day(opened.day(hit.happened_at), opened.today).partition(" · ")[0]),
                chip(words("badge_anchor"), kind="anchor") if hit.factors.anchored else None,
                chip(words("not_in_prompt"), kind="past", title=words("not_in_prompt_why"))
                if prompt is not None and hit.id not in stands
                else None,
                el("span", f"{hit.score:.2f}", class_="score", title=words("score")),
                class_="head",
            ),
            act(hit.text, "open", hit.id, class_="link rise"),
            bar(words, hit.contributions, asdict(hit.factors), longest),
        )
        for hit in hits
    )
    return el("ol", join(rows), class_="risen")


def factor_key(words: Words) -> Html:
    """Which colour is which factor."""
    keys = (
        el("span", el("b", class_=f"dot f-{name}"), words(f"factor_{name}"), class_="add")
        for name in FACTOR_COLOURS
    )
    return el("div", join(keys), class_="key")


def _risen(opened: Opened, words: Words, turn: Turn) -> Html:
    assert turn.recall is not None
    if not turn.recall.hits:
        return _card(words("risen"), el("p", words("risen_none"), class_="hint"))
    about = words("risen_of", hits=len(turn.recall.hits), considered=turn.recall.considered)
    return _card(words("risen"), join((factor_key(words), risen(opened, words, turn))), about=about)


def _row(opened: Opened, words: Words, row: dict[str, object], most: int) -> Html:
    tokens, cut = _int(row["tokens"]), _int(row["cut"])
    whys = ", ".join(words.or_same("cut", why) for why in str(row["why"]).split(", ") if why)
    return el(
        "li",
        el("span", section_name(opened, words, str(row["section"])), class_="name"),
        el("span", el("i", style=f"width:{100 * tokens / most:.1f}%"), class_="gauge"),
        el("span", f"{tokens:,}", class_="number"),
        el("small", words("cut", count=cut, why=whys)) if cut else None,
    )


def _mood(opened: Opened, words: Words) -> Html:
    mood = opened.memory.moods.get()
    return _card(
        words("mood_now", name=persona_of(opened)),
        el(
            "p",
            el("strong", mood.mood),
            el(
                "span",
                words("energy"),
                " ",
                el("span", el("i", style=f"width:{mood.energy:.0%}"), class_="gauge"),
                f" {mood.energy:.0%}",
                class_="energy",
            ),
            class_="mood",
        ),
        el("p", words("user_signal"), ": ", mood.last_user_signal, class_="hint")
        if mood.last_user_signal
        else None,
    )


def _card(title: str, *children: object, about: str = "", class_: str = "") -> Html:
    head = el("header", el("h3", title), el("small", about) if about else None)
    return el("section", head, *children, class_=f"card side {class_}".strip())


def _live(opened: Opened, words: Words, heard: Iterable[str], reply: Html) -> Html:
    said = [
        _bubble("user", name_of(opened, words, Sender.USER), el("p", text), el("small", words("now")))
        for text in heard
    ]
    answer = _bubble("persona", persona_of(opened), reply, el("small", words("now")))
    return el("div", join([*said, answer]), class_="bubbles")


def _bubble(side: str, who: str, text: Html, time: Html) -> Html:
    return el("div", el("b", who, class_="who"), text, time, class_=f"bubble {side}")


def _dots(stage: str) -> Html:
    return el("p", el("i"), el("i"), el("i"), el("span", stage), class_="dots", role="status")


def _int(value: object) -> int:
    return int(str(value))
