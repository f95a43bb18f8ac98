"""One turn: what is stored, in what order, and what stays when it fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest

from echovessel.embedding import TextKind, Vectors
from echovessel.errors import ConfigError, InputError, ModelError
from echovessel.memory.messages import Messages
from echovessel.memory.records import NewMessage, Scope, Sender, SessionState
from echovessel.mind.crisis import Crisis
from echovessel.models.hash import HashEmbedder
from echovessel.models.language import Piece, Reply, Request, ScriptedModel, Usage
from echovessel.runtime.config import Config, PromptSettings
from echovessel.runtime.spending import SpendingLimits
from echovessel.runtime.turns import Saying, Step, StepKind
from echovessel.runtime.vessel import Vessel


def opened(model: object = None, **settings: object) -> Vessel:
    """A vessel in memory, with the hash embedder."""
    sample = Vessel.sample("mara", embedder="hash")
    return Vessel(sample.memory, sample.embedder, Config(**settings), model=model)  # type: ignore[arg-type]


@pytest.fixture
def vessel() -> Iterator[Vessel]:
    with opened(ScriptedModel(lambda _: "It rained all day.")) as vessel:
        yield vessel


def turn(vessel: Vessel, text: object) -> list[Step]:
    async def steps() -> list[Step]:
        return [step async for step in vessel.turns.say(text)]  # type: ignore[arg-type]

    return asyncio.run(steps())


def last(vessel: Vessel, n: int) -> list[tuple[str, str]]:
    return [(str(m.sender), m.text) for m in vessel.memory.log.last(n)]


def test_a_turn_hears_recalls_prompts_speaks_and_remembers(vessel: Vessel) -> None:
    steps = turn(vessel, "How is Dot?")

    kinds = [step.kind for step in steps if step.kind is not StepKind.PIECE]
    assert kinds == [StepKind.HEARD, StepKind.RECALLED, StepKind.PROMPTED, StepKind.STORED]
    assert "".join(step.text for step in steps if step.kind is StepKind.PIECE) == "It rained all day."
    assert last(vessel, 2) == [("user", "How is Dot?"), ("persona", "It rained all day.")]
    done = steps[-1].turn
    assert done.reply is not None
    assert done.reply.reply_to == done.heard[0].id
    assert [stage.name for stage in done.stages] == [
        "hear", "embed", "recall", "prompt", "first word", "speak", "store",
    ]  # fmt: skip


def test_a_burst_is_one_question_with_one_answer(vessel: Vessel) -> None:
    steps = turn(vessel, ["Two things.", "How is Dot?"])

    assert last(vessel, 3) == [
        ("user", "Two things."),
        ("user", "How is Dot?"),
        ("persona", "It rained all day."),
    ]
    assert steps[-1].turn.recall is not None
    assert steps[-1].turn.recall.query == "Two things.\nHow is Dot?"
    burst = {message.id for message in steps[-1].turn.heard}
    assert not burst & {hit.id for hit in steps[-1].turn.recall.hits}


def test_what_stands_in_the_prompt_word_for_word_is_not_recalled_too(vessel: Vessel) -> None:
    first = turn(vessel, "Dot barked at the lighthouse.")[-1].turn.heard[0]

    second = turn(vessel, "Did Dot bark at the lighthouse?")[-1].turn

    assert second.recall is not None
    assert first.id not in [hit.id for hit in second.recall.hits]
    assert first.text in "\n".join(say.text for say in second.prompt.says)  # type: ignore[union-attr]


LATELY = "The zeppelin lands on the harbour wall."


@pytest.mark.parametrize("lines", [4, 12, 50])
def test_a_turn_cut_from_the_prompt_by_the_budget_can_be_recalled(
    lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands in the talk where there is room for it, else among what is recalled; once in any case."""
    reads = []
    model = ScriptedModel(lambda _: "It rained.")
    sample = Vessel.sample("mara", embedder="hash")
    memory = sample.memory.within(Scope.user("new"))  # without nodes, so that messages compete
    config = Config(prompt=PromptSettings(budget=800))
    with Vessel(memory, sample.embedder, config, model=model) as vessel:
        (first, *_) = [
            memory.log.add(NewMessage(text, sender=Sender.USER))
            for text in (
                LATELY,
                *(f"Line {n} tells of gardens, paths and old stone walls." for n in range(lines)),
            )
        ]
        recent = Messages.last
        monkeypatch.setattr(Messages, "last", lambda self, n: reads.append(n) or recent(self, n))

        prompt = turn(vessel, "Where does the zeppelin land?")[-1].turn.prompt

        assert prompt is not None
        assert reads == [60]
        told, recalled = prompt.section("conversation"), prompt.section("recalled")
        assert told is not None
        assert recalled is not None
        assert (first.id in told.items, first.id in recalled.items) == (
            (True, False) if lines < 50 else (False, True)
        )
        assert not set(told.items) & set(recalled.items)
        assert not set(told.items) & {one.id for one in told.cut}
        assert "".join(say.text for say in prompt.says).count(LATELY) == 1


