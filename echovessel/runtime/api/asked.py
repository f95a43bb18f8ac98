"""Which persona is asked, and as whom: what every route of the API begins with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import Depends, HTTPException, Query, Request

from echovessel.errors import InputError, NotFoundError
from echovessel.memory.records import Scope, ScopeKind
from echovessel.runtime.api.door import USER
from echovessel.runtime.vessel import Vessel

Vessels = Mapping[str, Vessel]


def vessel_named(request: Request, persona: str) -> Vessel:
    """A persona of this daemon.

    Raises
    ------
    NotFoundError
        It doesn't run here; names those that do.
    """
    vessels: Vessels = request.app.state.vessels
    if persona not in vessels:
        raise NotFoundError(
            f"No persona {persona!r} runs here, only {', '.join(vessels)}. One made meanwhile comes with a new start."
        )
    return vessels[persona]


def user_named(request: Request, user: str | None) -> str | None:
    """Who talks: whom the token names, else whom the request names, else None for the configured user.

    Raises
    ------
    HTTPException
        The request names another than the token, with status 403.
    """
    owner: str | None = request.scope.get(USER)
    if owner is None or user in (None, "", owner):
        return owner or user or None
    raise HTTPException(403, f"This token is {owner}'s; it can't speak as {user}.")


def asked(
    request: Request,
    persona: str,
    user: Annotated[
        str | None, Query(description="Who asks; the token's or the configured user if none.")
    ] = None,
    group: Annotated[
        str | None, Query(description="The group whose talk it is; on this machine alone.")
    ] = None,
) -> Vessel:
    """The persona of the path, in the scope of whoever asks."""
    vessel = vessel_named(request, persona)
    if group is not None:
        if request.scope.get(USER) is not None:
            raise HTTPException(403, "A token speaks for one user, not for a group.")
        if user is not None:
            raise InputError("Name a user or a group, not both.")
        return vessel.within(Scope.group(group))
    name = user_named(request, user)
    return vessel if name is None else vessel.for_user(name)


Asked = Annotated[Vessel, Depends(asked)]


def here(request: Request) -> None:
    """Let only this machine in: a token speaks for one user, and what everybody shares isn't theirs.

    Raises
    ------
    HTTPException
        The request came with a token, status 403.
    """
    if request.scope.get(USER) is not None:
        raise HTTPException(403, "This belongs to all who talk with the persona; ask from its own machine.")


def theirs(request: Request, scope: Scope) -> None:
    """Let a token change only what is its user's own.

    Raises
    ------
    HTTPException
        It isn't, status 403.
    """
    if scope.kind is not ScopeKind.USER:
        here(request)
