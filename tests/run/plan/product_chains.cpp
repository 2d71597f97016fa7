// Chains of products: every order against plain loops, the order that is chosen, memory, gradients, and products with extents of one.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"
#include "run/seed.hpp"

#include <random>
#include <sstream>

using namespace reference;
using I = std::size_t;
namespace core = kt::core;
namespace cpu = kt::cpu;

namespace {

/// A matrix of double for a reference in plain loops; vectors are one row or one column.
struct plain {
  I rows = 0, columns = 0;
  std::vector<double> values;
  double operator()(I i, I j) const { return values[i * columns + j]; }
};
template <class A>
plain plain_of(A const& a) {
  plain p{a.shape()[0], a.shape()[1], {}};
  for (I i = 0; i < p.rows; ++i)
    for (I j = 0; j < p.columns; ++j) p.values.push_back(static_cast<double>(a(i, j)));
  return p;
}
template <class V>
plain plain_of(V const& v, bool row) {
  plain p{row ? 1 : v.size(), row ? v.size() : 1, {}};
  for (I i = 0; i < v.size(); ++i) p.values.push_back(static_cast<double>(v(i)));
  return p;
}
plain operator*(plain const& a, plain const& b) {
  plain p{a.rows, b.columns, std::vector<double>(a.rows * b.columns)};
  for (I i = 0; i < p.rows; ++i)
    for (I j = 0; j < p.columns; ++j)
      for (I k = 0; k < a.columns; ++k) p.values[i * p.columns + j] += a(i, k) * b(k, j);
  return p;
}
template <class A>
std::string differs(A const& a, plain const& p, double e) {
  if (a.shape() != std::array<I, 2>{p.rows, p.columns}) return "other extents";
  return mismatch(a, [&](I i, I j) { return p(i, j); }, e, e);
}
template <class A>
std::string differs(A const& a, plain const& p, double e, bool row) {
  if (a.size() != (row ? p.columns : p.rows)) return "other extents";
  return mismatch(a, [&](I i) { return row ? p(0, i) : p(i, 0); }, e, e);
}

// a: m x n, b: n x k, c: k x l, d: l x m; v has m elements, w has l.
constexpr auto chains = [](auto a, auto b, auto c, auto d, auto v, auto w) {
  return std::tuple(dot(dot(a, b), c), dot(a, dot(b, c)), dot(dot(a, b), dot(c, d)), dot(dot(dot(d, a), b), c),
                    dot(dot(v, a), dot(b, c)), dot(dot(dot(a, b), c), w), dot(v, dot(a, dot(b, dot(c, w)))),
                    dot(dot(c.T(), b.T()), a.T()), 2 * dot(dot(d, a), dot(b, c)) - 3 * dot(d, d.T()), dot(dot(dot(a, b), c), w) - v);
};

template <class T, class F>
void check(F& f, I m, I n, I k, I l) {
  CAPTURE(m, n, k, l);
  auto const a = matrix<T>(m, n, 1, -1, 1), b = matrix<T>(n, k, 2, -1, 1), c = matrix<T>(k, l, 3, -1, 1), d = matrix<T>(l, m, 4, -1, 1);
  auto const v = numbers<T>(m, 5, -1, 1), w = numbers<T>(l, 6, -1, 1);
  auto const r = f(a, b, c, d, v, w);
  double const e = std::is_same_v<T, float> ? 3e-4 : 1e-11;
  plain const pa = plain_of(a), pb = plain_of(b), pc = plain_of(c), pd = plain_of(d), row = plain_of(v, true), column = plain_of(w, false);
  plain const abc = pa * pb * pc, dabc = pd * pa * pb * pc;
  CHECK(differs(std::get<0>(r), abc, e) == "");
  CHECK(differs(std::get<1>(r), abc, e) == "");
  CHECK(differs(std::get<2>(r), abc * pd, e) == "");
  CHECK(differs(std::get<3>(r), dabc, e) == "");
  CHECK(differs(std::get<4>(r), row * abc, e, true) == "");
  CHECK(differs(std::get<5>(r), abc * column, e, false) == "");
  CHECK(close(std::get<6>(r), (row * abc * column)(0, 0), e, e));
  REQUIRE(std::get<7>(r).shape() == std::array<I, 2>{l, m});
  CHECK(mismatch(std::get<7>(r), [&](I i, I j) { return abc(j, i); }, e, e) == "");
  plain dd = pd * plain_of(xt::xtensor<T, 2>(xt::transpose(d)));
  REQUIRE(std::get<8>(r).shape() == std::array<I, 2>{l, l});
  CHECK(mismatch(std::get<8>(r), [&](I i, I j) { return 2 * dabc(i, j) - 3 * dd(i, j); }, e, e) == "");
  plain const abcw = abc * column;
  CHECK(mismatch(std::get<9>(r), [&](I i) { return abcw(i, 0) - row(0, i); }, e, e) == "");
}

template <class T, class M>
auto compiled(M const& mode) {
  return kt::function<kt::matrix<T>, kt::matrix<T>, kt::matrix<T>, kt::matrix<T>, kt::vector<T>, kt::vector<T>>(chains, mode);
}

template <class Op, class F, class M>
int count(F, M const& mode) {
  kt::graph g;
  kt::tensor_type const matrix{kt::element::float64, 2, 0}, vector{kt::element::float64, 1, 0};
  kt::term const a{&g, g.input(matrix, 0)}, b{&g, g.input(matrix, 1)}, c{&g, g.input(matrix, 2)}, v{&g, g.input(vector, 3)};
  auto result = [&](auto const& made) {
    if constexpr (kt::symbolic<decltype(made)>) g.results().push_back(made.id);
    else std::apply([&](auto const&... t) { (g.results().push_back(t.id), ...); }, made);
  };
  result(F{}(a, b, c, v));
  kt::graph const o = mode.prepare(g);
  auto const live = o.live();
  int found = 0;
  for (int id = 0; id < o.size(); ++id) found += live[id] && o.is<Op>(id);
  return found;
}
template <class Op, class F>
int count(F f) {
  return count<Op>(f, kt::mode::fast_run);
}

/// The choice for factors of some extents: {rows, columns, columns ...}.
cpu::chain_choice choose(std::vector<std::ptrdiff_t> extents, bool from_vector = false, bool to_vector = false) {
  cpu::chain_choice c;
  c.extents = std::move(extents);
  c.from_vector = from_vector;
  c.to_vector = to_vector;
  cpu::chain_planner(c).list_products(8);
  return c;
}
std::string order(std::vector<std::ptrdiff_t> extents) {
  auto const c = choose(std::move(extents));
  return cpu::order_text(c, 2 * c.factors() - 2);
}
/// The fewest multiplications, found by trying every order.
double fewest(std::vector<std::ptrdiff_t> const& p, I i, I j) {
  double best = i == j ? 0 : infinity;
  for (I s = i; s < j; ++s)
    best = std::min(best, fewest(p, i, s) + fewest(p, s + 1, j) + static_cast<double>(p[i]) * static_cast<double>(p[s + 1]) * static_cast<double>(p[j + 1]));
  return best;
}

}  // namespace

