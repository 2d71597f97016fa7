#!/usr/bin/env bash
# README.md and docs/ show pieces of the examples; this checks that they are the same.
#   <!-- cut: FILE NAME -->          the lines between "// cut: NAME" and "// end cut" of examples/FILE
#   <!-- output: PROGRAM SECTION --> what examples/PROGRAM prints after "== SECTION" (only written, not checked)
# Each stands above a fenced block. With --update the blocks of source are written anew; with --update and the folder of
# built examples, the outputs too. Run it from anywhere.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
update= programs=
if [[ ${1-} == --update ]]; then update=1 programs=${2-}; fi

filled() {
  awk -v programs="$programs" '
    function cut(file, name,   line, inside, count) {
      while ((getline line < ("examples/" file)) > 0) {
        if (line == "// end cut" || line ~ /^ +\/\/ end cut$/) inside = 0
        if (inside) { print substr(line, indent + 1); ++count }
        if (line ~ ("^ *// cut: " name "$")) { inside = 1; match(line, /^ */); indent = RLENGTH }
      }
      close("examples/" file)
      if (!count) { print "examples/" file ": no cut " name > "/dev/stderr"; exit 1 }
    }
    function output(program, name,   line, inside) {
      while (((programs "/" program) | getline line) > 0) {
        if (line ~ /^== /) inside = line == "== " name
        else if (inside) print line
      }
      close(programs "/" program)
    }
    /^<!-- (cut|output): / {
      print
      kind = $2; file = $3; name = $4
      for (i = 5; i < NF; ++i) name = name " " $i
      if ((getline fence) <= 0 || fence !~ /^```/) { print FILENAME ": no fence below " $0 > "/dev/stderr"; exit 1 }
      print fence
      replaced = kind == "cut:" || programs != ""
      if (kind == "cut:") cut(file, name)
      else if (replaced) output(file, name)
      while ((getline old) > 0 && old !~ /^```$/) if (!replaced) print old
      print "```"
      next
    }
    { print }' "$1"
}

status=0
for page in README.md docs/*.md; do
  new=$(filled "$page" && echo x)
  new=${new%x}
  if [[ $update ]]; then
    printf '%s' "$new" > "$page"
  elif ! diff -u "$page" <(printf '%s' "$new"); then
    echo "$page differs from the examples: examples/snippets.sh --update"
    status=1
  fi
done
exit $status
