// A calculator for the columns of CSV files of any size: formulas on the command line, new columns on the standard output.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "column_totals.hpp"
#include "csv_table.hpp"

#include <csignal>

using namespace example;

namespace {

constexpr char const* help = R"help(calculator FILE.csv FORMULA...     computes columns from the columns of a CSV file

  calculator cells.csv "radius * 2 + log(area)" "large = area > mean(area)"

A formula is written as in Python with NumPy; `name = formula` names the new column. Reductions such as
mean(x) are over the whole column; they read the file once more. If every formula is one number, one row
is written. A column is used by its name, `mean radius (mm)` as mean_radius_mm: each run of other
characters than letters, digits and _ becomes one _. Empty fields, NA and null are nan, true and false
1 and 0; so are the results of comparisons.

  -o FILE            write to a file
  --separator CHAR   what separates fields, in place of a comma; \t is a tab
  --names A,B,...    names of the first columns, in place of those in the first line
  --no-header        the first line holds numbers; the columns are c1, c2 ... or as --names says
  --skip-bad         leave out rows with fields that are not numbers, or with too few or too many
  --columns          list the columns
  --functions        list the functions
  --help             this text

FILE may be - for the standard input, unless there is a reduction.
)help";

struct options {
  csv_source source;
  std::string output;
  std::vector<std::string> formulas;
  bool list_columns = false;
};

/// A new column. In its text, totals take the place of reductions.
struct column {
  std::string name, text;
  kt::runtime::formula formula;
};

[[noreturn]] void fail(std::string const& sentence) { throw std::runtime_error(sentence); }

options parse_options(int argc, char** argv) {
  options given;
  bool only_operands = false;
  for (int i = 1; i < argc; ++i) {
    std::string const word = argv[i];
    auto value = [&]() -> std::string {
      if (++i == argc) fail(word + " needs a value; --help says more");
      return argv[i];
    };
    bool const is_option = !only_operands && word.size() > 1 && word[0] == '-' && (word[1] == '-' || word == "-o");
    if (word == "--" && !only_operands) {
      only_operands = true;
    } else if (!is_option || (given.source.path.empty() && word == "-")) {
      if (given.source.path.empty())
        given.source.path = word;
      else
        given.formulas.push_back(word);
    } else if (word == "-o") {
      given.output = value();
    } else if (word == "--separator") {
      std::string const s = value();
      if (s != "\\t" && (s.size() != 1 || s == "\"" || s == "\n")) fail("--separator takes one character");
      given.source.separator = s == "\\t" ? '\t' : s[0];
    } else if (word == "--names") {
      given.source.names = value();
    } else if (word == "--no-header") {
      given.source.header = false;
    } else if (word == "--skip-bad") {
      given.source.skip_bad = true;
    } else if (word == "--columns") {
      given.list_columns = true;
    } else {
      fail("there is no option " + word + "; --help lists them");
    }
  }
  if (given.source.path.empty()) fail("no file is given; --help says more");
  if (given.formulas.empty() && !given.list_columns) fail("no formula is given; --help says more");
  return given;
}

/// "name = formula" or "formula".
column parse_column(std::string const& word) {
  std::size_t const equals = word.find('=');
  std::string const name = identifier(word.substr(0, std::min(equals, word.size())));
  bool const is_named = equals != std::string::npos && equals > 0 && word.substr(equals, 2) != "==" &&
                        trimmed(std::string_view(word).substr(0, equals)) == name;
  std::string const text(trimmed(is_named ? std::string_view(word).substr(equals + 1) : std::string_view(word)));
  return {is_named ? name : text, text, kt::runtime::parse(text)};
}

columns to_arrays(std::map<std::string, std::vector<double>> const& block, columns const& totals) {
  columns result = totals;
  for (auto const& [name, numbers] : block) result.emplace(name, kt::runtime::array(numbers));
  return result;
}

/// Puts totals in the place of the innermost reductions, as often as there are any.
void compute_totals(csv_table& table, std::vector<column>& wanted, columns& totals) {
  auto fresh = [&](std::size_t also) {
    std::string name = "total_" + std::to_string(totals.size() + also);
    while (std::count(table.names().begin(), table.names().end(), name) > 0) name += '_';
    return name;
  };
  for (;;) {
    std::map<std::string, std::pair<std::string, column_total>> next;  // by the text of the call: a name, and the total
    for (column& c : wanted) {
      auto sites = c.formula.reductions();
      for (auto const& site : sites) {
        if (std::string const advice = column_total::advice(site.function); !advice.empty())
          fail("'" + std::string(site.function) + "' would need the whole column in memory; " + advice);
        if (site.has_options) fail("'" + std::string(site.function) + "': a column has one axis; leave axis and keepdims out");
      }
      auto is_innermost = [&](auto const& site) {
        return std::none_of(sites.begin(), sites.end(),
                            [&](auto const& s) { return site.begin < s.begin && s.end < site.end; });
      };
      sites.erase(std::partition(sites.begin(), sites.end(), is_innermost), sites.end());
      std::sort(sites.begin(), sites.end(), [](auto const& a, auto const& b) { return a.begin > b.begin; });
      for (auto const& site : sites) {
        std::string const call = c.text.substr(site.begin, site.end - site.begin);
        std::string const operand = c.text.substr(site.operand_begin, site.operand_end - site.operand_begin);
        auto const [entry, is_new] =
            next.try_emplace(call, fresh(next.size()), column_total(std::string(site.function), operand));
        c.text.replace(site.begin, site.end - site.begin, entry->second.first);
      }
      if (!sites.empty()) c.formula = kt::runtime::parse(c.text);
    }
    if (next.empty()) return;
    table.read([&](auto const& block, std::size_t rows) {
      columns const values = to_arrays(block, totals);
      for (auto& [call, named] : next) named.second.add(values, rows);
    });
    for (auto& [call, named] : next) totals.emplace(named.first, named.second.value());
  }
}