TEST_CASE("chains of any extents are the products that plain loops give", "[chains]") {
  auto f = compiled<double>(kt::mode::fast_run);
  auto g = compiled<float>(kt::mode::fast_run);
  auto apart = compiled<double>(kt::mode::fast_run.excluding<"chains">());
  for (auto const& s : {std::array<I, 4>{1, 1, 1, 1}, {1, 5, 3, 4}, {5, 1, 3, 4}, {5, 3, 1, 4}, {5, 3, 4, 1}, {1, 5, 1, 5}, {5, 1, 5, 1}, {0, 3, 2, 4},
                        {3, 0, 2, 4}, {3, 2, 0, 4}, {3, 2, 4, 0}, {3, 0, 0, 2}, {0, 0, 0, 0}, {2, 30, 3, 40}, {30, 2, 40, 3}})
    check<double>(f, s[0], s[1], s[2], s[3]);
  std::mt19937 random = seeded_generator();
  auto extent = [&] { return std::uniform_int_distribution<I>(0, 3)(random) == 0 ? I{1} : std::uniform_int_distribution<I>(0, 40)(random); };
  for (int i = 0; i < 40; ++i) {
    I const m = extent(), n = extent(), k = extent(), l = extent();
    check<double>(f, m, n, k, l);
    if (i % 4 == 0) check<float>(g, m, n, k, l);
    if (i % 8 == 0) check<double>(apart, m, n, k, l);
  }
}

