"""`echovessel token`: who may ask the HTTP API from another machine."""

from __future__ import annotations

from typing import Annotated

import typer

from echovessel.cli.options import DEFAULT_HOME, Home

app = typer.Typer(help="Tokens for asking the HTTP API from another machine.", no_args_is_help=True)


@app.command()
def create(
    user: Annotated[str, typer.Argument(help="As whom it speaks.")],
    home: Home = DEFAULT_HOME,
) -> None:
    """Make a token and print it, this once: it is kept nowhere."""
    from echovessel.cli.console import err
    from echovessel.memory.tokens import Tokens
    from echovessel.runtime.upkeep import whole_file

    with whole_file(home) as context:
        token, secret = Tokens(context).create(user)
    err().print(f"Token {token.id} of {token.user}, shown this once:", markup=False)
    typer.echo(secret)


@app.command("list")
def listed(home: Home = DEFAULT_HOME) -> None:
    """Which tokens there are, and whose."""
    from echovessel.memory.tokens import Tokens
    from echovessel.runtime.upkeep import whole_file

    with whole_file(home) as context:
        tokens = Tokens(context).list()
    for token in tokens:
        typer.echo(f"{token.id}  {token.created_at:%Y-%m-%d}  {token.user}")
    if not tokens:
        typer.echo("There is no token. Make one: echovessel token create USER")


@app.command()
def revoke(
    token: Annotated[str, typer.Argument(help="Its id, as `token list` shows it.")],
    home: Home = DEFAULT_HOME,
) -> None:
    """Let a token open nothing any more, from now on."""
    from echovessel.memory.tokens import Tokens
    from echovessel.runtime.upkeep import whole_file

    with whole_file(home) as context:
        Tokens(context).revoke(token)
    typer.echo(f"Token {token} opens nothing any more.")
