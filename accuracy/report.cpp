// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <cmath>
#include <cstdio>
#include <ostream>

namespace accuracy {

namespace {

constexpr sampling samplings[] = {sampling::all, sampling::middle};
constexpr double worse_by = 0.5;

char const* name_of(sampling s) { return s == sampling::all ? "all doubles" : "2^-20 to 2^20"; }

std::string fixed(double x, int digits = 1) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, x);
  return text;
}
std::string exactly(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

struct row {
  std::size_t problems = 0, much = 0, some = 0, worse = 0, worse_in_ieee = 0, points = 0, lost = 0;
  double sum[std::size(ways)]{};
};

row row_of(std::vector<measurement> const& all, sampling s, bool hamming) {
  row r;
  for (measurement const& m : all) {
    errors const& e = m.in(s);
    if ((m.of.source == "hamming") != hamming || e.points.size() == 0) continue;
    double const gain = e.of(way::written) - e.of(way::optimized);
    ++r.problems;
    r.much += gain >= 10;
    r.some += gain >= 1 && gain < 10;
    r.worse += gain < -worse_by;
    r.worse_in_ieee += e.of(way::ieee) > e.of(way::written) + worse_by;
    r.points += e.points.size();
    r.lost += e.lost(way::optimized);
    for (way w : ways) r.sum[static_cast<int>(w)] += e.of(w);
  }
  return r;
}

/// The point where most is lost.
std::size_t worst_point(errors const& e) {
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t k = 0; k < e.points.size(); ++k)
    if (double const loss = e.bits(way::optimized, k) - e.bits(way::written, k); loss > most) {
      worst = k;
      most = loss;
    }
  return worst;
}
/// The first point that is lost, otherwise the first that is worse by more than half a bit; the
/// number of points if none is.
std::size_t first_worse(errors const& e) {
  std::size_t const n = e.points.size();
  for (std::size_t k = 0; k < n; ++k)
    if (e.lost_at(way::optimized, k)) return k;
  for (std::size_t k = 0; k < n; ++k)
    if (e.bits(way::optimized, k) > e.bits(way::written, k) + worse_by) return k;
  return n;
}

void print_point(measurement const& m, errors const& e, std::size_t k, std::ostream& out) {
  out << "    at";
  for (std::size_t v = 0; v < m.of.variables.size(); ++v)
    out << (v == 0 ? " " : ", ") << m.of.variables[v] << " = " << exactly(e.points.columns[v][k]);
  out << "\n      exact " << exactly(e.points.exact[k]);
  for (way w : {way::written, way::optimized})
    out << (w == way::written ? ", as written " : ", optimized ")
        << exactly(e.results[static_cast<int>(w)][k]) << " (" << fixed(e.bits(w, k)) << " bits)";
  out << '\n';
}

void print_expressions(measurement const& m, std::ostream& out) {
  std::string const &written = m.text[static_cast<int>(way::written)],
                    &ieee = m.text[static_cast<int>(way::ieee)];
  out << "  written    " << written << '\n';
  if (ieee != written) out << "  ieee       " << ieee << '\n';
  out << "  optimized  " << m.text[static_cast<int>(way::optimized)] << "\n  rules     ";
  for (std::string const& rule : m.rules) out << ' ' << rule;
  out << '\n';
}

void print_means(errors const& e, sampling s, std::ostream& out) {
  out << "  " << name_of(s) << ": as written " << fixed(e.of(way::written), 2) << " bits, ieee "
      << fixed(e.of(way::ieee), 2) << ", optimized " << fixed(e.of(way::optimized), 2);
  if (std::size_t const lost = e.lost(way::optimized); lost > 0)
    out << "; " << lost << " of " << e.points.size() << " points lost";
  out << '\n';
}

}  // namespace

void print_table(std::vector<measurement> const& all, std::ostream& out) {
  out << "| problems and inputs | number | better by >= 10 bits | by 1 to 10 | worse by > 0.5 | "
         "ieee worse | mean error as written | ieee | optimized | points lost |\n"
         "|---|---|---|---|---|---|---|---|---|---|\n";
  for (bool hamming : {true, false})
    for (sampling s : samplings) {
      row const r = row_of(all, s, hamming);
      if (r.problems == 0) continue;
      out << "| " << (hamming ? "Hamming's" : "others") << ", " << name_of(s) << " | " << r.problems
          << " | " << r.much << " | " << r.some << " | " << r.worse << " | " << r.worse_in_ieee;
      for (double sum : r.sum) out << " | " << fixed(sum / static_cast<double>(r.problems), 2);
      out << " | " << r.lost << " of " << r.points << " |\n";
    }
}

void print_worse(std::vector<measurement> const& all, std::ostream& out) {
  for (measurement const& m : all) {
    bool first = true;
    for (sampling s : samplings) {
      errors const& e = m.in(s);
      double const bound = e.of(way::written) + worse_by;
      if (e.of(way::optimized) <= bound && e.of(way::ieee) <= bound && e.lost(way::optimized) == 0)
        continue;
      if (first) {
        out << m.of.name << " (" << m.of.source << ")\n";
        print_expressions(m, out);
      }
      first = false;
      print_means(e, s, out);
      if (std::size_t const k = first_worse(e); k < e.points.size()) print_point(m, e, k, out);
    }
  }
}

void print_list(std::vector<measurement> const& all, std::ostream& out) {
  for (measurement const& m : all) {
    out << m.of.name << " (" << m.of.source << ")\n";
    for (sampling s : samplings) {
      errors const& e = m.in(s);
      if (e.points.size() != 0) print_means(e, s, out);
      else out << "  " << name_of(s) << ": too few points\n";
    }
  }
}

void print_problem(measurement const& m, std::ostream& out) {
  out << m.of.name << " (" << m.of.source << ")\n  problem    " << text_of(m.of, m.of.body) << '\n';
  if (m.of.condition >= 0) out << "  condition  " << text_of(m.of, m.of.condition) << '\n';
  print_expressions(m, out);
  for (sampling s : samplings) {
    errors const& e = m.in(s);
    if (e.points.size() == 0) continue;
    print_means(e, s, out);
    if (std::size_t const k = first_worse(e); k < e.points.size()) {
      print_point(m, e, k, out);
      if (std::size_t const worst = worst_point(e); worst != k) print_point(m, e, worst, out);
    }
  }
}

}  // namespace accuracy
