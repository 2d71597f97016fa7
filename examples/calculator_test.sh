#!/usr/bin/env bash
# The calculator on files that are not as they should be: calculator_test.sh <calculator>
set -uo pipefail
calculator=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
failures=0
complain() { echo "$*"; failures=$((failures + 1)); }

# file <printf format>: what the next checks read.
file() { printf "$@" > t.csv; }
# gives <expected lines joined by |> <arguments...>: the output, and success.
gives() {
  local expected=$1 output status
  shift
  output=$("$calculator" "$@" 2> err)
  status=$?
  output=${output//$'\n'/|}
  [[ $status == 0 && $output == "$expected" ]] || complain "$*: '$output' (exit $status, $(cat err)), not '$expected'"
}
# refuses <part of the sentence> <arguments...>: one sentence, no output, no success.
refuses() {
  local expected=$1 output status
  shift
  output=$("$calculator" "$@" 2> err)
  status=$?
  [[ $status == 1 && -z $output && $(cat err) == "calculator: "*"$expected"* ]] ||
    complain "$*: exit $status, '$output', '$(cat err)', not '$expected'"
}

# ---- forms that are fine ---------------------------------------------------------------------------

file 'x,y\n1,2\n3,4\n'
gives 'x + y|3|7' t.csv 'x + y'
gives 'z,x > 1|2,0|12,1' t.csv 'z = x * y' 'x > 1'
gives '"maximum(x, 2)"|2|3' t.csv 'maximum(x, 2)'
gives 'y - mean(y),max(x)|-1,3|1,3' t.csv 'y - mean(y)' 'max(x)'
gives 'sum(x),mean(x) * 2,1 + 1|4,4,2' t.csv 'sum(x)' 'mean(x) * 2' '1 + 1'
gives 'sqrt(mean((x - mean(x)) ** 2))|1' t.csv 'sqrt(mean((x - mean(x)) ** 2))'
gives 'x|y' t.csv --columns
gives '-x|-1|-3' t.csv -- '-x'
file 'x,y\r\n1,2\r\n3,4'
gives 'x + y|3|7' t.csv 'x + y'
file '\xEF\xBB\xBFx,y\n1,2\n'
gives 'x|1' t.csv x
file '"x","a, ""quoted""\nname"\n"1","2"\n3,"line\r\nend"\n'
gives 'x|1|3' t.csv x
gives 'x|a_quoted_name' t.csv --columns
file 'mean radius (mm),2nd,pi,and\n1,2,3,4\n'
gives 'mean_radius_mm + _2nd + pi_ + and_|10' t.csv 'mean_radius_mm + _2nd + pi_ + and_'
file 'x,y\n1,\n,2\nNA,n/a\n'
gives 'x,y|1,nan|nan,2|nan,nan' t.csv x y
file 'x\n+1\n 2 \n-3e-2\ninf\ntrue\nFalse\n'
gives 'x|1|2|-0.03|inf|1|0' t.csv x
file 'x,y\n\n1,2\n\n\n3,4\n\n'
gives 'x|1|3' t.csv x
file 'x;y\n1;2\n'
gives 'x;x + y|1;3' t.csv --separator ';' x 'x + y'
file 'x\ty\n1\t2\n'
gives 'x + y|3' t.csv --separator '\t' 'x + y'
file '1,2\n3,4\n'
gives 'c1 + c2|3|7' t.csv --no-header 'c1 + c2'
gives 'sum(a)|4' t.csv --no-header --names a,b 'sum(a)'
gives 'b|4' t.csv --names a,b b
file 'x,y\n'
gives 'x' t.csv x
gives 'sum(x),mean(y),all(x > 0)|0,nan,1' t.csv 'sum(x)' 'mean(y)' 'all(x > 0)'
file 'size"in,y\n5",2\n'
gives 'y|2' t.csv y

# Beyond the range of double as in NumPy.
file 'x\n1e-400\n-1e-400\n1e400\n-1e400\n5e-324\n1e-99999999999999999999\nInfinity\n-inf\nNaN\n'
gives 'x|0|-0|inf|-inf|5e-324|0|inf|-inf|nan' t.csv x
file 'x\n1\n'
gives 'x * 1e-400,x * 1e400|0,inf' t.csv 'x * 1e-400' 'x * 1e400'

# Sums of integers, to the ends of int64 and back.
file 'x,y\n4611686018427387904,1\n4611686018427387904,2\n'
gives 'sum(int64(y)),prod(int64(y))|3,2' t.csv 'sum(int64(y))' 'prod(int64(y))'
gives 'sum(int64(x) - 1)|9223372036854775806' t.csv 'sum(int64(x) - 1)'
gives 'sum(-int64(x))|-9223372036854775808' t.csv 'sum(-int64(x))'
gives 'sum(uint64(x))|9223372036854775808' t.csv 'sum(uint64(x))'

# ---- forms that are not ----------------------------------------------------------------------------

refuses 'nothing.csv: No such file' nothing.csv x
refuses '. is a directory' . x
file ''
refuses 't.csv is empty' t.csv x
file '\n\n\n'
refuses 't.csv is empty' t.csv x
file 'x,y\n1,2\n3\n4,5,6\n7,eight\n9,10\n'
refuses 'line 3: there is 1 field, not 2' t.csv x
gives 'x|1|7|9' t.csv --skip-bad x
gives 'y|2|10' t.csv --skip-bad y
gives 'mean(y)|6' t.csv --skip-bad 'mean(y)'
file 'x,y\n1,2\n3,four\n'
refuses "line 3: 'four' in column 'y' is not a number" t.csv 'x + y'
gives 'x|1|3' t.csv x
file 'x,y\n1,"2\n\n3"\n4,five\n'
refuses "line 2: '2  3' in column 'y' is not a number" t.csv y
file 'x,y\n1,"2\n3,4\n5,6\n'
refuses 'line 2: a quoted field is not closed' t.csv x
file 'x,y,x\n1,2,3\n'
gives 'y|2' t.csv y
refuses "columns 1 and 3 are both called 'x'" t.csv x
refuses "there is no column 'z'; the columns are x, y, x" t.csv 'y + z'
file 'x\r1\r2\r'
refuses 'lines end with \r alone' t.csv x
printf '\xFF\xFEx\0' > t.csv
refuses 'UTF-16' t.csv x
file 'x\n0x1p3\n'
refuses "'0x1p3' in column 'x' is not a number" t.csv x
file 'x\n0x10\n'
refuses "'0x10' in column 'x' is not a number" t.csv x
file 'x\n1\n2\n'
refuses 'no formula is given' t.csv
file 'x\n4611686018427387904\n4611686018427387904\n'
refuses 'sum(int64(x)) does not fit int64' t.csv 'sum(int64(x))'
refuses 'prod(int64(x)) does not fit int64' t.csv 'x - prod(int64(x))'
refuses 'sum(uint64(x) * 3) does not fit uint64' t.csv 'sum(uint64(x) * 3)'
file 'x\n1\n2\n'
refuses 'no file is given'
refuses 'there is no option --frobnicate' t.csv --frobnicate x
refuses '-o needs a value' t.csv x -o
refuses 'is the input' t.csv x -o ./t.csv
refuses 'No such file' t.csv x -o missing/t.csv
refuses "'&': takes integers and bools, not float64 at column 3" t.csv 'x & 1'
refuses "did you mean 'sqrt'?" t.csv 'sqrtt(x)'
refuses "'softmax' would need the whole column" t.csv 'softmax(x)'
refuses 'write sum(a * b)' t.csv 'x @ x'
refuses 'leave axis and keepdims out' t.csv 'sum(x, axis=0)'
refuses 'once more, which the standard input cannot be' - 'x - mean(x)' < t.csv
[[ $("$calculator" - 'x * 2' < t.csv) == $'x * 2\n2\n4' ]] || complain 'the standard input'
"$calculator" t.csv 'x * 2' -o out.csv && [[ $(< out.csv) == $'x * 2\n2\n4' ]] || complain 'the output file'

# ---- outputs that take nothing ---------------------------------------------------------------------

# says <part of the sentence>: that the last command failed with it on one line.
says() {
  local status=$?
  [[ $status == 1 && $(cat err) == "calculator: "*"$1"* && $(wc -l < err) == 1 ]] || complain "$2: exit $status, '$(cat err)'"
}
for listing in --help --functions '--columns t.csv' 't.csv x'; do
  if [[ -e /dev/full ]]; then
    # shellcheck disable=SC2086
    "$calculator" $listing > /dev/full 2> err
    says 'cannot write to the standard output: No space left on device' "a full disk: $listing"
  fi
  # shellcheck disable=SC2086
  "$calculator" $listing >&- 2> err
  says 'cannot write to the standard output: Bad file descriptor' "a closed output: $listing"
  # shellcheck disable=SC2086
  { sleep 0.2; "$calculator" $listing 2> err; echo $? > status; } | true
  (exit "$(cat status)")
  says 'cannot write to the standard output: Broken pipe' "a reader that has gone: $listing"
done
refuses 'is a directory' t.csv x -o .
echo precious > old.csv
chmod 640 old.csv
file 'x\n1\ntwo\n'
refuses 'is not a number' t.csv x -o old.csv
{ echo x && seq 1 70000 && echo two; } > t.csv
refuses 'line 70002' t.csv x -o old.csv
[[ $(< old.csv) == precious ]] || complain 'the old output is gone'
{ echo x && seq 1 70000; } > t.csv
(trap '' XFSZ; ulimit -f 8; "$calculator" t.csv x -o old.csv 2> err)
says 'old.csv cannot be written: File too large' 'an output that is too large'
[[ $(< old.csv) == precious ]] || complain 'the old output is gone'
[[ $(find . -name '.*' -type f) == '' ]] || complain "left behind: $(find . -name '.*' -type f)"
ln -s old.csv link.csv
"$calculator" t.csv 'max(x)' -o link.csv && [[ -L link.csv && $(< old.csv) == $'max(x)\n70000' ]] || complain 'a link as output'
[[ $(stat -c %a old.csv) == 640 ]] || complain 'the permissions of the output'

# ---- several blocks --------------------------------------------------------------------------------

{ echo x && seq 1 200000; } > t.csv
gives 'sum(x),mean(x),min(x),max(x),any(x > 199999),all(x > 0),sum(x > 100000)|20000100000,100000.5,1,200000,1,1,100000' \
  t.csv 'sum(x)' 'mean(x)' 'min(x)' 'max(x)' 'any(x > 199999)' 'all(x > 0)' 'sum(x > 100000)'
gives 'logsumexp(x - 200000)|0.4586751453870819' t.csv 'logsumexp(x - 200000)'
[[ $("$calculator" t.csv 'x - mean(x)' | wc -l) == 200001 ]] || complain 'the number of rows'
[[ $("$calculator" t.csv 'x * 2' | tail -n 1) == 400000 ]] || complain 'the last row'

exit $((failures > 0))
