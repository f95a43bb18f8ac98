"""Third parties hidden: names, telephone numbers, addresses and ids, before anything is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import regex

from echovessel.distill.archive import Line

_EMAIL = regex.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_CHINESE_ID = regex.compile(r"(?<!\d)\d{17}[\dXx](?!\d)")
_CARD = regex.compile(r"(?<![\d-])(?:\d[ -]?){12,18}\d(?!\d)")
# International, Chinese mobile, Chinese landline, and the grouped forms of others.
_PHONE = regex.compile(
    r"(?<![A-Za-z0-9_.])(?:\+\d{1,3}[ -]?(?:\(?\d{1,4}\)?[ -]?){2,5}\d{2,4}"
    r"|1[3-9]\d[ -]?\d{4}[ -]?\d{4}"
    r"|0\d{2,3}[ -]\d{7,8}"
    r"|\(?\d{3}\)?[ -]\d{3}[ -]\d{4})(?![A-Za-z0-9_])"
)
_ACCOUNT = regex.compile(
    r"(?i)(?<![a-z0-9])(?:wxid_[\w-]+|(?:微信号?|QQ号?|wechat|whatsapp|telegram)\s?[:：]?\s?(?=[\w-]*\d)[\w-]{5,})"
)


class Pseudonyms:
    """Replaces who and what could be recognised; the same name always by the same letter.

    Parameters
    ----------
    names : iterable of str
        Names to hide, wherever they stand; the longest first.
    keep : iterable of str
        Names that stay: the persona's and the user's.

    Attributes
    ----------
    report : Counter
        How often each kind was replaced.
    """

    def __init__(self, names: Iterable[str], *, keep: Iterable[str] = ()) -> None:
        kept = set(keep)
        hidden = [name for name in dict.fromkeys(names) if name.strip() and name not in kept]
        self.names = {name: f"Person {_letters(i)}" for i, name in enumerate(hidden)}
        self.report: Counter[str] = Counter()
        longest = sorted(self.names, key=len, reverse=True)
        # Latin names on word borders ("Al" is not in "also"), Han anywhere.
        forms = [
            rf"(?<![\p{{L}}\p{{N}}]){regex.escape(name)}(?![\p{{L}}\p{{N}}])"
            if not regex.search(r"\p{Han}", name)
            else regex.escape(name)
            for name in longest
        ]
        self._named = regex.compile("|".join(forms), regex.IGNORECASE) if forms else None
        self._folded = {name.casefold(): pseudonym for name, pseudonym in self.names.items()}

    def hide(self, line: Line) -> Line:
        """The line with everything replaced that is to be hidden."""
        speaker = line.speaker
        if speaker in self.names:
            self.report["name"] += 1
            speaker = self.names[speaker]
        return replace(line, speaker=speaker, text=self.text(line.text))

    def text(self, text: str) -> str:
        """A text with everything replaced that is to be hidden."""
        text = self._all("e-mail", _EMAIL, text)
        text = self._checked("id", _CHINESE_ID, text, _is_chinese_id)
        text = self._all("phone", _PHONE, text)
        text = self._checked("card", _CARD, text, _is_card)
        text = self._all("account", _ACCOUNT, text)
        if self._named is not None:
            text = self._named.sub(self._name, text)
        return text

    def _name(self, found: regex.Match[str]) -> str:
        self.report["name"] += 1
        return self._folded.get(found[0].casefold(), "Person")

    def _all(self, kind: str, pattern: regex.Pattern[str], text: str) -> str:
        text, count = pattern.subn(f"[{kind}]", text)
        if count:
            self.report[kind] += count
        return text

    def _checked(self, kind: str, pattern: regex.Pattern[str], text: str, holds: object) -> str:
        def replaced(found: regex.Match[str]) -> str:
            if not holds(found[0]):  # type: ignore[operator]
                return str(found[0])
            self.report[kind] += 1
            return f"[{kind}]"

        return str(pattern.sub(replaced, text))


def _letters(number: int) -> str:
    """A, B, ..., Z, AA, AB, ..."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _is_chinese_id(text: str) -> bool:
    """Whether the last character checks (GB 11643-1999, ISO 7064 MOD 11-2)."""
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(digit) * weight for digit, weight in zip(text[:17], weights, strict=True))
    return "10X98765432"[total % 11] == text[17].upper()


def _is_card(text: str) -> bool:
    """Whether the digits check (Luhn)."""
    digits = [int(character) for character in text if character.isdigit()]
    doubled = [d * 2 - 9 * (d > 4) for d in digits[-2::-2]]
    return len(digits) >= 13 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
