#!/usr/bin/env python3
# The pages of the site, from the repository's: pages.py TARGET. Markdown keeps its place; a source
# file or a folder that a page links to becomes a page of its own. The README is the first page.
# SPDX-License-Identifier: BSD-3-Clause
import re
import shutil
import sys
from pathlib import Path

repository = Path(__file__).resolve().parents[2]
languages = {
    ".cpp": "cpp", ".hpp": "cpp", ".cu": "cpp", ".py": "python", ".sh": "bash",
    ".cmake": "cmake", ".txt": "text", ".yml": "yaml", ".md": "markdown",
}
images = {".svg", ".png"}
# Code between fences has brackets of its own. A link's target has no blanks.
fence = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
link = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")


class Site:
    def __init__(self, target):
        self.target = target
        self.done = set()
        self.broken = []

    def add(self, name):
        """Makes what stands for a file or folder of the repository, and gives its name there."""
        path = repository / name
        if path.is_dir():
            if (path / "README.md").is_file():
                return self.add(f"{name}/README.md")
            page = f"{name}/index.md"
        elif path.suffix == ".md":
            page = "index.md" if name == "README.md" else name
        elif path.suffix in images:
            page = name
        else:
            page = name + ".md"
        page = page.removeprefix(".")  # mkdocs leaves out hidden folders
        if page in self.done:
            return page
        self.done.add(page)
        out = self.target / page
        out.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in images:
            shutil.copy(path, out)
        elif path.suffix == ".md":
            out.write_text(self.linked(path.read_text(), name, page))
        elif path.is_dir():
            out.write_text(self.listing(path, name, page))
        else:
            out.write_text(source_page(path, name))
        return page

    def listing(self, path, name, page):
        lines = [f"# {name}", ""]
        for file in sorted(path.iterdir()):
            if file.is_file() and file.suffix in languages:
                lines.append(f"- [{file.name}]({relative(self.add(f'{name}/{file.name}'), page)})")
        return "\n".join(lines) + "\n"

    def linked(self, text, name, page):
        """The text with links to what stands for their targets."""
        def moved(found):
            to, anchor = found.group(1), found.group(2) or ""
            if re.match(r"[a-z]+:", to):
                return found.group(0)
            target = (repository / name).parent / to
            if not target.exists():
                self.broken.append(f"{name}: {to}")
                return found.group(0)
            inside = target.resolve().relative_to(repository).as_posix()
            return f"]({relative(self.add(inside), page)}{anchor})"

        parts, at = [], 0
        for code in fence.finditer(text):
            parts += [link.sub(moved, text[at:code.start()]), code.group(0)]
            at = code.end()
        return "".join(parts) + link.sub(moved, text[at:])


def relative(page, start):
    up = len(Path(start).parent.parts)
    return "../" * up + page


def source_page(path, name):
    language = languages.get(path.suffix, "text")
    return f"# {name}\n\n````{language}\n{path.read_text()}````\n"


def main():
    target = Path(sys.argv[1])
    shutil.rmtree(target, ignore_errors=True)
    site = Site(target)
    for name in ["README.md", "docs/README.md", "CHANGELOG.md", "CONTRIBUTING.md"]:
        site.add(name)
    for page in sorted((repository / "docs").glob("*.md")):
        site.add(f"docs/{page.name}")
    shutil.copy(repository / "docs/site/wide.css", target)
    if site.broken:
        sys.exit("links to what is not there:\n" + "\n".join(site.broken))


main()