def test_a_message_that_was_delivered_before_gets_no_second_answer(vessel: Vessel) -> None:
    said = Saying(("Hello.",), channel="discord", external_id="m1")
    turn(vessel, said)

    assert turn(vessel, said) == []
    assert len([m for m in vessel.memory.log.between() if m.external_id == "m1"]) == 1


def test_each_line_of_a_burst_is_known_again_by_its_own_id(vessel: Vessel) -> None:
    turn(vessel, Saying(("One.",), channel="discord", external_id="m1"))

    done = turn(vessel, Saying(("One.", "Two."), channel="discord", external_id=("m1", "m2")))[-1].turn

    assert [message.text for message in done.heard] == ["Two."]


def test_a_message_whose_turn_failed_is_answered_when_it_comes_again() -> None:
    answers: list[object] = [ModelError("Away."), "Here."]
    with opened(ScriptedModel(answers)) as vessel:  # type: ignore[arg-type]
        said = Saying(("Hello?",), channel="discord", external_id="m1")
        turn(vessel, said)

        assert turn(vessel, said)[-1].turn.text == "Here."
        assert turn(vessel, said) == []
        assert last(vessel, 2) == [("user", "Hello?"), ("persona", "Here.")]


@pytest.mark.parametrize("empty", ["", "  \n", [], [" "]])
def test_nothing_to_answer_is_refused(vessel: Vessel, empty: object) -> None:
    before = vessel.memory.log.count()

    with pytest.raises(InputError, match="nothing in that message"):
        turn(vessel, empty)

    assert vessel.memory.log.count() == before


def test_a_failed_turn_says_so_keeps_what_was_said_and_frees_the_way() -> None:
    answers: list[object] = [ModelError("The model is away. Try again."), "Back."]
    with opened(ScriptedModel(answers)) as vessel:  # type: ignore[arg-type]
        failed = turn(vessel, "Hello?")

        assert (failed[-1].kind, failed[-1].text) == (StepKind.FAILED, "The model is away. Try again.")
        assert last(vessel, 1) == [("user", "Hello?")]
        assert turn(vessel, "Still there?")[-1].turn.text == "Back."


class Breaking:
    """A model whose answer breaks off after a word."""

    async def complete(self, request: Request) -> Reply:
        raise AssertionError

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        yield Piece("Half a ")
        raise ModelError("The connection broke.")


def test_an_answer_that_breaks_off_is_kept_as_far_as_it_came() -> None:
    with opened(Breaking()) as vessel:
        assert turn(vessel, "Go on.")[-1].kind is StepKind.FAILED
        assert last(vessel, 2) == [("user", "Go on."), ("persona", "Half a")]


