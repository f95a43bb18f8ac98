"""Each section's entries, best first."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

import regex

from echovessel.clock import day_of
from echovessel.errors import NotFoundError
from echovessel.memory.recall import Recall
from echovessel.memory.records import CoreLabel, Entity, Message, Node, NodeKind, Origin, Subject
from echovessel.mind import portraits
from echovessel.mind.fence import quoted
from echovessel.mind.narrative import ATTRIBUTE as NARRATIVE
from echovessel.mind.portraits import ATTRIBUTE as PORTRAIT
from echovessel.mind.prompt.reader import Reader
from echovessel.mind.prompt.sections import Cut, Entry, Section

RECENT_DAYS, MOST, MOST_PINNED = 3, 12, 48
SHOWN_AT_MOST = 2
_ASKED = regex.compile(
    r"what(?:'s| is| has|’s)? (?:been )?on your mind|what have you been thinking"
    r"|(?<!我)(?:最近(?:都)?在?|在)(?:想|琢磨|寻思)(?:些)?(?:什么|什麼|啥)(?!时候|時候|都|样|樣|地方)",
    regex.IGNORECASE,
)


def asks_whats_on_your_mind(text: str) -> bool:
    """Whether somebody asks what the persona has been thinking about."""
    return _ASKED.search(text) is not None


def who(r: Reader) -> Section:
    """L1, written by people: who the persona is, and two rules."""
    blocks = [r.block(CoreLabel.PERSONA), r.block(CoreLabel.SELF)]
    lines = [
        r.words("you", name=r.persona_name),
        *(b for b in blocks if b),
        r.words("human"),
        r.words("data"),
    ]
    return Section("who", r.words("who"), tuple(Entry(line) for line in lines), plain=True)


def now(r: Reader) -> Section:
    """The persona's and the user's local time."""
    persona = r.memory.personas.get(r.memory.context.persona)
    lines = [r.words("time_user", speaker=r.speaker, time=r.clock(r.zone))]
    if persona.zone is not None:
        lines.insert(0, r.words("time_persona", time=r.clock(persona.zone)))
    if r.last_talk is not None and day_of(r.last_talk, r.zone) < r.today:
        # Earlier turns stand in the same conversation; without this they would read as if just said.
        lines.append(r.words("last_talk", when=r.when(r.last_talk)))
    return Section("now", r.words("now"), tuple(Entry(line) for line in lines), plain=True)


def mood(r: Reader) -> Section:
    """L6, only while it lasts."""
    felt = r.memory.moods.get(r.now)
    if not felt.last_user_signal and felt.mood == "neutral":
        return Section("mood", "", ())
    level = "low" if felt.energy < 0.35 else "high" if felt.energy > 0.7 else "mid"
    lines = [r.words("mood_line", mood=quoted(felt.mood, limit=60), energy=r.words(f"energy_{level}"))]
    if felt.last_user_signal:
        lines.append(r.words("mood_signal", signal=quoted(felt.last_user_signal, limit=300)))
    return Section("mood", r.words("mood"), tuple(Entry(line) for line in lines))


def style(r: Reader) -> Section:
    """How the persona speaks, as people wrote it."""
    text = r.block(CoreLabel.STYLE)
    return Section("style", r.words("style"), (Entry(text),) if text else (), plain=True)


def named(r: Reader, recall: Recall | None) -> list[tuple[Entity, Node | None]]:
    """Those who were named and are still there, each with its portrait."""
    found = []
    for ident in recall.anchors if recall else ():
        with suppress(NotFoundError):
            found.append((r.memory.directory.get(ident), portraits.current(r.memory, ident)))
    return found


def entities(r: Reader, who: Sequence[tuple[Entity, Node | None]]) -> list[Section]:
    """Each one's other names, portrait, and what is known of them."""
    found = []
    for entity, portrait in who:
        cut: list[Cut] = []
        others = [quoted(alias, limit=60) for alias in entity.aliases if alias != entity.name]
        entries = [Entry(r.words("aliases", names=", ".join(others)), entity.id)] if others else []
        nodes = r.memory.nodes.list(kinds=[NodeKind.EVENT, NodeKind.THOUGHT], entity=entity.id, limit=MOST)
        nodes = [*([portrait] if portrait else []), *(n for n in nodes if n.attribute != PORTRAIT)]
        entries += r.take([(n.id, n.text, r.line(n)) for n in nodes], cut)
        title = r.words("entity", name=quoted(entity.name, limit=60))
        found.append(Section(f"entity:{entity.id}", title, tuple(entries), cut=tuple(cut)))
    return found


def pending(r: Reader) -> Section:
    """One pair of names that may be one; the answer settles it in the next extraction."""
    for question in r.memory.directory.questions()[:1]:
        names = {"one": quoted(question.one.name, limit=60), "other": quoted(question.other.name, limit=60)}
        entry = Entry(r.words("pending_line", **names), question.id)
        return Section("pending", r.words("pending"), (entry,))
    return Section("pending", "", ())


