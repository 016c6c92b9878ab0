"""Gives DataFrames their `tensorflow` accessor when pandas is imported, and not before.

Importing pandas takes longer than converting a small dataset, so tfrecordcli must not do it for
those who never use a DataFrame. Nor does this module import what it can do without: importlib.abc alone
would take most of the time that the package takes.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any


def install() -> None:
    """Registers the accessor now when pandas is loaded, else as soon as it is."""
    if "pandas" in sys.modules:
        _register()
    elif not any(isinstance(finder, _PandasFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _PandasFinder())


def _register() -> None:
    from tfrecordcli.accessor import register

    register()


class _PandasFinder:
    """Waits for the import of pandas and wraps the loader that the other finders name.

    An `importlib.abc.MetaPathFinder`. It stays when someone only asks whether pandas is there, and goes
    once pandas is loaded.
    """

    def __init__(self) -> None:
        self._asking = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "pandas" or self._asking:
            return None
        import importlib.util

        self._asking = True
        try:
            spec = importlib.util.find_spec("pandas")
        finally:
            self._asking = False
        if spec is not None and spec.loader is not None:
            spec.loader = _RegisteringLoader(spec.loader)  # type: ignore[assignment]
        return spec


class _RegisteringLoader:
    """An `importlib.abc.Loader`. Loads pandas with its own loader, then registers the accessor."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)  # what else those who look at a spec may ask

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # The module must look as if no one had stood in between (pickling, resources, reload).
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _PandasFinder)]
        _register()
