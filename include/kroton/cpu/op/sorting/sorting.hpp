// Sorted lines, the positions that sort them, the largest few, lines around one element, and places
// in what is sorted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/cpu/op/kernel.hpp>
#include <kroton/cpu/op/panels.hpp>
#include <kroton/cpu/op/sorting/selection.hpp>
#include <kroton/ops/along_axes/partition.hpp>

#include <algorithm>
#include <vector>

namespace kroton::cpu {

/// NumPy's order: NaN behind every number.
template <class T>
constexpr bool precedes(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a < b || (b != b && a == a);
  else return a < b;
}

/// An element of a line, with or without the position that it had there.
template <class T>
struct placed_value {
  T value;
  std::int64_t position;

  placed_value() = default;
  placed_value(T v, std::ptrdiff_t at) : value(v), position(at) {}
  /// Among numbers, of which equal ones keep their order.
  static bool before(placed_value const& a, placed_value const& b) {
    return (a.value < b.value) | ((a.value == b.value) & (a.position < b.position));
  }
};
template <class T>
struct lone_value {
  T value;

  lone_value() = default;
  lone_value(T v, std::ptrdiff_t) : value(v) {}
  static bool before(lone_value const& a, lone_value const& b) { return a.value < b.value; }
};

/// What arranges lines one by one: the elements of a line.
template <class E>
std::vector<E>& line_buffer(std::ptrdiff_t n) {
  static thread_local std::vector<E> buffer;
  if (buffer.size() < static_cast<std::size_t>(n)) buffer.resize(static_cast<std::size_t>(n));
  return buffer;
}

template <>
struct kernel<op::sort> {
  template <class T>
    requires std::is_arithmetic_v<T>
  static void run(core::invocation const& call) {
    int const axis = static_cast<int>(call.attribute(0));
    core::array_ref const& positions = call.result(1);
    bool const order = positions.data != nullptr;
    core::array_ref const* const arrays[] = {&call.operand(0), &call.result(0),
                                             order ? &positions : &call.result(0)};
    T const* const x = reinterpret_cast<T const*>(arrays[0]->data);
    T* const sorted = reinterpret_cast<T*>(arrays[1]->data);
    std::ptrdiff_t const n = arrays[0]->extents[axis];
    auto& line = line_buffer<placed_value<T>>(n);
    for_each_panel(arrays, axis, [&](panel<3> const& p) {
      for (std::ptrdiff_t j = 0; j < p.width; ++j) {
        if (!order && p.along[1] == 1) {
          T* const to = sorted + p.at(1, 0, j);
          for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = x[p.at(0, i, j)];
          std::sort(to, to + n, precedes<T>);
          continue;
        }
        for (std::ptrdiff_t i = 0; i < n; ++i)
          line[static_cast<std::size_t>(i)] = {x[p.at(0, i, j)], i};
        std::sort(line.begin(), line.begin() + n, [](auto const& a, auto const& b) {
          if (precedes(a.value, b.value)) return true;
          return !precedes(b.value, a.value) && a.position < b.position;
        });
        for (std::ptrdiff_t i = 0; i < n; ++i) {
          sorted[p.at(1, i, j)] = line[static_cast<std::size_t>(i)].value;
          if (!order) continue;
          reinterpret_cast<std::int64_t*>(positions.data)[p.at(2, i, j)] =
              line[static_cast<std::size_t>(i)].position;
        }
      }
    });
  }
};

/// Arranges each line along the axis, as elements of type E, and stores its first `count`.
template <class T, class E, class Arrange>
void arrange_lines(core::invocation const& call, std::ptrdiff_t count, Arrange arrange) {
  int const axis = static_cast<int>(call.attribute(0));
  core::array_ref const& positions = call.result(1);
  bool const order = positions.data != nullptr;
  core::array_ref const* const arrays[] = {&call.operand(0), &call.result(0),
                                           order ? &positions : &call.result(0)};
  T const* const x = reinterpret_cast<T const*>(arrays[0]->data);
  std::ptrdiff_t const n = arrays[0]->extents[axis];
  auto& line = line_buffer<E>(n);
  for_each_panel(arrays, axis, [&](panel<3> const& p) {
    for (std::ptrdiff_t j = 0; j < p.width; ++j) {
      for (std::ptrdiff_t i = 0; i < n; ++i)
        line[static_cast<std::size_t>(i)] = {x[p.at(0, i, j)], i};
      arrange(line.begin(), line.begin() + n);
      for (std::ptrdiff_t i = 0; i < count; ++i) {
        reinterpret_cast<T*>(arrays[1]->data)[p.at(1, i, j)] =
            line[static_cast<std::size_t>(i)].value;
        if constexpr (requires(E e) { e.position; })
          if (order)
            reinterpret_cast<std::int64_t*>(positions.data)[p.at(2, i, j)] =
                line[static_cast<std::size_t>(i)].position;
      }
    }
  });
}

template <>
struct kernel<op::topk> {
  template <class T>
    requires std::is_arithmetic_v<T>
  static void run(core::invocation const& call) {
    auto const axis = call.attribute(0);
    std::ptrdiff_t const n = call.operand(0).extents[axis], k = call.result(0).extents[axis];
    if (k < 0 || k > n)
      throw value_error(
          core::message({"topk: ", k, " elements were requested from an axis of ", n}));
    arrange_lines<T, placed_value<T>>(call, k, [k](auto begin, auto end) {
      std::partial_sort(begin, begin + k, end, [](auto const& a, auto const& b) {
        if (precedes(b.value, a.value)) return true;
        return !precedes(a.value, b.value) && a.position < b.position;
      });
    });
  }
};

template <>
struct kernel<op::partition> {
  template <class T>
    requires std::is_arithmetic_v<T>
  static void run(core::invocation const& call) {
    std::ptrdiff_t const n = call.operand(0).extents[call.attribute(0)];
    std::vector<std::ptrdiff_t> const& places = places_of(call.operand(1), n);
    if (call.result(1).data != nullptr) arrange<T, placed_value<T>>(call, n, places);
    else arrange<T, lone_value<T>>(call, n, places);
  }

