"""Forgetting is tested on the bytes of the file, because that is what is promised."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echovessel.clock import FixedClock
from echovessel.embedding import Calibration, EmbedderIdentity, Logit
from echovessel.errors import InputError, NotFoundError, StoreBusy
from echovessel.memory.access import Access
from echovessel.memory.context import Context
from echovessel.memory.core_blocks import CoreBlocks
from echovessel.memory.engine import Store
from echovessel.memory.entities import Entities
from echovessel.memory.forget import Forget
from echovessel.memory.ids import IdMaker
from echovessel.memory.imports import Imports
from echovessel.memory.messages import Messages
from echovessel.memory.moods import Moods
from echovessel.memory.nodes import Nodes
from echovessel.memory.personas import Personas
from echovessel.memory.records import (
    Actor,
    CoreLabel,
    Mood,
    NewMessage,
    NewNode,
    NodeKind,
    Origin,
    Scope,
    Source,
)
from echovessel.memory.search import Search, cut
from echovessel.memory.sessions import Sessions
from echovessel.memory.targets import Target
from echovessel.memory.vectors import Vectors

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
TOY = EmbedderIdentity("toy", "1", 2, "c0ffee", Calibration(Logit(0, 1, 1)))
SECRET = "xyzzyplugh"
HAN_SECRET = "龘靐齉爩"


class Parts:
    """The parts of a memory that these tests write with."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.directory = Entities(context)
        self.log = Messages(context, Sessions(context), self.directory)
        self.nodes = Nodes(context, self.directory)
        self.core = CoreBlocks(context)
        self.search = Search(context)
        self.forget = Forget(context).forget

    def said(self, text: str, **fields: object) -> str:
        return self.log.add(NewMessage(text, **fields), vector=np.array([1.0, 0.0])).id  # type: ignore[arg-type]

    def event(self, text: str, *sources: Source, **fields: object) -> str:
        new = NewNode(text, origin=Origin.EXTRACTION if sources else Origin.PERSON, sources=sources, **fields)  # type: ignore[arg-type]
        return self.nodes.add(new, vector=np.array([0.0, 1.0])).id


@pytest.fixture
def parts(context: Context) -> Parts:
    Vectors(context).adopt(TOY)
    return Parts(context)


@pytest.fixture
def traces(context: Context) -> Callable[[str], list[str]]:
    """Where a text still stands in the file or its log, whole or as the index cuts it."""
    path = Path(context.store.path)

    def traces(text: str) -> list[str]:
        forms = {text, *cut(text).split()}
        found = []
        for file in (path, Path(f"{path}-wal")):
            content = file.read_bytes() if file.exists() else b""
            # The index stores a term without the start it shares with the one before.
            ends = {form[i:] for form in forms for i in range(len(form)) if len(form[i:].encode()) >= 6}
            found += [f"{file.name}: {form}" for form in ends if form.encode() in content]
        return found

    return traces


def gone(parts: Parts, traces: Callable[[str], list[str]], *texts: str) -> None:
    """Nothing is left while the file is open, and after it is closed."""
    for text in texts:
        assert traces(text) == []
    parts.context.store.close()
    for text in texts:
        assert traces(text) == []


def fill(parts: Parts) -> None:
    """Other messages, so that secrets share pages and index segments with what stays."""
    parts.log.add_many(
        (
            NewMessage(f"filler {n} 填充文字 {n * 7919}", sent_at=NOON + timedelta(minutes=n))
            for n in range(300)
        ),
        vectors=[np.array([1.0, 0.0])] * 300,
    )


def test_the_bytes_are_there_before(parts: Parts, traces: Callable[[str], list[str]]) -> None:
    parts.said(f"a {SECRET} and {HAN_SECRET}")

    assert traces(SECRET)
    assert traces(HAN_SECRET)


