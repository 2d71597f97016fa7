// Where rewriting with kt::mode::ieee gives other values, signs of zero, infinities or NaN than the expression as written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/runtime.hpp>

#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ieee_test {

namespace kt = kroton;
using kt::runtime::array;

template <class T>
std::vector<T> extremes() {
  using limits = std::numeric_limits<T>;
  std::vector<T> x{limits::quiet_NaN()};
  for (T v : {T(0), limits::denorm_min(), limits::min(), T(1e-20), T(1e-5), T(0.5), T(1), T(2), T(18), T(40), T(100), T(800), T(1e17),
              std::sqrt(limits::max()), limits::max() / 2, limits::max(), limits::infinity()})
    for (T sign : {T(1), T(-1)}) x.push_back(sign * v);
  return x;
}

/// All pairs of extremes, and a third number next to them, as rows of a matrix or in a line.
template <class T>
std::vector<array> arguments(bool matrices) {
  std::vector<T> const x = extremes<T>();
  T const third[] = {T(-0.0), T(3), T(1e-30), -std::numeric_limits<T>::infinity()};
  std::size_t const n = x.size();
  std::vector<std::size_t> const shape = matrices ? std::vector<std::size_t>{n * n, 4} : std::vector<std::size_t>{4 * n * n};
  std::vector<array> result(3, array(kt::core::element_of<T>(), shape));
  for (std::size_t i = 0; i < 4 * n * n; ++i) {
    result[0].data<T>()[i] = x[i / 4 % n];
    result[1].data<T>()[i] = x[(i / 4 / n + i % 4) % n];
    result[2].data<T>()[i] = third[(i / 2) % 4];
  }
  return result;
}

inline std::vector<array> values(kt::graph const& g, kt::stage last, std::vector<array> const& arguments, std::set<std::string>* fired = nullptr) {
  kt::rewrite::rewrite_options options;
  kt::rewrite::rewrite_log log;
  options.ieee = true;
  options.log = &log;
  kt::runtime::function<std::vector<array>> const f(kt::runtime::make_program(g, last, options));
  std::vector<array const*> list;
  for (int k = 0; k < g.parameters().size(); ++k) list.push_back(&arguments[static_cast<std::size_t>(k)]);
  std::vector<array> result;
  f.into(result, {list.data(), static_cast<int>(list.size())});
  if (fired != nullptr)
    for (auto name : log) fired->insert(std::string(name));
  return result;
}

/// Of each element the largest finite magnitude that the expression as written goes through on the way.
template <class T>
std::vector<T> scales(kt::graph g, std::vector<array> const& arguments) {
  std::size_t const size = values(g, kt::stage::as_written, arguments)[0].size();
  std::vector<T> scale(size, std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon());
  kt::tensor_type const type = g.type(g.results()[0]);
  g.results().clear();
  for (int id = 0; id < g.size(); ++id)
    if (g.type(id) == type && !g.is<kt::op::input>(id) && !g.is_literal(id)) g.results().push_back(id);
  for (array const& a : values(g, kt::stage::as_written, arguments))
    for (std::size_t i = 0; a.size() == size && i < size; ++i)  // of one type may be a part, too
      if (T const v = std::abs(a.data<T>()[i]); std::isfinite(v)) scale[i] = std::max(scale[i], v);
  return scale;
}

/// Where a form of a graph differs from the graph as written; "" where it does nowhere. The sign of a zero in a product of
/// matrices is that of the library which adds it up.
template <class T>
std::string difference(kt::graph const& g, std::vector<array> const& arguments, std::set<std::string>& fired, bool signs_of_zero = true) {
  std::vector<array> const written = values(g, kt::stage::as_written, arguments);
  if (written[0].element_type() != kt::core::element_of<T>()) return "another element type";
  std::vector<T> const scale = scales<T>(g, arguments);
  for (kt::stage last : {kt::stage::canonicalize, kt::stage::stabilize, kt::stage::specialize}) {
    std::vector<array> const got = values(g, last, arguments, &fired);
    for (std::size_t i = 0; i < got[0].size(); ++i) {
      T const want = written[0].data<T>()[i], have = got[0].data<T>()[i];
      bool same = std::isnan(want) ? std::isnan(have) : want == have;
      if (want == 0 && have == 0) same = !signs_of_zero || std::signbit(want) == std::signbit(have);
      else if (std::isfinite(want) && std::isfinite(have))
        same = std::abs(want - have) <= 100 * std::numeric_limits<T>::epsilon() * scale[i];
      if (same) continue;
      std::ostringstream text;
      text << "at";
      std::size_t const at = got[0].size() == arguments[0].size() ? i : i * (arguments[0].size() / got[0].size());
      for (int k = 0; k < g.parameters().size(); ++k) text << " " << arguments[static_cast<std::size_t>(k)].data<T>()[at];
      text << ": " << want << " becomes " << have;
      return text.str();
    }
  }
  return "";
}

}  // namespace ieee_test
