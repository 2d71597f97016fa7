// kroton_fuzz_extents N SEED: random programs whose extents are computed from arguments up to the ends of int64, against shapes in
// 128 bits: refused where a number of elements is none, and the same arrays as written and optimized elsewhere. And outputs of one
// call into random parts of one array, against a count of what would be written twice.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace kt = kroton;
using kt::term;
using kt::runtime::array;

namespace {

using wide = __int128;
constexpr wide most_bytes = wide(1) << 56, most_to_compute = 20'000;

/// The product, or the end of the range that it lies beyond.
wide product_of(wide a, wide b) {
  constexpr wide smallest = wide(1) << 127, largest = ~smallest;
  wide product;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) != (b < 0) ? smallest : largest;
}
constexpr int arguments = 3;

std::int64_t const ends[] = {-1, -2, INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, std::int64_t(1) << 31, std::int64_t(1) << 32,
                             (std::int64_t(1) << 32) + 1, (std::int64_t(1) << 60) + 1, std::int64_t(1) << 62, (std::int64_t(1) << 61) + 3};

/// An extent, and what it is in 128 bits.
struct extent {
  term in_graph;
  wide value;
};

/// A tensor of float64 with its shape; no shape is one that a call has to refuse.
class recorder {
 public:
  recorder(kt::graph& g, std::mt19937_64& random, std::int64_t const* values) : g_(g), random_(random), values_(values) {
    x_ = {&g, g.input({kt::element::float64, 1, 0}, 0)};
    for (int k = 0; k < arguments; ++k) inputs_[k] = {&g, g.input({kt::element::int64, 0, 0}, k + 1)};
    shape_ = {16};
  }
  void run() {
    for (int step = 1 + below(4); step > 0 && !refused_ && !too_large_; --step) take();
    g_.results().push_back(x_.id);
  }
  bool refused() const { return refused_; }
  bool too_large() const { return too_large_; }
  std::vector<wide> const& shape() const { return shape_; }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  int rank() const { return static_cast<int>(shape_.size()); }
  term number(std::int64_t n) { return {&g_, g_.literal(n, kt::element::int64)}; }
  extent some() {
    int const k = below(arguments);
    extent const one{inputs_[k], values_[k]};
    switch (below(6)) {
      case 0: return {number(2), 2};
      case 1: {
        int const other = below(arguments);
        return {one.in_graph * inputs_[other], product_of(one.value, values_[other])};
      }
      case 2: return {one.in_graph * 3, product_of(one.value, 3)};
      case 3: return {one.in_graph + 1, one.value + 1};
      default: return one;
    }
  }
  extent own(int d) { return {kt::ops::extent(x_, d), shape_[static_cast<std::size_t>(d)]}; }
  wide count() const {
    wide n = 1;
    for (wide e : shape_) n = product_of(n, e);
    return n;
  }

  // The shape of a result: refused where an extent is negative, or the others than 0 have no product.
  void becomes(std::vector<extent> const& extents, bool fits = true) {
    wide product = 8;
    shape_.clear();
    for (extent const& e : extents) {
      if (e.value < 0 || (e.value > 0 && e.value > most_bytes / product)) fits = false;
      if (fits && e.value > 0) product *= e.value;
      shape_.push_back(e.value);
    }
    refused_ = !fits;
    too_large_ = too_large_ || (fits && product > 8 * most_to_compute);
  }
  static kt::core::list<term> terms(std::vector<extent> const& extents) {
    kt::core::list<term> all;
    for (extent const& e : extents) all.push_back(e.in_graph);
    return all;
  }
  std::vector<extent> extents() {
    std::vector<extent> all;
    for (int d = 0; d < rank(); ++d) all.push_back(own(d));
    return all;
  }