def test_a_message(parts: Parts, traces: Callable[[str], list[str]]) -> None:
    fill(parts)
    message = parts.said(f"my {SECRET} is {HAN_SECRET}", attachments=({"file": SECRET},))
    Access(parts.context).record([message])
    parts.log.edit(message, f"my {SECRET} was {HAN_SECRET}")
    Moods(parts.context).set(Mood("warm", 0.6, f"said {SECRET}", NOON))
    fill(parts)

    told = parts.forget(Target.message(message), dry_run=True)
    assert (told.messages, told.done) == ((message,), False)
    assert parts.log.get(message)
    result = parts.forget(Target.message(message))

    assert (result.messages, result.done, result.counts) == ((message,), True, {"messages": 1, "moods": 1})
    assert result.counts == told.counts
    with pytest.raises(NotFoundError):
        parts.log.get(message)
    assert parts.log.count() == 600
    assert parts.context.store.value("SELECT count(*) FROM access_counts") == 0
    gone(parts, traces, SECRET, HAN_SECRET)


@pytest.mark.parametrize("derived", ["drop", "keep"])
def test_what_derives_goes_or_stays_without_its_quotes(
    parts: Parts, traces: Callable[[str], list[str]], derived: str
) -> None:
    message = parts.said(f"I told Ann about {SECRET}")
    other = parts.said("the weather is fine")
    event = parts.event("told a friend", Source(message=message, quote=SECRET))
    both = parts.event("a fine day", Source(message=message, quote=f"about {SECRET}"), Source(message=other))
    thought = parts.event("seems open", Source(node=event, quote="told a friend"), kind=NodeKind.THOUGHT)
    apart = parts.event("likes weather", Source(message=other, quote="the weather"))

    told = parts.forget(Target.message(message), dry_run=True, derived=derived)  # type: ignore[arg-type]
    result = parts.forget(Target.message(message), derived=derived)  # type: ignore[arg-type]

    assert set(told.derived) == set(result.derived) == {event, both, thought}
    left = {node.id for node in parts.nodes.list()}
    if derived == "drop":
        assert left == {apart}
        assert parts.search.nodes("friend") == []
        assert result.counts["nodes"] == told.counts["nodes"] == 3
        gone(parts, traces, SECRET, "told a friend")
    else:
        assert left == {event, both, thought, apart}
        assert parts.nodes.get(event).sources == ()
        assert parts.nodes.get(both).sources == (Source(message=other),)
        assert parts.nodes.get(thought).sources == (Source(node=event),)
        assert parts.nodes.get(apart).sources == (Source(message=other, quote="the weather"),)
        gone(parts, traces, SECRET)


def test_a_node(parts: Parts, traces: Callable[[str], list[str]]) -> None:
    message = parts.said("something happened")
    node = parts.event(f"event {SECRET}", Source(message=message))
    thought = parts.event("a thought", Source(node=node, quote=SECRET), kind=NodeKind.THOUGHT)

    result = parts.forget(Target.node(node))

    assert (result.nodes, result.derived) == (tuple(sorted([node, thought])), (thought,))
    assert parts.log.get(message).text == "something happened"
    gone(parts, traces, SECRET)


def test_the_fact_before_is_current_again(parts: Parts) -> None:
    old = parts.event("works at Lanting", attribute="job", known_at=NOON - timedelta(days=90))
    new = parts.event("works at Northgate", attribute="job", supersedes=(old,))
    assert parts.nodes.get(old).superseded_by == new

    parts.forget(Target.node(new))

    restored = parts.nodes.get(old)
    assert (restored.superseded_by, restored.superseded_at) == (None, None)


def test_a_session(parts: Parts, traces: Callable[[str], list[str]]) -> None:
    first = parts.said(f"one {SECRET}", sent_at=NOON - timedelta(days=1))
    parts.said(f"two {HAN_SECRET}", sent_at=NOON - timedelta(days=1))
    kept = parts.said("today")
    session = parts.log.get(first).session

    result = parts.forget(Target.session(session))

    assert result.counts == {"messages": 2, "sessions": 1}
    assert [m.id for m in parts.log.between()] == [kept]
    gone(parts, traces, SECRET, HAN_SECRET)


