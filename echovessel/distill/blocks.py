"""L1 blocks from claims: only what was accepted, and no more than fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from echovessel.distill.claims import Claim, wording
from echovessel.memory.core_blocks import MAX_CHARACTERS
from echovessel.memory.records import CoreLabel
from echovessel.text import Language


def blocks(claims: Sequence[Claim], *, language: Language) -> dict[CoreLabel, str]:
    """The texts of the blocks that claims were accepted for.

    Returns
    -------
    Texts by label, of at most 5,000 characters each; a claim that doesn't fit whole is left out, and a block
    without claims too.
    """
    texts: dict[CoreLabel, str] = {}
    for label in CoreLabel:
        text = ""
        shown = False
        for claim in claims_of(claims, label):
            part = claim.text
            if claim.kind == "exchange":
                part = f"\n{part}" if shown else f"\n{wording(language)['exchanges']}\n{part}"
            longer = f"{text}\n{part}".strip()
            if len(longer) <= MAX_CHARACTERS:
                text = longer
                shown = shown or claim.kind == "exchange"
        if text:
            texts[label] = text
    return texts


def claims_of(claims: Iterable[Claim], label: CoreLabel) -> list[Claim]:
    """The accepted claims of a block, examples last."""
    mine = [
        claim
        for claim in claims
        if claim.accepted and claim.in_block and claim.label is label and claim.quotes
    ]
    return sorted(mine, key=lambda claim: claim.kind == "exchange")
