"""Titles around names: Dr. Scott and 黄逸扬老师 are Scott and 黄逸扬, but 王老师 and 王总 are two people."""

from __future__ import annotations

import re
from dataclasses import dataclass

from echovessel.text import HAN

_SAME = {"doctor": "dr", "mister": "mr", "professor": "prof", "miss": "ms"}
_LATIN = re.compile(r"(dr|doctor|mr|mister|mrs|ms|miss|mx|prof|professor|sir|madam|lady|lord)\b\.? (.+)")
_CHINESE = re.compile(
    r"(.+?) ?(先生|女士|小姐|太太|夫人|老师|教授|医生|大夫|博士|同学|师傅|律师|老板|总经理|经理|主任"
    r"|校长|院长|局长|处长|科长|部长|总监|总)"
)
_HAN_NAME = re.compile(f"[{HAN}]+")
_SURNAMES = re.compile(
    "欧阳|司马|上官|诸葛|东方|皇甫|尉迟|公孙|慕容|司徒|司空|夏侯|令狐|宇文|长孙|独孤|南宫|西门|端木|百里|东郭|轩辕|钟离"
)


@dataclass(frozen=True, slots=True)
class Titled:
    """A name and its title. A `full` name means one person whatever the title; a short one does not."""

    bare: str
    title: str = ""
    full: bool = False


def split_title(key: str) -> Titled:
    """Take the title off a name in its normal form.

    A surname alone keeps its title, since the title is what tells 王老师 from 王总. Of names of one word, or
    two Han characters, the title is taken off but remembered: Mr Smith is Smith, and is not Mrs Smith.
    """
    latin = _LATIN.fullmatch(key)
    if latin:
        title, bare = latin.groups()
        return Titled(bare, _SAME.get(title, title), _is_full(bare))
    chinese = _CHINESE.fullmatch(key)
    if chinese:
        bare, title = chinese.groups()
        if not (_HAN_NAME.fullmatch(bare) and (len(bare) == 1 or _SURNAMES.fullmatch(bare))):
            return Titled(bare, title, _is_full(bare))
    return Titled(key, "", _is_full(key))


def _is_full(bare: str) -> bool:
    return len(bare) > 2 if _HAN_NAME.fullmatch(bare) else " " in bare


def is_short(key: str) -> bool:
    """Whether a name says too little to merge on likeness: two Han characters, or fewer than four letters."""
    chinese = _CHINESE.fullmatch(key)
    bare = chinese[1] if chinese else split_title(key).bare
    han = sum(len(run) for run in _HAN_NAME.findall(bare))
    letters = sum(character.isalnum() for character in bare) - han
    return han <= 2 if not letters else han + letters < 4
