// Results larger than the caches are written past them, whatever their alignment, number and rows; larger operands are reduced whole.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <kroton/cpu/loop/streaming.hpp>

#include <memory>

using namespace reference;

namespace {

// Enough elements of a type that a result is streamed, and not a whole number of batches.
template <class T>
constexpr std::size_t many =
    static_cast<std::size_t>(kt::cpu::machine::streamed_bytes) / sizeof(T) + 1237;

/// n elements that begin at any multiple of their size, between guards.
template <class T>
class shifted {
 public:
  shifted(std::size_t n, std::size_t shift) : n_(n), memory_(n + 128, T(-7)) {
    std::size_t const begun = reinterpret_cast<std::uintptr_t>(memory_.data()) % 64 / sizeof(T);
    first_ = (64 / sizeof(T) - begun) % (64 / sizeof(T)) + 16 + shift;
  }
  T* data() { return memory_.data() + first_; }
  bool guards_hold() const {
    for (std::size_t i = 0; i < 16; ++i)
      if (memory_[first_ - 1 - i] != T(-7) || memory_[first_ + n_ + i] != T(-7)) return false;
    return true;
  }

 private:
  std::size_t n_, first_ = 0;
  std::vector<T> memory_;
};

template <class T>
vec<T> ramp(std::size_t n) {
  vec<T> x = vec<T>::from_shape({n});
  for (std::size_t i = 0; i < n; ++i) x(i) = static_cast<T>(i % 1001) - 500;
  return x;
}

template <class T>
void check_alignments(std::size_t n) {
  auto const f = kt::function<kt::vector<T>>([](auto x) { return 2 * x + 1; });
  auto const x = ramp<T>(n);
  for (std::size_t shift : {0, 1, 3, 5, 7}) {
    shifted<T> memory(n, shift);
    std::vector<std::size_t> const shape{n};
    auto to = xt::adapt(memory.data(), n, xt::no_ownership(), shape);
    f.into(to, x);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += memory.data()[i] != 2 * x(i) + 1;
    CHECK(wrong == 0);
    CHECK(memory.guards_hold());
  }
}

}  // namespace

TEST_CASE("streamed results of any alignment") {
  check_alignments<double>(many<double>);
  check_alignments<float>(many<float>);
}

TEST_CASE("long results of any alignment that are not streamed") {
  for (std::size_t n : {8192, 10007, 16385}) {
    check_alignments<double>(n);
    check_alignments<float>(n);
  }
}

TEST_CASE("long rows of which each is aligned otherwise, next to others and in place") {
  auto const f = kt::function<kt::dmatrix, kt::dvector>([](auto x, auto v) { return std::tuple(x + v, x * v); });
  std::size_t const rows = 5, n = 9001;
  mat<double> x = mat<double>::from_shape({rows, n}), wide = xt::zeros<double>({rows, n + 2}), other = x;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < n; ++j) x(i, j) = static_cast<double>((i * 17 + j) % 513);
  auto const v = ramp<double>(n);
  auto part = xt::view(wide, xt::all(), xt::range(1, n + 1));
  f.into(std::tie(part, other), x, v);
  auto const g = kt::function<kt::dmatrix>([](auto m) { return 3 * m; });
  auto tripled = x;
  g.into(tripled, tripled);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    wrong += wide(i, 0) != 0 || wide(i, n + 1) != 0;
    for (std::size_t j = 0; j < n; ++j)
      wrong += wide(i, j + 1) != x(i, j) + v(j) || other(i, j) != x(i, j) * v(j) || tripled(i, j) != 3 * x(i, j);
  }
  CHECK(wrong == 0);
}

TEST_CASE("streamed results next to sums, of rows, in place, and of several types") {
  auto const f = kt::function<kt::dvector>([](auto x) { return std::tuple(x + 1, sum(x), x < 0, kt::cast<float>(3 * x)); });
  std::size_t const n = many<double>;
  auto x = ramp<double>(n);
  auto const [y, total, negative, tripled] = f(x);
  double expected = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    expected += x(i);
    wrong += y(i) != x(i) + 1 || negative(i) != (x(i) < 0) || tripled(i) != static_cast<float>(3 * x(i));
  }
  CHECK(wrong == 0);
  CHECK(total == expected);  // of whole numbers

  // Rows that do not merge, since one operand has only one of them; they end within lines.
  std::size_t const columns = 1501, rows = n / columns + 1;
  mat<double> m = mat<double>::from_shape({rows, columns});
  for (std::size_t i = 0; i < rows * columns; ++i) m.flat(i) = static_cast<double>(i % 777);
  auto const b = ramp<double>(columns);
  auto const g = kt::function<kt::dmatrix, kt::dvector>([](auto a, auto v) { return a - v; });
  auto const d = g(m, b);
  wrong = 0;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) wrong += d(i, j) != m(i, j) - b(j);
  CHECK(wrong == 0);

  // In the argument's own memory.
  auto const h = kt::function<kt::dvector>([](auto v) { return v * v; });
  auto const before = x;
  h.into(x, x);
  wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += x(i) != before(i) * before(i);
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("rows longer than the caches, of which both halves are reduced together", "", double, float) {
  using T = TestType;
  auto const sums_of = kt::function([](kt::matrix<T> a) { return sum(a, kt::axis<1>); });
  auto const extrema = kt::function([](kt::matrix<T> a) { return std::tuple(max(a, kt::axis<1>), min(a, kt::axis<1>)); });
  auto const product = kt::function([](kt::matrix<T> a, kt::vector<T> b) { return sum(a * b, kt::axis<1>); });
  auto const dot_of = kt::function([](kt::vector<T> a, kt::vector<T> b) { return dot(a, b); });
  for (std::size_t const odd : {0, 1, 3}) {
    std::size_t const n = many<T> + odd;
    xt::xtensor<T, 2> a = xt::xtensor<T, 2>::from_shape({2, n});
    xt::xtensor<T, 1> b = xt::xtensor<T, 1>::from_shape({n});
    double sums[2] = {}, products[2] = {};
    for (std::size_t i = 0; i < n; ++i) {
      b(i) = static_cast<T>(i % 5) - T(1);
      for (std::size_t r = 0; r < 2; ++r) {
        a(r, i) = static_cast<T>((i * 7 + r) % 13) - T(4);
        sums[r] += static_cast<double>(a(r, i));
        products[r] += static_cast<double>(a(r, i)) * static_cast<double>(b(i));
      }
    }
    auto const y = product(a, b);
    double square = 0;
    for (T const v : b) square += static_cast<double>(v) * static_cast<double>(v);
    CHECK(dot_of(b, b) == static_cast<T>(square));
    for (std::size_t r = 0; r < 2; ++r) CHECK(y(r) == static_cast<T>(products[r]));
    for (std::size_t const at : {std::size_t{0}, n / 2 - 70, n / 2 + 70, n - 2, n - 1}) {
      T const before[] = {a(0, at), a(1, at)};
      a(0, at) = T(100);
      a(1, at) = std::numeric_limits<T>::quiet_NaN();
      auto const total = sums_of(a);
      auto const [largest, smallest] = extrema(a);
      INFO(at);
      CHECK(total(0) == static_cast<T>(sums[0] + 100 - static_cast<double>(before[0])));
      CHECK(largest(0) == T(100));
      CHECK(smallest(0) == T(-4));
      CHECK((std::isnan(total(1)) && std::isnan(largest(1)) && std::isnan(smallest(1))));
      a(0, at) = before[0];
      a(1, at) = before[1];
    }
  }
}
