"""Encodings that text may be in which is no UTF-8, told by the letters that come out."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

_LINES: Final = 1_000  # with letters that are not ASCII
_LONGEST: Final = 1 << 16  # bytes of one that are looked at
_SHOWN: Final = 30  # characters of one
_LEAST: Final = 0.6  # the share of these letters that people write
_MOST: Final = 3
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]")
# Words of one case, maybe behind a capital: those of Greek have capitals anywhere if they are read so.
_CYRILLIC: Final = re.compile(r"(?<![^\W\d_])(?:[А-ЯЁІЇЄҐ]?[а-яёіїєґ]+|[А-ЯЁІЇЄҐ]{2,})(?![^\W\d_])|№")
# Words that have letters for the end of a word there alone.
_GREEK: Final = re.compile(
    r"(?<![^\W\d_])(?:[Α-ΩΆ-Ώ]?[α-ρσ-ωά-ίό-ώϊϋ]*[α-ρτ-ωά-ίό-ώϊϋς]|[Α-ΩΆ-Ώ]{2,})(?![^\W\d_])"
)
_HEBREW: Final = re.compile(r"(?<![א-ת])[אבגדהוזחטיכלמנסעפצקרשת]+[א-ת](?![א-ת])")
_HEBREW_END: Final = re.compile("[ךםןףץ](?![א-ת])")
_ARABIC: Final = re.compile(r"[\u0621-\u064a]{2,}")
# Alone among others, or two small ones: more of them in a row are the bytes of other writing.
_WESTERN: Final = re.compile(
    r"(?<![^\x00-\x7f])(?:[À-ÖØ-öø-ÿŒœŠšŽžŸ€‘’“”–—°²³µ®©ªº½«»¡¿£§]|[ß-öø-ÿœ]{2})(?![^\x00-\x7f])"
)
_LETTER: Final = r"[^\W\d_]"
# Not the bytes of `þröstur`, `Maður`, `garður`, `fýll`.
_TURKISH: Final = (
    r"(?<=[AEIİOUÖÜaeıiouöüâîû])[ğĞ](?!ur\b)|[ıİ](?!ll\b)"
    rf"|(?<={_LETTER})[şŞ]|[şŞ](?=[AEIİOUÖÜaeıiouöüâîû])"
)
# Not those of `cœur`, `fœtus`, `m³`, `£ten`, `¿Cómo` and `¿cómo?`.
_POLISH: Final = (
    rf"[ąźĄŹŻ]|[śŚ](?![AEIOUYDTSaeiouydts])|(?<!m)ł|ł(?={_LETTER})|(?<={_LETTER})[Łż]"
    r"|Ł(?=[AEIOUYÓĄĘaeiouyóąę])|ż(?=[a-zóąęćłńśźż])(?![^\n?]{0,99}\?)"
)


def _counting(pattern: re.Pattern[str]) -> Callable[[str, str], int]:
    return lambda text, _: sum(len(found[0]) for found in pattern.finditer(text))


def _hebrew(text: str, _: str) -> int:
    """Counts letters where a word ends in one of those for it: words without them may be Russian, too."""
    return sum(len(each) for each in _HEBREW.findall(text)) if _HEBREW_END.search(text) else 0


def _of_language(letters: str, sure: str) -> Callable[[str, str], int]:
    """Counts the letters of a language, and signs, in a text that has some of its own.

    Args:
      letters: all of it that are not ASCII.
      sure: those of its own, where no other language writes their bytes beside a letter as often.
    """
    some = re.compile(rf"(?<={_LETTER})(?:{sure})|(?:{sure})(?={_LETTER})")
    every = re.compile(rf"[{letters}€‘’“”–—…°«»]")
    return lambda text, _: len(every.findall(text)) if some.search(text) else 0


def _of_two_bytes(*leads: tuple[int, int], least: int = 0x40) -> Callable[[str, str], int]:
    """Counts letters whose first byte of two is in one of these ranges, where the common ones stand.

    Args:
      leads: the first and the last byte of each range.
      least: what the second byte is at least.
    """

    def count(text: str, codec: str) -> int:
        letters = (each.encode(codec) for each in _NOT_ASCII.findall(text))
        pairs = [each for each in letters if len(each) == 2 and each[1] >= least]
        return sum(any(low <= each[0] <= high for low, high in leads) for each in pairs)

    return count


# How letters that people write are counted. The first of those that count as many comes first: what is all of
# syllables of Korean may be characters of Chinese, too, and hardly the other way round.
_COUNTS: Final[dict[str, Callable[[str, str], int]]] = {
    # In cp1252 these are letters of Icelandic, which has others besides, and signs.
    "cp1254": _of_language("çöüÇÖÜâîûÂÎÛğışĞİŞ", _TURKISH),
    "cp1250": _of_language("ćęńóĆĘŃÓąłśżźĄŁŚŻŹ", _POLISH),
    "cp1252": _counting(_WESTERN),
    "cp932": _of_two_bytes((0x81, 0x84), (0x88, 0x97)),
    "cp949": _of_two_bytes((0xA1, 0xA3), (0xB0, 0xC8), least=0xA1),
    "cp1253": _counting(_GREEK),
    "cp1255": _hebrew,
    "cp1251": _counting(_CYRILLIC),
    "cp1256": _counting(_ARABIC),
    "gb18030": _of_two_bytes((0xA1, 0xA1), (0xA3, 0xA3), (0xB0, 0xD7), least=0xA1),
    "big5": _of_two_bytes((0xA1, 0xA2), (0xA4, 0xC6)),
}


def likely_encodings(path: str) -> list[tuple[str, str]]:
    """(encoding, the first of what it makes of the file) that may be that of a text, the likeliest first."""
    with open(path, "rb") as file:
        lines = list(islice(_not_ascii(iter(lambda: file.readline(_LONGEST), b"")), _LINES))
    found = [(share, codec, shown) for codec in _COUNTS for share, shown in _read(lines, codec)]
    likely = sorted(found, key=lambda each: -each[0])  # of equal ones the order stays
    return [(codec, shown) for share, codec, shown in likely if share >= _LEAST][:_MOST]


def likely_text(head: bytes) -> str:
    """The text of a file that begins like this, maybe cut; of no UTF-8, in the likeliest encoding."""
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeError:
        lines = [*_not_ascii(iter(head.splitlines()[:-1]))] or [head]
    shares = {codec: share for codec in _COUNTS for share, _ in _read(lines, codec)}
    likely = max(shares, key=lambda codec: shares[codec], default="utf-8")
    return head.decode(likely if shares.get(likely, 0) >= _LEAST else "utf-8", "replace")


def _not_ascii(lines: Iterator[bytes]) -> Iterator[bytes]:
    return (line for line in lines if not line.isascii() and len(line) < _LONGEST)


def _read(lines: Sequence[bytes], codec: str) -> Iterator[tuple[float, str]]:
    """The share of letters that people write, and what the first line begins with; none where it is other."""
    try:
        texts = [line.decode(codec) for line in lines]
    except UnicodeError:
        return
    total = sum(len(_NOT_ASCII.findall(text)) for text in texts)
    if total:
        shown = texts[0].strip()[:_SHOWN]
        yield _COUNTS[codec]("\n".join(texts), codec) / total, shown if shown.isprintable() else ""
