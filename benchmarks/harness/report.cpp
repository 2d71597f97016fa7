// Tables as text and as JSON.
// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include "machine.hpp"

#include <cstdio>

namespace bench {

namespace {

std::string formatted(char const* format, double x) {
  char text[64];
  std::snprintf(text, sizeof text, format, x);
  return text;
}

std::string cell(table const& t, column const& c, std::string const& contestant) {
  entry const* const e = c.find(contestant);
  if (!e) return "";
  if (e->wrong) return "WRONG by " + three_digits(e->error);
  std::string const figure = three_digits(t.unit.of(e->seconds.median, c.items));
  if (contestant == c.baseline) return figure + " (1 ±" + formatted("%.2f", e->seconds.spread() / e->seconds.median) + ")";
  char const* const form = e->speed.median < 0.1 ? "%.3f" : "%.2f";
  return figure + " (" + formatted(form, e->speed.median) + " ±" + formatted(form, e->speed.spread()) + ")";
}

// The number of characters of UTF-8, not of bytes.
std::size_t width(std::string const& s) {
  std::size_t n = 0;
  for (char c : s) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return n;
}

std::string quoted(std::string const& s) {
  std::string text = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

std::string json_of(quartiles const& q) {
  return "{\"low\": " + formatted("%.9g", q.low) + ", \"median\": " + formatted("%.9g", q.median) +
         ", \"high\": " + formatted("%.9g", q.high) + "}";
}

std::string json_of(std::vector<std::pair<std::string, std::string>> const& pairs) {
  std::string text = "{";
  for (auto const& [name, value] : pairs) text += (text.size() > 1 ? ", " : "") + quoted(name) + ": " + quoted(value);
  return text + "}";
}

}  // namespace

std::string three_digits(double x) {
  double const size = x < 0 ? -x : x;
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return formatted("%.2e", x);
  return formatted(size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : size >= 0.1 ? "%.3f" : "%.4f", x);
}

/// Rows of cells, the first of which are headings.
static std::string grid_text(std::vector<std::vector<std::string>> const& rows, bool markdown) {
  std::vector<std::size_t> widths(rows[0].size());
  for (auto const& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));

  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    text += markdown ? "|" : " ";
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      std::string const filling(widths[i] - width(rows[r][i]), ' ');
      text += markdown ? " " + rows[r][i] + " |"
              : i == 0 ? " " + rows[r][i] + filling
                       : "  " + filling + rows[r][i];
    }
    text += "\n";
    if (markdown && r == 0) {
      text += "|";
      for (std::size_t i = 0; i < rows[r].size(); ++i) text += "---|";
      text += "\n";
    }
  }
  return text;
}

std::string table_text(table const& t, bool markdown) {
  std::vector<std::vector<std::string>> rows{{t.unit.name}};
  auto const names = t.contestants();
  // Many cases, or such of long names, are easier to read below each other.
  std::size_t labels = 0;
  for (column const& c : t.columns) labels += std::max<std::size_t>(width(c.label), 14);
  if (labels > 120) {
    for (std::string const& name : names) rows[0].push_back(name);
    for (column const& c : t.columns) {
      rows.push_back({c.label});
      for (std::string const& name : names) rows.back().push_back(cell(t, c, name));
    }
  } else {
    for (column const& c : t.columns) rows[0].push_back(c.label);
    for (std::string const& name : names) {
      rows.push_back({name});
      for (column const& c : t.columns) rows.back().push_back(cell(t, c, name));
    }
  }
  return (markdown ? "**" + t.title + "**\n\n" : t.title + "\n") + grid_text(rows, markdown);
}

std::string forms_text(std::vector<table> const& tables, std::string const& name, bool markdown) {
  std::vector<std::vector<std::string>> rows{
      {"form against form", "case", "slowest", "fastest", "times"}};
  double worst = 1;
  for (table const& t : tables)
    for (column const& c : t.columns) {
      std::vector<entry const*> forms;
      for (entry const& e : c.entries)
        if (e.contestant.starts_with(name)) forms.push_back(&e);
      if (forms.size() < 2) continue;
      auto const [fastest, slowest] = std::minmax_element(
          forms.begin(), forms.end(),
          [](entry const* a, entry const* b) { return a->seconds.median < b->seconds.median; });
      double const times = (*slowest)->seconds.median / (*fastest)->seconds.median;
      worst = std::max(worst, times);
      rows.push_back(
          {t.title, c.label, (*slowest)->contestant, (*fastest)->contestant, three_digits(times)});
    }
  if (rows.size() == 1) return "";
  return grid_text(rows, markdown) + "\nThe slowest form of all takes " + three_digits(worst) +
         " times as long as the fastest one.\n";
}

std::string json_text(std::string const& program, std::vector<table> const& tables) {
  std::string text = "{\"program\": " + quoted(program) + ",\n \"machine\": " + json_of(machine()) +
                     ",\n \"peers\": " + json_of(peers()) + ",\n \"tables\": [";
  for (std::size_t i = 0; i < tables.size(); ++i) {
    table const& t = tables[i];
    text +=
        (i ? ",\n  " : "\n  ") + ("{\"title\": " + quoted(t.title)) + ", \"unit\": " + quoted(t.unit.name) + ", \"columns\": [";
    for (std::size_t k = 0; k < t.columns.size(); ++k) {
      column const& c = t.columns[k];
      text += (k ? ",\n   " : "\n   ") + ("{\"label\": " + quoted(c.label)) + ", \"items\": " + formatted("%.9g", c.items) +
              ", \"baseline\": " + quoted(c.baseline) + ", \"entries\": [";
      for (std::size_t j = 0; j < c.entries.size(); ++j) {
        entry const& e = c.entries[j];
        text += (j ? ",\n    " : "\n    ") + ("{\"contestant\": " + quoted(e.contestant)) +
                ", \"wrong\": " + (e.wrong ? "true" : "false") +
                ", \"figure\": " + formatted("%.9g", t.unit.of(e.seconds.median, c.items)) +
                ", \"seconds\": " + json_of(e.seconds) + ", \"speed\": " + json_of(e.speed) + "}";
      }
      text += "]}";
    }
    text += "]}";
  }
  return text + "]}\n";
}

}  // namespace bench