def test_an_entity_under_all_its_names(parts: Parts, traces: Callable[[str], list[str]]) -> None:
    ann = parts.directory.add(f"Ann {SECRET}", aliases=["Annie"])
    twin = parts.directory.add(f"Anna {HAN_SECRET}")
    bob = parts.directory.add("Bob")
    parts.directory.merge(ann.id, twin.id)
    named = parts.said("Annie called")
    about = parts.event("Annie moved away")
    other = parts.event("Bob stayed")

    result = parts.forget(Target.entity(twin.id))

    assert result.derived == (about,)
    assert parts.log.get(named)  # what was said stays; it has a target of its own
    assert [node.id for node in parts.nodes.list()] == [other]
    assert [entity.id for entity in parts.directory.list()] == [bob.id]
    assert parts.context.store.value("SELECT count(*) FROM entity_changes") == 0
    assert parts.directory.mentioned("Annie") == set()
    gone(parts, traces, SECRET, HAN_SECRET, "moved away")


def test_an_alias(parts: Parts, traces: Callable[[str], list[str]]) -> None:
    ann = parts.directory.add(f"Ann{SECRET}", aliases=["Annie"])

    with pytest.raises(NotFoundError, match="does not go by"):
        parts.forget(Target.alias(ann.id, "Zoe"))
    assert parts.forget(Target.alias(ann.id, f"Ann{SECRET}"), dry_run=True).counts == {"aliases": 1}
    parts.forget(Target.alias(ann.id, f"ann{SECRET}".upper()))

    found = parts.directory.get(ann.id)
    assert (found.name, found.aliases) == ("Annie", ("Annie",))
    with pytest.raises(InputError, match="Forget the entity instead"):
        parts.forget(Target.alias(ann.id, "Annie"))
    gone(parts, traces, SECRET)


def test_a_line_of_a_core_block(parts: Parts, traces: Callable[[str], list[str]]) -> None:
    parts.core.set(CoreLabel.USER, f"Likes tea.\nKnows {SECRET}.", actor=Actor.MANUAL)
    parts.core.set(
        CoreLabel.USER,
        f"Likes tea.\nKnows {SECRET}.\nHas a cat.",
        actor=Actor.MANUAL,
        note=f"Knows {SECRET}.",
    )
    line = Target.core_line("user", f"Knows {SECRET}.")

    assert parts.forget(line, dry_run=True).counts == {"core_blocks": 1, "core_block_revisions": 2}
    parts.forget(line)

    block = parts.core.get(CoreLabel.USER)
    assert block is not None
    assert block.text == "Likes tea.\nHas a cat."
    assert [r.after for r in parts.core.history(CoreLabel.USER)] == ["Likes tea.", "Likes tea.\nHas a cat."]
    with pytest.raises(NotFoundError, match="No line"):
        parts.forget(line)
    gone(parts, traces, SECRET)


def whole_life(parts: Parts, mark: str) -> None:
    """One row in every table that holds what people say."""
    message = parts.said(f"I am {mark}", conversation=mark, external_id=mark, sender_name=mark)
    event = parts.event(f"met {mark}", Source(message=message, quote=mark))
    parts.event(f"thinks of {mark}", Source(node=event, quote=mark), kind=NodeKind.THOUGHT)
    friend = parts.directory.add(f"friend {mark}")
    parts.directory.merge(friend.id, parts.directory.add(f"pal {mark}").id)
    Moods(parts.context).set(Mood(f"mood {mark}", 0.5, mark, NOON))
    parts.core.set(CoreLabel.USER, f"a line {mark}", actor=Actor.MANUAL, note=mark)
    Personas(parts.context).set_name(f"name {mark}", scope=parts.context.scope)
    Access(parts.context).record([message, event])
    thinking(parts, mark, event)


