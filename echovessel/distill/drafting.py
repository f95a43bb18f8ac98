"""What an archive says of its speaker, gone over line by line, in bounded memory; nothing is written here."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from echovessel.distill.archive import Line
from echovessel.distill.claims import Claim, Quote, of_exchanges, of_facts, of_style, wording
from echovessel.distill.exemplars import exchanges, exemplars
from echovessel.distill.facts import Fact, facts
from echovessel.distill.history import Mapping
from echovessel.distill.names import Mentioned, Names
from echovessel.distill.style import StyleProfile, profile
from echovessel.memory.records import CoreLabel, Sender

RECENT = 100_000  # lines a voice is measured on; of a longer archive, the last ones
FREQUENT = 10  # lines from which a third party is somebody to know


@dataclass(frozen=True, slots=True)
class Draft:
    """What an archive says of its speaker, before anything of it is written.

    Attributes
    ----------
    claims : tuple of Claim
    facts : tuple of Fact
        Those found by pattern, in the archive's order.
    voice : StyleProfile
    others : dict
        Lines by third party.
    names : tuple of Mentioned
        Third parties to know: who speaks much, or is spoken of.
    """

    claims: tuple[Claim, ...]
    facts: tuple[Fact, ...]
    voice: StyleProfile
    others: dict[str, int]
    names: tuple[Mentioned, ...] = ()


def draft(
    lines: Iterable[Line],
    mapping: Mapping,
    *,
    name: str = "",
    zone: str = "UTC",
    most: int = 8,
    seed: int = 0,
) -> Draft:
    """What lines say of the speaker who becomes the persona; writes nothing.

    Parameters
    ----------
    lines : iterable of Line
        In their order; only those of the mapping's period count.
    name : str
        What the persona is called; the speaker's name in the archive when left out.
    zone : str
        Where the hours of the day are counted.
    most : int
        At most so many exchanges to show the voice by.
    seed : int
        Of their choice.

    Raises
    ------
    MissingExtra
        scikit-learn is not installed.
    """
    drafter = Drafter(mapping, name=name, zone=zone, most=most, seed=seed)
    for line in lines:
        drafter.take(line)
    return drafter.done()


class Drafter:
    """Takes an archive's lines one by one; `draft` says what of."""

    def __init__(
        self, mapping: Mapping, *, name: str = "", zone: str = "UTC", most: int = 8, seed: int = 0
    ) -> None:
        self._mapping = mapping
        self._called = name
        self._zone = zone
        self._most = most
        self._seed = seed
        self._recent: deque[Line] = deque(maxlen=RECENT)
        self._found: list[Fact] = []
        self._others = Counter[str]()
        self._names = Names(mapping.persona | mapping.user)
        self._first: Line | None = None

    def take(self, line: Line) -> bool:
        """Go over one line; gives whether a fact was found in it."""
        if not self._mapping.takes(line):
            return False
        self._recent.append(line)
        self._names.take(line)
        sender = self._mapping.sender(line)
        if sender is Sender.PERSONA:
            self._first = self._first or (line if line.text.strip() else None)
            found = facts([line])
            self._found += found
            return bool(found)
        if sender is Sender.OTHER and line.speaker:
            self._others[line.speaker] += 1
        return False

    def done(self, read: Sequence[Claim] | None = None) -> Draft:
        """What all lines together say.

        Parameters
        ----------
        read : sequence of Claim, optional
            What a language model found in them, in place of the facts found by pattern.
        """
        mapping = self._mapping
        mine = [line for line in self._recent if mapping.sender(line) is Sender.PERSONA]
        rest = [line for line in self._recent if mapping.sender(line) is not Sender.PERSONA]
        voice = profile(mine, rest, zone=self._zone)
        language = voice.language
        found = self._found if read is None else [fact for fact in self._found if fact.attribute == "name"]
        claims = of_facts(found, language=language)
        if self._first is not None and not any(claim.kind == "name" for claim in claims):
            # The archive itself names who said it.
            text = wording(language)["name"].format(value=self._called or self._first.speaker)
            claims.insert(0, Claim(CoreLabel.PERSONA, "name", text, (Quote(self._first.text, self._first),)))
        claims += read or ()
        claims += of_style(voice, mine, language=language)
        claims += of_exchanges(
            exemplars(exchanges(self._recent, mapping.persona), most=self._most, seed=self._seed),
            language=language,
        )
        speakers = {name: lines for name, lines in self._others.items() if lines >= FREQUENT}
        names = tuple(self._names.found(speakers))
        return Draft(tuple(claims), tuple(found), voice, dict(self._others), names)
