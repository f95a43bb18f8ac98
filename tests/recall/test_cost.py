"""What a recall costs, counted and not timed: nothing in Python or SQL may grow with the memory."""

import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from echovessel.clock import FixedClock
from echovessel.embedding import Calibration, EmbedderIdentity, Logit
from echovessel.memory.engine import Store
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Weights
from echovessel.memory.recall.recall import DROPPED_SHOWN
from echovessel.memory.records import NewMessage, NewNode, Scope

DIM = 16
K = 10
START = datetime(2026, 1, 1, tzinfo=UTC)
# Everything passes the gate, so that the pool is the whole memory.
IDENTITY = EmbedderIdentity("made-up", "1", DIM, "", Calibration(Logit(0.0, 1.0, 4.0)))


def memory_of(messages: int) -> Memory:
    rng = np.random.default_rng(3)
    words = ["garden", "river", "市场", "火车", "violin", "cousin", "harbour", "早饭"]
    vectors = rng.standard_normal((messages, DIM)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    memory = Memory.open(
        ":memory:",
        persona="lin",
        scope=Scope.user("owner"),
        embedder=IDENTITY,
        clock=FixedClock(START + timedelta(days=100)),
    )
    memory.log.add_many(
        (
            NewMessage(" ".join(rng.choice(words, size=6)), sent_at=START + timedelta(minutes=2 * number))
            for number in range(messages)
        ),
        vectors=vectors,
    )
    for number in range(messages // 2):
        memory.nodes.add(NewNode(" ".join(rng.choice(words, size=5))), vector=vectors[number])
    return memory


@pytest.fixture(scope="module")
def small():
    with memory_of(400) as memory:
        yield memory


@pytest.fixture(scope="module")
def large():
    with memory_of(1_600) as memory:
        yield memory


def ask(memory: Memory, **options):
    vector = np.zeros(DIM, np.float32)
    vector[0] = 1.0
    return memory.recall("Where is the garden 市场?", vector=vector, k=K, **options)


@contextmanager
def lines_run(counted: list[int]):
    """Count the lines of Python that run, each turn of a loop or comprehension among them."""

    def on_line(_frame, event, _arg):
        counted[0] += event == "line"
        return on_line

    before = sys.gettrace()
    sys.settrace(on_line)
    try:
        yield
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("options", [{}, {"weights": Weights.seed()}, {"as_of": START + timedelta(days=90)}])
def test_no_loop_of_a_recall_runs_over_the_memory(small, large, options):
    lines = {}
    for name, memory in (("small", small), ("large", large)):
        ask(memory, **options)  # the index is made once
        counted = [0]
        with lines_run(counted):
            result = ask(memory, **options)
        assert len(result.hits) == K
        lines[name] = counted[0]

    # A loop over the candidates would run 1,800 times more, or 600 where nodes alone compete.
    assert lines["large"] - lines["small"] < 400


def test_a_recall_reads_from_the_file_what_it_shows(large, monkeypatch):
    read = []
    rows, row = Store.rows, Store.row

    def counting_rows(self, sql, values=()):
        found = rows(self, sql, values)
        read.append(len(found))
        return found

    def counting_row(self, sql, values=()):
        read.append(1)
        return row(self, sql, values)

    ask(large)
    monkeypatch.setattr(Store, "rows", counting_rows)
    monkeypatch.setattr(Store, "row", counting_row)
    result = ask(large)

    assert len(result.hits) + len(result.dropped) == K + DROPPED_SHOWN
    statements = len(read)
    assert statements <= 12
    assert sum(read) <= K + DROPPED_SHOWN + statements


def test_a_new_turn_is_taken_in_without_reading_the_rest_of_the_memory(small, large):
    steps = {}
    for name, memory in (("small", small), ("large", large)):
        ask(memory)
        memory.log.add(NewMessage("A heron stood by the river."), vector=np.eye(DIM, dtype=np.float32)[0])
        counted = [0]

        def on_steps(counted=counted):
            counted[0] += 1
            return False  # go on

        connection = memory.context.store._connection
        connection.set_progress_handler(on_steps, 10)  # called after each ten steps of SQLite's machine
        ask(memory)
        connection.set_progress_handler(None)
        steps[name] = counted[0] * 10

    # To look at each message in between costs 1,200 times several steps.
    assert steps["large"] - steps["small"] < 1_200