TEST_CASE("a chain is one node where nobody else reads what lies between, and where a mode does not leave it out", "[chains]") {
  auto three = [](auto a, auto b, auto c, auto) { return dot(dot(a, b), c); };
  CHECK(count<kt::op::product_chain>(three) == 1);
  CHECK(count<kt::op::dot>(three) == 0);
  CHECK(count<kt::op::product_chain>(three, kt::mode::fast_run.excluding<"chains">()) == 0);
  CHECK(count<kt::op::dot>(three, kt::mode::fast_run.excluding<"chains">()) == 2);
  auto read_twice = [](auto a, auto b, auto c, auto) { return std::tuple(dot(dot(a, b), c), dot(a, b)); };
  CHECK(count<kt::op::product_chain>(read_twice) == 0);
  auto squared = [](auto a, auto b, auto, auto) { return dot(dot(a, b), dot(a, b)); };
  CHECK(count<kt::op::product_chain>(squared) == 0);
  auto ends = [](auto a, auto b, auto, auto v) { return dot(dot(v, a), dot(b, v)); };
  CHECK(count<kt::op::product_chain>(ends) == 1);
  // The vector stands between matrices: (a v) b is v a.T b.
  auto between = [](auto a, auto b, auto, auto v) { return dot(dot(a, v), b); };
  CHECK(count<kt::op::product_chain>(between) == 0);
  auto turned = [](auto a, auto b, auto c, auto) { return transpose(dot(dot(a, b), transpose(c))); };
  CHECK(count<kt::op::product_chain>(turned) == 1);
  auto accumulated = [](auto a, auto b, auto c, auto) { return 2 * dot(dot(a, b), c) - 3 * b; };
  CHECK(count<kt::op::gemm>(accumulated) == 1);
  CHECK(count<kt::op::product_chain>(accumulated) == 0);
  CHECK(count<kt::op::product_chain>(accumulated, kt::mode::fast_run.excluding<"blas">()) == 1);
}

TEST_CASE("the order needs the fewest multiplications, then the least memory, then goes from the left", "[chains]") {
  CHECK(order({10, 1000, 10, 1000}) == "(A B) C");
  CHECK(order({1000, 10, 1000, 10}) == "A (B C)");
  CHECK(order({100, 100, 100, 1}) == "A (B C)");
  CHECK(order({5, 5, 5, 5, 5}) == "((A B) C) D");
  CHECK(order({10, 100, 5, 100, 10}) == "(A B) (C D)");
  CHECK(order({2, 0, 3, 4}) == "A (B C)");
  // Both orders multiply 8 times; (A B) has two elements, (B C) four.
  CHECK(order({1, 2, 2, 2}) == "(A B) C");
  CHECK(choose({1, 2, 2, 2}).slots.back() == 64);
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::ptrdiff_t> p(static_cast<I>(std::uniform_int_distribution<int>(4, 8)(random)));
    for (auto& n : p) n = std::uniform_int_distribution<int>(0, 20)(random);
    auto const c = choose(p);
    CHECK(c.multiplications == fewest(p, 0, p.size() - 2));
    CHECK(c.multiplications <= std::min(c.left_to_right, c.right_to_left));
    REQUIRE(c.products.size() == p.size() - 2);
    // No product writes to the memory of its operands.
    for (auto const& made : c.products)
      for (int o : {made.left, made.right})
        if (o >= c.factors() && made.slot >= 0) CHECK(made.slot != c.products[static_cast<I>(o - c.factors())].slot);
  }
}

