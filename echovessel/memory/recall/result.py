"""What a recall gives: hits that explain themselves, and what was dropped by which rule."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from echovessel.memory.recall.factors import FACTORS
from echovessel.memory.recall.weights import Weights
from echovessel.memory.records import Message

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    import polars as pl

RULES = {
    "gate": "less relevant than the gate, and the query names none of its entities",
    "superseded": "a newer memory has replaced it",
    "in_prompt": "already in the prompt",
    "folded": "its words stand behind a higher hit",
    "anchored": "named in the query, but such hits have had their share of k",
    "rank": "below the k best",
}


@dataclass(frozen=True, slots=True)
class Factors:
    """The five raw factors of one memory, with the two sides of its relevance."""

    recency: float
    relevance: float
    impact: float
    relational_bonus: float
    entity_anchor: float
    cosine: float
    lexical: float

    @property
    def anchored(self) -> bool:
        """Whether the query names an entity it is linked to."""
        return self.entity_anchor >= 1


@dataclass(frozen=True, slots=True)
class Memo:
    """One memory as a recall saw it.

    Attributes
    ----------
    id : str
        Of a message or node.
    kind : str
        ``message``, ``event``, ``thought``, ``intention`` or ``expectation``.
    text : str
    speaker : str
        Who said it; empty for nodes.
    factors : Factors
    contributions : dict
        What each of the five adds to the score.
    score : float
    known_at, happened_at : datetime
        When it was said and when it happened, in UTC.
    session : str
        Of a message; empty for nodes.
    sources : tuple of str
        The messages that a node rests on; of a message, itself.
    superseded : bool
        A newer memory has replaced it.
    below_gate : bool
        It passed the gate only because the query names its entity.
    """

    id: str
    kind: str
    text: str
    speaker: str
    factors: Factors
    contributions: dict[str, float]
    score: float
    known_at: datetime
    happened_at: datetime
    session: str
    sources: tuple[str, ...]
    superseded: bool
    below_gate: bool

    @property
    def layer(self) -> str:
        """``message`` or ``node``."""
        return "message" if self.kind == "message" else "node"

    def _repr_html_(self) -> str:
        from echovessel.memory.display import memo_html
        from echovessel.plots.style import FACTOR_COLOURS

        return memo_html(self, FACTOR_COLOURS)


@dataclass(frozen=True, slots=True)
class Hit(Memo):
    """A memory that is recalled; `rank` counts from 1, `folded` are the messages whose place it took."""

    rank: int
    folded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dropped(Memo):
    """A memory that was considered and is not recalled; `rule` is a key of `RULES`."""

    rule: str


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to "what would the persona remember about this?".

    Attributes
    ----------
    hits : tuple of Hit
        Best first, at most k.
    dropped : tuple of Dropped
        The nearest of those that were left out, best first.
    dropped_counts : dict
        How many each rule left out.
    anchors : tuple of str
        Ids of the entities that the query names.
    considered : int
        How many memories were scored.
    timings : dict
        Milliseconds by stage.
    """

    query: str
    k: int
    weights: Weights
    now: datetime
    as_of: datetime | None
    hits: tuple[Hit, ...]
    dropped: tuple[Dropped, ...]
    dropped_counts: dict[str, int]
    anchors: tuple[str, ...]
    considered: int
    timings: dict[str, float]
    _around: Callable[..., Sequence[Message]] = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.hits)

    def context(self, hit: Hit, *, before: int = 2, after: int = 2) -> list[Message]:
        """The turns around a hit's sources, in order, never across a session or scope."""
        found: dict[str, Message] = {}
        for source in hit.sources:
            found |= {message.id: message for message in self._around(source, before=before, after=after)}
        return sorted(found.values(), key=lambda message: (message.sent_at, message.id))

    def rows(self) -> list[dict[str, Any]]:
        """One flat row a hit: rank, id, kind, text, score, each factor, and each contribution as ``*_adds``."""
        return [
            {
                "rank": hit.rank,
                "id": hit.id,
                "kind": hit.kind,
                "speaker": hit.speaker,
                "text": hit.text,
                "score": hit.score,
                **asdict(hit.factors),
                **{f"{name}_adds": hit.contributions[name] for name in FACTORS},
                "known_at": hit.known_at,
                "happened_at": hit.happened_at,
                "session": hit.session,
                "superseded": hit.superseded,
                "below_gate": hit.below_gate,
            }
            for hit in self.hits
        ]

    def to_polars(self) -> pl.DataFrame:
        """The hits as a polars frame, one row each; see `rows`."""
        import polars as pl

        added = (f"{name}_adds" for name in FACTORS)
        schema = (
            {"rank": pl.Int64}
            | dict.fromkeys(("id", "kind", "speaker", "text"), pl.String)
            | dict.fromkeys(("score", *Factors.__dataclass_fields__, *added), pl.Float64)
            | dict.fromkeys(("known_at", "happened_at"), pl.Datetime("us", "UTC"))
            | {"session": pl.String}
            | dict.fromkeys(("superseded", "below_gate"), pl.Boolean)
        )
        return pl.DataFrame(self.rows(), schema=schema)

    def to_pandas(self) -> pd.DataFrame:
        """The hits as a pandas frame, one row each; see `rows`."""
        try:
            import pandas as pd
        except ImportError as error:
            from echovessel.errors import MissingExtra

            raise MissingExtra("to_pandas()", "lab") from error
        return pd.DataFrame(self.rows(), columns=self.to_polars().columns)

    def to_json(self) -> str:
        """Query, weights, hits, dropped memories and timings as one JSON text."""
        shown = asdict_without(self, "_around")
        return json.dumps(shown, ensure_ascii=False, default=_plain)

    def explain(self) -> str:
        """A table for the terminal: each hit with what every factor adds, and what was dropped by which rule."""
        from echovessel.memory.recall.explain import explain

        return explain(self)

    def plot(self) -> go.Figure:
        """The hits as stacked bars, one colour per factor."""
        from echovessel.plots.contributions import contributions

        return contributions(self.to_polars(), query=self.query)

    def _repr_html_(self) -> str:
        from echovessel.memory.display import recall_html
        from echovessel.plots.style import FACTOR_COLOURS

        return recall_html(self, FACTOR_COLOURS)


def asdict_without(result: Recall, private: str) -> dict[str, Any]:
    """The fields of a result as plain values, all but one."""
    kept = {name: getattr(result, name) for name in Recall.__dataclass_fields__ if name != private}
    return kept | {
        "weights": result.weights.to_dict(),
        "hits": [asdict(hit) for hit in result.hits],
        "dropped": [asdict(memo) for memo in result.dropped],
    }


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
