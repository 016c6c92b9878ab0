"""Pages of the documentation site that stand elsewhere in the project: parts of the README, the changelog, …

Each text exists once. A link between files of the project becomes one between pages; one to a file that is no
page becomes its text.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT: Final = Path(__file__).resolve().parents[1]

# Page -> its text.
_WHOLE: Final = {
    "benchmarks.md": "benchmarks/README.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "sample-data.md": "sample_data/README.md",
}
# Page -> the heading in README.md of the part that it is; the first page is what comes before these.
_PARTS: Final = {
    "commands.md": "Commands",
    "python.md": "From Python",
    "install.md": "Installing only what writing needs",
}
# What the first page begins with: who reads it has no checkout to run make in.
_FIRST: Final = """```console
$ tfrec convert sample_data/data.csv out/    # a list or a folder of images
$ tfrec verify out/                          # every byte, record and image
```"""
_BLOCK: Final = re.compile(r"```console\n.*?```", re.DOTALL)
_LINK: Final = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages; called by MkDocs."""
    for page, source in _WHOLE.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=relinked(text, posixpath.dirname(source))))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = _BLOCK.sub(_FIRST, readme.partition("\n## Commands\n")[0], count=1)
    files.append(File.generated(config, "index.md", content=relinked(first, "")))
    for page, heading in _PARTS.items():
        files.append(File.generated(config, page, content=relinked(part_of(readme, heading), "")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The text of a page of docs/ as the site has it; called by MkDocs."""
    return markdown if page.file.generated_by else relinked(markdown, "docs")


def part_of(readme: str, heading: str) -> str:
    """A part of the README as a page of its own: its headings are a level higher."""
    text = readme.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return f"# {heading}\n" + re.sub(r"^##(#+ )", r"#\1", text, flags=re.MULTILINE)


def relinked(text: str, folder: str) -> str:
    """Text of a file in a folder of the project, with links as the site has its pages."""
    pages = {f"docs/{path.name}": path.name for path in (ROOT / "docs").glob("*.md")}
    pages |= {source: page for page, source in _WHOLE.items()} | {"README.md": "index.md"}
    pages |= {f"docs/{page}": page for page in _PARTS}  # as pages of docs/ name them

    def link(match: re.Match[str]) -> str:
        words, target, anchor = match.groups(default="")
        page = pages.get(posixpath.normpath(posixpath.join(folder, target)))
        if words == target:
            words = posixpath.basename(target).removesuffix(".md").replace("-", " ")
        return f"[{words}]({page}{anchor})" if page else words

    return _LINK.sub(link, text)