TEST_CASE("a choice is described to humans", "[chains]") {
  using cpu::chain_step;
  CHECK(chain_step::describe(choose({1000, 10, 1000, 10})) ==
        "A (B C), 200,000 multiplications; left to right needs 20,000,000 (1000x10, 10x1000, 1000x10)");
  CHECK(chain_step::describe(choose({10, 1000, 10, 1000})) ==
        "(A B) C, 200,000 multiplications; right to left needs 20,000,000 (10x1000, 1000x10, 10x1000)");
  CHECK(chain_step::describe(choose({1, 3, 4, 1}, true, true)) == "A (B C), 15 multiplications; left to right needs 16 (3, 3x4, 4)");
}

TEST_CASE("gradients through chains agree with differences", "[chains]") {
  auto f = [](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c, kt::dvector v) {
    return sum(sqr(dot(dot(dot(a, b), c), v))) + dot(v, dot(dot(c.T(), b.T()), v));
  };
  CHECK(kt::verify_grad(f, matrix<double>(4, 3, 1), matrix<double>(3, 5, 2), matrix<double>(5, 3, 3), numbers<double>(3, 4)));
  // Where the gradient's chain is read as it is, each factor meets the others' products.
  auto g = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c) { return grad(sum(dot(dot(a, b), c)), b); });
  auto const a = matrix<double>(2, 3, 1), b = matrix<double>(3, 5, 2), c = matrix<double>(5, 4, 3);
  auto const r = g(a, b, c);
  CHECK(mismatch(r, [&](I i, I j) { return (a(0, i) + a(1, i)) * (c(j, 0) + c(j, 1) + c(j, 2) + c(j, 3)); }, 1e-13, 1e-13) == "");
}

TEST_CASE("chains of strided, reversed and repeated factors, and of the result's own memory", "[chains]") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c) {
    auto part = kt::slice(kt::none, kt::none, -2);
    return dot(dot(a(part), b.T()), c(kt::slice(), part));
  });
  auto const a = matrix<double>(7, 3, 1), b = matrix<double>(6, 3, 2), c = matrix<double>(6, 9, 3);
  plain left{4, 3, {}}, middle = plain_of(xt::xtensor<double, 2>(xt::transpose(b))), right{6, 5, {}};
  for (I i = 0; i < 4; ++i)
    for (I j = 0; j < 3; ++j) left.values.push_back(a(6 - 2 * i, j));
  for (I i = 0; i < 6; ++i)
    for (I j = 0; j < 5; ++j) right.values.push_back(c(i, 8 - 2 * j));
  CHECK(differs(f(a, b, c), left * middle * right, 1e-13) == "");

  kt::shared w(matrix<double>(4, 4, 5));
  auto step = kt::function(
      [](kt::dmatrix x, kt::dmatrix p) { return kt::outputs().update(p, p - 0.5 * dot(dot(x, x.T()), p)); }, w);
  auto const x = matrix<double>(4, 3, 6);
  plain const before = plain_of(w.get_value()), px = plain_of(x), turned = plain_of(xt::xtensor<double, 2>(xt::transpose(x)));
  plain const product = px * turned * before;
  step(x);
  CHECK(mismatch(w.get_value(), [&](I i, I j) { return before(i, j) - 0.5 * product(i, j); }, 1e-13, 1e-13) == "");
}

TEST_CASE("factors of a chain that do not fit are the shape error of the expression as written", "[chains]") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c) { return dot(dot(a, b), c); });
  CHECK_NOTHROW(f(matrix<double>(2, 3), matrix<double>(3, 4), matrix<double>(4, 5)));
  CHECK_THROWS_AS(f(matrix<double>(2, 3), matrix<double>(4, 4), matrix<double>(4, 5)), kt::shape_error);
  CHECK_THROWS_WITH(f(matrix<double>(2, 3), matrix<double>(3, 4), matrix<double>(5, 5)), Catch::Contains("dot") && Catch::Contains("parameter 3"));
}