def thinking(parts: Parts, mark: str, read: str) -> None:
    """What a turn and a slow tick leave: a trace, a refused thought, the log of a call, a notice, a token."""
    run, new_id = parts.context.store.run, parts.context.new_id
    mine, cycle = (parts.context.persona, parts.context.scope.key), new_id()
    run("INSERT INTO traces (id, persona, scope, at, body) VALUES (?, ?, ?, 0, ?)", (new_id(), *mine, mark))
    run(
        "INSERT INTO cycles (id, persona, scope, kind, at, outcome) VALUES (?, ?, ?, 'slow_tick', 0, 'done')",
        (cycle, *mine),
    )
    run("INSERT INTO cycle_reads (cycle, node) VALUES (?, ?)", (cycle, read))
    run("INSERT INTO cycle_refusals (cycle, rule, text) VALUES (?, 'kind', ?)", (cycle, f"refused {mark}"))
    run(
        "INSERT INTO model_calls (id, persona, scope, purpose, role, model, stamp, at, ms, input_tokens, output_tokens,"
        " outcome) VALUES (?, ?, ?, 'reply', 'main', 'm', '', 0, 1, 1, 1, 'ok')",
        (new_id(), *mine),
    )
    run("INSERT INTO notices (persona, scope, kind, at) VALUES (?, ?, 'ai', 0)", mine)
    run(
        "INSERT INTO api_tokens (id, digest, user, created_at) VALUES (?, ?, ?, 0)",
        (new_id(), new_id().encode(), parts.context.scope.name),
    )


def left(parts: Parts) -> list[tuple[str, str]]:
    """Texts that a turn and a slow tick have left."""
    return parts.context.store.rows(
        "SELECT 'trace', body FROM traces UNION ALL SELECT 'refusal', text FROM cycle_refusals"
    )


def test_what_a_turn_and_a_slow_tick_keep_goes_with_what_it_may_quote(
    parts: Parts, traces: Callable[[str], list[str]]
) -> None:
    fill(parts)
    message = parts.said(f"about {SECRET}")
    event = parts.event("met somebody", Source(message=message, quote=SECRET))
    thinking(parts, SECRET, event)
    tom = Parts(parts.context.within(Scope.user("tom")))
    thinking(tom, "stays", tom.event("another's"))

    parts.forget(Target.message(message), derived="keep")

    assert parts.nodes.get(event).text == "met somebody"
    assert left(parts) == [("trace", "stays"), ("refusal", "refused stays")]
    gone(parts, traces, SECRET)


def test_a_trace_goes_when_a_message_it_may_quote_is_edited(parts: Parts) -> None:
    message = parts.said("Apple123")
    thinking(parts, "Apple123", parts.event("bought a phone"))

    parts.log.edit(message, "Apple456")

    assert ("trace", "Apple123") not in left(parts)


def dump(store: Store, scope: str) -> dict[str, list[object]]:
    """Every row of a scope, byte for byte, with what hangs on them."""
    tables = [
        name for (name,) in store.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    ]
    scoped = [
        t
        for t in tables
        if any(c[1] == "scope" for c in store.rows(f"PRAGMA table_info({t})")) and t != "changes"
    ]
    rows: dict[str, list[object]] = {
        t: list(store.rows(f"SELECT * FROM {t} WHERE scope = ? ORDER BY rowid", (scope,))) for t in scoped
    }
    for layer in ("message", "node"):
        mine = f"SELECT seq FROM {layer}s WHERE scope = ?"
        rows[f"{layer}_vectors"] = list(
            store.rows(f"SELECT * FROM {layer}_vectors WHERE {layer} IN ({mine}) ORDER BY 1, 2", (scope,))
        )
        rows[f"{layer}_search"] = list(
            store.rows(f"SELECT rowid, text FROM {layer}_search WHERE rowid IN ({mine}) ORDER BY 1", (scope,))
        )
        named = f"SELECT id FROM {layer}s WHERE scope = ?"
        rows[f"{layer}_entities"] = list(
            store.rows(f"SELECT * FROM {layer}_entities WHERE {layer} IN ({named}) ORDER BY 1, 2", (scope,))
        )
    return rows


def test_a_user(parts: Parts, traces: Callable[[str], list[str]]) -> None:
    tom = Parts(parts.context.within(Scope.user("tombradley")))
    whole_life(parts, "pleasekeepme")
    whole_life(tom, SECRET)
    before = dump(parts.context.store, "user:mei")

    told = parts.forget(Target.user("tombradley"), dry_run=True)
    result = parts.forget(Target.user("tombradley"))

    assert told.counts == result.counts
    assert {"messages", "nodes", "sessions", "entities", "moods", "core_blocks", "audiences"} <= set(
        result.counts
    )
    assert dump(parts.context.store, "user:mei") == before
    assert not any(dump(parts.context.store, "user:tombradley").values())
    assert parts.context.store.rows("SELECT user FROM api_tokens") == [("mei",)]
    assert tom.directory.list() == []
    with pytest.raises(NotFoundError, match="Nothing is known"):
        parts.forget(Target.user("tombradley"))
    gone(parts, traces, SECRET, "tombradley")


