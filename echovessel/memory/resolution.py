"""Whom a name means: equal names first, then likeness of context, then a question to the user."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from echovessel.clock import from_micros
from echovessel.errors import InputError, NotFoundError
from echovessel.memory.aliases import alias_key
from echovessel.memory.context import Context
from echovessel.memory.names import names_of
from echovessel.memory.records import Candidate, Entity, EntityChange, Question, Resolution
from echovessel.memory.rows import insert
from echovessel.memory.titles import is_short

if TYPE_CHECKING:
    from echovessel.memory.entities import Entities

# Cosines of name-in-context; what they mean depends on the embedder, so whoever knows it passes its own.
UPPER = 0.9
LOWER = 0.7


class Resolver:
    """Three tiers, in this order; only the first needs no vector."""

    def __init__(self, context: Context, directory: Entities) -> None:
        self._context = context
        self._directory = directory

    def resolve(
        self, name: str, *, vector: NDArray[Any] | None, kind: str | None, upper: float, lower: float
    ) -> Resolution:
        """Whom a name means, without writing anything.

        Parameters
        ----------
        name : str
            As it was said.
        vector : array of shape (dim,), optional
            Of the name in its context, by the embedder of the file; without it only equal names count.
        kind : str, optional
            Only entities of this kind may be like it, or decide between equal names.
        upper, lower : float
            Cosines in -1..1: at `upper` and above one near entity is it, below `lower` nobody is, between
            them it is uncertain. Two near entities are uncertain too, and so is a short name: two Han
            characters, or fewer than four letters.

        Raises
        ------
        InputError
            A name that would be found everywhere, thresholds out of order, or a vector that does not fit.
        """
        if not -1.0 <= lower <= upper <= 1.0:
            raise InputError(
                f"thresholds must hold -1 <= lower <= upper <= 1, found lower {lower} and upper {upper}."
            )
        key = alias_key(name)
        equal = self._directory.find(name)
        if len(equal) > 1 and kind is not None:
            equal = [entity for entity in equal if entity.kind == kind] or equal
        if equal:
            found = tuple(Candidate(entity, 1.0) for entity in equal)
            return (
                Resolution("alias", equal[0], found)
                if len(equal) == 1
                else Resolution("ambiguous", None, found)
            )
        if vector is None:
            return Resolution("new", None)
        near = [candidate for candidate in self._near(vector, kind) if candidate.similarity >= lower]
        if not near:
            return Resolution("new", None)
        sure = [candidate for candidate in near if candidate.similarity >= upper]
        if (
            len(sure) == 1
            and not is_short(key)
            and not all(map(is_short, map(alias_key, sure[0].entity.aliases)))
        ):
            return Resolution("similar", sure[0].entity, tuple(near))
        return Resolution("uncertain", None, tuple(near))

    def ensure(
        self, name: str, *, vector: NDArray[Any] | None, kind: str, upper: float, lower: float
    ) -> Resolution:
        """Whom a name means, made where nobody is known by it.

        A likeness is merged (and can be undone); an uncertain name becomes an entity of its own, with a
        question. Only an ambiguous name gives no entity: several go by it already.
        """
        with self._context.store.write():
            found = self.resolve(name, vector=vector, kind=kind, upper=upper, lower=lower)
            entity = found.entity
            if found.how == "ambiguous":
                return found
            if found.how != "alias":
                entity = new = self._directory.add(name, kind=kind)
                if found.entity is not None:
                    self._directory.merge(found.entity.id, new.id)
                    entity = self._directory.get(found.entity.id)
                elif found.candidates:
                    self._ask(found.candidates[0], new)
            assert entity is not None
            if vector is not None:
                self._remember(entity.id, vector)
            return Resolution(found.how, entity, found.candidates)

    def questions(self) -> builtins.list[Question]:
        """Pairs that may be one, not settled yet and not merged meanwhile, the oldest first."""
        context = self._context
        rows = context.store.rows(
            "SELECT id, one, other, similarity, raised_at FROM entity_questions"
            " WHERE persona = ? AND scope = ? AND settled_at IS NULL ORDER BY id",
            (context.persona, context.scope.key),
        )
        get, root = self._directory.get, self._directory.root
        return [
            Question(id_, get(one), get(other), similarity, from_micros(raised))
            for id_, one, other, similarity, raised in rows
            if root(one) != root(other)
        ]

    def settle(self, question: str, *, same: bool) -> EntityChange | None:
        """Answer a question: the two are merged, or left as they are and not asked about again.

        Returns
        -------
        EntityChange or None
            The merge, for undo.

        Raises
        ------
        NotFoundError
            No such open question here.
        """
        with self._context.store.write():
            found = next((each for each in self.questions() if each.id == question), None)
            if found is None:
                raise NotFoundError(f"No open question {question!r} in {self._context.scope.key}.")
            self._context.store.run(
                "UPDATE entity_questions SET same = ?, settled_at = ? WHERE id = ?",
                (int(same), self._context.now(), question),
            )
            return self._directory.merge(found.one.id, found.other.id) if same else None

    def _ask(self, candidate: Candidate, new: Entity) -> None:
        context = self._context
        insert(
            context.store,
            "entity_questions",
            id=context.new_id(),
            persona=context.persona,
            scope=context.scope.key,
            one=candidate.entity.id,
            other=new.id,
            similarity=candidate.similarity,
            raised_at=context.now(),
        )

    def _near(self, vector: NDArray[Any], kind: str | None) -> builtins.list[Candidate]:
        """Roots with their nearest member's cosine, the nearest first."""
        embedder, query = self._checked(vector)
        names, best = names_of(self._context), dict[str, float]()
        rows = self._context.store.rows_of(
            "SELECT entity, vector FROM entity_vectors WHERE embedder = ?"
            " AND entity IN (SELECT value FROM json_each(?))",
            list(names.roots),
            (embedder,),
        )
        for entity, stored in rows:
            mean = np.frombuffer(stored, dtype="<f4")
            cosine = float(mean @ query / np.linalg.norm(mean))
            root = names.roots[entity]
            best[root] = max(best.get(root, -1.0), min(cosine, 1.0))
        found = [Candidate(self._directory.get(root), cosine) for root, cosine in best.items()]
        found = [candidate for candidate in found if kind in (None, candidate.entity.kind)]
        return sorted(found, key=lambda candidate: (-candidate.similarity, candidate.entity.id))

    def _remember(self, entity: str, vector: NDArray[Any]) -> None:
        """Take a context into the entity's mean."""
        store, (embedder, new) = self._context.store, self._checked(vector)
        row = store.row(
            "SELECT contexts, vector FROM entity_vectors WHERE embedder = ? AND entity = ?",
            (embedder, entity),
        )
        contexts, mean = (
            (0, np.zeros_like(new)) if row is None else (row[0], np.frombuffer(row[1], dtype="<f4"))
        )
        mean = (mean * contexts + new) / (contexts + 1)
        if np.linalg.norm(mean) < 1e-6:  # two opposite contexts cancel out: the later one stands
            mean = new
        store.run(
            "INSERT INTO entity_vectors (embedder, entity, contexts, vector) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (embedder, entity)"
            " DO UPDATE SET contexts = excluded.contexts, vector = excluded.vector",
            (embedder, entity, contexts + 1, mean.astype("<f4").tobytes()),
        )

    def _checked(self, vector: NDArray[Any]) -> tuple[int, NDArray[np.float32]]:
        """The active embedder, and the vector brought to length 1."""
        row = self._context.store.row("SELECT id, dim FROM embedders WHERE active = 1")
        if row is None:
            raise InputError("The memory file names no embedder. Open it with one before passing vectors.")
        array = np.asarray(vector, dtype=np.float32)
        length = float(np.linalg.norm(array))
        if array.shape != (row[1],) or not np.isfinite(length) or length == 0.0:
            raise InputError(
                f"a vector must hold {row[1]} finite numbers, not all 0; found shape {array.shape}."
            )
        return row[0], array / np.float32(length)