namespace {

/// An op of the test's own with a choice: it doubles its operand in one of two ways.
struct chosen_double : kt::operation<"chosen_double", 1> {
  struct choice {
    bool is_long;
    int runs;
  };
  static inline int choices = 0;
  static constexpr kt::tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) { return {core::extent_source::dimension, 0, d}; }
  static choice choose(cpu::step_view const& s) {
    ++choices;
    return {s.f.value(s.operand(0)).extents[0] > 10, 0};
  }
  static std::string describe(choice const& c) { return c.is_long ? "the long way: more than 10 elements" : "the short way"; }
  static void run(core::invocation const& call, choice& c) {
    core::array_ref const &out = call.result(), &in = call.operand(0);
    ++c.runs;
    for (std::ptrdiff_t i = 0; i < out.size(); ++i)
      reinterpret_cast<double*>(out.data)[i] = (c.is_long ? 2 : 20) * reinterpret_cast<double const*>(in.data)[i * in.strides[0]];
  }
};
constexpr auto doubled = [](kt::dvector x) { return kt::dvector(kt::term{x.of, x.of->apply<chosen_double>({x.id})}); };

}  // namespace

TEST_CASE("an op with a choice makes it once for new extents", "[chains]") {
  auto f = kt::function(doubled);
  chosen_double::choices = 0;
  CHECK(f(vec<double>{1, 2})(1) == 40);
  CHECK(f(vec<double>{3, 4})(1) == 80);
  if (runs_once) CHECK(chosen_double::choices == 1);
  CHECK(f(numbers<double>(20))(3) == 2 * numbers<double>(20)(3));
  if (runs_once) CHECK(chosen_double::choices == 2);
  CHECK(f(vec<double>{5, 6})(0) == 100);
  if (runs_once) CHECK(chosen_double::choices == 3);
  std::ostringstream out;
  kt::debugprint(f, out, kt::shape(11));
  CHECK_THAT(out.str(), Catch::Contains("chosen_double: (11) -> (11)\n     the long way: more than 10 elements\n"));
}

namespace {

template <class T>
core::array_ref ref(std::vector<T>& v, std::vector<std::ptrdiff_t> extents, std::vector<std::ptrdiff_t> strides, std::ptrdiff_t begin) {
  core::array_ref r;
  r.data = reinterpret_cast<std::byte*>(v.data() + begin);
  r.rank = static_cast<int>(extents.size());
  r.bytes = sizeof(T);
  std::copy(extents.begin(), extents.end(), r.extents);
  std::copy(strides.begin(), strides.end(), r.strides);
  return r;
}

/// Every layout of the factors against plain loops, with NaN in the result where it must not be read.
template <class T>
void check_product(std::ptrdiff_t m, std::ptrdiff_t k, std::ptrdiff_t n) {
  auto const given = numbers<T>(40000, 3, -1, 1);
  std::vector<T> memory(given.begin(), given.end());
  double const e = std::is_same_v<T, float> ? 2e-5 : 1e-13;
  // Row-major, transposed, with gaps, reversed, repeated.
  for (int left = 0; left < 5; ++left)
    for (int right = 0; right < 5; ++right)
      for (T beta : {T(0), T(1), T(-0.5)})
        for (T alpha : {T(1), T(2)}) {
          auto operand = [&](int layout, std::ptrdiff_t rows, std::ptrdiff_t columns) {
            switch (layout) {
              case 0: return ref(memory, {rows, columns}, {columns, 1}, 0);
              case 1: return ref(memory, {rows, columns}, {1, rows}, 100);
              case 2: return ref(memory, {rows, columns}, {3 * columns, 3}, 200);
              case 3: return ref(memory, {rows, columns}, {-columns, -1}, 1000 + rows * columns);
              default: return ref(memory, {rows, columns}, {0, 0}, 7);
            }
          };
          auto const a = operand(left, m, k), b = operand(right, k, n);
          std::vector<T> c(static_cast<I>(m * n) + 1, beta == T(0) ? static_cast<T>(not_a_number) : T(3));
          c.back() = T(77);
          cpu::product<T>(a, b, ref(c, {m, n}, {n, 1}, 0), alpha, beta);
          CAPTURE(m, k, n, left, right, beta, alpha);
          bool right_values = true;
          for (std::ptrdiff_t i = 0; i < m; ++i)
            for (std::ptrdiff_t j = 0; j < n; ++j) {
              double sum = 0;
              for (std::ptrdiff_t p = 0; p < k; ++p)
                sum += static_cast<double>(reinterpret_cast<T*>(a.data)[i * a.strides[0] + p * a.strides[1]]) *
                       static_cast<double>(reinterpret_cast<T*>(b.data)[p * b.strides[0] + j * b.strides[1]]);
              right_values = right_values && close(c[static_cast<I>(i * n + j)], static_cast<double>(alpha) * sum + static_cast<double>(beta) * 3, e, e);
            }
          CHECK(right_values);
          CHECK(c.back() == T(77));
        }
}

}  // namespace

