// How results are compared, and how the rule that spoiled them is found.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/print/describe.hpp>
#include <kroton/runtime/compare.hpp>
#include <kroton/runtime/finite.hpp>
#include <kroton/runtime/make.hpp>
#include <kroton/runtime/noise.hpp>
#include <kroton/runtime/run.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace kroton::runtime {

KROTON_RUNTIME_INLINE std::vector<array> interpret(kroton::graph const& g, stage last, core::rewrite_options const& options,
                                                   std::vector<array> const& inputs) {
  auto const p = make_program(g, last, options);
  core::frame f(p->tables());
  for (std::size_t k = 0; k < inputs.size(); ++k) core::bind(f, static_cast<int>(k), inputs[k].ref());
  std::vector<array> outputs;
  run_program(*p, f, outputs);
  return outputs;
}

KROTON_RUNTIME_INLINE comparison::comparison(kroton::graph const& written, std::vector<array> inputs)
    : written_(written), inputs_(std::move(inputs)), expected_(interpret(written_, stage::as_written, {}, inputs_)) {}

KROTON_RUNTIME_INLINE std::string comparison::first_not_finite() const {
  finite_check watch;
  interpret(written_, stage::as_written, {}, inputs_);
  return watch.found().empty() ? std::string() : watch.found() + "\n" + inputs_text();
}

namespace detail {

/// An element as double.
inline double number_at(array const& a, std::size_t i) {
  return visit_element(a.element_type(), [&]<class T>(std::type_identity<T>) { return static_cast<double>(a.data<T>()[i]); });
}
/// Whether an element is the same: integers of 64 bits may differ where they are the same double.
inline bool same_at(array const& a, array const& b, std::size_t i) {
  return visit_element(a.element_type(), [&]<class T>(std::type_identity<T>) { return a.data<T>()[i] == b.data<T>()[i]; });
}
inline double largest(array const& a) {
  double result = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (double const x = std::abs(number_at(a, i)); std::isfinite(x)) result = std::max(result, x);
  return result;
}
inline std::string shape_text(std::vector<std::size_t> const& shape) {
  std::string text;
  for (std::size_t extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return shape.empty() ? "a scalar" : text;
}

}  // namespace detail

KROTON_RUNTIME_INLINE std::string comparison::difference(std::vector<array> const& got, bool ieee) const {
  std::vector<std::vector<array>> noisy;
  // How far element i of output k moves when every operation errs.
  auto spread = [&](std::size_t k, std::size_t i, double want) {
    for (std::uint64_t seed = 1; noisy.size() < 6; ++seed) {
      noise const source(seed);
      noisy.push_back(interpret(written_, stage::as_written, {}, inputs_));
    }
    double widest = 0;
    for (auto const& run : noisy) {
      double const x = detail::number_at(run[k], i);
      widest = std::max(widest, std::isfinite(x) ? std::abs(x - want) : INFINITY);
    }
    return widest;
  };
  for (std::size_t k = 0; k < expected_.size(); ++k) {
    array const &have = got[k], &wanted = expected_[k];
    std::string const where = "output " + std::to_string(k + 1);
    if (have.element_type() != wanted.element_type()) return where + " has another element type";
    if (have.shape() != wanted.shape())
      return where + " has the shape " + detail::shape_text(have.shape()) + ", as written " + detail::shape_text(wanted.shape());
    bool const single = wanted.element_type() == element::float32, exact = !core::is_float(wanted.element_type());
    double const scale = detail::largest(wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      double const x = detail::number_at(have, i), want = detail::number_at(wanted, i);
      if (detail::same_at(have, wanted, i) || (std::isnan(x) && std::isnan(want))) continue;
      if (!std::isfinite(want) && !ieee) continue;
      double const relative = single ? 1e-4 : 1e-9, absolute = single ? 1e-6 : 1e-13;
      if (!exact && std::abs(x - want) <= relative * std::abs(want) + absolute * scale) continue;
      if (std::isfinite(want)) {
        double const moves = spread(k, i, want);
        if (!(exact && moves == 0) && std::abs(x - want) <= 8 * moves) continue;
      }
      std::ostringstream text;
      text.precision(17);
      text << where << " differs at element " << i << " of " << detail::shape_text(wanted.shape()) << ": it is " << x
           << ", as written " << want;
      return text.str();
    }
  }
  return {};
}

KROTON_RUNTIME_INLINE bool comparison::agrees(stage last, core::rewrite_options const& options) const {
  return difference(interpret(written_, last, options, inputs_), options.ieee).empty();
}

KROTON_RUNTIME_INLINE std::string comparison::blame(stage last, core::rewrite_options const& options) const {
  if (agrees(last, options))
    return "no rule is to blame: the interpreter agrees on the optimized graph, so the compiled kernels differ\n" + inputs_text();
  core::rewrite_log log;
  core::rewrite_options logged = options;
  logged.log = &log;
  core::prepare(written_, last, logged);
  std::vector<std::string_view> seen, excluded(options.excluded.begin(), options.excluded.end());
  for (std::string_view name : log) {
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    excluded.push_back(name);
    core::rewrite_options without = options;
    without.excluded = excluded;
    if (agrees(last, without)) return "the rule \"" + std::string(name) + "\" changes the value\n" + inputs_text();
    excluded.pop_back();
  }
  // More than one: leave them out one after the other until the value is right.
  for (std::string_view name : seen) {
    excluded.push_back(name);
    core::rewrite_options without = options;
    without.excluded = excluded;
    if (agrees(last, without))
      return "several rules change the value, the last of them \"" + std::string(name) + "\"\n" + inputs_text();
  }
  return "no single rule is to blame: the normal form or the plan changes the value\n" + inputs_text();
}

KROTON_RUNTIME_INLINE std::string comparison::inputs_text() const {
  std::ostringstream text;
  text.precision(17);
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    text << "  " << core::node_text(written_, written_.parameters()[static_cast<int>(k)]) << ", "
         << detail::shape_text(inputs_[k].shape()) << ":";
    std::size_t const shown = std::min<std::size_t>(inputs_[k].size(), 8);
    for (std::size_t i = 0; i < shown; ++i) text << ' ' << detail::number_at(inputs_[k], i);
    text << (shown < inputs_[k].size() ? " ...\n" : "\n");
  }
  return text.str();
}

}  // namespace kroton::runtime