def days(r: Reader) -> Section:
    """What happened in the last days and is told nowhere else."""
    since, cut = r.today - timedelta(days=RECENT_DAYS), list[Cut]()
    recent = r.nodes(NodeKind.EVENT, occurred=(since, r.today))
    recent.sort(key=lambda n: (n.occurred_from or since, abs(n.impact)), reverse=True)
    entries = r.take([(n.id, n.text, r.line(n)) for n in recent[:MOST]], cut)
    return Section("days", r.words("days"), entries, cut=tuple(cut))


def recalled(r: Reader, recall: Recall | None, own_sections: set[str]) -> Section:
    """What rose for this query, with time anchors; promises and expectations stand in sections of their own."""
    if recall is None:
        return Section("recalled", "", ())
    cut: list[Cut] = []
    candidates = []
    for hit in recall.hits:
        if hit.id in own_sections:
            continue
        if hit.layer == "message":
            message = r.memory.log.get(hit.id)
            candidates.append((hit.id, message.text, r.quote(message)))
        else:
            node = r.memory.nodes.get(hit.id)
            candidates.append((hit.id, node.text, r.line(node)))
    entries = r.take(candidates, cut)
    if not recall.hits:
        return Section("recalled", r.words("recalled"), (Entry(r.words("recalled_none")),), plain=True)
    return Section("recalled", r.words("recalled"), entries, cut=tuple(cut))


def speaker(r: Reader, bond: Sequence[Entry]) -> Section:
    """What people wrote about the user, how they want to be met, and pinned thoughts about them."""
    cut: list[Cut] = []
    written = [r.block(CoreLabel.USER), r.block(CoreLabel.RELATIONSHIP)]
    entries = [Entry(quoted(line)) for block in written for line in block.splitlines() if line.strip()]
    entries += bond
    pinned = r.nodes(NodeKind.THOUGHT, pinned=True, subject=Subject.USER, limit=MOST_PINNED)
    entries += r.take([(n.id, n.text, quoted(n.text)) for n in pinned], cut)
    return Section("speaker", r.words("speaker", speaker=r.speaker), tuple(entries), cut=tuple(cut))


def self_image(r: Reader) -> Section:
    """The self-narrative, then other thoughts of the persona about itself."""
    cut: list[Cut] = []
    mine = r.nodes(NodeKind.THOUGHT, subject=Subject.PERSONA, limit=MOST)
    thoughts = [n for n in mine if n.origin is not Origin.SLOW_TICK]
    narrative = r.nodes(NodeKind.THOUGHT, attribute=NARRATIVE)
    ordered = [*narrative, *(n for n in thoughts if n.attribute != NARRATIVE)][:6]
    entries = r.take([(n.id, n.text, quoted(n.text)) for n in ordered], cut)
    return Section("self", r.words("self"), entries, cut=tuple(cut))


def on_your_mind(r: Reader, heard: Sequence[Message]) -> Section:
    """What the slow tick wrote since the last talk; each at most twice, unless asked."""
    asked = asks_whats_on_your_mind("\n".join(m.text for m in heard))
    cut: list[Cut] = []
    written = r.memory.nodes.list(
        kinds=[NodeKind.THOUGHT, NodeKind.INTENTION],
        origin=Origin.SLOW_TICK,
        recorded_after=r.last_talk,
        limit=MOST,
    )
    thoughts = [n for n in written if n.attribute not in (NARRATIVE, PORTRAIT)]
    times = r.memory.shown.times(n.id for n in thoughts)
    fresh = [n for n in thoughts if asked or times.get(n.id, 0) < SHOWN_AT_MOST]
    entries = list(r.take([(n.id, n.text, quoted(n.text)) for n in fresh], cut))
    if asked:
        line = r.words("mind_asked", speaker=r.speaker) if entries else r.words("mind_none")
        entries.insert(0, Entry(line))
    return Section("mind", r.words("mind"), tuple(entries), cut=tuple(cut))


def still_open(r: Reader, name: str, nodes: Sequence[Node]) -> Section:
    """What the persona promised, or what it awaits, each with its day."""
    cut: list[Cut] = []
    entries = r.take([(n.id, n.text, r.due(n)) for n in nodes], cut)
    return Section(name, r.words(name), entries, cut=tuple(cut))


def context(r: Reader, instructions: str) -> Section:
    """What the client of the API adds to this call."""
    if not instructions.strip():
        return Section("context", "", ())
    lines = [Entry(quoted(line)) for line in instructions.splitlines() if line.strip()]
    head = f"{r.words('context')}\n{r.words('context_line', speaker=r.speaker)}"
    return Section("context", head, tuple(lines))