def test_what_nobody_foresaw_ends_the_turn_with_a_sentence(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Breaking):
        async def stream(self, request: Request) -> AsyncIterator[Piece]:
            yield Piece("Half a ")
            raise KeyError("a bug")

    with opened(Broken()) as vessel:
        failed = turn(vessel, "Go on.")[-1]

        assert failed.kind is StepKind.FAILED
        assert "(KeyError in test_turns.py:" in failed.text
        assert "What you said is kept" in failed.text
        assert last(vessel, 2) == [("user", "Go on."), ("persona", "Half a")]
    assert [record.levelname for record in caplog.records] == ["ERROR"]


class Waiting:
    """A model that says a word and then waits to be let go on."""

    def __init__(self) -> None:
        self.running, self.most = 0, 0

    async def complete(self, request: Request) -> Reply:
        raise AssertionError

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            yield Piece("Well ")
            await asyncio.sleep(0.02)
            yield Piece("then.")
            yield Piece(reply=Reply("Well then.", "waiting"))
        finally:
            self.running -= 1


def test_a_cancelled_turn_keeps_what_was_said_and_frees_the_way() -> None:
    with opened(Waiting()) as vessel:

        async def stop() -> None:
            steps = vessel.turns.say("Tell me.")
            async for step in steps:
                if step.kind is StepKind.PIECE:
                    break
            await steps.aclose()

        asyncio.run(stop())

        assert last(vessel, 2) == [("user", "Tell me."), ("persona", "Well")]
        assert turn(vessel, "And?")[-1].kind is StepKind.STORED


def test_a_reply_nobody_reads_on_hangs_up_and_frees_the_way_at_once() -> None:
    model = Waiting()
    with opened(model) as vessel:

        async def stop() -> None:
            pieces = vessel.reply("Tell me.")
            assert await anext(pieces) == "Well "
            assert model.running == 1
            await pieces.aclose()
            assert model.running == 0
            assert not vessel.turn_lock().locked()

        asyncio.run(stop())

        assert last(vessel, 1) == [("persona", "Well")]
        assert vessel.memory.calls.list()[0].outcome == "cancelled"


def test_a_cancelled_task_keeps_what_was_said() -> None:
    with opened(Waiting()) as vessel:

        async def stop() -> None:
            started = asyncio.Event()

            async def follow() -> None:
                async for step in vessel.turns.say("Tell me."):
                    if step.kind is StepKind.PIECE:
                        started.set()

            task = asyncio.create_task(follow())
            await started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(stop())

        assert last(vessel, 2) == [("user", "Tell me."), ("persona", "Well")]


def test_a_turn_that_takes_too_long_keeps_what_was_said_and_frees_the_way() -> None:
    class Endless(Waiting):
        async def stream(self, request: Request) -> AsyncIterator[Piece]:
            yield Piece("Well ")
            await asyncio.sleep(60)

    with opened(Endless()) as vessel:

        async def hurried() -> None:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await _drained(vessel)
            assert not vessel.turn_lock().locked()

        asyncio.run(hurried())

        assert last(vessel, 2) == [("user", "Hello."), ("persona", "Well")]


def test_the_event_loop_stays_free_while_the_embedder_works() -> None:
    class Slow(HashEmbedder):
        def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
            time.sleep(0.1)
            return super().embed(texts, kind=kind)

    with Vessel(opened().memory, Slow(), Config()) as vessel:

        async def ticks() -> int:
            talk, count = asyncio.create_task(_drained(vessel)), 0
            while not talk.done():
                await asyncio.sleep(0.01)
                count += 1
            return count

        assert asyncio.run(ticks()) >= 5


