// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include "derivative.hpp"

#include <cmath>

namespace accuracy {

bool errors::lost_at(way w, std::size_t k) const {
  double const result = results[static_cast<int>(w)][k];
  bool const nothing = !std::isfinite(result) || (result == 0 && points.exact[k] != 0);
  return nothing && bits(way::written, k) <= 1 && bits(w, k) > bits(way::written, k);
}

std::size_t errors::lost(way w) const {
  std::size_t n = 0;
  for (std::size_t k = 0; k < points.size(); ++k) n += lost_at(w, k) ? 1 : 0;
  return n;
}

std::optional<measurement> measure(problem const& p, settings const& how) {
  measurement m;
  m.of = p;
  if (how.gradient) {
    if (p.variables.size() != 1) return {};
    std::optional<problem> d = derivative(p);
    if (!d) return {};
    m.of = std::move(*d);
  }
  std::vector<compiled> made;
  for (way w : ways) {
    made.emplace_back(p, w, how.gradient,
                      w == way::optimized ? how.excluded : std::vector<std::string>{},
                      w == way::optimized ? how.included : std::vector<std::string>{});
    m.text[static_cast<int>(w)] = made.back().text();
  }
  m.rules = made[static_cast<int>(way::optimized)].rules();
  for (sampling s : {sampling::all, sampling::middle}) {
    errors& e = m.by[static_cast<int>(s)];
    e.points = draw(m.of, s, how.points, how.seed);
    if (e.points.size() < fewest_points) {
      e.points = {};
      continue;
    }
    for (way w : ways) {
      auto const at = static_cast<int>(w);
      e.results[at] = made[static_cast<std::size_t>(at)](e.points.columns);
      double sum = 0;
      for (std::size_t k = 0; k < e.points.size(); ++k) sum += e.bits(w, k);
      e.mean[at] = sum / static_cast<double>(e.points.size());
    }
  }
  return m;
}

}  // namespace accuracy