def test_a_persona(parts: Parts, traces: Callable[[str], list[str]]) -> None:
    Personas(parts.context).add("other", name="Other")
    other = Parts(
        Context(parts.context.store, "other", Scope.user("mei"), parts.context.clock, parts.context.ids)
    )
    whole_life(parts, "pleasekeepme")
    whole_life(other, SECRET)

    result = parts.forget(Target.persona("other"))

    assert result.counts["messages"] == 1
    assert parts.log.count() == 1
    assert Moods(parts.context).get().mood == "mood pleasekeepme"
    assert [persona.id for persona in Personas(parts.context).list()] == ["lin"]
    gone(parts, traces, SECRET)


def test_everything(parts: Parts, traces: Callable[[str], list[str]]) -> None:
    whole_life(parts, SECRET)
    Imports(parts.context).start(f"{SECRET}.txt", "d1")
    parts.forget(Target.message(parts.said("leaves a tombstone")))

    assert parts.forget(Target.everything(), dry_run=True).counts["messages"] == 1
    parts.forget(Target.everything())

    store = parts.context.store
    for table in (
        "personas",
        "messages",
        "nodes",
        "tombstones",
        "meta",
        "imports",
        "access_counts",
        "message_search",
        "model_calls",
        "cycles",
        "cycle_refusals",
        "notices",
        "api_tokens",
        "traces",
    ):
        assert store.value(f"SELECT count(*) FROM {table}") == 0, table
    Personas(parts.context).require()
    assert parts.said("a new life")
    gone(parts, traces, SECRET)


def test_an_import_and_its_undoing(parts: Parts, traces: Callable[[str], list[str]]) -> None:
    imports = Imports(parts.context)
    parts.core.set(CoreLabel.USER, "Likes tea.", actor=Actor.MANUAL)
    started = imports.start(f"chat with {SECRET}.txt", "d1")
    inside = Parts(imports.context_of(started.id))
    new = NewMessage(
        f"old talk {SECRET}", sent_at=NOON - timedelta(days=9), conversation="import", external_id="1"
    )
    message = inside.log.add(new)
    friend, known = inside.directory.add(f"Friend{SECRET}"), inside.directory.add("Known")
    inside.core.set(CoreLabel.USER, f"Likes tea and {SECRET}.", actor=Actor.IMPORT)
    assert imports.finish(started.id).finished_at == NOON
    derived = parts.event(f"learned {SECRET}", Source(message=message.id))
    later = parts.said("Known came by")

    assert [found.id for found in imports.find("d1")] == [started.id]
    result = imports.undo(started.id)

    assert result.messages == (message.id,)
    assert derived in result.derived
    assert [entity.id for entity in parts.directory.list()] == [known.id]  # somebody names them by now
    assert friend.id not in {entity.id for entity in parts.directory.list(include_merged=True)}
    assert [m.id for m in parts.log.between()] == [later]
    block = parts.core.get(CoreLabel.USER)
    assert block is not None
    assert block.text == "Likes tea."
    assert imports.list() == []
    assert Path(parts.context.store.path).exists()
    assert traces(SECRET) == []
    assert parts.log.add(new).text == new.text  # no tombstone: the import may be done again


def test_a_forgotten_import_stays_away(parts: Parts) -> None:
    started = Imports(parts.context).start("chat.txt", "d1")
    new = NewMessage("old talk", conversation="import", external_id="1")
    Messages(Imports(parts.context).context_of(started.id), Sessions(parts.context), parts.directory).add(new)

    parts.forget(Target.imported(started.id))

    assert parts.log.add_many([new]) == []