def test_a_reload_reaches_every_handle(tmp_path: Path) -> None:
    with Vessel.open(tmp_path, embedder="hash") as vessel:
        mei = vessel.for_user("mei")
        assert mei.model is None
        (tmp_path / "config.toml").write_text(
            "[model]\nmain = 'openai/x'\n[prompt]\nbudget = 900\n[server]\nport = 9\n"
        )

        assert vessel.reload() == ("server.port",)

        assert mei.model is not None
        assert mei.config.prompt.budget == 900
        (tmp_path / "config.toml").write_text("[prompt]\nbudget = -1\n")
        with pytest.raises(ConfigError):
            vessel.reload()
        assert mei.config.prompt.budget == 900


def test_one_turn_at_a_time_with_one_user_and_others_meanwhile() -> None:
    model = Waiting()
    with opened(model) as vessel:
        tom = vessel.for_user("tom")

        async def both(first: Vessel, second: Vessel) -> int:
            model.most = 0
            await asyncio.gather(*[_drained(one) for one in (first, second)])
            return model.most

        assert asyncio.run(both(vessel, vessel)) == 1
        assert asyncio.run(both(vessel, tom)) == 2


async def _drained(vessel: Vessel) -> None:
    async for _ in vessel.turns.say("Hello."):
        pass


def test_off_the_record_nothing_is_stored(vessel: Vessel) -> None:
    before = vessel.memory.log.count()

    steps = turn(vessel, Saying(("Make a title for this talk.",), record=False, instructions="Be brief."))

    assert steps[-1].turn.text == "It rained all day."
    assert vessel.memory.log.count() == before
    prompt = steps[-1].turn.prompt
    assert prompt is not None
    assert "Be brief." in prompt.system
    assert prompt.says[-1].text.endswith("Make a title for this talk.")


def test_reply_gives_the_words_alone(vessel: Vessel) -> None:
    async def whole() -> str:
        return "".join([piece async for piece in vessel.reply("Hello.")])

    assert asyncio.run(whole()) == "It rained all day."


def test_without_a_model_memory_speaks() -> None:
    with opened() as vessel:
        done = turn(vessel, "What is a quark?")[-1].turn

    assert (done.speaker, done.text) == ("memory", "I don't remember anything about that.")


def test_memory_alone_quotes_what_was_said_a_moment_ago_and_never_itself() -> None:
    with opened() as vessel:
        first = turn(vessel, "Dot barked at the lighthouse in Penzance.")[-1].turn
        vessel.embed_pending()
        done = turn(vessel, "Did Dot bark at the lighthouse in Penzance?")[-1].turn

    assert "Dot barked at the lighthouse in Penzance." in done.text
    assert first.reply is not None
    assert done.recall is not None
    assert first.reply.id not in [hit.id for hit in done.recall.hits]


def test_ending_a_talk_closes_its_session_and_no_other(vessel: Vessel) -> None:
    turn(vessel, "Hello.")
    turn(vessel, Saying(("Hello.",), channel="discord"))
    turn(vessel.for_user("tom"), "Hello.")

    asyncio.run(opened_without(vessel).turns.close_session())

    open_ones = vessel.memory.sessions.list(state=SessionState.OPEN, everywhere=True)
    assert {(s.scope.key, s.channel) for s in open_ones if s.channel != "talk"} == {
        ("user:owner", "discord"),
        ("user:tom", "local"),
    }


def opened_without(vessel: Vessel) -> Vessel:
    """The same memory, without a model."""
    return Vessel(vessel.memory, vessel.embedder, Config())


def priced(text: str = "Fine.") -> ScriptedModel:
    model = ScriptedModel(lambda _: text)

    class Priced(ScriptedModel):
        async def complete(self, request: Request) -> Reply:
            return Reply(text, "dear", Usage(100, 10, 0.3))

    return Priced(model._script)


def test_each_call_is_logged_by_purpose() -> None:
    with opened(priced()) as vessel:
        turn(vessel, "Hello.")
        (call,) = vessel.memory.calls.list()

    assert (call.purpose, call.model, call.input_tokens, call.output_tokens, call.cost) == (
        "reply",
        "dear",
        100,
        10,
        0.3,
    )
    assert call.outcome == "ok"
    assert call.stamp.startswith("reply.en v")