/// Writes an element as short as it can be read back.
void append(std::string& line, kt::runtime::array const& values, std::size_t row) {
  kt::runtime::visit_element(values.element_type(), [&]<class T>(std::type_identity<T>) {
    T const value = values.data<T>()[values.rank() == 0 ? 0 : row];
    if constexpr (std::is_same_v<T, bool>) {
      line += value ? '1' : '0';
    } else if constexpr (std::is_arithmetic_v<T>) {  // formulas have no complex numbers
      char digits[32];
      auto const d = static_cast<double>(value);
      if (std::isnan(d)) line += "nan";
      // 200000 rather than 2e+05.
      else if (std::abs(d) >= 1 && std::abs(d) < 1e15 && std::trunc(d) == d)
        line += std::to_string(static_cast<std::int64_t>(d));
      else
        line.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    }
  });
}

/// Writes to the standard output; a full disk or a reader that has gone is an error.
void print(std::string const& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    fail(std::string("cannot write to the standard output: ") + std::strerror(errno));
}

/// The output: a file that is replaced once it is whole, or the standard output.
class writer {
 public:
  explicit writer(options const& given) {
    std::error_code ignored;
    if (given.output.empty()) return;
    if (std::filesystem::equivalent(given.source.path, given.output, ignored))
      fail("the output " + given.output + " is the input");
    file_.emplace(given.output);
  }
  void write(std::string const& text) {
    if (file_) file_->write(text);
    else print(text);
  }
  void close() {
    if (file_) file_->close();
  }

 private:
  std::optional<kt::file_writer> file_;
};

void calculate(options const& given) {
  csv_table table(given.source);
  if (given.list_columns) {
    std::string list;
    for (std::string const& name : table.names()) list += name + '\n';
    print(list);
    if (given.formulas.empty()) return;
  }
  std::vector<column> wanted;
  for (std::string const& word : given.formulas) wanted.push_back(parse_column(word));
  for (column const& c : wanted)
    for (std::string const& name : c.formula.variables()) table.use(name);
  columns totals;
  compute_totals(table, wanted, totals);

  // On no rows first: what is wrong with a formula is said before anything is written, and the ranks are known.
  std::map<std::string, std::vector<double>> no_rows;
  for (column const& c : wanted)
    for (std::string const& name : c.formula.variables())
      if (!totals.contains(name)) no_rows[name];
  bool const all_numbers = std::all_of(wanted.begin(), wanted.end(), [values = to_arrays(no_rows, totals)](column const& c) {
    return c.formula(values).rank() == 0;
  });

  writer out(given);
  char const separator = given.source.separator;
  std::string text;
  for (std::size_t k = 0; k < wanted.size(); ++k)
    text += (k == 0 ? "" : std::string(1, separator)) + csv_field(wanted[k].name, separator);
  text += '\n';
  // The names go out with the first block: a file that is refused there leaves no output.
  auto write_block = [&](std::map<std::string, std::vector<double>> const& block, std::size_t rows) {
    columns const values = to_arrays(block, totals);
    std::vector<kt::runtime::array> results;
    for (column const& c : wanted) results.push_back(c.formula(values));
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t k = 0; k < results.size(); ++k) {
        if (k > 0) text += separator;
        append(text, results[k], row);
      }
      text += '\n';
    }
    out.write(text);
    text.clear();
  };
  if (all_numbers)
    write_block(no_rows, 1);
  else
    table.read(write_block);
  out.close();
  if (table.skipped() > 0)
    std::fprintf(stderr, "calculator: rows left out: %zu; the first is %s\n", table.skipped(), table.first_skipped().c_str());
}

/// What is asked for in place of a calculation, or nothing.
std::string information(int argc, char** argv) {
  std::string list;
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    std::string_view const word = argv[i];
    if (word == "--help" || word == "-h") return help;
    if (word != "--functions") continue;
    for (std::string_view name : kt::runtime::function_names()) list += std::string(name) + '\n';
    return list;
  }
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed output is an error of writing
  try {
    if (std::string const text = information(argc, argv); !text.empty()) print(text);
    else calculate(parse_options(argc, argv));
    return 0;
  } catch (std::exception const& problem) {
    std::fprintf(stderr, "calculator: %s\n", problem.what());
    return 1;
  }
}
