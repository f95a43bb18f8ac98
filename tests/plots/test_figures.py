"""Each figure shows what the frame holds, says so when there is nothing, and shows tags as text."""

from __future__ import annotations

import itertools
from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echovessel.memory.recall.factors import FACTORS
from echovessel.plots.contributions import contributions
from echovessel.plots.entity_graph import entity_graph
from echovessel.plots.layout import force_layout
from echovessel.plots.naming import LINE, sides_of_names, text_width
from echovessel.plots.style import FACTOR_COLOURS
from echovessel.plots.timeline import timeline

TAGS = "<img src=x onerror=alert(1)> <a href='javascript:alert(1)'>x</a>"
TODAY = date(2026, 4, 15)


def hits(*rows: tuple[str, float]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "rank": rank,
                "text": text,
                "score": 5 * adds,
                **dict.fromkeys(FACTORS, 0.5),
                **{f"{factor}_adds": adds for factor in FACTORS},
            }
            for rank, (text, adds) in enumerate(rows, start=1)
        ]
    )


def memory(
    item: str, day: str | None, *, kind: str = "event", by: str | None = None, **fields: Any
) -> dict[str, Any]:
    return {
        "id": item,
        "kind": kind,
        "text": fields.get("text", item),
        "impact": fields.get("impact", 0.0),
        "occurred_from": None if day is None else date.fromisoformat(day),
        "due_on": fields.get("due_on"),
        "known_at": fields.get("known_at"),
        "superseded_by": by,
    }


def memories(*rows: dict[str, Any]) -> pl.DataFrame:
    types = {"occurred_from": pl.Date, "due_on": pl.Date, "superseded_by": pl.String, "known_at": pl.Datetime}
    return pl.DataFrame(list(rows), schema_overrides=types)


