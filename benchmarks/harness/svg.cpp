// Charts as SVG, without any library.
// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <cmath>
#include <cstdio>

namespace bench {

namespace {

constexpr double width = 760, left = 60, right = 190, top = 34, plot_height = 210, bottom = 40;
constexpr double panel_height = top + plot_height + bottom;
constexpr char const* colours[] = {"#444444", "#d62728", "#1f77b4", "#2ca02c", "#9467bd",
                                   "#ff7f0e", "#8c564b", "#17becf", "#bcbd22", "#e377c2"};

template <class... A>
std::string format(char const* form, A... values) {
  char text[512];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

std::string escaped(std::string const& s) {
  std::string text;
  for (char c : s) text += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return text;
}

std::string label(double x, double y, char const* anchor, std::string const& text) {
  return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor) + escaped(text) + "</text>\n";
}

/// The vertical axis: speeds from `low` to `high`, logarithmic where they differ by more than a factor of 20.
struct axis {
  double low = 0, high = 1;
  bool logarithmic = false;

  explicit axis(table const& t) {
    double least = 1, most = 1;
    for (column const& c : t.columns)
      for (entry const& e : c.entries)
        if (!e.wrong) {
          least = std::min(least, e.speed.low);
          most = std::max(most, e.speed.high);
        }
    logarithmic = most / least > 20;
    high = logarithmic ? std::pow(10, std::ceil(std::log10(most * 1.05))) : most * 1.08;
    low = logarithmic ? std::pow(10, std::floor(std::log10(least))) : 0;
  }
  double height(double speed) const {
    double const share = logarithmic ? std::log(std::max(speed, low) / low) / std::log(high / low) : speed / high;
    return plot_height * share;
  }
  std::vector<double> ticks() const {
    std::vector<double> all;
    if (logarithmic)
      for (double x = low; x <= high * 1.001; x *= 10) all.push_back(x);
    else {
      double const step = high > 10 ? 5 : high > 4 ? 1 : high > 2 ? 0.5 : 0.25;
      for (double x = 0; x <= high; x += step) all.push_back(x);
    }
    return all;
  }
};

std::string panel(table const& t, double y0) {
  axis const a(t);
  auto const names = t.contestants();
  double const floor = y0 + top + plot_height, right_end = width - right;
  std::string text = label(left, y0 + 20, "start", t.title + ": speed relative to " + t.baseline());
  for (double tick : a.ticks()) {
    double const y = floor - a.height(tick);
    text += format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", left, y, right_end, y,
                   tick == 1 ? "#888" : "#ddd");
    text += label(left - 6, y + 4, "end", format("%g", tick));
  }
  double const group = (right_end - left) / static_cast<double>(t.columns.size());
  double const bar = 0.84 * group / static_cast<double>(names.size());
  for (std::size_t k = 0; k < t.columns.size(); ++k) {
    double const x0 = left + group * (static_cast<double>(k) + 0.08);
    for (std::size_t i = 0; i < names.size(); ++i) {
      entry const* const e = t.columns[k].find(names[i]);
      if (!e || e->wrong) continue;
      double const x = x0 + bar * static_cast<double>(i), h = a.height(e->speed.median);
      text += format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, floor - h, bar * 0.92, h,
                     colours[i % std::size(colours)]);
      text += format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#000\"/>\n", x + bar * 0.46,
                     floor - a.height(e->speed.low), x + bar * 0.46, floor - a.height(e->speed.high));
    }
    text += label(left + group * (static_cast<double>(k) + 0.5), floor + 16, "middle", t.columns[k].label);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    double const y = y0 + top + 16 * static_cast<double>(i);
    text += format("<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", right_end + 12, y,
                   colours[i % std::size(colours)]);
    text += label(right_end + 27, y + 9, "start", names[i]);
  }
  return text;
}

}  // namespace

std::string svg_text(std::string const& program, std::vector<table> const& tables) {
  double const height = panel_height * static_cast<double>(tables.size());
  std::string text = format(
                         "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
                         "font-size=\"12\">\n<title>",
                         width, height) +
                     escaped(program) + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  for (std::size_t i = 0; i < tables.size(); ++i) text += panel(tables[i], panel_height * static_cast<double>(i));
  return text + "</svg>\n";
}

}  // namespace bench
