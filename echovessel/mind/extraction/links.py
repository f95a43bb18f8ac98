"""What a new memory repeats or replaces, among what the model was shown and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from echovessel.memory.memory import Memory
from echovessel.memory.records import NewNode, Node, Subject
from echovessel.memory.supersession import slot
from echovessel.memory.tombstones import Tombstones
from echovessel.mind.extraction import meant
from echovessel.mind.extraction.parties import Parties
from echovessel.mind.extraction.records import Draft
from echovessel.mind.extraction.shown import Shown
from echovessel.text import fold


class Links:
    """Turns nodes into drafts; `refuse` takes the rule and the text of what is left out."""

    def __init__(
        self, memory: Memory, shown: Shown, parties: Parties, refuse: Callable[[str, str], None]
    ) -> None:
        self._memory = memory
        self._shown = shown
        self._parties = parties
        self._refuse = refuse
        self._tombstones = Tombstones(memory.context)

    def of(
        self,
        node: NewNode,
        about: str,
        names: Iterable[str],
        repeats: str,
        replaces: Iterable[str],
        known: Mapping[str, Node],
    ) -> Draft | None:
        """A node with its names, and with what it repeats or replaces; None where it was forgotten.

        Parameters
        ----------
        about : str
            The third party it belongs to; empty when the subject is none, or has no name.
        names : iterable of str
            All third parties in it.
        repeats : str
            Handle of what says the same.
        replaces : iterable of str
            Handles of what no longer holds.
        known : mapping of str to Node
            What it may repeat.
        """
        digests = self._tombstones.of_node(self._memory.context.scope.key, node.kind, node.text)
        if self._tombstones.hold(digests):
            self._refuse("it was forgotten on purpose", node.text)
            return None
        if node.subject is not Subject.OTHER:
            about = ""
        elif not about:
            # Of whom it is can't be told, so it replaces nothing and nothing replaces it.
            node, replaces = replace(node, attribute=""), ()
        draft = Draft(node, about, tuple(dict.fromkeys((*((about,) if about else ()), *names))))
        if repeats:
            again = self._repeating(draft, repeats, known)
            if again is not None:
                return again
        for handle in dict.fromkeys(replaces):
            draft = self._replacing(draft, handle)
        return draft

    def _repeating(self, draft: Draft, handle: str, known: Mapping[str, Node]) -> Draft | None:
        """The draft as a repetition; None where it is none, whatever the model says."""
        same = known.get(handle)
        if same is not None:
            alike = self._of_one(draft, same) and not meant.opposed(same.text, draft.node.text)
            return replace(draft, repeats=same.id) if alike else None
        if handle not in self._shown.noted:
            self._refuse(f"{handle} was never shown", draft.node.text)
            return None
        place, noted = self._shown.noted[handle]
        alike = _of_one_draft(draft, noted) and not meant.opposed(noted.node.text, draft.node.text)
        return replace(draft, again=place) if alike else None

    def _replacing(self, draft: Draft, handle: str) -> Draft:
        """A fact ends only when it was shown, and a conflicting one on the same subject and attribute arrives."""
        node = draft.node
        old, noted = self._shown.facts.get(handle), self._shown.noted.get(handle)
        if old is not None:
            before, owned = old.attribute, self._of_one(draft, old)
        elif noted is not None:
            before, owned = noted[1].node.attribute, _of_one_draft(draft, noted[1])
        else:
            self._refuse(f"{handle} was never shown, so nothing is replaced", node.text)
            return draft
        if not before or not owned or slot(node.attribute or before) != slot(before):
            self._refuse(
                f"{handle} speaks of something else (subject or attribute), so nothing is replaced", node.text
            )
            return draft
        draft = replace(draft, node=replace(node, attribute=node.attribute or before))
        if old is not None:
            return replace(draft, node=replace(draft.node, supersedes=(*draft.node.supersedes, old.id)))
        return draft if noted is None else replace(draft, follows=(*draft.follows, noted[0]))

    def _of_one(self, draft: Draft, known: Node) -> bool:
        """Whether a draft and a stored memory are of one kind and belong to the same one."""
        if (draft.node.kind, draft.node.subject) != (known.kind, known.subject):
            return False
        if draft.node.subject is not Subject.OTHER:
            return True
        ours = self._parties.known(draft.about) if draft.about else None
        return (
            ours is not None and known.about is not None and ours == self._memory.directory.root(known.about)
        )


def _of_one_draft(one: Draft, other: Draft) -> bool:
    return (one.node.kind, one.node.subject, fold(one.about)) == (
        other.node.kind,
        other.node.subject,
        fold(other.about),
    )