def people(*rows: tuple[str, str, str, int]) -> pl.DataFrame:
    schema = {"id": pl.String, "name": pl.String, "kind": pl.String, "memories": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def pairs(*rows: tuple[str, str, int]) -> pl.DataFrame:
    return pl.DataFrame(
        rows, schema={"one": pl.String, "other": pl.String, "memories": pl.Int64}, orient="row"
    )


def test_a_bar_has_one_segment_a_factor_in_its_colour() -> None:
    figure = contributions(hits(("a", 0.4), ("b", 0.2)), query="who?")

    assert [trace.name for trace in figure.data] == [
        "recency", "relevance", "impact", "relational bonus", "entity anchor"
    ]  # fmt: skip
    assert [trace.marker.color for trace in figure.data] == list(FACTOR_COLOURS.values())
    assert [list(trace.x) for trace in figure.data] == [[0.4, 0.2]] * 5
    assert figure.layout.barmode == "stack"
    assert figure.layout.yaxis.autorange == "reversed"  # the best hit on top


def test_no_hits_are_said() -> None:
    figure = contributions(hits(("a", 0.4)).clear(), query="who?")

    assert [note.text for note in figure.layout.annotations] == ["Nothing in memory bears on this."]


def test_an_arrow_leads_from_a_replaced_memory_to_the_one_that_stands() -> None:
    figure = timeline(
        memories(memory("old", "2026-03-01", by="new"), memory("new", "2026-04-01")), today=TODAY
    )

    (arrow,) = [note for note in figure.layout.annotations if note.showarrow]
    assert (str(arrow.ax)[:10], str(arrow.x)[:10]) == ("2026-03-01", "2026-04-01")
    symbols = {trace.customdata[0][1]: trace.marker.symbol for trace in figure.data}
    assert symbols == {"old": "circle-open", "new": "circle"}


def test_an_expectation_stands_on_its_due_day_right_of_today() -> None:
    due = memory("wait", "2026-04-01", kind="expectation", due_on=date(2026, 5, 1))
    figure = timeline(memories(due), today=TODAY)

    (trace,) = figure.data
    assert [str(day)[:10] for day in trace.x] == ["2026-05-01"]
    shade = next(shape for shape in figure.layout.shapes if shape.type == "rect")
    assert str(shade.x0)[:10] == "2026-04-15"


def test_memories_of_one_day_do_not_hide_each_other() -> None:
    figure = timeline(memories(*(memory(str(n), "2026-04-01") for n in range(5))), today=TODAY)

    (trace,) = figure.data
    assert len(set(trace.y)) == 5


def test_a_tenth_far_in_the_past_does_not_squeeze_the_rest() -> None:
    rows = [memory("long ago", "1950-01-01"), *(memory(str(n), f"2026-04-{n:02}") for n in range(1, 11))]
    figure = timeline(memories(*rows), today=TODAY)

    assert str(figure.layout.xaxis.range[0]) >= "2026-03"
    assert sum(len(trace.x) for trace in figure.data) == 11


def test_a_memory_of_long_ago_leaves_room_for_the_others_until_all_days_are_asked_for() -> None:
    rows = [memory("old", "2003-01-01"), *(memory(str(day), f"2026-04-{day:02}") for day in range(1, 11))]
    frame = memories(*rows)

    near = timeline(frame, today=TODAY, zoom=False).layout.xaxis.range
    whole = timeline(frame, today=TODAY, zoom=False, whole=True).layout.xaxis.range

    assert near[0] > date(2026, 1, 1)
    assert whole[0] < date(2003, 1, 1)
    assert near[1] >= TODAY


def test_a_timeline_without_memories_says_so() -> None:
    figure = timeline(memories(memory("x", "2026-01-01")).clear(), today=TODAY)

    assert figure.layout.annotations[0].text == "No memory has a date yet."


def test_entities_are_joined_where_memories_name_both() -> None:
    figure = entity_graph(
        people(("a", "Ann", "person", 3), ("b", "Bo", "person", 1), ("c", "Rex", "pet", 1)),
        pairs(("a", "b", 1)),
    )

    lines = [trace for trace in figure.data if trace.mode == "lines"]
    points = {trace.name: trace for trace in figure.data if trace.mode == "markers"}
    (names,) = [trace for trace in figure.data if trace.mode == "markers+text"]
    assert len(lines) == 1
    assert {name: [data[-1] for data in trace.customdata] for name, trace in points.items()} == {
        "person": ["a", "b"],
        "pet": ["c"],
    }
    assert set(names.text) == {"Ann", "Bo", "Rex"}


def test_above_200_entities_a_matrix_is_drawn_of_the_40_most_named() -> None:
    many = people(*((str(n), f"p{n}", "person", n) for n in range(201)))
    figure = entity_graph(many, pairs(("200", "199", 7)))

    matrix, names = figure.data
    assert matrix.type == "heatmap"
    assert matrix.z[1][0] == 7  # below the diagonal alone
    assert np.isnan(matrix.z[0][1])
    assert len(names.text) == 40
    assert [name.strip() for name in names.text[:2]] == ["p200", "p199"]
    assert names.customdata[0][-1] == "200"
    assert "40" in figure.layout.annotations[0].text


@given(
    st.lists(
        st.tuples(st.text("abc王", min_size=1, max_size=12), st.floats(0, 300), st.floats(0, 300)),
        max_size=30,
    )
)
def test_names_that_are_shown_never_touch_and_stay_in_the_picture(
    found: list[tuple[str, float, float]],
) -> None:
    names, places = [name for name, _, _ in found], np.array([[x, y] for _, x, y in found]).reshape(-1, 2)

    sides = sides_of_names(names, places, [6.0] * len(names), width=300, height=300)

    boxes = []
    for name, (x, y), side in zip(names, places, sides, strict=True):
        if side is None:
            continue
        down, along = side.split()
        left = {"center": x - text_width(name) / 2, "right": x + 6, "left": x - 6 - text_width(name)}[along]
        top = {"top": y - 6 - LINE, "middle": y - LINE / 2, "bottom": y + 6}[down]
        boxes.append((left, top, left + text_width(name), top + LINE))
    assert all(box[0] >= 0 and box[1] >= 0 and box[2] <= 300 and box[3] <= 300 for box in boxes)
    for one, other in itertools.combinations(boxes, 2):
        assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]


def test_nobody_known_is_said() -> None:
    assert entity_graph(people(), pairs()).layout.annotations[0].text == "Nobody is known by name yet."


@pytest.mark.parametrize("count", [0, 1, 2, 30])
def test_a_layout_is_the_same_every_time_and_stays_in_the_picture(count: int) -> None:
    links = np.array([(n, n + 1) for n in range(count - 1)], np.intp).reshape(-1, 2)
    one, other = (force_layout(count, links, np.ones(len(links)), seed=3) for _ in range(2))

    assert one.shape == (count, 2)
    assert np.array_equal(one, other)
    assert np.all(np.abs(one) <= 1.0)
    assert np.all(np.isfinite(one))


def test_linked_points_stand_nearer_than_others() -> None:
    links = np.array([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    at = force_layout(6, links, np.ones(6))
    distance = np.linalg.norm(at[:, None] - at[None], axis=2)

    assert distance[:3, :3].max() < distance[:3, 3:].min()


def test_tags_in_texts_and_names_are_shown_as_text() -> None:
    drawn = [
        contributions(hits((TAGS, 0.4)), query=TAGS),
        timeline(memories(memory("a", "2026-04-01", text=TAGS)), today=TODAY),
        entity_graph(people(("a", TAGS, TAGS, 1)), pairs()),
    ]
    for figure in drawn:
        # plotly's JSON writes < as \\u003c; what counts is whether it is one.
        said = figure.to_json().replace("\\u003c", "<").replace("\\u003e", ">")
        assert "<img" not in said
        assert "<a " not in said
