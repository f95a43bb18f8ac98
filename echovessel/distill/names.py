"""Third parties that an archive speaks of: names found in the text, how often, and under which other names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import regex

from echovessel.distill.archive import Line
from echovessel.text import fold, is_han

INTRODUCED = 2  # times that a name said to be somebody's ("my sister Ana") has to come up, that one included
ADDRESSED = 3  # times that one has to be called by @
CAPITALISED = 5  # times that a word has to stand with a capital inside a sentence
HELD = 20_000  # names counted at a time; where more come up, the rarest go
HELD_INTRODUCED = 500
_PLACE = 0.5  # share of its mentions behind "in", "to" or "from" above which a name is a place

_KIN = (
    "wife|husband|partner|girlfriend|boyfriend|fiancée?|son|daughter|mother|mum|mom|father|dad|sister|brother|cousin"
    "|aunt|uncle|grandmother|grandfather|niece|nephew|friend|flatmate|roommate|neighbou?r|boss|colleague|dog|cat"
)
_KIN_HAN = (
    "老婆|妻子|老公|丈夫|男朋友|女朋友|对象|儿子|女儿|妈妈?|爸爸?|姐姐?|妹妹?|哥哥?|弟弟?|表[姐妹哥弟]|堂[姐妹哥弟]"
    "|朋友|同学|同事|闺蜜|室友|邻居|老板|狗|猫"
)
_INTRODUCED = regex.compile(
    rf"\b(?i:(?:my|his|her|our|their) (?:\p{{Ll}}+ ){{0,2}}(?:{_KIN})(?:,? (?:named|called|is called|whose name is))?)"
    r",? (?P<name>(?!I\b)\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)?)"
    rf"|(?:{_KIN_HAN})(?:的?名字)?叫(?:做)?(?P<name>(?![我你他她它什啥])\p{{Han}}{{2,3}})(?=[，,。.!！；;、\s了]|$)"
)
_ADDRESSED = regex.compile(r"(?<![\p{L}\p{N}.])@(?P<name>\p{L}[\p{L}\p{N}_]{1,19})")
_WORD = regex.compile(r"\p{L}[\p{L}'’]*")
_CAPITALISED = regex.compile(
    r"(?:(?P<before>\p{L}+) |(?<=[,;(] ?))(?P<name>\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+){0,2})(?!\p{L})"
)
_TO_A_PLACE = frozenset({"in", "to", "from", "at", "near", "around"})
# Capitals that name nobody: days, months, feasts, tongues and titles.
_NOBODY = regex.compile(
    r"(?i)(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|christmas|easter|thanksgiving|halloween|new year|god|lord|english|french|german"
    r"|spanish|italian|chinese|japanese|american|british|european|internet|whatsapp|google|youtube|instagram|facebook"
    r"|netflix|ok|okay|lol|omg|mr|mrs|ms|dr|sir|everyone|all|here)"
)


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A third party named in the text.

    Attributes
    ----------
    name : str
        The fullest form that came up.
    kind : str
        ``person`` or ``place``.
    aliases : tuple of str
        Shorter forms that can mean nobody else in the archive.
    count : int
        How often any of the forms came up.
    """

    name: str
    kind: str
    aliases: tuple[str, ...]
    count: int


class Names:
    """Counts names line by line, in bounded memory.

    Parameters
    ----------
    known : iterable of str
        Names of those who talk; they are no third parties.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = {fold(part) for name in known for part in (name, *name.split())}
        self._introduced: Counter[str] = Counter()
        self._addressed: Counter[str] = Counter()
        self._capitalised: Counter[str] = Counter()
        self._lower: Counter[str] = Counter()
        self._placed: Counter[str] = Counter()

    def take(self, line: Line) -> None:
        """Count the names in one line; forwarded ones say nothing of whom these people know."""
        text = line.text
        if line.forwarded:
            return
        for found in _INTRODUCED.finditer(text):
            self._introduced[found["name"]] += 1
        for found in _ADDRESSED.finditer(text):
            self._addressed[found["name"]] += 1
        for name in self._introduced:
            if is_han(name[0]) and name in text:
                self._capitalised[name] += text.count(name)
        if not text.isupper():
            for word in _WORD.findall(text):
                if word.islower() and word.capitalize() in self._capitalised:
                    self._lower[word] += 1
            for found in _CAPITALISED.finditer(text):
                self._capitalised[found["name"]] += 1
                self._placed[found["name"]] += fold(found["before"] or "") in _TO_A_PLACE
        _kept_small(self._introduced, HELD_INTRODUCED)
        for counter in (self._addressed, self._capitalised):
            _kept_small(counter, HELD)

    def found(self, speakers: Mapping[str, int] | None = None) -> list[Mentioned]:
        """Whoever came up often enough, the most often named first.

        Parameters
        ----------
        speakers : mapping, optional
            Lines of third parties who speak themselves; each of them is one.
        """
        counts = Counter[str](speakers)
        for name in {*self._introduced, *self._addressed, *self._capitalised}:
            inside = self._capitalised[name]
            told = max(inside, self._introduced[name]) >= INTRODUCED and self._introduced[name]
            often = inside >= CAPITALISED and 3 * self._lower[name.lower()] < inside
            called = self._addressed[name] >= ADDRESSED
            if (told or often or called) and fold(name) not in self._known and not _NOBODY.fullmatch(name):
                counts[name] += max(inside, self._introduced[name]) + self._addressed[name]
        parties: dict[str, list[str]] = {name: [] for name in counts}
        for name in counts:
            longer = [other for other in counts if _short_for(name, other)]
            if len(longer) == 1:
                parties[longer[0]].append(name)
                parties.pop(name, None)
        found = [
            Mentioned(
                name,
                "place" if self._placed[name] > _PLACE * counts[name] else "person",
                tuple(sorted(aliases)),
                counts[name] + sum(counts[alias] for alias in aliases),
            )
            for name, aliases in parties.items()
        ]
        return sorted(found, key=lambda each: (-each.count, each.name))


def _short_for(short: str, long: str) -> bool:
    """Whether one is the given name in the other: Ana in Ana Lopes, 小雨 in 张小雨."""
    if is_han(short[0]):
        return len(short) == 2 and len(long) == 3 and long.endswith(short)
    return long.startswith(f"{short} ")


def _kept_small(counter: Counter[str], most: int) -> None:
    if len(counter) > most:
        for name, _ in counter.most_common()[most // 2 :]:
            del counter[name]
