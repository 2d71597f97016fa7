#!/usr/bin/env python3
# docs/functions.md lists every public function: this checks that it does, and that what it says of a
# function is what its docstring says. A row is written by hand where it gives the call and whether there
# is a gradient; with --update the other two cells are filled from the docstring.
# SPDX-License-Identifier: BSD-3-Clause
import re
import sys
from collections import Counter
from pathlib import Path

repository = Path(__file__).resolve().parents[2]
headers = repository / "include/kroton"
page = repository / "docs/functions.md"
# Where the functions that a lambda over variables calls are declared; what is refused is not offered.
places = ["ops", "grad", "core/cast.hpp", "function/vmap.hpp"]
declaration = re.compile(r"(?:constexpr|inline|auto|void)\b[^({=]*?\b(\w+)\(")
counterpart = re.compile(r"\(((?:Python|numpy|scipy|[Tt]heano|PyTensor|jax|torch)[^()]*(?:\([^()]*\)[^()]*)*)\)")
row = re.compile(r"^\| `(\w+)([^`]*)` \|(.*)\|(.*)\| ([^|]*) \|$")


def functions(path):
    """The free functions of namespace kroton, each with its docstring."""
    spaces, depth, doc, text = [], 0, [], None
    for line in path.read_text().split("\n"):
        if opened := re.match(r"(?:inline )?namespace ([\w:]*) ?\{$", line):
            spaces.append((opened[1], depth))
        code = re.sub(r'"(?:\\.|[^"\\])*"|//.*', "", line)
        inside, depth = depth, depth + code.count("{") - code.count("}")
        while spaces and depth <= spaces[-1][1]:
            spaces.pop()
        if [name for name, _ in spaces] != ["kroton"] or inside != 1 or not line:
            doc, text = [], None
        elif line.startswith("///"):
            doc.append(line[4:])
            text = None
        elif re.match(r"template|  requires|#|//|\}", line):
            text = ""
        elif text is not None or not line.startswith(" "):
            text = line if not line.startswith(" ") else f"{text} {line.strip()}"
            if found := declaration.match(text):
                if "::" not in text[:found.end()].split()[-1] and "operator" not in text[:found.end()]:
                    yield found[1], " ".join(doc)
                doc, text = [], None
            elif text.endswith((";", "{")):
                doc, text = [], None


def public_functions():
    """name: its headers, each with the first docstring there; those for sparse matrices come last."""
    files = [file for start in places for file in [headers / start, *(headers / start).rglob("*.hpp")]
             if file.is_file() and "refused" not in file.as_posix()]
    known = {}

    def place(file):
        return "sparse" in file.as_posix(), "options" in file.name, file.name, file

    for file in sorted(files, key=place):
        for name, doc in functions(file):
            if doc.startswith("Rejects"):
                continue
            header, entries = file.relative_to(headers).as_posix(), known.setdefault(name, {})
            entries[header] = entries.get(header) or doc
    return known


def described(doc):
    """The first sentence of a docstring, and the counterpart that it names last."""
    named = counterpart.findall(doc)
    sentence = re.split(r"(?<=[\w)`\]])\. (?=[A-Za-z`(])", counterpart.sub("", doc).strip() + " ")[0]
    return sentence.strip().rstrip(".").replace("|", "\\|").strip(), named[-1] if named else ""


def main():
    known, listed, lines, wrong = public_functions(), Counter(), [], []
    gradient_of_op = dict(re.findall(r"^\| `(\w+)` \|[^|]*\|[^|]*\| (yes|none) \|",
                                     (repository / "docs/operations.md").read_text(), re.MULTILINE))
    old = page.read_text()
    for line in old.split("\n"):
        if found := row.match(line):
            name, call, gradient = found[1], found[2], found[5]
            # One name for several things has a row for each.
            docs = [doc for doc in known.get(name, {}).values() if doc]
            listed[name] += 1
            if listed[name] > len(docs):
                wrong.append(f"{name} is listed {listed[name]} times, and has {len(docs)} docstrings")
                continue
            op = gradient_of_op.get(name, gradient)
            if gradient in ("yes", "none") and gradient != op:
                wrong.append(f"{name}: docs/operations.md says of its gradient: {op}")
            text, other = described(docs[listed[name] - 1])
            line = f"| `{name}{call}` | {text} | {other} | {gradient} |"
        lines.append(line)
    wrong += [f"{name} ({', '.join(known[name])}) has no docstring" for name in known
              if not any(known[name].values())]
    wrong += [f"{name} ({', '.join(known[name])}) is not listed" for name in sorted(known.keys() - listed.keys())]
    new = "\n".join(lines)
    if "--update" in sys.argv:
        page.write_text(new)
    elif new != old:
        wrong.append("its text differs from the docstrings: docs/site/functions.py --update")
    for what in wrong:
        print(f"docs/functions.md: {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
