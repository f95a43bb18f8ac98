"""What the words of a quote say about how they were meant: where a model's reading contradicts them, the words win."""

from __future__ import annotations

from collections.abc import Iterable

import regex

from echovessel.mind.extraction.quotes import clause_of
from echovessel.text import fold, pieces

_ME = regex.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|im|me|my|mine|myself|we|we're|we've|us|our|ours)\b|我|咱|俺|本人"
)
_YOU = regex.compile(r"\b(?:you|you're|you've|your|yours|u)\b|你|您")
_THEM = regex.compile(
    r"\b(?:he|he's|she|she's|they|they're|him|his|her|hers|them|their|it|its)\b|他|她|它|\bta\b|人家"
)
_THEY_LEAD = regex.compile(
    r"^(?:and |but |so |因为|所以|但是?|而且)?(?:(?:he|she|they|he's|she's|they're)\b|[他她它])"
)
_YOU_LEAD = regex.compile(r"^(?:and |but |so )?(?:you(?! know\b)|your|you're|you've)\b|^[你您](?!知道|猜|看)")
_IF = regex.compile(
    r"^(?:well |so |and |but )?(?:if|what if|suppose|supposing|imagine|let's say|say i|pretend)\b"
    r"|^(?:如果|要是|假如|假设|假使|万一|倘若|比方说)"
)
_WISH = regex.compile(r"\bi wish\b|\bif only\b|真希望|恨不得|巴不得|多想")
_JOKE = regex.compile(
    r"\b(?:just |only )?(?:kidding|joking)\b|\bjk\b|\bj/k\b|\bjust messing with you\b"
    r"|开玩笑|逗你|骗你|玩笑话|说着玩|愚人节快乐"
)
_OFF = regex.compile(
    r"\bcall(?:ed|ing)? (?:it )?off\b|\bcancell?ed\b|\bcancell?ing\b|\bfell through\b"
    r"|\b(?:not|n't) (?:be )?(?:going|coming|doing it|happening) (?:any ?more|after all)\b"
    r"|取消|泡汤|不去了|去不成|作罢"
)
# "My boss says I'm lazy": what another says of the speaker.
_REPORT = regex.compile(
    r"\b(?!i\b|we\b|you\b)[\p{L}']+(?<!\bi)(?<!\bwe)(?<!\byou) (?:always |just |once |still )?"
    r"(?:(?:says?|said|thinks?|thought|claims?|claimed|reckons?|insists?|told me)(?: that)?"
    r" (?:i|i'm|i've|i'd|my|we|we're|our)"
    r"|calls? me|called me)\b"
    r"|(?<![我你您咱，。])(?:说|觉得|认为|以为|告诉我|老说|总说|骂|嫌)(?:我|咱)"
)
_REPORT_TOLD = regex.compile(
    r"\b(?:says?|said|according|thinks?|thought|claims?|claimed|told|tells|calls?|called|reckons?|insists?|believes?)\b"
    r"|说|觉得|认为|以为|告诉|据|骂|嫌"
)
_TOLD_AS_QUESTION = regex.compile(
    r"^(?:did i (?:ever )?(?:tell|mention|say)|have i (?:ever )?(?:told|mentioned)|guess what"
    r"|did you know(?: that)? (?:i|my|we)\b)|^(?:我?跟你说过|我有没有跟你说|你知道吗|猜猜?)"
)
_GREETING = regex.compile(
    r"\b(?:hi|hey|hello|yo|good (?:morning|evening|night|afternoon)|bye|goodbye|see you|thanks?|thank you"
    r"|ok(?:ay)?|lol|haha+|how are you|what's up|there|again|so much|very much|everyone|all|you too|yes|no|yeah"
    r"|sure|great|nice)\b"
    r"|你好|您好|嗨|哈喽|早(?:上好|安)?|晚(?:上好|安)|下午好|再见|拜拜|谢谢你?|多谢|好的?|嗯+|哦|哈+|在吗"
    r"|吃了吗|行|是的?|对|[啊呀吧啦你了]"
)
_ASKED = regex.compile(
    r"^(?:the )?[\p{L} ]{1,30}? (?:(?:asked|asks|is asking)(?: \p{L}+)? (?:how|what|where|when|why|who|which|whether|if"
    r"|about|for (?:help|advice|tips|a recipe))|wanted to know|wants to know|greeted|says hello|said hello"
    r"|said (?:hi|goodbye|good night))\b"
    r"|^.{1,12}?(?:问了?.{0,6}(?:怎么|如何|什么|哪|谁|几|多少|为什么|是否)|询问|打招呼|打了招呼|道晚安|问候)"
)
_LIKELY = {
    "joke": regex.compile(r"\b(?:jok|kid|teas)|玩笑|逗"),
    "off": regex.compile(
        r"\b(?:cancel|off|no longer|not go|fell through|won't|isn't|any ?more)"
        r"|取消|不去|泡汤|没去|黄了|不再|作罢"
    ),
    "if": regex.compile(
        r"\b(?:if|would|wish|hope|imagin|dream|want|consider|wonder)"
        r"|如果|要是|希望|想|愿意|会|梦想|万一|假如"
    ),
}
# Words that turn a claim around, and numbers: two claims that differ in one of them are never the same.
_NOT = regex.compile(
    r"\b(?:not|no|never|none|nobody|nothing|without|cannot|stopped|quit|gave up|hates?|hated|dislikes?|detests?)\b"
    r"|n't\b|不|没|无|别|未|讨厌|反感|戒"
)
_NUMBER = regex.compile(
    r"\d+(?:[.,]\d+)*|[零一二两三四五六七八九十百千万半几]+"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty|hundred|half|twice)\b"
)
_LOOSE = regex.compile(r"[的了过着吧呢啊呀嘛哦]")
_STOP = regex.compile(
    r"a|an|the|is|are|was|were|be|been|has|have|had|that|this|to|of|in|on|at|and|very|really|so"
)


