// Compares results, and finds the rule that changed them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/print/describe.hpp>
#include <kroton/runtime/finite.hpp>
#include <kroton/runtime/make.hpp>
#include <kroton/runtime/noise.hpp>
#include <kroton/runtime/run.hpp>
#include <kroton/runtime/supervisor.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace kroton::runtime {

namespace detail {

/// The number of real numbers in an array: two for each complex number.
inline std::size_t count_of(array const& a) {
  return core::is_complex(a.element_type()) ? 2 * a.size() : a.size();
}
/// Calls visit with the address of the real numbers of an array.
template <class Visit>
auto visit_numbers(array const& a, Visit visit) {
  return visit_element(a.element_type(), [&]<class T>(std::type_identity<T>) {
    return visit(
        reinterpret_cast<core::value_t<core::real_of(core::element_of<T>())> const*>(a.ref().data));
  });
}
/// One of these numbers as double.
inline double number_at(array const& a, std::size_t i) {
  return visit_numbers(a, [&](auto const* x) { return static_cast<double>(x[i]); });
}
/// Whether a number is the same: 64-bit integers that are the same double count as equal.
inline bool same_at(array const& a, array const& b, std::size_t i) {
  return visit_numbers(
      a, [&]<class T>(T const* x) { return x[i] == reinterpret_cast<T const*>(b.ref().data)[i]; });
}
/// How far a result may be from the one as written; a number of 16 bits from that to a neighbour.
struct tolerance {
  double relative, tiny;
};
inline tolerance tolerance_of(element real) {
  switch (real) {
    case element::bfloat16: return {0x1p-7, std::numeric_limits<bfloat16>::denorm_min()};
    case element::float16: return {0x1p-10, std::numeric_limits<half>::denorm_min()};
    case element::float32: return {1e-4, std::numeric_limits<float>::min()};
    default: return {1e-9, std::numeric_limits<double>::min()};
  }
}
inline std::string shape_text(std::vector<std::size_t> const& shape) {
  std::string text;
  for (std::size_t extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return shape.empty() ? "a scalar" : text;
}

}  // namespace detail

/// One call, and the results of the graph as written.
class supervisor::comparison {
 public:
  comparison(supervisor const& of, std::vector<array> const& inputs)
      : of_(of), inputs_(inputs), expected_(interpret(*of.program_)) {}

  /// The first difference in words, or an empty string.
  std::string difference(std::vector<array> const& got) {
    for (std::size_t k = 0; k < expected_.size(); ++k) {
      array const &have = got[k], &wanted = expected_[k];
      std::string const where = "output " + std::to_string(k + 1);
      if (have.element_type() != wanted.element_type())
        return where + " has a different element type";
      if (have.shape() != wanted.shape())
        return where + " has the shape " + detail::shape_text(have.shape()) + ", as written " +
               detail::shape_text(wanted.shape());
      bool const exact = !core::is_continuous(wanted.element_type());
      detail::tolerance const allowed = detail::tolerance_of(core::real_of(wanted.element_type()));
      for (std::size_t i = 0; i < detail::count_of(wanted); ++i) {
        double const x = detail::number_at(have, i), want = detail::number_at(wanted, i);
        if (detail::same_at(have, wanted, i) || (std::isnan(x) && std::isnan(want))) continue;
        if (!std::isfinite(want) && !of_.options_.ieee) continue;
        if (!exact && std::abs(x - want) <= allowed.relative * std::abs(want) + allowed.tiny)
          continue;
        if (std::isfinite(want) && is_rounding(k, i, std::abs(x - want), want)) continue;
        std::ostringstream text;
        text.precision(17);
        text << where << " differs at element "
             << (core::is_complex(wanted.element_type()) ? i / 2 : i) << " of "
             << detail::shape_text(wanted.shape()) << ": it is " << x << ", as written " << want;
        return text.str();
      }
    }
    return {};
  }