  void repeat(bool elements) {
    kt::core::list<term> times;
    std::vector<extent> spread, joined;
    for (int d = 0; d < rank(); ++d) {
      extent const n = below(2) == 0 ? some() : extent{number(1), 1}, e = own(d);
      bool const once = g_.is_literal(n.in_graph.id, 1);
      times.push_back(n.in_graph);
      spread.push_back(e);
      if (!once) spread.push_back(n);
      joined.push_back({e.in_graph, product_of(e.value, n.value)});
    }
    if (spread.size() > 8) return;
    x_ = kt::ops::repeated(x_, times, elements);
    becomes(spread);
    if (!refused_) becomes(joined);
  }
  void reshape() {
    wide const before = count();
    std::vector<extent> to;
    int const asked = 1 + below(3), rest = below(asked + 1);  // at the end: none is left to be found
    wide known = 1;
    for (int d = 0; d < asked; ++d) {
      to.push_back(d == rest ? extent{number(-1), -1} : some());
      if (d != rest) known = product_of(known, to.back().value);
    }
    if (rest < asked) to[static_cast<std::size_t>(rest)].value = known == 0 ? 0 : before / known - (before % known < 0 ? 1 : 0);
    kt::core::list<term> extents;
    term product = number(1);
    for (int d = 0; d < asked; ++d)
      if (d != rest) product = product * to[static_cast<std::size_t>(d)].in_graph;
    for (int d = 0; d < asked; ++d)
      extents.push_back(d == rest ? kt::call<kt::op::floordiv>(kt::ops::count_of(x_, (1ll << x_.rank()) - 1), product)
                                  : to[static_cast<std::size_t>(d)].in_graph);
    x_ = kt::ops::reshape(x_, extents);
    wide after = 1;
    for (extent const& e : to) after = product_of(after, e.value);
    becomes(to, after == before);
  }
  void spread() {
    std::vector<extent> to = extents();
    if (to.size() > 3) return;
    to.insert(to.begin(), some());
    x_ = kt::ops::alloc(x_, terms(to));
    becomes(to);
  }
  void add() {
    std::vector<extent> to = extents();
    bool fits = true;
    for (extent& e : to)
      if (below(3) == 0) {
        extent const asked = some();
        fits = fits && asked.value == e.value;
        e = asked;
      }
    x_ = x_ + kt::ops::alloc(term{&g_, g_.literal(1.0, kt::element::float64)}, terms(to));
    becomes(to, fits);
  }
  void join() {
    std::vector<extent> more = extents();
    int const axis = below(rank());
    more[static_cast<std::size_t>(axis)] = some();
    term const filled = kt::ops::alloc(term{&g_, g_.literal(2.0, kt::element::float64)}, terms(more));
    std::vector<extent> whole = extents();
    x_ = kt::ops::join({x_, filled}, axis);
    becomes(more);
    if (refused_) return;
    whole[static_cast<std::size_t>(axis)].value += more[static_cast<std::size_t>(axis)].value;
    becomes(whole);
  }
  void sum() {
    if (rank() < 2) return;
    int const axis = below(rank());
    x_ = kt::ops::sum_over(x_, 1ll << axis, false);
    shape_.erase(shape_.begin() + axis);
  }
  void outer() {
    std::vector<extent> to = extents();
    if (to.size() > 3) return;
    int const k = below(arguments);  // no product: the maximum would take what it has wrapped to
    term const length = kt::call<kt::op::maximum>(inputs_[k], 0);
    extent const n{length, values_[k] < 0 ? 0 : values_[k]};
    kt::core::list<int> pattern, last;
    for (int d = 0; d < rank(); ++d) pattern.push_back(d), last.push_back(-1);
    pattern.push_back(-1);
    last.push_back(0);
    term const numbers{&g_, g_.cast(kt::ops::iota(length).id, kt::element::float64)};
    x_ = kt::ops::permute(x_, pattern) + kt::ops::permute(numbers, last);
    to.push_back(n);
    becomes(to);
  }
  void take() {
    switch (below(7)) {
      case 0: return repeat(below(2) == 0);
      case 1: return reshape();
      case 2: return spread();
      case 3: return add();
      case 4: return join();
      case 5: return sum();
      default: return outer();
    }
  }

  kt::graph& g_;
  std::mt19937_64& random_;
  std::int64_t const* values_;
  term x_, inputs_[arguments];
  std::vector<wide> shape_;
  bool refused_ = false, too_large_ = false;
};

