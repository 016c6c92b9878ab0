"""Split words of real image lists.

AutoML Vision writes TRAIN, VALIDATE, TEST, UNASSIGNED; Vertex AI training, validation, test;
TFRecorder TRAIN, VALIDATION, TEST, DISCARD; people write val, dev, holdout.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Final

TRAIN, VALIDATION, TEST = "train", "validation", "test"
DISCARD: Final = "discard"
UNASSIGNED: Final = ""

_WORDS: Final = {
    "train": TRAIN,
    "training": TRAIN,
    "validation": VALIDATION,
    "validate": VALIDATION,
    "valid": VALIDATION,
    "val": VALIDATION,
    "dev": VALIDATION,
    "eval": VALIDATION,
    "test": TEST,
    "testing": TEST,
    "holdout": TEST,
    "unassigned": UNASSIGNED,
    "": UNASSIGNED,
    "discard": DISCARD,
}

# In other languages, where a column says that it holds splits: elsewhere a training is something to be seen.
_FOREIGN: Final = {
    word: split
    for split, words in {
        TRAIN: (
            "apprentissage entrainement entraînement entrenamiento addestramento treinamento treino träning "
            "træning trening treningowy treningowa uczenie uczący ucząca trénink trénování "
            "eğitim edzés εκπαίδευση latih "
            "学習 訓練 训练 训练集 訓練集 학습 훈련 обучение обучающая тренировка тренировочная навчання"
        ),
        VALIDATION: (
            "validierung validacion validación validazione validacao validação validatie validering "
            "walidacja walidacyjny walidacyjna validace doğrulama validálás επικύρωση validasi "
            "検証 验证 验证集 驗證 驗證集 검증 "
            "валидация валидационная проверка проверочная валідація перевірка"
        ),
        TEST: (
            "prueba prova testowy testowa teste testi teszt δοκιμή uji "
            "評価 テスト 测试 测试集 測試 測試集 평가 테스트 "
            "тест тестовая тестирование контрольная тестування"
        ),
    }.items()
    for word in words.split()
}

# Words of well-known sets that no one else has: Kaggle's of FER2013, and Karpathy's of COCO, where images of
# COCO's validation set are that many more to train on.
PUBLISHED: Final = {"publictest": VALIDATION, "privatetest": TEST, "restval": TRAIN}

# Of studies that derive a model from a part of their images, where others stand beside them.
_OF_STUDIES: Final = frozenset(("derivation", "development", "discovery"))

# How words begin that may stand for splits: good for a proposal, and never read so. In studies people are
# trained, learners or controls, and images are of valves or devices.
_BEGINS: Final = {
    split: re.compile(begins, re.IGNORECASE)
    for split, begins in {
        TRAIN: "train(?!s$|e)|model|learn(?!e)|lern(?!e)|build(?!i)|deriv|apprentiss|entra[iî]nem|entrenam"
        "|addestram",
        VALIDATION: r"val(?=$|id|set|data|[\W\d_])|tun(?=e$|ing)|verif|selecti|monitor"
        r"|dev(?=$|elop|set|[\W\d_])",
        TEST: "test(?!s$|[eu]|ic|am)|blind(?!ed)|hold.?out|unseen|hidden|final|extern|kontrollst|prüf(?!l)",
    }.items()
}

# One word that folders of splits are called by, as `Trainingsbilder`, `testset`, `trainA`: a word of a split
# and one of images or data, or a capital letter; no `trainspotting`, `testpiece`.
_OF_DATA: Final = (
    "set|data(?:set)?|daten(?:satz)?|satz|menge|stichprobe|bild(?:er|material)?|images?|imgs?|imagery"
    "|photos?|fotos?|pics?|pictures?|aufnahmen?|beispiele?|samples?|examples?|split|part|files?|folder|dir"
    "|ordner|frames?|crops?|patches|tiles|imagens|im[aá]genes|dados|datos|donn[eé]es|(?-i:(?<=[a-zäß])[A-Z]).*"
)
_OF_FOLDERS: Final = {
    split: re.compile(rf"(?:{begins})s?(?:{_OF_DATA})", re.IGNORECASE)
    for split, begins in {
        TRAIN: "train(?:ing)?|treino|entra[iî]nement|entrenamiento",
        VALIDATION: "val(?:id(?:ation|ierung)?)?",
        TEST: "test(?:ing)?",
    }.items()
}

SPLIT_WORDS: Final = tuple(filter(None, _WORDS))


def parse_split(word: str) -> str | None:
    """train, validation, test, `DISCARD` or `UNASSIGNED`; None for a word that is none of them."""
    return _WORDS.get(word.lower())


def parse_split_in_column(word: str) -> str | None:
    """As `parse_split`, of a field below the header of a column of splits: other languages count there."""
    split = parse_split(word)
    return _FOREIGN.get(word.lower()) if split is None else split


def split_of(word: str) -> str:
    """train, validation or test for a word that stands for one of them, else ""."""
    return _if_named(parse_split(word))


def split_in_column(word: str) -> str:
    """As `split_of`, of a field that `parse_split_in_column` reads."""
    return _if_named(parse_split_in_column(word))


def split_of_folder(name: str) -> str:
    """What a folder may stand for by its name, of one word, where those beside it do, too; or ""."""
    begun = (split for split, pattern in _OF_FOLDERS.items() if pattern.fullmatch(name))
    return split_in_column(name) or next(begun, "")


def _if_named(split: str | None) -> str:
    return split if split in (TRAIN, VALIDATION, TEST) else ""


def derived_from(words: Iterable[str]) -> str:
    """The only word of a column beside those of validation and test: what a model was derived from, or ""."""
    met = {*words} - {""}
    others = [word for word in met if parse_split_in_column(word) is None]
    splits = {*map(split_in_column, met)} - {""}
    is_it = len(others) == 1 and others[0].lower() in _OF_STUDIES and splits and TRAIN not in splits
    return others[0] if is_it else ""


def is_no_split(word: str) -> bool:
    """Whether a field of a column of splits neither stands for one nor looks like a misspelt word."""
    return parse_split_in_column(word) is None and suggest_split(word).startswith(" ")


def begun_split(word: str) -> str:
    """What a word may stand for by how it begins, or ""."""
    return next((split for split, pattern in _BEGINS.items() if pattern.match(word)), "")


def in_one_split(words: Iterable[str]) -> dict[str, list[str]]:
    """Words of validation, or of test, that may be meant for two splits, as `dev` and `eval`: split -> words.

    Those that begin alike are spellings of one word: `val` and `validation`.
    """
    found: dict[str, dict[str, str]] = {}
    for word in words:
        if (split := split_in_column(word)) in (VALIDATION, TEST):
            found.setdefault(split, {}).setdefault(word.strip().lower()[:3], word)
    return {split: sorted(begins.values()) for split, begins in found.items() if len(begins) > 1}


def parted(words: Sequence[str], splits: Collection[str]) -> tuple[str, str]:
    """Which of several words for one split is meant for another one perhaps, and that one.

    What is tried last is the test; without a training set, something is trained on what comes first.

    Args:
      splits: those that there are.
    """
    free = [split for split in (TRAIN, VALIDATION, TEST) if split not in splits]
    moved = min(words, key=_in_order) if TRAIN in free else max(words, key=_in_order)
    return moved, free[0] if free else DISCARD


def _in_order(word: str) -> int:
    """Where a word stands among others for what follows a training; those that are not known come last."""
    begins = ("dev", "val", "test")
    return next((at for at, begin in enumerate(begins) if word.lower().startswith(begin)), len(begins))


def likely_split(word: str) -> str:
    """What a word may stand for by how it begins, or by the word that it is nearly, or ""."""
    return begun_split(word) or split_of(_near(word))


@lru_cache(maxsize=256)  # one wrong word is often in every row, and the search is slow
def suggest_split(word: str) -> str:
    """`: did you mean validation?`, or the list of words when none is near; of a published set the option."""
    published = PUBLISHED.get(word.lower())
    if published:
        return f": --split-map {word}={published} takes it for {published}"
    near = _near(word)
    return f": did you mean {near}?" if near else " (use train, validation, test or discard)"


def _near(word: str) -> str:
    """The word of splits that a word is nearly, or ""."""
    import difflib  # only where a word is wrong

    return next(iter(difflib.get_close_matches(word.lower(), SPLIT_WORDS, n=1, cutoff=0.6)), "")
