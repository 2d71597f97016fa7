// Error against input, as SVG.
// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace accuracy {

namespace {

constexpr double width = 760, height = 320, left = 50, right = 20, top = 50, bottom = 45;

std::string escaped(std::string_view s) {
  std::string text;
  for (char c : s) {
    if (c == '<') text += "&lt;";
    else if (c == '>') text += "&gt;";
    else if (c == '&') text += "&amp;";
    else text += c;
  }
  return text;
}

template <class... A>
void write(std::ostream& out, char const* form, A... values) {
  char text[512];
  std::snprintf(text, sizeof text, form, values...);
  out << text;
}

}  // namespace

void draw_svg(measurement const& m, sampling how, std::ostream& out) {
  errors const& e = m.in(how);
  std::vector<double> const& inputs = e.points.columns[0];
  std::vector<std::size_t> order(inputs.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return inputs[a] < inputs[b]; });

  // Inputs by their ordinals, so that each power of two has the same width.
  auto const [least, most] = std::minmax_element(inputs.begin(), inputs.end());
  double const low = static_cast<double>(ordinal(*least)),
               high = static_cast<double>(ordinal(*most));
  double const span = std::max(high - low, 1.0);
  auto const x_of = [&](double x) {
    return left + (width - left - right) * (static_cast<double>(ordinal(x)) - low) / span;
  };
  auto const y_of = [](double bits) { return top + (height - top - bottom) * (1 - bits / 64); };

  write(
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      width, height);
  out << "<text x=\"" << left << "\" y=\"18\" font-size=\"14\">" << escaped(m.of.name) << ": "
      << escaped(text_of(m.of, m.of.body)).substr(0, 90) << "</text>\n";
  for (int bits = 0; bits <= 64; bits += 16)
    write(out,
          "<path d=\"M%g %g H%g\" stroke=\"#ddd\"/><text x=\"%g\" y=\"%g\" "
          "text-anchor=\"end\">%d</text>\n",
          left, y_of(bits), width - right, left - 6, y_of(bits) + 4, bits);
  for (double x : {*least, inputs[order[order.size() / 4]], inputs[order[order.size() / 2]],
                   inputs[order[order.size() * 3 / 4]], *most})
    write(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"%s\">%.2g</text>\n", x_of(x),
          height - bottom + 18, x == *most ? "end" : "middle", x);
  out << "<text x=\"" << width / 2 << "\" y=\"" << height - 8 << "\" text-anchor=\"middle\">"
      << escaped(m.of.variables[0]) << "</text>\n"
      << "<text x=\"12\" y=\"" << height / 2 << "\" transform=\"rotate(-90 12 " << height / 2
      << ")\" text-anchor=\"middle\">error in bits</text>\n";

  // Small circles on large ones: both are seen where the errors are the same.
  struct series {
    way of;
    char const *name, *colour;
    double radius;
  };
  double legend = left;
  for (series const& s : {series{way::written, "as written", "#e6998f", 4},
                          series{way::optimized, "optimized", "#1f5fa8", 2}}) {
    write(out,
          "<circle cx=\"%g\" cy=\"34\" r=\"4\" fill=\"%s\"/><text x=\"%g\" y=\"38\">%s, mean %.1f "
          "bits</text>\n",
          legend + 4, s.colour, legend + 12, s.name, e.of(s.of));
    legend += 200;
    for (std::size_t k : order)
      write(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" fill=\"%s\"/>\n", x_of(inputs[k]),
            y_of(e.bits(s.of, k)), s.radius, s.colour);
  }
  out << "</svg>\n";
}

}  // namespace accuracy