TEST_CASE("products with extents of zero and one, in every layout, scaled and accumulated", "[chains]") {
  for (std::ptrdiff_t m : {0, 1, 5})
    for (std::ptrdiff_t k : {0, 1, 7})
      for (std::ptrdiff_t n : {0, 1, 6}) {
        check_product<double>(m, k, n);
        check_product<float>(m, k, n);
      }
  check_product<double>(1, 60, 70);
  check_product<double>(70, 60, 1);
  check_product<float>(1, 300, 1);
  check_product<double>(50, 1, 60);
}

TEST_CASE("a long product of float rows and columns accumulates in double", "[chains]") {
  auto f = kt::function([](kt::fmatrix a, kt::fmatrix b) { return dot(a, b); });
  mat<float> const row(std::array<I, 2>{1, 1000000}, 0.1f), column(std::array<I, 2>{1000000, 1}, 0.1f);
  CHECK(close(f(row, column)(0, 0), static_cast<double>(0.1f) * static_cast<double>(0.1f) * 1e6, 1e-6));
}

TEST_CASE("empty arrays give NumPy's results", "[empty]") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dvector v) {
    return std::tuple(sum(a), prod(a), sum(a, kt::axis<0>), prod(a, kt::axis<1>), dot(a, b), dot(v, v), exp(a) + 1, dot(dot(a, b), a),
                      dot(a, b) + 2 * dot(a, b), flatten(a), a(kt::slice(kt::none, kt::none, 2)).T(), grad(sum(sqr(a(kt::slice(0, kt::none, 2)))), a),
                      2 * dot(dot(a, b), a) - 3 * a);
  });
  auto check = [&](I m, I n) {
    CAPTURE(m, n);
    mat<double> const a(std::array<I, 2>{m, n}, 2.0), b(std::array<I, 2>{n, m}, 2.0);
    auto const r = f(a, b, vec<double>(std::array<I, 1>{0}));
    CHECK(std::get<0>(r) == 0);
    CHECK(std::get<1>(r) == 1);
    CHECK(std::get<2>(r).shape() == std::array<I, 1>{n});
    CHECK(mismatch(std::get<2>(r), [](I) { return 0; }) == "");
    CHECK(std::get<3>(r).shape() == std::array<I, 1>{m});
    CHECK(mismatch(std::get<3>(r), [](I) { return 1; }) == "");
    CHECK(std::get<4>(r).shape() == std::array<I, 2>{m, m});
    CHECK(mismatch(std::get<4>(r), [](I, I) { return 0; }) == "");
    CHECK(std::get<5>(r) == 0);
    CHECK(std::get<6>(r).shape() == std::array<I, 2>{m, n});
    CHECK(std::get<7>(r).shape() == std::array<I, 2>{m, n});
    CHECK(mismatch(std::get<8>(r), [](I, I) { return 0; }) == "");
    CHECK(std::get<9>(r).size() == 0);
    CHECK(std::get<10>(r).shape() == std::array<I, 2>{n, (m + 1) / 2});
    CHECK(std::get<11>(r).shape() == std::array<I, 2>{m, n});
    CHECK(std::get<12>(r).shape() == std::array<I, 2>{m, n});
  };
  check(0, 3);
  check(3, 0);
  check(0, 0);
}

