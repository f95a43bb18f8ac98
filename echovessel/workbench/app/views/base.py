"""What every view is handed, and how their parts speak to one another."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec

import gradio as gr

from echovessel.errors import EchoVesselError
from echovessel.markup import Html
from echovessel.workbench.app.shelf import Opened, Shelf
from echovessel.workbench.app.show.parts import failure, notice
from echovessel.workbench.app.words import Words

P = ParamSpec("P")
_log = logging.getLogger(__name__)

# A click on any element with data-act goes to Python as that act with its data-id; see page.js.
FORWARD = "window.evForward(element, trigger)"
# For a figure: the width of the window beside the name of the memory. Below NARROW, page.css sets one column.
WIDTH = "(name, wide, ...rest) => [name, innerWidth, ...rest]"
NARROW = 900
QUICK: dict[str, Any] = {
    "queue": False,
    "show_progress": "hidden",
    "trigger_mode": "always_last",
    "api_visibility": "private",
}
DONE: dict[str, Any] = {"trigger_mode": "once", "api_visibility": "private", "show_progress": "minimal"}


@dataclass
class Page:
    """One page in one language.

    Attributes
    ----------
    persona : Dropdown
        Which memory is shown.
    chosen : Textbox
        Id of the memory or message that is looked at. It stays when another memory is taken up, which shows nothing
        for an id of the first: a change that comes late can't undo what was chosen meanwhile.
    who : Textbox
        Id of the entity that is looked at.
    layer : Textbox
        The layer that the Memory view was sent to show.
    turn : Textbox
        Id of the turn that is stepped through.
    stamp : Number
        Counts changes, so that every view shows the memory as it is.
    said : HTML
        How the last change of a memory went; gone once another memory is opened.
    """

    shelf: Shelf
    words: Words
    persona: gr.Dropdown
    tabs: gr.Tabs
    chosen: gr.Textbox
    who: gr.Textbox
    layer: gr.Textbox
    turn: gr.Textbox
    stamp: gr.Number
    said: gr.HTML

    def opened(self, name: str | None) -> Opened:
        """The memory of that name."""
        return self.shelf[name]

    def listen(self, panel: gr.HTML) -> None:
        """Let clicks inside a panel lead to a memory, an entity or a layer."""
        panel.click(go, outputs=[self.tabs, self.chosen, self.who, self.layer, self.said], **QUICK)


def panel(**options: Any) -> gr.HTML:
    """A place for HTML of ours whose buttons speak to Python."""
    given: dict[str, Any] = {"js_on_load": FORWARD, "apply_default_css": False} | options
    return gr.HTML(**given)


def act_of(event: gr.EventData) -> tuple[str, str]:
    """What was clicked: the act and its target."""
    data = event._data if isinstance(event._data, dict) else {}
    return str(data.get("act", "")), str(data.get("id", ""))


def go(event: gr.EventData) -> tuple[Any, Any, Any, Any, Any]:
    """Follow a click to another view."""
    does, target = act_of(event)
    same = gr.skip()
    if does == "open":
        return gr.Tabs(selected="memory"), target, same, same, Html("")
    if does == "entity":
        return gr.Tabs(selected="entities"), same, target, same, same
    if does == "layer":
        return gr.Tabs(selected="memory"), same, same, target, same
    return same, same, same, same, same


def told(
    function: Callable[Concatenate[Opened, Words, P], Html],
) -> Callable[Concatenate[Opened, Words, P], Html]:
    """Turn an error raised on purpose into one sentence where the HTML would have stood."""

    @functools.wraps(function)
    def answered(opened: Opened, words: Words, /, *args: P.args, **kwargs: P.kwargs) -> Html:
        try:
            return function(opened, words, *args, **kwargs)
        except EchoVesselError as error:
            _log.info("%s: %s", function.__name__, error)
            return failure(words, error)

    return answered


def undoing(page: Page) -> Any:
    """Take back what was done last, in one sentence, with a new stamp."""

    def undo(name: str, stamp: int) -> tuple[int, Html]:
        try:
            step = page.opened(name).undo()
        except EchoVesselError as error:
            return stamp, failure(page.words, error)
        if step is None:
            return stamp, notice(page.words("nothing_to_undo"))
        return stamp + 1, notice(page.words("undone", what=page.words(step.what)), good=True)

    return undo
