"""TFRecords as a list of images, ours or anybody's: a row for each record, whose image stays where it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from tfrecordcli.dataset.labels import quoted
from tfrecordcli.errors import InputError
from tfrecordcli.naming import TFDS_INFO
from tfrecordcli.options import ReadOptions
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes.form import NAMES
from tfrecordcli.sources.label_fields import names_of_ones, positions_of_ones
from tfrecordcli.sources.listed import Findings, ListedBox, ListedImage
from tfrecordcli.sources.records.box_form import OF_LIST, told_size
from tfrecordcli.sources.records.boxes import boxes_as_written, boxes_of
from tfrecordcli.sources.records.features import further_features, texts_of
from tfrecordcli.sources.records.files import RecordFiles
from tfrecordcli.sources.records.image import (
    FILENAMES,
    READ,
    Features,
    filename_of,
    image_keys,
    part_of,
    source_id_of,
    split_of,
)
from tfrecordcli.sources.records.keys import choose_keys
from tfrecordcli.sources.records.labels import (
    group_keys,
)
from tfrecordcli.sources.records.pixels import need_sizes
from tfrecordcli.sources.records.sample import light
from tfrecordcli.sources.records.several_images import need_single_images, several_images, told_series
from tfrecordcli.sources.records.targets import are_measured, float_of, text_of_target
from tfrecordcli.sources.records.tensors import (
    OTHER_SHAPE,
    is_told_otherwise,
    need_pixels,
    no_label,
    unread_tensor,
)
from tfrecordcli.sources.records.vectors import places_in, vector_of
from tfrecordcli.storage.files import why_unreadable
from tfrecordcli.storage.store_path import place_of, size_of
from tfrecordcli.tfrecords.example_parser import parse_record
from tfrecordcli.tfrecords.foreign import known_split, words_of_split
from tfrecordcli.tfrecords.label_files import LabelIds, names_beside
from tfrecordcli.tfrecords.label_keys import labels_of, text_key_of
from tfrecordcli.tfrecords.record_reader import Record, find_record, read_records
from tfrecordcli.tfrecords.shard_stream import ShardStream, open_shard
from tfrecordcli.tfrecords.tensors import only_tensor, opened
from tfrecordcli.tfrecords.wire import NotAnExample
from tfrecordcli.units import plural, some_of

# Records and files by which the keys of labels and boxes are chosen.
_LOOKED_AT: Final = 50
_FILES: Final = 8
_MOST_KEYS: Final = 1_000  # that are told

_WHY: Final = {
    "cut_in_record": "it ends within a record",
    "length_damaged": "the length of a record is damaged, so that it is not known what is in there",
}


def read_tfrecords(files: RecordFiles, findings: Findings, options: ReadOptions) -> Iterator[ListedImage]:
    """A row for each record, in the order of the files, and one for each stretch that cannot be read.

    An image is known by its file and the number of its record: file names in records may repeat.

    Args:
      options: what is made of them (no boxes for ``classification``), whether they are one of several.

    Raises:
      InputError: no record holds what the task needs, or a file cannot be read.
    """
    return _Reading(files, findings, options).images()


class _Reading:
    """One pass over all records."""

    def __init__(self, files: RecordFiles, findings: Findings, options: ReadOptions) -> None:
        self._is_part = options.is_part
        self._is_assigned = options.split_by is not None and not options.split_map
        self._next: dict[tuple[str, int], int] = {}  # file and byte of damage -> where the next record begins
        self._files = files
        self._findings = findings
        self._sequences = 0  # of the sample
        sample = [features for name in self._some_files() for features in self._first(name)]
        need_single_images(sample, files)
        need_pixels(sample, files)
        need_sizes(sample, files)
        self._tell_sequences(options.task)
        findings.notes += told_series(sample)
        self._keys = keys = choose_keys(sample, files, findings, options)
        findings.has_boxes = keys.boxes is not None
        if keys.boxes is not None and not keys.boxes.is_told:
            findings.form = keys.boxes.form
            sides = ", ".join(keys.boxes.sides)
            findings.notes.append(f"boxes are read from {sides} as {NAMES[keys.boxes.form]}")
        findings.tells_names = True
        key = keys.boxes.label if keys.boxes is not None else keys.label
        names = names_beside(place_of(files.folder), key)
        findings.notes += names.notes
        files.read_beside.add(names.file)
        self._label_type = options.label_type
        self._ids = LabelIds(names, are_ids=options.label_type == "id")
        # Other sources may have the ids as whole numbers.
        self._floats_are_ids = self._is_part and not are_measured(sample, keys.label)
        self._places = places_in(sample, keys.label, keys.unused)
        if self._places:
            findings.notes.append(
                f"{key} holds rows of 0 and 1: the places of the ones, from 0, are the labels"
            )
        known = {key for features in sample for key in features}
        self._used = {*READ, *FILENAMES, keys.label, text_key_of(keys.label, known), *keys.one_hot}
        self._used.add(keys.target)
        self._used.update(keys.boxes.used if keys.boxes is not None else ())
        self._used.update(key for features in sample for key in image_keys(features))
        findings.features = tuple(further_features(sample, self._used, self._files.schema))
        findings.groups = group_keys(sample, (each.key for each in findings.features))
        self._used.update(each.key for each in findings.features)
        self._unused: dict[str, None] = {}
        for split, words in words_of_split(files.names).items():
            if len(words) > 1:
                told = " and ".join(sorted(words.values()))
                findings.notes.append(f"{told} are both taken for {split}: another name tells them apart")

    def images(self) -> Iterator[ListedImage]:
        for name in self._files.names:
            yield from map(self._dealt, self._images_of(name, known_split(name)))
        yield from self._files.missing()
        self._need_a_name_each()
        may_have_gaps = self._findings.has_boxes
        # Beside other sources such ids bind nobody: the names of all are numbered together.
        if not (self._is_part and self._ids.are_as_sorted(int(may_have_gaps))):
            self._findings.label_ids.update(self._ids.ids(may_have_gaps=may_have_gaps))
        self._findings.notes += self._ids.notes(may_have_gaps=may_have_gaps)
        if self._unused:
            some = some_of(sorted(self._unused))
            self._findings.notes.append(f"features of the records that are not taken over: {some}")

    def _dealt(self, image: ListedImage) -> ListedImage:
        """An image, without its split where all are assigned whatever theirs was."""
        if not self._is_assigned or not image.split:
            return image
        self._files.replaced[image.split] += 1
        return replace(image, split="")

    def _images_of(self, name: str, split: str) -> Iterator[ListedImage]:
        count = 0
        is_whole = True
        for record in self._records(name):
            count += 1
            is_whole = is_whole and record.damage in (None, "payload_damaged")
            yield self._image(name, split, record)
        yield from self._files.damage_of(name, split)
        if is_whole:  # what damage has taken is told where it is
            yield from self._files.lost_of(name, split, count)
            if count > self._files.told.get(name, count):
                found = f"{name} has {plural(count, 'record')}, though {TFDS_INFO} says"
                self._findings.notes.append(f"{found} {self._files.told[name]:,}: all are read")

    def _records(self, name: str) -> Iterator[Record]:
        try:
            with open_shard(self._files.path_of(name)) as file:
                start: int | None = 0
                number = 0
                while start is not None:
                    stream = ShardStream(file, start)
                    start = None
                    for record in read_records(stream, number):
                        if record.damage == "length_damaged" and not stream.is_gzip:
                            start = find_record(file, record.offset + 1)
                            if start is not None:
                                self._next[name, record.offset] = start
                        yield record
                        number = record.number + 1
        except OSError as error:
            what = why_unreadable(error)
            raise InputError(f"{self._files.shown(name)}: {what}", "check the file and its disk") from error

    def _image(self, name: str, split: str, record: Record) -> ListedImage:
        uri = f"{name}#{record.number}"
        place = f"{name}, record {record.number}, byte {record.offset}"
        if record.payload is None:
            damaged = Rejected("damaged_record", detail=self._damage(name, record))
            return ListedImage(place, uri, split, filename=uri, problem=damaged)
        try:
            features = opened(parse_record(record.payload).features)
        except NotAnExample as error:
            damaged = Rejected("damaged_record", detail=f"this record is no tf.train.Example: {error}")
            return ListedImage(place, uri, split, filename=uri, problem=damaged)
        part, image_keys = part_of(name, record, features)
        self._note_unused(features, image_keys)
        split = split or split_of(features)
        filename = filename_of(features) or uri
        labels, boxes, problem = self._content(features)
        unit = self._keys.boxes.unit if self._keys.boxes is not None else None
        image = ListedImage(place, uri, split, labels, boxes, unit, filename=filename)
        if boxes and unit != "fractions" and (size := told_size(features)) is not None:
            image = replace(image, width=size[0], height=size[1])
        if part is None:
            return replace(image, problem=unread_tensor(features) or Rejected("no_image_in_record"))
        if part.raw is not None and is_told_otherwise(features, part.raw, image_keys[1:]):
            self._findings.counts[OTHER_SHAPE] += 1
        return replace(
            image,
            image_uri=part.uri(),
            source_id=source_id_of(features),
            problem=several_images(features) or problem,
            content=f"{part.crc:08x}",
            further=texts_of(features, self._findings.features, self._findings.counts),
        )

    def _content(
        self, features: Features
    ) -> tuple[tuple[str, ...], tuple[ListedBox, ...] | None, Rejected | None]:
        """Labels of the image, boxes in it, and why they cannot be used."""
        keys = self._keys
        if keys.boxes is not None:
            try:
                boxes = boxes_of(features, keys.boxes, self._ids, self._findings.counts)
                return (), boxes, None
            except Rejected as problem:
                return (), boxes_as_written(features, keys.boxes, self._ids), problem
        if keys.one_hot:
            flags = [next(iter(vector_of(features, key)), "") for key in keys.one_hot]
            try:
                return tuple(names_of_ones(flags, keys.one_hot)), None, None
            except Rejected as problem:
                return (), None, problem
        if keys.target:
            try:
                text = text_of_target(features, keys.target)
            except Rejected as problem:
                return (), None, problem
            return (text,) if text else (), None, None
        if self._places:
            try:
                places = positions_of_ones(vector_of(features, keys.label), self._places)
            except Rejected as problem:
                return (), None, problem
            return tuple(self._ids.name(int(place), None) for place in places), None, None
        if (tensor := only_tensor(features.get(keys.label))) is not None:
            return (), None, no_label(keys.label, tensor)
        names = [self._ids.name(label.id, label.text) for label in labels_of(features, keys.label)]
        number = float_of(features, keys.label)
        if number is not None:
            names = [self._ids.name_of_float(number, are_ids=self._floats_are_ids)]
        return tuple(dict.fromkeys(names)), None, None

    def _damage(self, name: str, record: Record) -> str:
        """What is wrong with a record, or with all that comes after its begin."""
        if record.damage == "payload_damaged":
            return "the checksum of this record is not that of its content"
        end = self._next.get((name, record.offset)) or size_of(place_of(self._files.path_of(name)))
        why = _WHY.get(record.damage or "", "the file is damaged")
        return f"bytes {record.offset:,} to {end:,} of the file cannot be read: {why}"

    def _note_unused(self, features: Features, image_keys: Iterable[str]) -> None:
        """Notes features that go into no column; there may be thousands of them."""
        if len(self._unused) < _MOST_KEYS:
            rest = features.keys() - self._used
            rest.difference_update(image_keys)
            self._unused.update(dict.fromkeys(key for key in rest if len(features[key].values)))

    def _tell_sequences(self, task: str) -> None:
        """Refuses records of whose lists nothing is read, unless labels of whole images are meant."""
        what = "records are SequenceExamples: what is in their feature lists is not read"
        if self._sequences and task in ("auto", "detection"):
            take = "--task classification takes what is beside these lists"
            raise InputError(f"{self._files.given}: {what}", f"{OF_LIST}; {take}")
        self._findings.notes += [what] if self._sequences else []

    def _need_a_name_each(self) -> None:
        """Refuses two ids of one name, as of `crane`, the bird, and `crane`, the machine, in ImageNet."""
        found = self._ids.of_one_name
        if found is not None and self._label_type == "auto":
            name, *numbers = found
            ids = " and ".join(map(str, sorted(numbers)))
            what = f"label {quoted(name)} has the ids {ids}: two classes of one name, or one with two ids"
            hint = "--label-type id keeps the ids, without their names; --label-type name makes one of them"
            raise InputError(f"{self._files.given}: {what}", hint)

    def _some_files(self) -> list[str]:
        step = -(-len(self._files.names) // _FILES) or 1
        return list(self._files.names[::step])

    def _first(self, name: str) -> Iterator[Features]:
        for record in islice(self._records(name), _LOOKED_AT):
            if record.payload is not None:
                try:
                    parsed = parse_record(record.payload)
                except NotAnExample:
                    continue  # told when its turn comes
                self._sequences += parsed.is_sequence
                yield light(opened(parsed.features))