def first_person(text: str) -> bool:
    """Whether the words speak of the speaker."""
    return bool(_ME.search(fold(text)))


def second_person(text: str) -> bool:
    """Whether they speak to somebody."""
    return bool(_YOU.search(fold(text)))


def third_person(text: str) -> bool:
    """Whether a pronoun in them stands for somebody else."""
    return bool(_THEM.search(fold(text)))


def leader(text: str, names: Iterable[str]) -> str:
    """Which of these names the words open with; empty where they open otherwise."""
    opening = regex.sub(r"^(?:and|but|so|my|我的|我|咱) ?", "", fold(text).lstrip(" \"'“‘「『(（"))
    return next(
        (
            name
            for name in sorted(names, key=len, reverse=True)
            if (key := fold(name))
            and opening.startswith(key)
            and not regex.match(r"[[\p{L}\p{N}]--\p{Han}]", opening[len(key) :], regex.V1)
        ),
        "",
    )


def led_by_another(text: str, names: Iterable[str]) -> bool:
    """Whether the words open with one of these names, or with he, she or they, and leave the speaker out."""
    if first_person(text):
        return False
    return bool(_THEY_LEAD.search(fold(text).lstrip(" \"'“‘「『(（")) or leader(text, names))


def addressed(text: str) -> bool:
    """Whether the words open with you, and the speaker doesn't come into them."""
    return bool(_YOU_LEAD.search(fold(text).strip())) and not first_person(text)


def asked(text: str) -> bool:
    """Whether a memory's text only says that somebody asked, greeted or thanked."""
    return bool(_ASKED.search(fold(text)))


def greeting(quote: str) -> bool:
    """Whether the words are a greeting, thanks or a yes, and nothing more."""
    left = _GREETING.sub("", " ".join(pieces(fold(quote)))) if len(quote) < 40 else quote
    return not left.strip()


def question(quote: str, text: str) -> bool:
    """Whether the words stand in a clause that asks, and doesn't tell by asking ("did I tell you ...?")."""
    clause, mark = clause_of(quote, text)
    return mark in "?？" and bool(mark) and not _TOLD_AS_QUESTION.search(fold(clause))


def mismatch(told: str, quote: str, text: str, follow_up: str) -> str:
    """Why a memory's text may not be drawn from a quote: a joke, a supposition, a plan that was called off. Else empty.

    Parameters
    ----------
    told : str
        The memory's text.
    quote, text : str
        The words, and the message they stand in.
    follow_up : str
        The speaker's next message, where a joke is owned up to.
    """
    clause = fold(clause_of(quote, text)[0])
    told = fold(told)
    if (_JOKE.search(fold(text)) or _JOKE.search(fold(follow_up))) and not _LIKELY["joke"].search(told):
        return "it was said as a joke"
    if (_IF.search(clause) or _IF.search(fold(quote)) or _WISH.search(clause)) and not _LIKELY["if"].search(
        told
    ):
        return "it was only supposed"
    if _OFF.search(clause) and not _LIKELY["off"].search(told):
        return "it was called off"
    return ""


def hearsay(told: str, quote: str) -> bool:
    """Whether the quote hands on what somebody else says, and the memory's text doesn't say so."""
    return bool(_REPORT.search(fold(quote))) and not _REPORT_TOLD.search(fold(told))


def opposed(one: str, other: str) -> bool:
    """Whether two texts differ in a number, or in whether something is so: then neither repeats the other."""
    a, b = fold(one), fold(other)
    return len(_NOT.findall(a)) % 2 != len(_NOT.findall(b)) % 2 or sorted(_NUMBER.findall(a)) != sorted(
        _NUMBER.findall(b)
    )


def wording(text: str) -> tuple[str, ...]:
    """The words of a text without those that carry nothing, in order: equal where two texts say the same thing."""
    return tuple(
        word
        for piece in pieces(_LOOSE.sub("", fold(text)))
        if not _STOP.fullmatch(word := piece.removesuffix("'s"))
    )