def test_entities_that_nothing_names_any_more_are_told(parts: Parts) -> None:
    ann, bob = parts.directory.add("Ann"), parts.directory.add("Bob")
    message = parts.said("Ann and Bob")
    parts.said("Bob alone")

    result = parts.forget(Target.message(message))

    assert result.orphans == (ann.id,)
    assert {entity.id for entity in parts.directory.list()} == {ann.id, bob.id}


@pytest.mark.parametrize(
    "target",
    [
        Target.message("nope"), Target.node("nope"), Target.session("nope"), Target.entity("nope"),
        Target.persona("nope"), Target.imported("nope"), Target.user("nope"),
        Target.core_line("self", "nope"),
        Target.alias("nope", "x"), Target.message('{"$ne": ""}'),
    ],
    ids=lambda target: str(target.kind),
)  # fmt: skip
def test_what_is_not_there_is_an_error_and_nothing_goes(parts: Parts, target: Target) -> None:
    whole_life(parts, "pleasekeepme")
    before = dump(parts.context.store, "user:mei")

    with pytest.raises(NotFoundError):
        parts.forget(target)

    assert dump(parts.context.store, "user:mei") == before


def test_nothing_of_another_scope_can_be_forgotten_by_id(parts: Parts) -> None:
    tom = Parts(parts.context.within(Scope.user("tom")))
    message = tom.said("tom's", conversation="tom")
    node, entity, session = tom.event("tom's"), tom.directory.add("Toms"), tom.log.get(message).session

    for target in (
        Target.message(message),
        Target.node(node),
        Target.entity(entity.id),
        Target.session(session),
    ):
        with pytest.raises(NotFoundError):
            parts.forget(target)

    assert tom.log.count() == 1


def test_an_odd_user_id_is_refused() -> None:
    for name in ('{"$ne": ""}', "", "%", "a b", "x" * 65):
        with pytest.raises(InputError):
            Target.user(name)


def test_while_another_process_reads_the_log_waits(parts: Parts, traces: Callable[[str], list[str]]) -> None:
    message = parts.said(f"secret {SECRET}")
    reader = Store(parts.context.store.path, busy_timeout_ms=0)
    quick = Context(
        Store(parts.context.store.path, busy_timeout_ms=50),
        "lin",
        Scope.user("mei"),
        parts.context.clock,
        IdMaker(),
    )

    with reader.read():
        assert reader.value("SELECT count(*) FROM messages") == 1
        with pytest.raises(StoreBusy, match="open in another process"):
            Forget(quick).forget(Target.message(message))
        assert parts.log.count() == 0
    Forget(quick).finish()

    assert traces(SECRET) == []
    reader.close()
    quick.store.close()


@settings(max_examples=15)
@given(data=st.data())
def test_forgetting_in_one_scope_leaves_another_byte_identical(data: st.DataObject) -> None:
    store = Store(":memory:")
    try:
        context = Context(store, "lin", Scope.user("mei"), FixedClock(NOON), IdMaker())
        Personas(context).require()
        Vectors(context).adopt(TOY)
        mei, tom = Parts(context), Parts(context.within(Scope.user("tom")))
        shared = Parts(context.within(Scope.shared()))
        shared.directory.add("Ann")
        ids: list[Target] = [Target.user("mei")]
        for n, side in enumerate(data.draw(st.lists(st.sampled_from([mei, tom]), min_size=2, max_size=8))):
            message = side.said(f"Ann said {n}", conversation=f"{side.context.scope.name}{n}")
            event = side.event(f"event {n}", Source(message=message, quote="Ann"))
            thought = side.event(f"thought {n}", Source(node=event))
            if side is mei:
                ids += [Target.message(message), Target.node(event), Target.node(thought)]
                ids.append(Target.session(side.log.get(message).session))
        before = dump(store, "user:tom"), dump(store, "shared")

        for target in data.draw(st.lists(st.sampled_from(ids), min_size=1, max_size=4, unique=True)):
            try:
                mei.forget(target, derived=data.draw(st.sampled_from(["drop", "keep"])))
            except NotFoundError:
                continue  # went with one before

        assert (dump(store, "user:tom"), dump(store, "shared")) == before
    finally:
        store.close()
