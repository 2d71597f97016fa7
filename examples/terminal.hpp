// What the examples show on a terminal: headings, a progress line, a curve; and the curve as an SVG picture.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/file.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace example {

inline bool const is_terminal = isatty(STDOUT_FILENO) == 1;
inline bool const has_colour = is_terminal && std::getenv("NO_COLOR") == nullptr;

inline std::string coloured(char const* code, std::string const& text) {
  return has_colour ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
}
inline std::string bold(std::string const& text) { return coloured("1", text); }
inline std::string green(std::string const& text) { return coloured("32", text); }
inline std::string red(std::string const& text) { return coloured("31", text); }

inline void heading(std::string const& text) { std::printf("\n%s\n\n", bold(text).c_str()); }

/// One line that is written over on a terminal; elsewhere, only every tenth of the way is printed.
inline void progress(int done, int all, char const* what, double value) {
  if (!is_terminal && done * 10 / all == (done - 1) * 10 / all) return;
  int const filled = 30 * done / all;
  std::string bar;
  for (int i = 0; i < 30; ++i) bar += i < filled ? "█" : "░";
  std::printf("%s  %s %4d/%d  %s %.4f%s", is_terminal ? "\r" : "", bar.c_str(), done, all, what, value,
              is_terminal && done < all ? "" : "\n");
  std::fflush(stdout);
}

/// A curve of positive values as an area of block characters, `width` columns by `height` lines.
inline void draw(std::vector<double> const& values, char const* below, int width = 64, int height = 10) {
  static char const* const eighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double const top = *std::max_element(values.begin(), values.end());
  int const n = static_cast<int>(values.size());
  for (int line = height - 1; line >= 0; --line) {
    if (line == height - 1 || line == 0) std::printf("  %7.3f ┤", line == 0 ? 0. : top);
    else std::printf("          │");
    for (int column = 0; column < width; ++column) {
      double const value = values[static_cast<std::size_t>(column * (n - 1) / (width - 1))];
      int const fill = static_cast<int>(std::lround(8 * height * value / top)) - 8 * line;
      std::printf("%s", eighths[std::clamp(fill, 0, 8)]);
    }
    std::printf("\n");
  }
  std::printf("          └");
  for (int column = 0; column < width; ++column) std::printf("─");
  std::printf("\n           %s\n", below);
}

/// The same curve as a picture. Throws kt::file_error.
inline void write_svg(std::vector<double> const& values, std::string const& file, char const* title, char const* below) {
  int const width = 640, height = 360, edge = 48;
  double const top = *std::max_element(values.begin(), values.end());
  std::ostringstream out;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' ' << height
      << "\" font-family=\"sans-serif\" font-size=\"13\">\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      << "<text x=\"" << edge << "\" y=\"28\" font-size=\"16\">" << title << "</text>\n";
  for (int i = 0; i <= 4; ++i) {
    double const y = height - edge - (height - 2 * edge) * i / 4.;
    char label[16];
    std::snprintf(label, sizeof label, "%.2f", top * i / 4);
    out << "<line x1=\"" << edge << "\" x2=\"" << width - edge << "\" y1=\"" << y << "\" y2=\"" << y
        << "\" stroke=\"#ddd\"/><text x=\"" << edge - 6 << "\" y=\"" << y + 4 << "\" text-anchor=\"end\">" << label << "</text>\n";
  }
  out << "<polyline fill=\"none\" stroke=\"#1f6fb4\" stroke-width=\"2\" points=\"";
  for (std::size_t i = 0; i < values.size(); ++i)
    out << edge + static_cast<double>(width - 2 * edge) * static_cast<double>(i) / static_cast<double>(values.size() - 1) << ','
        << height - edge - (height - 2 * edge) * values[i] / top << ' ';
  out << "\"/>\n<text x=\"" << width / 2 << "\" y=\"" << height - 14 << "\" text-anchor=\"middle\">" << below << "</text>\n</svg>\n";
  kroton::core::write_file(file, out.str());
}

}  // namespace example
