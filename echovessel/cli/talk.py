"""`echovessel remember`, `recall` and `search`: what goes into a memory and what comes back."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from echovessel.cli.options import DEFAULT_HOME, AsJson, Home, Persona, User, moment, opened_memory
from echovessel.errors import InputError


def remember(
    text: Annotated[str, typer.Argument(help="What was said.")],
    sender: Annotated[str, typer.Option(help="user, persona, other or system.")] = "user",
    name: Annotated[str, typer.Option(help="The sender's name, for other.")] = "",
    at: Annotated[str | None, typer.Option(help="When it was said; now when left out.")] = None,
    persona: Persona = None,
    user: User = None,
    home: Home = DEFAULT_HOME,
) -> None:
    """Store a message, word for word."""
    from echovessel.memory.records import NewMessage
    from echovessel.runtime.home import memory_file
    from echovessel.runtime.vessel import Vessel

    if not text.strip():
        raise InputError('there is nothing to remember. Say something: echovessel remember "I like tea."')
    file = memory_file(home)
    # The configured persona may have been forgotten; any other name may be a slip.
    with Vessel.open(file, persona=persona, user=user, create=persona is None) as vessel:
        memory = vessel.memory
        zone = memory.personas.zone_of(memory.context.scope)
        sent = None if at is None else moment(at, zone)
        message = memory.log.add(
            NewMessage(text, sender=sender, sender_name=name, sent_at=sent)  # type: ignore[arg-type]
        )
        vessel.embed_pending()
        typer.echo(f"Stored as {message.id}.")


def recall(
    query: Annotated[str, typer.Argument(help="What is asked or said.")],
    k: Annotated[int, typer.Option("-k", help="At most so many hits.")] = 10,
    preset: Annotated[str | None, typer.Option(help="default or seed; as configured when left out.")] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", help="What was known then: 2026-03-02, or with a time.")
    ] = None,
    superseded: Annotated[
        bool, typer.Option("--superseded", help="Also facts that a newer one has replaced.")
    ] = False,
    as_json: AsJson = False,
    persona: Persona = None,
    user: User = None,
    home: Home = DEFAULT_HOME,
) -> None:
    """Show what the persona would remember about QUERY, and why."""
    from echovessel.memory.recall import Weights
    from echovessel.runtime.vessel import Vessel

    weights = None if preset is None else Weights.preset(preset)
    with Vessel.open(home, persona=persona, user=user, create=False) as vessel:
        zone = vessel.memory.personas.zone_of(vessel.memory.context.scope)
        result = vessel.recall(
            query,
            k=k,
            weights=weights,
            as_of=None if as_of is None else moment(as_of, zone, end=True),
            include_superseded=superseded,
        )
    typer.echo(result.to_json() if as_json else result.explain().rstrip())


def search(
    words: Annotated[list[str], typer.Argument(help="Each must occur.")],
    limit: Annotated[int, typer.Option(help="At most so many of each layer.")] = 20,
    as_json: AsJson = False,
    persona: Persona = None,
    user: User = None,
    home: Home = DEFAULT_HOME,
) -> None:
    """Messages and memories that hold every one of the WORDS, newest first."""
    with opened_memory(home, persona, user) as memory:
        query = " ".join(words)
        found = [
            {"id": node.id, "kind": str(node.kind), "at": node.known_at, "speaker": "", "text": node.text}
            for node in memory.search.nodes(query, limit=limit)
        ] + [
            {
                "id": said.id,
                "kind": "message",
                "at": said.sent_at,
                "speaker": said.sender_name or str(said.sender),
                "text": said.text,
            }
            for said in memory.search.messages(query, limit=limit)
        ]
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, default=str))
        return
    for one in found:
        who = f"{one['speaker']}: " if one["speaker"] else f"[{one['kind']}] "
        typer.echo(f"{one['id']}  {one['at']:%Y-%m-%d}  {who}{' '.join(str(one['text']).split())}")
    if not found:
        typer.echo("Nothing holds these words.")