/// The value of a program, or nothing where it is refused by a kt::error.
std::optional<array> value_of(kt::graph const& g, kt::stage last, array const& r, std::int64_t const* values) {
  auto const p = kt::runtime::make_program(g, last, {});
  kt::cpu::frame f(p->tables());
  std::vector<array> inputs{r}, out;
  for (int k = 0; k < arguments; ++k) inputs.emplace_back(values[k]);
  for (std::size_t k = 0; k < inputs.size(); ++k) f.bind(static_cast<int>(k), inputs[k].ref());
  try {
    kt::runtime::run_program(*p, f, out);
  } catch (kt::error const&) {
    return {};
  }
  return out[0];
}

/// Empty where a program does what its shapes say.
std::string check_program(std::mt19937_64& random) {
  std::int64_t values[arguments];
  for (auto& v : values) v = random() % 3 != 0 ? static_cast<std::int64_t>(random() % 5) : ends[random() % std::size(ends)];
  kt::graph g;
  recorder recorded(g, random, values);
  recorded.run();
  if (recorded.too_large() || !g.error().empty()) return {};
  array r(kt::element::float64, {16});
  for (std::size_t i = 0; i < 16; ++i) r.data<double>()[i] = static_cast<double>(i) - 5;
  auto const written = value_of(g, kt::stage::as_written, r, values), optimized = value_of(g, kt::stage::specialize, r, values);
  if (written.has_value() != optimized.has_value()) return written ? "refused when optimized only" : "refused as written only";
  if (written.has_value() == recorded.refused()) return written ? "not refused" : "refused, though all shapes fit";
  if (!written) return {};
  for (array const* a : {&*written, &*optimized})
    for (std::size_t d = 0; d < recorded.shape().size(); ++d)
      if (a->rank() != static_cast<int>(recorded.shape().size()) || wide(a->shape()[d]) != recorded.shape()[d]) return "another shape";
  double const *const as_written = written->data<double>(), *const elsewhere = optimized->data<double>();
  return std::equal(as_written, as_written + written->size(), elsewhere) ? "" : "another value";  // 0 and -0 are one
}

constexpr auto three = [](kt::dmatrix x) { return std::tuple(x + 1, 2 * x, exp(x)); };

/// Empty where outputs go into parts of one array, or are refused where two of them share an element.
std::string check_targets(std::mt19937_64& random) {
  static auto const f = kt::function(three);
  constexpr int size = 16, rows = 2, columns = 3;
  xt::xtensor<double, 2> m({size, size}, -1.0);
  xt::xtensor<double, 2> const x{{1, 2, 3}, {4, 5, 6}};
  auto range = [&](int count) {
    int const step = 1 + static_cast<int>(random() % 4), first = 1 + static_cast<int>(random() % static_cast<unsigned>(size - 2 - (count - 1) * step));
    int const last = first + (count - 1) * step;
    return random() % 2 == 0 ? xt::range(first, last + 1, step) : xt::range(last, first - 1, -step);
  };
  auto part = [&] { return xt::view(m, range(rows), range(columns)); };
  auto a = part(), b = part(), c = part();
  std::vector<double const*> met;
  bool shared = false;
  auto meet = [&](auto const& view) {
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        for (double const* other : met) shared = shared || other == &view(i, j);
        met.push_back(&view(i, j));
      }
  };
  meet(a), meet(b), meet(c);
  try {
    f.into(std::tie(a, b, c), x);
  } catch (kt::value_error const&) {
    return shared ? "" : "targets refused";
  }
  if (shared) return "targets not refused";
  auto const [p, q, r] = f(x);
  return a == p && b == q && c == r ? "" : "another value in a target";
}

}  // namespace

int main(int argc, char** argv) {
  long const programs = argc > 1 ? std::atol(argv[1]) : 1000;
  std::uint64_t const seed = argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 1;
  int failures = 0;
  for (long k = 0; k < programs && failures < 10; ++k) {
    std::mt19937_64 random(seed + static_cast<std::uint64_t>(k));
    for (std::string const& found : {check_program(random), check_targets(random)}) {
      if (found.empty()) continue;
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed) + static_cast<unsigned long long>(k), found.c_str());
      ++failures;
    }
  }
  std::printf("%ld programs, %d failures\n", programs, failures);
  return failures == 0 ? 0 : 1;
}