  /// Finds the rule that changes the value: optimizes and interprets the graph again, without one
  /// rule at a time.
  std::string blame() {
    if (agrees(of_.options_))
      return "no rule is to blame: the interpreter agrees on the optimized graph, so the compiled "
             "kernels differ\n" +
             inputs_text();
    rewrite::rewrite_log log;
    rewrite::rewrite_options logged = of_.options_;
    logged.log = &log;
    functions::prepare(of_.written_, of_.last_, logged);
    std::vector<std::string_view> seen,
        excluded(of_.options_.excluded.begin(), of_.options_.excluded.end());
    auto agrees_without = [&](std::string_view name) {
      excluded.push_back(name);
      rewrite::rewrite_options without = of_.options_;
      without.excluded = excluded;
      return agrees(without);
    };
    for (std::string_view name : log) {
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
      seen.push_back(name);
      if (agrees_without(name))
        return "the rule \"" + std::string(name) + "\" changes the value\n" + inputs_text();
      excluded.pop_back();
    }
    // Several rules: excludes them one after another until the value is right.
    for (std::string_view name : seen)
      if (agrees_without(name))
        return "several rules change the value, the last of them \"" + std::string(name) + "\"\n" +
               inputs_text();
    return "no single rule is to blame: the normal form or the plan changes the value\n" +
           inputs_text();
  }

  /// The first op that produces a NaN, an infinity or a value beyond the bound from others in the
  /// graph as written, in words, or an empty string.
  std::string first_out_of_bounds(double bound) const {
    finite_check watch(bound);
    interpret(*of_.program_);
    return watch.found().empty() ? std::string() : watch.found() + "\n" + inputs_text();
  }

 private:
  std::vector<array> interpret(program const& p) const {
    cpu::frame f(p.tables());
    for (std::size_t k = 0; k < inputs_.size(); ++k)
      f.bind(static_cast<int>(k), inputs_[k].ref());
    std::vector<array> outputs;
    run_program(p, f, outputs);
    return outputs;
  }
  bool agrees(rewrite::rewrite_options const& options) {
    return difference(interpret(*make_program(of_.written_, of_.last_, options))).empty();
  }
  /// Whether element i of output k varies enough when every operation has an error. If a few runs
  /// do not suffice, more are made.
  bool is_rounding(std::size_t k, std::size_t i, double difference, double want) {
    for (std::size_t runs : {6u, 24u, 96u}) {
      while (noisy_.size() < runs) {
        noise const source(noisy_.size(), of_.options_.ieee);
        noisy_.push_back(interpret(*of_.program_));
      }
      for (auto const& run : noisy_) {
        double const x = detail::number_at(run[k], i);
        if (!std::isfinite(x) || difference < 8 * std::abs(x - want)) return true;
      }
    }
    return false;
  }
  std::string inputs_text() const {
    std::ostringstream text;
    text.precision(17);
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      text << "  "
           << printing::node_text(of_.written_, of_.written_.parameters()[static_cast<int>(k)])
           << ", " << detail::shape_text(inputs_[k].shape()) << ":";
      std::size_t const shown = std::min<std::size_t>(detail::count_of(inputs_[k]), 8);
      for (std::size_t i = 0; i < shown; ++i) text << ' ' << detail::number_at(inputs_[k], i);
      text << (shown < detail::count_of(inputs_[k]) ? " ...\n" : "\n");
    }
    return text.str();
  }

  supervisor const& of_;
  std::vector<array> const& inputs_;
  std::vector<array> expected_;
  std::vector<std::vector<array>> noisy_;  // made only if something is suspect
};

KROTON_RUNTIME_INLINE supervisor::supervisor(kroton::graph written, stage last,
                                             rewrite::rewrite_options const& options,
                                             std::optional<double> bound)
    : written_(std::move(written)), last_(last), options_(options), bound_(bound) {
  for (auto& name : written_.names()) name.name = names_.emplace_back(name.name);
  program_ = make_program(written_, stage::as_written, {});
}

KROTON_RUNTIME_INLINE void supervisor::check(std::vector<array> const& inputs,
                                             std::vector<array> const& got) const {
  comparison c(*this, inputs);
  if (std::string const difference = c.difference(got); !difference.empty())
    throw debug_error("kt::mode::debug: " + difference + "\n" + c.blame());
  if (!bound_) return;
  if (std::string const found = c.first_out_of_bounds(*bound_); !found.empty())
    throw debug_error("kt::mode::debug_finite: " + found);
}

}  // namespace kroton::runtime
