"""Where folders of labels and splits stand in a listing that cannot be read for certain, and the ways out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import (
    names_a_split,
    say_nothing,
    sources_of_splits,
    split_in,
)
from tfrecordcli.sources.folders.copy_folders import hint_of_copies
from tfrecordcli.sources.folders.deep_masks import need_no_masks
from tfrecordcli.sources.folders.folders_again import classes_beside, need_no_copies
from tfrecordcli.sources.folders.folders_in_columns import list_of_levels
from tfrecordcli.sources.folders.inventory import Inventory
from tfrecordcli.sources.folders.label_choices import choices, is_no_label, telling_apart, told
from tfrecordcli.sources.folders.last_folders import list_of_paths
from tfrecordcli.sources.folders.levels import Levels
from tfrecordcli.sources.folders.lists_of_splits import lists_of_all_splits
from tfrecordcli.sources.folders.met_before import inner_labels, meet_all
from tfrecordcli.sources.folders.names_again import list_of_names
from tfrecordcli.sources.folders.same_images import converting_sets, need_no_folds
from tfrecordcli.sources.folders.split_labels import (
    converting_splits,
    is_label_beside,
    splits_begun,
    splits_elsewhere,
)
from tfrecordcli.sources.folders.splits_below import list_of_splits_below
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.sources.folders.versions import need_no_versions
from tfrecordcli.sources.folders.within_splits import (
    converting_one,
    folds_in,
    in_splits,
    names_in_all,
    one_fold,
)
from tfrecordcli.sources.sizes_in_names import folders_of_sizes, several_sizes, size_in
from tfrecordcli.split_words import TRAIN, parse_split, split_of, split_of_folder

_TOLD: Final = 5
_FIRST: Final = "--label-folder first takes them for labels all the same"
_KEEP: Final = "--unlabelled keep takes the images without a label"


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of a listing, as far as they were met.

    Attributes:
      root: the folder that is listed; other paths are relative to it.
      base: the folder in which those of splits or labels stand.
      top: names of the folders in base.
      walked: those of them that were listed with all below them, and whether a folder in one holds others.
      levels: what is in folders.
      head: gives so many first bytes of a file.
      inventory: what was met.
      exclude: patterns of what was passed over.
    """

    root: str
    base: str
    top: Sequence[str]
    walked: Mapping[str, bool]
    levels: Levels
    head: Callable[[str, int], bytes]
    inventory: Inventory
    exclude: Collection[str] = ()

    def mixed(self, splits: list[str], others: list[str]) -> InputError:
        """What is said of folders on top of which only some are splits."""
        are = "is a split" if len(splits) == 1 else "are splits"
        folders = "folder" if len(splits) == 1 else "folders"
        these = "this is not" if len(others) == 1 else "these are not"
        ways = f"{self._way_out(splits, others)}; or convert a CSV that lists the images"
        return InputError(
            f"{joined(self.root, self.base)}: the {folders} {', '.join(splits)} {are}, "
            f"but {these}: {', '.join(others)}",
            self._listed_in(splits) or ways,
        )

    def _listed_in(self, splits: list[str]) -> str:
        """Whether lists in folders of splits that hold no images are those of the others; or empty."""
        folders = [joined(self.base, name) for name in splits]
        if any(map(self.levels.hold_images, folders)):
            return ""
        return self.inventory.listed_in(folders)

    def _way_out(self, splits: list[str], others: list[str]) -> str:
        """What to do about folders beside those of splits.

        They are left out only if they hold no more images, or none that is in a folder of a label.
        """
        if is_label_beside(splits, others, self.base, self.levels):
            return f"--label-folder last takes {splits[0]!r} for a label, as those beside it"
        if sets := [*filter(None, (self._set_in(joined(self.base, name)) for name in others))]:
            command = command_line(["tfrec", "convert", as_path(joined(self.root, sets[0]))])
            inner = ", ".join(self.levels.look(sets[0]).folders)
            return f"{command} OUTPUT_DIR takes {inner} in there for splits, without {', '.join(splits)}"
        if ways := self._in_two_languages(splits, others) or self._around_splits(splits, others):
            return ways
        are_flat = not any(self.levels.look(joined(self.base, name)).folders for name in others)
        have_labels = any(self.levels.labels_of(joined(self.base, name), name) for name in splits)
        are_fewer = self._count(others) <= self._count(splits)
        # Images without folders are no labels beside splits that have some: `unlabeled` may hold most.
        if are_fewer or (are_flat and have_labels and not self._labels_in(splits).issuperset(others)):
            return self._splits_alone(splits, others) or self._exclude(others)
        if are_flat:
            return f"{self._exclude(splits)}, and takes the others for labels"
        return "call the folders of splits train, validation, test, and move the others away"

    def _in_two_languages(self, splits: list[str], others: list[str]) -> str:
        """The command for splits of which some are called so in another word; else empty."""
        if not all(map(split_of_folder, others)):
            return ""
        named = {name: split for name in (*others, *splits) if (split := split_of_folder(name))}
        command = converting_splits(joined(self.root, self.base), named)
        found = [*named.values()]
        joint = ", ".join(split for split in dict.fromkeys(found) if found.count(split) > 1)
        return f"where these are splits, too: {command}" + (f" (joins those of {joint})" if joint else "")

    def _around_splits(self, splits: list[str], others: list[str]) -> str:
        """The command for folders of labels that are to be trained on, beside splits of these; else empty."""
        if TRAIN in map(split_of, splits) or not all(map(split_of, splits)):
            return ""
        are_deep = any(self.levels.look(joined(self.base, name)).folders for name in others)
        if are_deep or not self._labels_in(splits).issuperset(others):
            return ""
        excluded = command_line(["OUTPUT_DIR", "--exclude", ",".join(splits)])
        above = joined(self.root, self.base)
        return f"{self._converting(f'{TRAIN}={above}', splits)} {excluded} takes the others for {TRAIN}"

    def _converting(self, first: str, splits: list[str]) -> str:
        """The start of a command that converts folders of splits."""
        above = joined(self.root, self.base)
        sources = [first] * bool(first) + [f"{split_of(name)}={joined(above, name)}" for name in splits]
        return command_line(["tfrec", "convert", *sources])

    def _labels_in(self, splits: list[str]) -> set[str]:
        """The names of the folders in those of splits."""
        return {name for split in splits for name in self.levels.look(joined(self.base, split)).folders}

    def _exclude(self, names: list[str]) -> str:
        is_above = not set(names).isdisjoint(self.base.split("/"))  # a name counts at any depth
        passed = [joined(self.base, name) if is_above else name for name in names[:_TOLD]]
        option = command_line(["--exclude", ",".join(passed)])
        return f"{option} passes over {'it' if len(names) == 1 else 'them'}"

    def _splits_alone(self, splits: list[str], others: list[str]) -> str:
        """The command for the splits where some hold folders called like those to be left out; else empty.

        To exclude a name passes over it at any depth.
        """
        if self._labels_in(splits).isdisjoint(others) or not all(map(split_of, splits)):
            return ""
        return f"{self._converting('', splits)} OUTPUT_DIR takes the splits alone"

    def _set_in(self, folder: str) -> str:
        """The folder of splits with labels and images that a folder is, or wraps; empty for none."""
        folder = self.levels.unwrapped(folder)
        names = self.levels.look(folder).folders
        are_splits = all(parse_split(name) is not None for name in names)
        has_labels = any(self.levels.labels_of(joined(folder, name), name) for name in names)
        return folder if are_splits and has_labels and self.levels.hold_images(folder) else ""

    def _images(self) -> Iterator[str]:
        """The images in the folders on top, and below them."""
        return self.levels.images_below(joined(self.base, name) for name in self.top)

    def _count(self, names: list[str]) -> int:
        """How many images are in some of the folders in base, and below them."""
        return sum(1 for _ in self.levels.images_below(joined(self.base, name) for name in names))

    def _below_splits(self, folder: str) -> dict[str, str]:
        """Path by label and name of the images in the splits of a folder."""
        splits = [joined(folder, name) for name in self.levels.look(folder).folders]
        return {
            path[len(split) + 1 :]: path for split in splits for path in self.levels.images_below([split])
        }

    def too_deep(self, folder: str, deeper: list[str], path: str) -> InputError:
        """What is said of an image that is deeper than in the folder of a label.

        Args:
          folder: that of a label or split.
          deeper: names of the folders in it.
          path: of the image.
        """
        tops = [joined(self.base, name) for name in self.top]
        for top in dict.fromkeys((folder, *(tops if folder in tops else ()))):
            need_no_masks(self.root, top, self.levels.images_below([top]), self.head, self.exclude)
        bottoms = [*map(self.levels.unwrapped, tops)]
        are_silent = say_nothing(self.top) and say_nothing(each.rpartition("/")[2] for each in bottoms)
        sources = self.as_splits()
        if are_silent and not (sources and self._hold_labels(bottoms)):
            return self._no_labels(tops, bottoms)
        sizes = folders_of_sizes(self.levels.images_below(filter(size_in, tops)))
        need_no_copies(self.root, self.base, self.top, folder, self.levels, self.head)
        self._need_no_versions()
        hint = self._choices(folder, path)
        if classes := classes_beside(self.root, self.base, self._with_images(), self.levels):
            hint = f"{classes}; {hint}"
        if sizes:  # a label folder would not read the splits in them
            ways = [] if any(map(split_of, path.split("/")[:-1])) else [hint]
            return several_sizes(self.root, sizes, *ways)
        shown = ", ".join(deeper[:_TOLD]) + (", …" if len(deeper) > _TOLD else "")
        if fold := one_fold(self.root, self.base, self.top, self.levels):
            folds = folds_in(self.base, self.top, self.levels)
            what = "stand in folders of splits"
            need_no_folds(self.root, [*folds], folds.values(), self.head, what, fold)
            hint = f"{fold} takes one fold; {hint}"
        are_splits = all(parse_split(name) is not None for name in deeper)
        sets = [*filter(None, map(self._set_in, tops))]
        if are_splits and len(sets) > 1:
            need_no_folds(self.root, sets, map(self._below_splits, sets), self.head)
            hint = f"where each is a set by itself: {converting_sets(self.root, sets)}; {hint}"
        elif are_splits and self._with_images() == [folder]:  # a wrapper, but for what stands beside it
            inner = command_line(["tfrec", "convert", as_path(joined(self.root, folder))])
            hint = f"{inner} OUTPUT_DIR takes {shown} for splits; {hint}"
        elif below := list_of_splits_below(
            self.root, self.base, self._with_images(), self.levels, self._images(), self.exclude
        ):
            hint = f"where {shown} are splits: {below}; else {hint}"
        elif are_splits:
            hint += "; folders of splits have to stand above those of labels"
        elif any(names_a_split(name) and not split_of(name) for name in (folder.split("/")[-1], *deeper)):
            hint += "; folders of splits are called train, validation, test"
        if sources:
            hint = f"where folders are splits: {sources}; else {hint}"
        meet_all(tops, self.levels, self.inventory)
        if lists := lists_of_all_splits(self.root, self.head):
            hint = f"where lists here tell splits and labels: {lists}; else {hint}"
        listed = self.inventory.listed_by_ids(are_together=self._are_together())
        hint = "; ".join(
            filter(None, (listed if listed not in hint else "", hint_of_copies(self._images()), hint))
        )
        return InputError(
            f"{self.root}: the folder {folder} holds further folders with images ({shown}), "
            "so it is not certain which one is the label",
            self.inventory.boxes_in_texts(self._images()) + self.inventory.boxes_in_json() + hint,
        )

    def _are_together(self) -> bool:
        """Whether all images are in one folder, which tells no labels."""
        folders = (path.rpartition("/")[0] for path in self._images())
        first = next(folders, "")
        return all(folder == first for folder in folders)

    def _no_labels(self, tops: list[str], bottoms: list[str]) -> InputError:
        """What is said of folders, and those that images begin in, none of which is called like a label."""
        filled = [joined(self.base, name) for name in self._with_images()]
        meet_all(tops, self.levels, self.inventory)
        apart = sources_of_splits(joined(self.root, self.base), self.top)
        sets = apart or converting_sets(self.root, bottoms)
        hint = f"{inner_labels(self.root, filled, self.levels)}{_FIRST}; {sets}"
        listed = list_of_names(self.root, self._images(), self.exclude)
        boxes = self.inventory.boxes_in_texts(self._images())
        return self.inventory.no_labels(self.top, f"{hint} {_KEEP}", listed, boxes)

    def _hold_labels(self, folders: Iterable[str]) -> bool:
        """Whether folders right in some tell what images show."""
        inner = [*chain.from_iterable(self.levels.look(folder).folders for folder in folders)]
        return bool(inner) and not say_nothing(inner)

    def _with_images(self) -> list[str]:
        return [name for name in self.top if self.levels.hold_images(joined(self.base, name))]

    def _need_no_versions(self) -> None:
        """Refuses folders that hold images of the same classes and names: in colours, in gray, cut out.

        Raises:
          InputError: with the command for one of them.
        """
        versions = self._possible_versions()
        if any(split_of(name) or is_no_label(name) or size_in(name) for name in versions):
            return
        held = {
            name: [
                joined(split, path[len(folder) + 1 :])
                for split, folder in folders.items()
                for path in self.levels.images_below([folder])
            ]
            for name, folders in versions.items()
        }

        def way(one: str) -> str:
            others = self._exclude([name for name in versions if name != one])
            return converting_one(self.root, versions[one]) + f", or {others}" * ("" in versions[one])

        need_no_versions(self.root, held, way)

    def _possible_versions(self) -> dict[str, dict[str, str]]:
        """The folders on top by name and split, with no split; where all are splits, those in all of them."""
        top = self._with_images()
        if not top or not all(map(split_of, top)):
            return {name: {"": self.levels.unwrapped(joined(self.base, name))} for name in top}
        return {name: in_splits(self.base, top, name) for name in names_in_all(self.base, top, self.levels)}

    def _choices(self, top: str, path: str) -> str:
        """What the folders above an image would be as labels, without those of splits and folds.

        Args:
          top: the first of these folders.
          path: of the image; another is told of where the first and the last of its folders are called alike.
        """
        path = telling_apart(chain([path], self._images()), top.count("/")) or path
        folder = path.rpartition("/")[0]
        if split_of(folder.rpartition("/")[2]) and say_nothing([top.rpartition("/")[2]]):
            images = self._images()
            return self.inventory.hint_of_splits(folder, sum(1 for _ in images))
        named = list_of_names(self.root, self._images(), self.exclude)
        ways = "; else ".join(
            filter(None, (named, told(choices(path, top.count("/")), path, self._images(), top.count("/"))))
        )
        paths = list_of_paths(self.root, self.base, self.top, self.levels, self.exclude)
        lists = paths or list_of_levels(self.root, self.base, path, self._images, self.exclude)
        return ways + lists

    def as_splits(self) -> str:
        """The command for the folders on top where most have the word of a split; empty for others.

        So for those that all are words of several in other languages.
        Those that have none are left out where nothing in them lies so deep that it can be a label.
        """
        if splits := splits_elsewhere(self.top) or splits_begun(self.top):
            return converting_splits(joined(self.root, self.base), splits)
        named = [*filter(split_in, self.top)]
        others = [name for name in self.top if name not in named]
        if len(others) >= len(named) or any(map(self._holds_labels, others)):
            return ""
        command = sources_of_splits(joined(self.root, self.base), named)
        if not command or not others:
            return command
        split_named = {split_in(name): name for name in named}
        if len(others) == 1 and TRAIN not in split_named and self._labels_in(named) & self._labels_in(others):
            whole = {others[0]: TRAIN} | {name: split for split, name in split_named.items()}
            return converting_splits(joined(self.root, self.base), whole)
        for name in {*others} - self.walked.keys():
            self.levels.look(joined(self.base, name))  # meets the lists in there
        listed = self.inventory.listed_in(joined(self.base, name) for name in others)
        return f"{command} (without {', '.join(others)}{'; ' * bool(listed)}{listed})"

    def _holds_labels(self, name: str) -> bool:
        if name in self.walked:
            return self.walked[name]
        folder = joined(self.base, name)
        return any(
            self.levels.look(f"{folder}/{inner}").folders for inner in self.levels.look(folder).folders
        )
