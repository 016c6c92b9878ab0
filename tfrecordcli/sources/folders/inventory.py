"""What a listing of a folder met, and what in that says that folders are no classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, say_nothing, sources_of_splits
from tfrecordcli.sources.folders.annotation_search import AnnotationSearch
from tfrecordcli.sources.folders.boxes_in_tables import BoxesInTables
from tfrecordcli.sources.folders.boxes_in_texts import BoxesInTexts
from tfrecordcli.sources.folders.companions import CompanionSearch
from tfrecordcli.sources.folders.describing_lists import DescribingLists
from tfrecordcli.sources.folders.doubtful_labels import doubts_of_labels
from tfrecordcli.sources.folders.json_beside import list_hint
from tfrecordcli.sources.folders.labels_in_names import LabelsInNames, where_labels_are
from tfrecordcli.sources.folders.lists_beside import ListsBeside
from tfrecordcli.sources.folders.lists_of_splits import is_table
from tfrecordcli.sources.folders.lists_passed_over import ListsPassedOver
from tfrecordcli.sources.folders.masks import MaskSearch
from tfrecordcli.sources.folders.masks_found import masks_met, masks_taken
from tfrecordcli.sources.folders.names_again import NamesAgain
from tfrecordcli.sources.folders.silent_splits import no_labels_in, silent_splits
from tfrecordcli.sources.folders.split_labels import hint_of_splits, need_no_split_words
from tfrecordcli.sources.folders.splits_in_names import same_but_for_splits
from tfrecordcli.sources.folders.spread_files import SpreadSearch
from tfrecordcli.sources.folders.thumbnails import CopySearch
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.sources.folders.unread_files import UnreadFiles
from tfrecordcli.sources.folders.views import ViewSearch
from tfrecordcli.sources.foreign.json_an_image import need_no_json_of_an_image
from tfrecordcli.sources.sizes_in_names import SizeSearch, flat_sizes

_TOLD: Final = 5
_INSIST: Final = "--label-folder last takes folders and files as they are"

ListedRow = tuple[str, str, str]  # split word, path relative to root with ``/``, label


class Inventory:
    """The classes, masks and names of images, and the files beside them.

    Args:
      root: the folder that is listed.
      head: gives so many first bytes of a file, relative to root; none of one that cannot be read.

    Attributes:
      doubts: what may not be meant, and was read all the same.
    """

    def __init__(self, root: str, options: ReadOptions, head: Callable[[str, int], bytes]) -> None:
        self.doubts: list[str] = []
        self._root = root
        self._head = head
        self._options = options
        self._label_folder = options.label_folder
        self._may_have_boxes = options.label_folder is None and options.task != "classification"
        self._needs_labels = options.unlabelled == "error"
        self._count = 0  # of images
        self._unread = UnreadFiles()
        self._annotations = AnnotationSearch(head)
        self._tables = BoxesInTables(head)
        self._lists = ListsBeside(head, self._tables)
        self._describing = DescribingLists(root, self._lists, head)
        self._passed_over = ListsPassedOver(root, self._lists, head)
        self._texts = BoxesInTexts(head)
        self._names = LabelsInNames(options.exclude)
        self._masks = MaskSearch(head, options.exclude)
        self._companions = CompanionSearch(head, options.exclude)
        self._copies = CopySearch(head)
        self._views = ViewSearch()
        self._spread = SpreadSearch()
        self._again = NamesAgain(root, options.exclude)
        self._sizes = SizeSearch()
        # Names of label folders as they were met, and of the folders of splits they stand in.
        self._classes: dict[str, set[str]] = {}
        self._class_folders: set[str] = set()
        self._places: dict[tuple[str, str], set[str]] = {}  # folders by split and label

    def add(self, row: ListedRow) -> None:
        """Takes in an image."""
        split, path, label = row
        self._count += 1
        self.meet(path)
        self._masks.ask(path)
        self._companions.add(path)
        self._texts.add_image(path)
        self._tables.add_image(path)
        self._unread.add_image(path)
        if label:
            folder = path.rpartition("/")[0]
            self._classes.setdefault(label, set()).add(split)
            self._class_folders.add(folder)
            self._places.setdefault((split, label), set()).add(folder)
            self._sizes.add(folder, path)
            self._copies.add(path)
            self._views.add(path, label)
            self._spread.add(path, label)
            self._again.add(folder, path)

    def meet(self, path: str) -> None:
        """Takes in the name of an image that may not be taken."""
        self._names.add(path)
        self._lists.add_image(path)
        self._passed_over.add_image(path)

    def pass_over(self, path: str) -> None:
        """Takes in a file or folder that is passed over."""
        for files in (self._unread, self._annotations, self._lists, self._texts, self._tables):
            files.add(path)
        self._names.add_beside(path)

    def boxes_in_texts(self, images: Iterable[str]) -> str:
        """What tells, before another hint, of boxes in texts that are called like these; else empty."""
        return self._texts.told_beside(self._root, images) if self._may_have_boxes else ""

    def boxes_in_json(self) -> str:
        """The same of JSON files that are called like images."""
        told = self._names.hint_of_json(self._root) if self._may_have_boxes else ""
        return f"{told}; else " if told else ""

    def need_no_annotations(self, *, is_beside: bool) -> None:
        """Refuses a folder of boxes, whose folders are no classes.

        Args:
          is_beside: whether folders without images stand beside those of images.

        Raises:
          InputError: naming the format and a file.
        """
        if self._label_folder is None and (self._classes or self._needs_labels or is_beside):
            self._annotations.need_none(self._root, self._classes)

    def need_classes(self, base: str) -> None:
        """Refuses folders that are no classes, and tells of what may be none.

        Args:
          base: the folder below root in which the folders of splits or labels stand.

        Raises:
          InputError: what they are instead.
        """
        need_no_split_words(self._root, base, self._classes, self._class_folders, self._lists, self._options)
        self._need_no_sizes()
        if self._may_have_boxes:
            self._need_no_boxes()
        self._need_meaning(base)
        self._need_labels_in_splits()
        self._need_no_splits_in_names(base)
        insist = _INSIST if self._label_folder is None else ""
        told = [*self._doubts_of_masks(), *self._copies.need_none(self._root, self._class_folders, insist)]
        self.doubts += told
        self._need_no_json_of_images()
        self._need_no_lists()
        if not told:
            self.doubts += self._companions.need_none(self._root, insist if self._classes else "")
        self._doubt_what_was_left(base)

    def _need_no_boxes(self) -> None:
        """Refuses texts and tables of boxes; where there are several classes, such files are doubts."""
        of_classes = self._classes, self._class_folders
        self.doubts += self._texts.need_none(self._root, *of_classes, are_asked=self._needs_labels)
        self.doubts += self._tables.need_none(self._root, self._classes)
        if len(self._classes) > 1:
            self.doubts += self._annotations.passed_over(self._root, self._class_folders)

    def _need_no_sizes(self) -> None:
        """Refuses folders of the same images in several sizes, and nothing else.

        Raises:
          InputError: with the command for one of them.
        """
        sizes = self._sizes.found()
        if sizes and {*sizes} == self._class_folders and self._label_folder is None:
            raise flat_sizes(self._root, sizes, self._lists.asked(self._root))

    def _need_meaning(self, base: str) -> None:
        """Refuses labels such as `images`.

        Raises:
          InputError: none of the label folders has a name for what its images show.
        """
        are_named = self._names.are_faces or self._names.are_beside(self._root, self._classes)
        is_no_label = say_nothing(self._classes) or are_named
        if not self._classes or self._label_folder is not None or not is_no_label:
            return
        hint = "--label-folder first takes them for labels all the same"
        if apart := sources_of_splits(joined(self._root, base), self._classes):
            hint += f"; {apart} --unlabelled keep takes the images without a label"
        elif len({folder.rpartition("/")[0] for folder in self._class_folders}) == len(self._class_folders):
            hint += "; --unlabelled keep takes the images without a label"
        raise self.no_labels([*self._classes], hint, self._again.as_list())

    def no_labels(self, names: Sequence[str], hint: str, listed: str, boxes: str = "") -> InputError:
        """What is said of folders whose names are no labels.

        Args:
          names: of the folders.
          hint: what takes them all the same.
          listed: the commands for a list whose labels are the names of images; empty for none.
          boxes: what comes first, as of `boxes_in_texts`.
        """
        told = where_labels_are(self._root, self._lists, self._names, self._count, listed)
        hint = "; ".join(filter(None, (told, hint)))
        shown = ", ".join([*map(repr, names[:_TOLD]), *["…"][: len(names) > _TOLD]])
        return InputError(
            f"{self._root}: its folders give no label but {shown}, which is not what the images show",
            f"{boxes}{hint}",
        )

    def _need_labels_in_splits(self) -> None:
        """Refuses `test/images` beside `train/cat`, also where it was said which folder is the label.

        Raises:
          InputError: with the list of the images there, if one is beside, and how to go on without labels.
        """
        silent = silent_splits(self._places)
        if silent and self._options.label_type != "name":
            folders = sorted(chain.from_iterable(self._places[place] for place in silent.items()))
            named = self._lists.above(folders).asked(self._root)
            raise no_labels_in(self._root, folders, named)

    def _need_no_splits_in_names(self, base: str) -> None:
        """Refuses folders such as `cats_train` and `cats_test`, of which neither is a class.

        Raises:
          InputError: naming two of them, with the command that tells labels and splits apart.
        """
        alike = same_but_for_splits(self._classes) if self._label_folder is None else {}
        if alike:
            shown = " and ".join(map(repr, next(iter(alike.values()))[:2]))
            what = f"the folders {shown} differ in nothing but the split, so they are no labels"
            places = self._class_folders
            how = self._names.hint_of_splits(self._root, base, alike, self._classes, places)
            raise InputError(f"{self._root}: {what}", f"{how}; {_INSIST}")

    def _doubts_of_masks(self) -> Iterator[str]:
        """Refuses masks among the images; where somebody insists, or it is not certain, that is a doubt.

        Raises:
          InputError: naming the folders, or a file.
        """
        found = self._masks.found(self._classes, self._class_folders)
        may_be = "" if found else self._masks.may_be(self._classes, self._class_folders)
        if found and self._label_folder is None:
            raise masks_met(self._root, found, _INSIST)
        if found:
            yield masks_taken(found)
        elif may_be:
            yield f"the folder {may_be!r} is taken for a class: if it holds masks, move it away"

    def _need_no_json_of_images(self) -> None:
        """Refuses boxes in JSON, a file for each image; beside several classes these may be meant: a doubt.

        Raises:
          InputError: as `need_no_json_of_an_image`.
        """
        if not self._may_have_boxes:
            return
        try:
            for path in self._lists.json_files():
                need_no_json_of_an_image(self._root, joined(self._root, path), self._head(path, HEAD_BYTES))
        except InputError as error:
            hint = f"{error.hint}; {_INSIST}" if self._classes else error.hint
            if len(self._classes) < 2 or self._describing_list():
                raise InputError(error.message, hint) from None
            self.doubts.append(f"{error.message}: the images have the labels of their folders; {hint}")

    def _describing_list(self) -> str:
        return self._describing.first(self._class_folders, is_one_class=len(self._classes) == 1)

    def _need_no_lists(self) -> None:
        """Refuses folders that are no classes: a list in each, or beside the only one, names the images.

        Raises:
          InputError: naming a list.
        """
        if self._label_folder is not None or not self._classes:
            return
        path = self._describing_list()
        is_one = len(self._classes) == 1
        if is_one and not is_table(path):
            self._names.need_no_json_apart(self._root, _INSIST)
        if path:
            raise self._describing.refusal(path, _INSIST, () if is_one else self._class_folders)

    def _doubt_what_was_left(self, base: str) -> None:
        """Tells of files that may hold images and were passed over, and of a class that may be none."""
        is_one = self._label_folder is None and len(self._classes) == 1
        others = is_one and self._lists.others_asked(self._root, self._count)
        if named := others or (is_one and self._names.hint(self._root)):
            self.doubts.append(f"all labels are {min(self._classes)!r}, the folder of the images: {named}")
        if lines := "" if self._classes else self._lists.lines_asked(self._root):
            self.doubts.append(f"JSON Lines that name images are passed over: {lines}")
        if beside := "" if self._classes else self._names.json_beside(self._root):
            asked = self._lists.asked(self._root, self._count, are_all_met=True)
            promise = "" if asked else "; without --unlabelled it is told how a list is made of them"
            self.doubts.append(
                f"JSON files that are called like the images are passed over ({beside}): what they say of "
                f"these is left out{promise}"
            )
        if boxes := self._lists.json_of_boxes() if self._classes and self._may_have_boxes else "":
            self.doubts.append(f"boxes in {boxes} are passed over: {list_hint(self._root, boxes)}")
        has_splits = any(filter(None, chain.from_iterable(self._classes.values())))
        listed = self._passed_over.doubt(base, self._class_folders, self.doubts, has_splits=has_splits)
        self.doubts += filter(None, [listed])
        self.doubts += doubts_of_labels(self._label_folder, self._places)
        self.doubts += self._again.doubts(is_part=self._options.is_part)
        self.doubts += self._spread.doubts()
        self.doubts += self._views.doubts(self._root, chain.from_iterable(self._classes.values()))
        self.doubts += self._unread.doubts(self.doubts, self._class_folders, self._root)

    def need_labels(self, count: int) -> None:
        """Refuses images of which none has a label, where labels are needed.

        Args:
          count: of the images.

        Raises:
          InputError: with where labels may be.
        """
        if not count or not self._needs_labels or self._classes:
            return
        what = "its image is not" if count == 1 else f"none of its {count:,} images is"
        hint = "--unlabelled keep converts them without labels"
        asked = self._lists.asked(self._root, count, are_all_met=True)
        named = asked or self._lists.lines_asked(self._root) or self._names.hint(self._root)
        hint = f"{named}; {hint}" if named else hint
        raise InputError(f"{self._root}: {what} in a folder of a label", hint)

    def listed_by_ids(self, *, are_together: bool) -> str:
        """Whether tables that name images by ids are lists, or names of those in one folder are; or empty."""
        listed = self._lists.naming_by_ids().asked(self._root)
        return listed or (self._names.hint(self._root) if are_together else "")

    def listed_in(self, folders: Iterable[str]) -> str:
        """Whether a list in some folders is that of the images, with its command; empty where none is."""
        return self._lists.right_in(folders).asked(self._root)

    def hint_of_splits(self, folder: str, count: int) -> str:
        """What to do with a folder of splits that holds so many images, and no label."""
        return hint_of_splits(self._root, folder, count, self._lists)

    def lists_without_images(self) -> str:
        """The command for lists in a folder that has no image; empty where there is none."""
        return self._describing.without_images()
