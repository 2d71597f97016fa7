#!/usr/bin/env bash
# What every header keeps to; from the project's root.
set -euo pipefail
shopt -s globstar nullglob
bad=0
complain() { echo "$1"; bad=1; }

for header in {include/kroton,cuda/include}/**/*.{h,hpp,cuh}; do
  [[ $(head -n 1 "$header") == "// "* ]] || complain "$header: the first line is not a comment that says what it is"
  grep -q '^#pragma once$' "$header" || complain "$header: no #pragma once"
  lines=$(wc -l < "$header")
  ((lines <= 400)) || complain "$header: $lines lines, more than 400"
  awk "length > 100 { print FILENAME \":\" FNR \": longer than 100 columns\"; bad = 1 } END { exit bad }" "$header" || bad=1
  while IFS=: read -r line _; do
    complain "$header:$line: an unfinished thought"
  done < <(grep -nwE 'TODO|FIXME' "$header")
done

# Layers: no include points upwards, and none in a circle.
layer_of='function layer(path) { if (path in rank) return path; while (sub("/?[^/]*$", "", path) && path != "") if (path in rank) return path; return "." }
  BEGIN { while ((getline line < "tests/style/layers.txt") > 0) if (line !~ /^#/) {
      split(line, word, " "); rank[word[1]] = ++layers
      space[word[1]] = word[2] ? word[2] : word[1]; sub("/.*", "", space[word[1]]); folder[space[word[1]]] = word[1]; sub("/.*", "", folder[space[word[1]]])
    }
    delete folder["."]; space["."] = "" }
  { from = FILENAME; sub("^(cuda/)?include/kroton/", "", from) }'
mapfile -t headers < <(find include cuda/include -name '*.hpp' -o -name '*.cuh')
while read -r upwards; do
  complain "$upwards: the layer of what is included stands above (tests/style/layers.txt)"
done < <(awk "$layer_of"'
  match($0, "^#include <kroton/[^>]*>") {
    to = substr($0, 18, RLENGTH - 18)
    if (rank[layer(to)] > rank[layer(from)]) print FILENAME ":" FNR
  }' "${headers[@]}")
while read -r folder; do
  complain "$folder: in no layer (tests/style/layers.txt)"
done < <(awk "$layer_of"'
  FNR == 1 && from ~ "/" && layer(from) == "." { sub("/[^/]*$", "", from); print from }' "${headers[@]}" | sort -u)
tsort <(awk "$layer_of"'
  match($0, "^#include <kroton/[^>]*>") { print from, substr($0, 18, RLENGTH - 18) }' "${headers[@]}") > /dev/null ||
  complain "headers include each other in a circle"

# Namespaces: a folder has one. A header opens that of another folder only for names of that folder: to specialize or to
# define what it declares, or to declare what a lower layer mentions.
while read -r foreign; do
  complain "$foreign"
done < <(awk "$layer_of"'
  FNR == 1 { own = space[layer(from)]; depth = opened = 0 }
  { code = $0; gsub(/\\./, "", code); gsub(/"[^"]*"/, "", code); sub("//.*", "", code); outer = depth
    depth += gsub(/[{]/, "{", code) - gsub(/[}]/, "}", code) }
  pass == 1 && own { words = split(code, word, /[^A-Za-z0-9_]+/); for (i = 1; i <= words; ++i) known[own, word[i]] }
  pass == 1 { next }
  { while (opened && depth < at[opened]) --opened }
  code ~ /^(inline )?namespace [a-z_:]+ [{]$/ {
    path = code; gsub(/^(inline )?namespace | [{]$/, "", path)
    at[++opened] = depth; name[opened] = path ~ /^kroton::/ ? substr(path, 9) : path; sub("::.*", "", name[opened])
    next
  }
  opened && depth >= at[opened] && outer == at[opened] && name[opened] in folder && name[opened] != own &&
      code ~ /^[a-z]/ && code !~ /^(template|requires|using namespace)/ {
    what = code
    if (what ~ /^(struct|class|enum|concept)/) sub(/^(struct|class|enum class|enum|concept) +/, "", what)
    else if (what ~ /\(/) { sub(/\(.*/, "", what); sub(/.*[^A-Za-z0-9_]/, "", what) }
    else { sub(/ *[<=;].*/, "", what); sub(/.* /, "", what) }
    sub(/[^A-Za-z0-9_].*/, "", what)
    if (!((name[opened], what) in known))
      print FILENAME ":" FNR ": " what " stands in kroton::" name[opened] ", the namespace of " folder[name[opened]]
  }' pass=1 "${headers[@]}" pass=2 "${headers[@]}")
for folder in {include/kroton,cuda/include/kroton}/*/**/; do
  [[ -s ${folder}README.md ]] || complain "$folder: no README.md that says what belongs there"
done

# Test files are compiled in batches, below the headers of all: what such a header defines no other file defines.
while read -r macro; do
  files=$(grep -rlE "^#define $macro\\b" tests/run tests/static --include='*.[ch]pp')
  (($(wc -l <<< "$files") == 1)) || complain "$macro, a macro of a test header, is defined in ${files//$'\n'/, }"
done < <(grep -rhoP '^#define \K\w+' tests/run tests/static --include='*.hpp' | sort -u)

# The lists of built-in ops are complete: the run-time library has the kernels of what they name.
listed=$(grep -ohE '\w+' include/kroton/catalogue/{ops,table}.hpp | sort -u)
while read -r op; do
  grep -qx "$op" <<< "$listed" || complain "op::$op is in no list of catalogue/ops.hpp and catalogue/table.hpp"
done < <(grep -rhoE '^struct (\w+) : [a-z_:]+<"\1"' include/kroton | awk '{print $2}' | grep -vxE "opaque|own_gradient" | sort -u)

# An op that declares a function of its own has one on the CPU.
kernels=$(grep -rhoE '^struct kernel<op::\w+' include/kroton/cpu/op | sed 's/.*:://' | sort -u)
while read -r op; do
  grep -qx "$op" <<< "$kernels" || complain "op::$op declares a function of its own; cpu/op has no kernel of it"
done < <(find include/kroton/ops include/kroton/core/each.hpp -name '*.hpp' -exec awk \
  '/^struct / { op = $2 } /static constexpr auto own = / { print op }' {} +)

# The version stands in a header; only what cannot read it repeats it.
version=$(sed -n 's/^#define KROTON_VERSION "\([0-9.]*\)"/\1/p' include/kroton/core/config.hpp)
for copy in packaging/vcpkg/vcpkg.json:"\"version\": \"$version\"" README.md:"find_package(kroton ${version%.*} " CHANGELOG.md:"$version"; do
  grep -qF "${copy#*:}" "${copy%%:*}" || complain "${copy%%:*}: another version than $version of core/config.hpp"
done
exit $bad
