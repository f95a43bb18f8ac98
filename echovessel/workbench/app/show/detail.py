"""One memory in full: what it says, what it rests on, what it was, and what derives from it."""

from __future__ import annotations

from collections.abc import Iterable

from echovessel.errors import NotFoundError
from echovessel.markup import Html, el, join
from echovessel.memory.records import Message, Node, Origin, ScopeKind, Source, Subject
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.browse import kind_label, states
from echovessel.workbench.app.show.parts import act, chip, empty, fold, happened, impact, turns
from echovessel.workbench.app.words import Words

AROUND = 3


def look_up(opened: Opened, item: str) -> Node | Message | None:
    """The memory or message of that id; None when it is gone or belongs to another memory on the shelf."""
    for get in (opened.memory.nodes.get, opened.memory.log.get):
        try:
            return get(item)
        except NotFoundError:
            continue
    return None


def detail(opened: Opened, words: Words, item: str) -> Html:
    """Everything about one memory or message."""
    found = look_up(opened, item) if item else None
    if found is None:
        return empty(words, "empty_detail")
    return _message(opened, words, found) if isinstance(found, Message) else _node(opened, words, found)


def _node(opened: Opened, words: Words, node: Node) -> Html:
    return el(
        "article",
        el("div", kind_label(words, node.kind), join(states(words, node)), class_="head"),
        el("p", node.text, class_="said big"),
        _facts(opened, words, node),
        _part(words("rests_on"), _sources(opened, words, node)),
        _part(words("history"), _history(opened, words, node)),
        _part(words("derives"), _derived(opened, words, node.id)),
        class_="card detail",
        data_item=node.id,
    )


def _message(opened: Opened, words: Words, message: Message) -> Html:
    session = opened.memory.log.by_session(message.session)
    named = [
        opened.memory.directory.get(one) for one in sorted(opened.memory.directory.mentioned(message.text))
    ]
    names = [act(entity.name, "entity", entity.id, class_="chip") for entity in named]
    here = (message.id,)
    return el(
        "article",
        el(
            "div",
            kind_label(words, "message"),
            el("span", words("in_session", count=len(session))),
            class_="head",
        ),
        el("div", join(names), class_="chips") if names else None,
        turns(opened, words, session, here=here) if session else empty(words, "deleted_message"),
        _part(words("derives"), _derived(opened, words, message.id)),
        class_="card detail",
        data_item=message.id,
    )


def _facts(opened: Opened, words: Words, node: Node) -> Html:
    today = opened.today
    rows: list[tuple[str, object]] = [(words("when"), happened(opened, words, node))]
    valid = words.days(node.valid_from, node.valid_to, today)
    if valid and valid != rows[0][1]:
        rows.append((words("valid"), valid))
    rows.append((words("known"), words.day(opened.day(node.first_known_at or node.known_at), today)))
    rows.append((words("impact"), join((impact(words, node.impact), f" {node.impact:+g}"))))
    rows.append((words("about"), _about(opened, words, node)))
    if node.attribute:
        rows.append((words("attribute"), node.attribute))
    if node.emotions:
        rows.append((words("emotions"), _chips(node.emotions)))
    if node.tags:
        rows.append((words("tags"), _chips(words(f"tag_{tag.replace('-', '_')}") for tag in node.tags)))
    if node.entities:
        rows.append((words("entities"), _entities(opened, node)))
    origin = opened.brought if node.origin is Origin.IMPORT else str(node.origin)
    rows.append((words("origin"), words(f"origin_{origin}") + _times(words, node)))
    pairs = (el("div", el("dt", name), el("dd", value)) for name, value in rows)
    return el("dl", join(pairs), class_="facts")


def _about(opened: Opened, words: Words, node: Node) -> str:
    memory = opened.memory
    if node.subject is Subject.OTHER and node.about is not None:
        return memory.directory.get(node.about).name
    if node.subject is Subject.OTHER:
        return words("subject_other")
    sender = "persona" if node.subject is Subject.PERSONA else "user"
    name = (
        memory.personas.get(memory.context.persona).name
        if sender == "persona"
        else memory.personas.audience(memory.context.scope).name
    )
    shared = f" · {words('shared')}" if node.scope.kind is ScopeKind.SHARED else ""
    return (name or words(f"subject_{sender}")) + shared


def _times(words: Words, node: Node) -> str:
    said = f" · {words('confidence', value=f'{node.confidence:.0%}')}" if node.confidence < 1 else ""
    return said + (f" · {words('mentions', count=node.mentions)}" if node.mentions > 1 else "")


def _chips(values: Iterable[object]) -> Html:
    return el("span", join(chip(value) for value in values), class_="chips")


def _entities(opened: Opened, node: Node) -> Html:
    known = {opened.memory.directory.root(entity) for entity in node.entities}
    named = sorted((opened.memory.directory.get(entity) for entity in known), key=lambda entity: entity.name)
    return el("span", join(act(one.name, "entity", one.id, class_="chip") for one in named), class_="chips")


def _sources(opened: Opened, words: Words, node: Node) -> Html | None:
    if not node.sources:
        return el("p", words("no_source"), class_="muted")
    return join(_source(opened, words, source) for source in node.sources)


def _source(opened: Opened, words: Words, source: Source) -> Html:
    if source.message is None:
        origin = opened.memory.nodes.get(source.node or "")
        return el(
            "blockquote",
            el("p", act(origin.text, "open", origin.id)),
            el("footer", kind_label(words, origin.kind)),
        )
    message = opened.memory.log.get(source.message)
    around = opened.memory.log.around(source.message, before=AROUND, after=AROUND)
    return el(
        "blockquote",
        el("p", source.quote or message.text or words("deleted_message")),
        el(
            "footer",
            el("span", opened.speaker(message.sender, message.sender_name)),
            el("span", words.day(opened.day(message.sent_at), opened.today)),
            act(words("whole_session"), "open", message.id),
        ),
        fold(words("turns_around"), turns(opened, words, around, here=(message.id,), quotes=(source.quote,))),
    )


def _history(opened: Opened, words: Words, node: Node) -> Html | None:
    chain = opened.memory.nodes.history(node.id)
    if len(chain) < 2:
        return None
    rows = []
    for one in chain:
        known = words.day(opened.day(one.first_known_at or one.known_at), opened.today)
        said = el("b", one.text) if one.id == node.id else act(one.text, "open", one.id)
        mark = chip(words("current"), kind="anchor") if one.superseded_at is None else None
        rows.append(
            el("li", el("small", known), said, mark, aria_current="true" if one.id == node.id else None)
        )
    return el("ol", join(rows), class_="chain")


def _derived(opened: Opened, words: Words, item: str) -> Html | None:
    nodes = opened.memory.nodes.derived_from(item)
    if not nodes:
        return None
    rows = (el("li", kind_label(words, node.kind), act(node.text, "open", node.id)) for node in nodes)
    return el("ul", join(rows), class_="links")


def _part(title: str, body: Html | None) -> Html | None:
    return None if body is None else el("section", el("h3", title), body)