@pytest.mark.parametrize(
    ("at_limit", "said"),
    [("stop", ""), ("memory", "I don't remember anything about that."), ("warn", "Fine.")],
)
def test_at_the_limit_the_user_chose_what_happens(at_limit: str, said: str) -> None:
    limits = SpendingLimits(day=0.5, at_limit=at_limit)  # type: ignore[arg-type]
    with opened(priced(), spending=limits) as vessel:
        turn(vessel, "One.")
        turn(vessel, "Two.")  # 0.6 by now
        third = turn(vessel, "What is a quark?")[-1]

        assert third.turn.text == said
        if at_limit == "stop":
            assert "limit of $0.50" in third.text
            assert last(vessel, 1) == [("user", "What is a quark?")]


def test_the_limit_shows_before_it_bites() -> None:
    from echovessel.runtime.costs import spent

    limits = SpendingLimits(day=0.5, month=10)
    with opened(priced(), spending=limits) as vessel:
        turn(vessel, "One.")
        day, month = spent(vessel.memory, limits)
        assert (day.share, day.near, day.reached) == (pytest.approx(0.6), False, False)
        turn(vessel, "Two.")
        day, month = spent(vessel.memory, limits)

    assert (day.near, day.reached) == (True, True)
    assert (month.cost, month.near) == (pytest.approx(0.6), False)


def test_somebody_in_danger_gets_the_model_whatever_was_spent_and_help_once() -> None:
    limits = SpendingLimits(day=0.1, at_limit="stop")
    with opened(priced("I'm here."), spending=limits) as vessel:
        turn(vessel, "Hello.")
        first = turn(vessel, "I want to die.")[-1].turn
        second = turn(vessel, "I still want to die.")[-1].turn

    assert (first.text, second.text) == ("I'm here.", "I'm here.")
    assert first.prompt is not None
    assert second.prompt is not None
    assert "988" in first.prompt.system
    assert "988" not in second.prompt.system


def test_the_hook_for_words_of_crisis_can_be_replaced() -> None:
    class Always:
        def look(self, text: str) -> Crisis | None:
            return Crisis("en", "Call Ann.")

    sample = opened()
    with Vessel(
        sample.memory, sample.embedder, Config(), model=ScriptedModel(lambda _: "Yes."), crisis=Always()
    ) as vessel:
        done = turn(vessel.for_user("tom"), "Nice day.")[-1].turn

    assert done.prompt is not None
    assert "Call Ann." in done.prompt.system


def test_a_trace_is_kept_on_demand_and_goes_with_what_it_quotes() -> None:
    from echovessel.memory.targets import Target
    from echovessel.runtime.config import ServerSettings

    with opened(ScriptedModel(lambda _: "Fine."), server=ServerSettings(traces=True)) as vessel:
        done = turn(vessel, "How is Dot?")[-1].turn
        trace = vessel.memory.traces.get(done.id)

        assert trace.body["heard"] == [done.heard[0].id]
        assert trace.body["stages"][0]["name"] == "hear"
        assert vessel.memory.traces.frame().height == len(done.stages)
        vessel.memory.forget(Target.message(done.heard[0].id))
        assert vessel.memory.traces.list() == []


def test_without_asking_no_trace_is_kept(vessel: Vessel) -> None:
    turn(vessel, "How is Dot?")

    assert vessel.memory.traces.list() == []


def test_senders_of_a_group_are_told_apart(vessel: Vessel) -> None:
    group = vessel.for_group("club")

    done = turn(group, Saying(("Hello.",), sender=Sender.OTHER, sender_name="Tom"))[-1].turn

    assert done.prompt is not None
    assert done.prompt.says[-1].text == "Tom: Hello."
    assert done.heard[0].scope.key == "group:club"