 private:
  template <class T, class E>
  static void arrange(core::invocation const& call, std::ptrdiff_t n,
                      std::vector<std::ptrdiff_t> const& places) {
    auto const before = [](E const& a, E const& b) { return E::before(a, b); };
    selection<E, decltype(before)> numbers(before);
    arrange_lines<T, E>(call, n, [&](auto begin, auto end) {
      E* const first = std::to_address(begin);
      std::ptrdiff_t count = end - begin;
      if constexpr (std::is_floating_point_v<T>)
        count = move_to_front(first, count, [](E const& x) { return x.value == x.value; });
      numbers.run(first, count, places);
    });
  }
  // From the first to the last, each once.
  static std::vector<std::ptrdiff_t>& places_of(core::array_ref const& kth, std::ptrdiff_t n) {
    static thread_local std::vector<std::ptrdiff_t> places;
    auto const* const given = reinterpret_cast<std::int64_t const*>(kth.data);
    places.clear();
    for (std::ptrdiff_t i = 0; i < kth.size(); ++i) {
      std::int64_t const k = given[kth.rank == 0 ? 0 : i * kth.strides[0]];
      if (k < -n || k >= n)
        throw value_error(
            core::message({"partition: position ", k, " is outside an axis of ", n, " elements"}));
      places.push_back(k < 0 ? k + n : k);
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
  }
};

/// A sorted vector and the places in it at which values would keep it sorted: before equal
/// elements, or behind them.
template <class T, bool Behind>
class sorted_vector {
 public:
  explicit sorted_vector(core::array_ref const& a)
      : first_(reinterpret_cast<T const*>(a.data)), size_(a.extents[0]), step_(a.strides[0]) {}

  /// Halves what is left without branches, which no processor would predict.
  std::ptrdiff_t place(T value, std::ptrdiff_t begin, std::ptrdiff_t end) const {
    std::ptrdiff_t left = end - begin;
    while (left > 1) {
      std::ptrdiff_t const half = left / 2;
      begin += stands_before(begin + half - 1, value) ? half : 0;
      left -= half;
    }
    return begin + (left == 1 && stands_before(begin, value) ? 1 : 0);
  }
  std::ptrdiff_t place(T value) const { return place(value, 0, size_); }
  /// The place of a value that comes behind one with place `begin`: a few steps from there, each
  /// twice as long as the one before.
  std::ptrdiff_t place_behind(T value, std::ptrdiff_t begin) const {
    for (std::ptrdiff_t step = 1;; step *= 2) {
      std::ptrdiff_t const last = begin + step - 1;
      if (last >= size_) return place(value, begin, size_);
      if (!stands_before(last, value)) return step == 1 ? begin : place(value, begin, last);
      begin = last + 1;
    }
  }

 private:
  bool stands_before(std::ptrdiff_t i, T value) const {
    T const met = first_[i * step_];
    return Behind ? !precedes(value, met) : precedes(met, value);
  }

  T const* first_;
  std::ptrdiff_t size_, step_;
};

template <>
struct kernel<op::searchsorted> {
  template <class T>
    requires std::is_arithmetic_v<T>
  static void run(core::invocation const& call) {
    if (call.attribute(0) != 0) find<T, true>(call);
    else find<T, false>(call);
  }

 private:
  template <class T, bool Behind>
  static void find(core::invocation const& call) {
    core::array_ref const &v = call.operand(1), &out = call.result();
    sorted_vector<T, Behind> const sorted(call.operand(0));
    std::ptrdiff_t const n = v.rank == 0 ? 1 : v.extents[v.rank - 1],
                         step = v.rank == 0 ? 0 : v.strides[v.rank - 1];
    core::for_each_row(out, v, [&](std::ptrdiff_t to, std::ptrdiff_t from) {
      T const* const values = reinterpret_cast<T const*>(v.data) + from;
      auto* const places = reinterpret_cast<std::int64_t*>(out.data) + to;
      bool ascend = n > 1;
      for (std::ptrdiff_t i = 1; ascend && i < n; ++i)
        ascend = !precedes(values[i * step], values[(i - 1) * step]);
      for (std::ptrdiff_t i = 0; i < n; ++i)
        places[i] = ascend && i > 0
                        ? sorted.place_behind(values[i * step],
                                              static_cast<std::ptrdiff_t>(places[i - 1]))
                        : sorted.place(values[i * step]);
    });
  }
};

}  // namespace kroton::cpu