TEST_CASE("a matrix of no columns times a matrix of no rows is zeros, also where it is accumulated", "[empty]") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c, kt::dmatrix d) {
    return std::tuple(dot(dot(a, b), c), 2 * dot(dot(a, b), c) + 3 * d, 2 * dot(a, b) + d);
  });
  mat<double> const a(std::array<I, 2>{2, 0}), b(std::array<I, 2>{0, 2}), c(std::array<I, 2>{2, 2}, not_a_number), d(std::array<I, 2>{2, 2}, 5.0);
  auto const r = f(a, b, mat<double>(std::array<I, 2>{2, 2}, 1.0), d);
  CHECK(mismatch(std::get<0>(r), [](I, I) { return 0; }) == "");
  CHECK(mismatch(std::get<1>(r), [](I, I) { return 15; }) == "");
  CHECK(mismatch(std::get<2>(r), [](I, I) { return 5; }) == "");
  auto extremum = kt::function([](kt::dmatrix x) { return std::tuple(max(x, kt::axis<0>), grad(sum(max(x, kt::axis<0>)), x)); });
  CHECK_THROWS_AS(extremum(mat<double>(std::array<I, 2>{0, 3})), kt::value_error);
  auto const none = extremum(mat<double>(std::array<I, 2>{3, 0}));
  CHECK(std::get<0>(none).size() == 0);
  CHECK(std::get<1>(none).shape() == std::array<I, 2>{3, 0});
}

TEST_CASE("a factor that is the transpose of a product belongs to the chain", "[products]") {
  // The second output reads the transpose of the first, so that all of it is computed transposed.
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix w, kt::dmatrix h) {
    auto next = h / (dot(w.T(), dot(w, h)) + 1);
    return std::tuple(dot(a, next.T()), next);
  });
  std::ostringstream out;
  kt::debugprint(f, out, kt::shape(200, 150), kt::shape(200, 10), kt::shape(10, 150));
  CHECK_THAT(out.str(), Catch::Contains("A (B C), 35,000 multiplications"));
  CHECK_THAT(out.str(), !Catch::Contains("(200, 10) (10, 150) -> (200, 150)"));
  for (I n : {1, 2, 30})
    for (I k : {1, 3}) {
      CAPTURE(n, k);
      auto const a = matrix<double>(n, 7, 1, -1, 1), w = matrix<double>(n, k, 2, 0, 1),
                 h = matrix<double>(k, 7, 3, 0, 1);
      auto const r = f(a, w, h);
      plain const pa = plain_of(a), pw = plain_of(w);
      plain back{k, n, std::vector<double>(k * n)}, next{k, 7, std::vector<double>(k * 7)},
          turned{7, k, std::vector<double>(k * 7)};
      for (I i = 0; i < k; ++i)
        for (I j = 0; j < n; ++j) back.values[i * n + j] = pw(j, i);
      plain const below = back * (pw * plain_of(h));
      for (I i = 0; i < k; ++i)
        for (I j = 0; j < 7; ++j)
          turned.values[j * k + i] = next.values[i * 7 + j] = h(i, j) / (below(i, j) + 1);
      CHECK(differs(std::get<0>(r), pa * turned, 1e-11) == "");
      CHECK(differs(std::get<1>(r), next, 1e-11) == "");
    }
}
