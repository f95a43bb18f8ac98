"""A turn as a flow: what was heard, which memories rose, what entered the prompt, what was said, what was written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from echovessel.errors import NotFoundError
from echovessel.markup import Html, el, join
from echovessel.memory.records import Message, Node
from echovessel.plots.style import KIND_COLOURS
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.browse import links
from echovessel.workbench.app.show.chat import factor_key, ledger, open_talk, risen
from echovessel.workbench.app.show.parts import act, chip, failure, fold, notice, turns
from echovessel.workbench.app.show.told import Told, message_of, took
from echovessel.workbench.app.talking import STOPPED
from echovessel.workbench.app.words import Words

STEPS = ("heard", "rose", "prompt", "said", "written")
# Which of a turn's stages each step took.
STAGES = {
    "heard": ("hear",),
    "rose": ("embed", "recall"),
    "prompt": ("prompt",),
    "said": ("first word", "speak"),
    "written": ("store",),
}


def flow(opened: Opened, words: Words, told: Told, step: int) -> Html:
    """The five steps as a picture, each a button, and the contents of the one that is looked at."""
    step = min(max(step, 0), len(STEPS) - 1)
    counts = _counts(opened, words, told)
    bands = []
    for place, name in enumerate(STEPS):
        spent = took(told.body, STAGES[name])
        bands.append(
            el(
                "button",
                el("span", f"{place + 1}", class_="place"),
                el("span", words(f"flow_{name}"), class_="title"),
                el("span", counts[name], class_="count"),
                el("span", f"{spent:,.0f} ms" if spent >= 1 else f"{spent:.1f} ms", class_="ms")
                if spent
                else None,
                type="button",
                class_="step" + (" done" if place < step else ""),
                data_act="step",
                data_id=str(place),
                aria_pressed="true" if place == step else "false",
            )
        )
    body: dict[str, Callable[[Opened, Words, Told], Html]] = {
        "heard": _heard_step,
        "rose": _rose_step,
        "prompt": _prompt_step,
        "said": _said_step,
        "written": _written_step,
    }
    name = STEPS[step]
    return join(
        (
            el("div", join(bands), class_="flow", role="group", aria_label=words("flow")),
            el(
                "article",
                el(
                    "header",
                    el("h2", words(f"flow_{name}")),
                    el(
                        "div",
                        _move(words, "flow_back", step - 1),
                        _move(words, "flow_on", step + 1),
                        class_="moves",
                    ),
                ),
                el("p", words(f"flow_{name}_about"), class_="about"),
                body[name](opened, words, told),
                class_="card detail stepped",
            ),
        )
    )


def _move(words: Words, key: str, place: int) -> Html:
    return el(
        "button",
        words(key),
        type="button",
        class_="tool",
        data_act="step",
        data_id=str(place),
        disabled=not 0 <= place < len(STEPS),
    )


def _counts(opened: Opened, words: Words, told: Told) -> dict[str, str]:
    body = told.body
    tokens = sum(row["tokens"] for row in body["ledger"])
    written = len(_written(opened, told)) + (body["reply"] is not None)
    return {
        "heard": words("count_heard", count=len(body["heard"])),
        "rose": words("risen_of", hits=len(body["hits"]), considered=body["considered"]),
        "prompt": words("count_tokens", count=f"{tokens:,}"),
        "said": body["speaker"] if body["speaker"] != "memory" else words("memory_alone"),
        "written": words("count_written", count=written),
    }


def _heard_step(opened: Opened, words: Words, told: Told) -> Html:
    messages = [one for one in (message_of(opened, ident) for ident in told.body["heard"]) if one is not None]
    if not messages:
        return el("p", words("turn_gone"), class_="hint")
    named = {name for one in messages for name in opened.memory.directory.mentioned(one.text)}
    names = [
        act(one.name, "entity", one.id, class_="chip")
        for one in map(opened.memory.directory.get, sorted(named))
    ]
    return join(
        (
            turns(opened, words, messages, here=[one.id for one in messages]),
            el("p", words("anchors"), " ", join(names), class_="names") if names else Html(""),
        )
    )


def _rose_step(opened: Opened, words: Words, told: Told) -> Html:
    body = told.body
    if not body["hits"]:
        return el("p", words("risen_none"), class_="hint")
    if told.turn is not None and told.turn.recall is not None:
        rows = join((factor_key(words), risen(opened, words, told.turn, count=len(body["hits"]))))
    else:
        rows = el("ol", join(_hit(opened, words, hit) for hit in body["hits"]), class_="risen kept")
    left = join(
        chip(f"{words(f'rule_{rule}')} · {count}") for rule, count in sorted(body["dropped"].items()) if count
    )
    return join(
        (
            rows,
            el("section", el("h3", words("dropped_title")), el("div", left, class_="chips")) if left else "",
        )
    )


def _hit(opened: Opened, words: Words, hit: dict[str, Any]) -> Html:
    found = _memory(opened, hit["id"])
    said = (
        act(found.text, "open", found.id, class_="link rise")
        if found
        else el("p", words("turn_gone"), class_="hint")
    )
    return el(
        "li",
        el(
            "div",
            el(
                "span",
                words(f"kind_{hit['kind']}"),
                class_="kind",
                style=f"--kind:{KIND_COLOURS[hit['kind']]}",
            ),
            chip(words("badge_anchor"), kind="anchor") if hit["entity_anchor"] >= 1 else None,
            el("span", f"{hit['score']:.2f}", class_="score", title=words("score")),
            class_="head",
        ),
        said,
    )


def _prompt_step(opened: Opened, words: Words, told: Told) -> Html:
    body = told.body
    if not body["ledger"]:
        return el("p", words("flow_not_reached"), class_="hint")
    says = join(
        el(
            "section",
            el("h3", words(f"role_{say['role']}")),
            el("pre", say["text"], class_="prompt", tabindex="0"),
        )
        for say in body["prompt"]
    )
    return join(
        (
            el("div", ledger(opened, words, body["ledger"]), class_="book"),
            fold(words("whole_prompt"), says, class_="wide"),
        )
    )


def _said_step(opened: Opened, words: Words, told: Told) -> Html:
    body = told.body
    reply = message_of(opened, body["reply"])
    parts: list[Html] = []
    if reply is not None:
        parts.append(turns(opened, words, [reply]))
    elif told.turn is not None and told.turn.text:
        parts.append(el("p", told.turn.text, class_="said"))
    if body["why"]:
        parts.append(notice(words("stopped")) if body["why"] == STOPPED else failure(words, body["why"]))
    usage = body["usage"]
    facts: list[tuple[str, object]] = [(words("speaker"), _counts(opened, words, told)["said"])]
    if usage["input_tokens"] or usage["output_tokens"]:
        facts.append((words("tokens_in_out"), f"{usage['input_tokens']:,} / {usage['output_tokens']:,}"))
    if usage["cost"] is not None:
        facts.append((words("cost"), f"${usage['cost']:.4f}"))
    parts.append(
        el("dl", join(el("div", el("dt", key), el("dd", value)) for key, value in facts), class_="facts")
    )
    parts.append(el("section", el("h3", words("timings")), _timings(words, body)))
    return join(parts)


def _timings(words: Words, body: dict[str, Any]) -> Html:
    most = max((stage["ms"] for stage in body["stages"]), default=1.0) or 1.0
    rows = (
        el(
            "li",
            el("span", words.or_same("stage", stage["name"].replace(" ", "_")), class_="name"),
            el("span", el("i", style=f"width:{100 * stage['ms'] / most:.1f}%"), class_="gauge"),
            el("span", f"{stage['ms']:,.1f} ms", class_="number"),
        )
        for stage in body["stages"]
    )
    return el("ul", join(rows), class_="book-rows wide-number")


def _written_step(opened: Opened, words: Words, told: Told) -> Html:
    nodes, reply = _written(opened, told), message_of(opened, told.body["reply"])
    parts: list[Html] = []
    if reply is not None:
        parts.append(
            el("ul", el("li", _kind(words), act(reply.text, "open", reply.id)), class_="links"),
        )
    if nodes:
        parts.append(el("section", el("h3", words("memories_from")), links(opened, words, nodes)))
    elif open_talk(opened):
        parts.append(el("p", words("written_later"), class_="hint"))
    elif opened.vessel.model is None:
        parts.append(el("p", words("formed_waiting"), class_="hint"))
    else:
        parts.append(el("p", words("written_none"), class_="hint"))
    return join(parts)


def _kind(words: Words) -> Html:
    return el("span", words("kind_message"), class_="kind", style=f"--kind:{KIND_COLOURS['message']}")


def _written(opened: Opened, told: Told) -> list[Node]:
    """The memories that rest on what was said in the turn."""
    ids = [*told.body["heard"], *([told.body["reply"]] if told.body["reply"] else [])]
    found = {node.id: node for ident in ids for node in opened.memory.nodes.derived_from(ident)}
    return list(found.values())


def _memory(opened: Opened, ident: str) -> Node | Message | None:
    try:
        return opened.memory.nodes.get(ident)
    except NotFoundError:
        return message_of(opened, ident)
