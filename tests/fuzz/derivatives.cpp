// Gradients against differences: one number for all arguments and outputs of a program.
// SPDX-License-Identifier: BSD-3-Clause
#include "derivatives.hpp"

#include "generate.hpp"
#include "record.hpp"

#include <kroton/ops/loop/layout.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace fuzz {

namespace {

/// Whether gradients are those of differences: none is stopped or truncated on its way, no number is rounded to 16 bits, or belongs to an element that is written
/// twice, and no steps lie so close that differences go over many.
bool is_whole(kt::graph const& g) {
  for (auto const& body : g.bodies()) {
    for (int id : body->results())
      if (kt::core::is_short(body->type(id).element)) return false;
    if (!is_whole(*body)) return false;
  }
  for (int id = 0; id < g.size(); ++id) {
    static constexpr std::string_view others[] = {"stop_gradient", "set_take", "floor", "ceil", "round", "trunc", "mod", "floordiv"};
    if (std::find(std::begin(others), std::end(others), g[id].op->name) != std::end(others)) return false;
    bool const rounds = g.is<kt::op::cast>(id) && !g.is_stored(id);
    if (rounds && kt::core::is_short(g.type(id).element)) return false;
    if (g.is<kt::op::scan>(id) && g.attribute(id, kt::ops::scan_layout::truncate) >= 0) return false;
  }
  return true;
}

bool is_differentiable(argument const& a) {
  if (!kt::core::is_float(a.type.element)) return false;
  for (real x : a.data)
    if (!std::isfinite(x)) return false;
  return true;
}

/// A number to which every output contributes, bounded and smooth.
class cost {
 public:
  explicit cost(program const& p) : arguments_(p.arguments) {
    std::vector<kt::term> const values = record(graph_, p);
    kt::term total{};
    for (int v : p.outputs) {
      kt::term const x = values[static_cast<std::size_t>(v)];
      if (!kt::core::is_float(x.element())) continue;
      kt::term const part = kt::sum(kt::atan(kt::term{&graph_, graph_.cast(x.id, kt::element::float64)}));
      total = total.exists() ? total + part : part;
    }
    graph_.results() = {};
    if (total.exists()) graph_.results().push_back(total.id);
  }

  bool exists() const { return graph_.error().empty() && !graph_.results().empty() && is_whole(graph_); }
  real at(std::vector<argument> const& arguments) const { return evaluator(graph_, arguments, false)[graph_.results()[0]].data[0]; }
  /// How far rounding of the element type may carry it; nothing where rounding decides more than that.
  std::optional<real> spread() const {
    evaluator const values(graph_, arguments_, true);
    if (values[graph_.results()[0]].flags[0] != 0) return {};
    return values.spread(graph_.results()[0], 0, true);
  }
  /// Its derivative along a direction, from its gradient, in all lanes of an evaluation.
  std::optional<std::vector<real>> slope(std::vector<argument> const& direction) const {
    kt::graph g = graph_;
    kt::term const total{&g, graph_.results()[0]};
    g.results() = {};
    std::vector<std::size_t> which;
    for (std::size_t k = 0; k < arguments_.size(); ++k) {
      if (!is_differentiable(arguments_[k])) continue;
      which.push_back(k);
      g.results().push_back(kt::grad(total, kt::term{&g, g.parameters()[static_cast<int>(k)]}, kt::disconnected::zero).id);
    }
    if (which.empty() || !g.error().empty()) return {};
    evaluator const values(g, arguments_, true);
    std::size_t const lanes = static_cast<std::size_t>(values.lanes());
    std::vector<real> sums(lanes);
    for (std::size_t k = 0; k < which.size(); ++k) {
      tensor const& gradient = values[g.results()[static_cast<int>(k)]];
      argument const& along = direction[which[k]];
      if (gradient.shape != along.shape) throw std::logic_error("a gradient of another shape");
      for (std::size_t i = 0; i < along.data.size(); ++i)
        for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += gradient.data[i * lanes + lane] * along.data[i];
    }
    return sums;
  }

 private:
  std::vector<argument> const& arguments_;
  kt::graph graph_;
};

}  // namespace

std::optional<failure> fault_of_gradient(program const& written, long& compared) try {
  constexpr real h = 1e-5L;
  dice random(written.calls.size());
  program p = written;
  // Kinks and jumps are mostly at numbers that programs contain.
  for (argument& a : p.arguments)
    for (real& x : a.data)
      if (kt::core::is_float(a.type.element)) x += random.uniform(-0.01L, 0.01L);
  cost const f(p);
  if (!f.exists()) return {};
  std::vector<argument> direction = p.arguments;
  for (argument& a : direction)
    for (real& x : a.data) x = random.uniform(-1, 1);
  std::optional<std::vector<real>> const slopes = f.slope(direction);
  std::optional<real> const spread = f.spread();
  if (!slopes || !spread) return {};
  real const slope = (*slopes)[0];
  // Extended precision has three digits more.
  real noise = *spread / h;
  for (real s : *slopes) noise = std::fmax(noise, std::isfinite(s) ? std::abs(s - slope) : 1);
  if (!std::isfinite(slope) || noise > 1e-4L * (1 + std::abs(slope))) return {};
  auto moved = [&](real h) {
    std::vector<argument> to = p.arguments;
    for (std::size_t k = 0; k < to.size(); ++k)
      for (std::size_t i = 0; i < to[k].data.size() && is_differentiable(p.arguments[k]); ++i) to[k].data[i] += h * direction[k].data[i];
    return f.at(to);
  };
  real const here = moved(0), after = moved(h), before = moved(-h);
  real const wide = (after - before) / (2 * h), narrow = (moved(h / 2) - moved(-h / 2)) / h, best = (4 * narrow - wide) / 3;
  real const scale = 1 + std::abs(best), kink = std::abs(after - 2 * here + before) / h;
  // A derivative that is large is one of a jump, or of a pole nearby.
  if (!std::isfinite(best) || std::abs(best) > 1e4L || kink > 1e-2L * scale || std::abs(wide - narrow) > 1e-6L * scale) return {};
  ++compared;
  if (std::abs(slope - best) <= 1e-5L * scale + 10 * std::abs(wide - narrow)) return {};
  std::ostringstream text;
  text.precision(12);
  text << "the gradient along a direction is " << slope << ", differences are " << best;
  return failure{0, "gradient", text.str(), {}};
} catch (std::domain_error const&) {
  return {};
}

}  // namespace fuzz
