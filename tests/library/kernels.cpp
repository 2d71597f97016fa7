// The library kroton::runtime has every kernel: this program includes no header of kernels, so that
// it instantiates none.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/catalogue/table.hpp>
#include <kroton/math/random/philox.hpp>
#include <kroton/math/random/twister.hpp>
#include <kroton/runtime/graph.hpp>
#include <kroton/runtime/program.hpp>
#include <kroton/runtime/run.hpp>

#include <algorithm>
#include <complex>
#include <cstring>
#include <optional>
#include <string>

namespace kt = kroton;
namespace mp = boost::mp11;
using kt::element;
using kt::runtime::array;

namespace {

constexpr std::size_t element_count = kt::core::computed_types;

// ---- one op on known operands -------------------------------------------------------------------

/// A node of one op. Operands are letters: of the element type under test the matrix M, the vectors
/// V, W and S, the scalar s, the factors F of M by columns, the batch B and the images R and Q; of
/// their own types the pivots P, positions k and p, bools b, the indices i and h and the bounds j of a
/// sparse matrix; a small float64 scalar c; and digits, which are literals.
struct sample {
  kt::core::op_info const* op;
  char const* operands;
  std::vector<long long> attributes;
  double checksum;  // of the magnitudes of output 0: the first, twice the second, three times ...
};

std::vector<sample> samples() {
  using namespace kt::op;
  auto const record = []<class Op>(std::type_identity<Op>) { return kt::core::identity<Op>(); };
#define OP(name) record(std::type_identity<name>())
  auto const integers = static_cast<long long>(element::int64);
  return {
      {OP(argmax), "W", {0}, 1},
      {OP(argmin), "W", {0}, 2},
      {OP(cumsum), "W", {0, 0}, 30},
      {OP(cumprod), "W", {0, 0}, 32},
      {OP(shift), "W", {0, 0, 1}, 14},
      {OP(recurrence), "WW", {0, 0}, 50},
      {OP(sort), "W", {0}, 14},
      {OP(topk), "W2", {0}, 7},
      {OP(partition), "W1", {0}, 14},
      {OP(searchsorted), "VW", {0}, 5},
      {OP(starts_run), "S", {}, 3},
      {OP(take_along_axis), "Wk", {0}, 14},
      {OP(add_along_axis), "WVk", {0}, 22},
      {OP(take), "Wk", {1, 0}, 14},
      {OP(inc_take), "WVk", {1, 0}, 22},
      {OP(set_take), "WVk", {1, 0}, 11},
      {OP(nonzero), "b2", {}, 4},
      {OP(iota), "3", {}, 8},
      {OP(make_vector), "3sss", {}, 12},
      {OP(constant), "3", {integers, 5, 6, 7}, 38},
      {OP(join), "6WV", {0}, 43},
      {OP(diagonal), "M3", {0, 1, 0, 0}, 16},
      {OP(from_diagonal), "W33", {0, 1, 0, 0}, 26},
      {OP(from_diagonals), "W0033", {}, 26},
      {OP(batched_dot), "BB", {}, 1009},
      {OP(solve), "MV", {}, 43. / 9},
      {OP(solve_triangular), "MV", {1, 0}, 5.041666666666667},
      {OP(matrix_inverse), "M", {}, 12.333333333333334},
      {OP(det), "M", {}, 18},
      {OP(slogdet), "M", {}, 1},
      {OP(cofactors), "M", {}, 222},
      {OP(cofactors_change), "MM", {}, 444},
      {OP(lu), "M", {}, 47.15909090909091},
      {OP(solve_by_factors), "FPV", {0}, 43. / 9},
      {OP(inverse_of_factors), "FP", {}, 12.333333333333334},
      {OP(det_of_factors), "FP", {}, 18},
      {OP(slogdet_of_factors), "FP", {}, 1},
      {OP(cofactors_of_factors), "FPM", {}, 222},
      {OP(cholesky), "M", {}, 28.628582172335683},
      {OP(qr), "M3", {}, 20.470306601545804},
      {OP(svd), "M3", {}, 14.535898384862245},
      {OP(eigh), "M", {}, 21.464101615137757},
      {OP(lstsq), "MV", {}, 43. / 9},
      {OP(pinv), "Mc", {}, 12.333333333333334},
      {OP(expm), "M", {}, 1092.4362471557624},
      {OP(sqrtm), "M", {}, 29.290144737133016},
      {OP(logm), "M", {}, 20.230330091611002},
      {OP(logm_change), "MM", {}, 15},
      {OP(plu), "M3", {}, 15},
      {OP(eig), "M", {}, 14.535898384862247},
      {OP(solve_sylvester), "MMM", {}, 7.5},
      {OP(line_numbers), "ij", {}, 8},
      {OP(checked_indices), "ij3", {}, 7},
      {OP(turned_pattern), "ij3", {}, 20},
      {OP(joined_bounds), "jh6", {}, 70},
      {OP(listed_bounds), "ijk", {}, 20},
      {OP(range_bounds), "ij03", {0}, 20},
      {OP(piece_places), "ijh30", {}, 7},
      {OP(piece_values), "Vjh3", {}, 14},
      {OP(chosen_bounds), "ijk3", {}, 20},
      {OP(chosen_places), "ijjhj3", {}, 7},
      {OP(stepped_bounds), "ij033", {2}, 11},
      {OP(stepped_places), "i032", {2}, 2},
      {OP(beside_bounds), "jj", {}, 40},
      {OP(beside_places), "ij3ij36", {}, 61},
      {OP(beside_values), "VjWj6", {}, 44},
      {OP(kron_bounds), "jh7", {}, 112},
      {OP(kron_places), "ijij39", {}, 210},
      {OP(sparse_extremum), "Vij3", {0, 0}, 14},
      {OP(sparse_pair_dot), "VWMij3ij3", {0, 0}, 196},
      {OP(united_bounds), "ijij6", {}, 20},
      {OP(united_indices), "ijij3u", {}, 7},
      {OP(united_values), "Vu3", {0}, 14},
      {OP(values_of_united), "Vui", {0}, 14},
      {OP(common_bounds), "ijij6", {}, 20},
      {OP(common_indices), "ijij3u", {}, 7},
      {OP(common_values), "Vu3", {0}, 14},
      {OP(product_bounds), "ijij3", {}, 20},
      {OP(product_indices), "ijij33", {}, 8},
      {OP(sparse_product), "VWijijhj3", {}, 20},
      {OP(sparsity), "333", {0, 1, 1, 0, 1, 0}, 20},
      {OP(sparsity_places), "3333", {0, 1, 1, 0, 1, 0}, 8},
      {OP(diagonals_count), "3003", {1}, 3},
      {OP(diagonals_bounds), "3003", {1}, 20},
      {OP(diagonals_indices), "30033", {1}, 8},
      {OP(diagonals_places), "3003", {1, 0}, 8},
      {OP(diagonals_values), "V30033", {1}, 14},
      {OP(csr_dot), "VWij3", {}, 20},
      {OP(csr_lines_dot), "VWij3", {}, 20},
      {OP(csr_transposed_dot), "VWij3", {}, 19},
      {OP(sampling), "VWij", {}, 20},
      {OP(dft), "W", {0, 0}, 14.660254037844387},
      {OP(real_dft), "W", {0}, 9.464101615137755},
      {OP(dft_to_real), "V4", {0}, 20},
      {OP(convolution), "RQ1102", {0, 1, 1}, 18},
      {OP(convolution_images), "QQ1103", {0, 1, 1}, 15},
      {OP(convolution_filters), "RQ1102", {0, 1, 1}, 18},
      {OP(convolution_images_at), "QpQ11043", {0, 1, 1}, 24},
      {OP(convolution_filters_at), "QpR11013", {0, 1, 1}, 7},
      {OP(max_pool), "R2", {1, 2, 1, 0}, 8},
      {OP(avg_pool), "R2", {1, 2, 1, 0, 0, 0}, 6.5},
      {OP(spread_windows), "Q3", {1, 2, 1, 0, 0, 0}, 5.5},
      {OP(take_in_planes), "Rp", {1}, 5},
      {OP(add_in_planes), "Qp3", {1}, 7},
  };
#undef OP
}

array filled(element e, std::vector<std::size_t> shape, std::vector<double> const& values) {
  array a(element::float64, std::move(shape));
  std::copy(values.begin(), values.end(), a.data<double>());
  return a.cast(e);
}
std::optional<array> operand(char letter, element e) {
  switch (letter) {
    case 'M': return filled(e, {3, 3}, {4, 1, 0, 1, 3, 1, 0, 1, 2});
    case 'B': return filled(e, {2, 3, 3}, {4, 1, 0, 1, 3, 1, 0, 1, 2, 4, 1, 0, 1, 3, 1, 0, 1, 2});
    case 'F': return filled(e, {3, 3}, {4, 0.25, 0, 1, 2.75, 1 / 2.75, 0, 1, 2 - 1 / 2.75});
    case 'V': return filled(e, {3}, {1, 2, 3});
    case 'W': return filled(e, {3}, {2, 3, 1});
    case 'S': return filled(e, {3}, {1, 2, 2});
    case 's': return filled(e, {}, {2});
    case 'c': return filled(element::float64, {}, {1e-6});
    case 'R': return filled(e, {1, 1, 3}, {1, 2, 3});
    case 'Q': return filled(e, {1, 1, 2}, {2, 1});
    case 'p': return filled(element::int64, {1, 1, 2}, {2, 0});
    case 'i': return filled(element::int32, {3}, {1, 0, 2});
    case 'j': return filled(element::int32, {4}, {0, 1, 2, 3});
    case 'h': return filled(element::int32, {3}, {0, 1, 2});
    case 'P': return filled(element::int32, {3}, {1, 2, 3});
    case 'k': return filled(element::int64, {3}, {2, 0, 1});
    case 'u': return filled(element::int64, {8}, {1, 0, 0, 0, 0, 0, 7, 7});
    case 'b': return filled(element::boolean, {3}, {1, 0, 1});
    default: return {};
  }
}
/// The same array twice, along a new leading axis.
array twice(array const& a) {
  std::vector<std::size_t> shape{2};
  shape.insert(shape.end(), a.shape().begin(), a.shape().end());
  array result(a.element_type(), shape);
  kt::core::array_ref half = a.ref();
  std::size_t const bytes = a.size() * static_cast<std::size_t>(half.bytes);
  for (std::size_t k = 0; k < 2; ++k) std::memcpy(result.ref().data + k * bytes, half.data, bytes);
  return result;
}
double checksum(array const& a) {
  array const numbers = a.cast(element::complex128);
  auto const* const x = numbers.data<std::complex<double>>();
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(i + 1) * std::abs(x[i]);
  return sum;
}

array run(kt::graph g, std::vector<array> const& arguments) {
  kt::runtime::program const p(std::move(g), kt::runtime::builtin_kernels());
  kt::cpu::frame f(p.tables());
  int position = 0;
  for (array const& a : arguments) f.bind(position++, a.ref());
  std::vector<array> results;
  kt::runtime::run_program(p, f, results);
  return results.front();
}
/// The op on its operands, or for each of two equal slices.
array run(sample const& s, element e, bool in_slices) {
  kt::graph g;
  std::vector<array> arguments;
  kt::core::list<int> inputs;
  long long with_axis = 0, position = 0;
  for (char const* letter = s.operands; *letter != 0; ++letter, ++position) {
    auto value = operand(*letter, e);
    if (!value) {
      inputs.push_back(g.literal(*letter - '0', element::int64));
      continue;
    }
    if (in_slices) value = twice(*value), with_axis |= 1ll << position;
    kt::tensor_type const type{value->element_type(), static_cast<std::uint8_t>(value->rank()), 0};
    inputs.push_back(g.input(type, static_cast<int>(arguments.size())));
    arguments.push_back(*value);
  }
  kt::core::list<long long> attributes;
  if (in_slices)
    for (long long a : {1ll, with_axis, position}) attributes.push_back(a);
  for (long long a : s.attributes) attributes.push_back(a);
  kt::term const node{&g, g.apply(in_slices ? s.op->each() : s.op, inputs, attributes)};
  for (int k = 0; k < s.op->outputs; ++k) g.results().push_back(kt::core::output_of(node, k).id);
  return run(std::move(g), arguments);
}

template <class Op>
bool takes(element e) {
  return mp::mp_with_index<element_count>(static_cast<std::size_t>(e), [](auto index) {
    using T = kt::core::value_t<static_cast<element>(index())>;
    if constexpr (kt::core::is_complex_number<T> && !Op::takes_complex) return false;
    else return !kt::core::runs_by_type<Op> || kt::cpu::runs_on<Op, T>;
  });
}

}  // namespace

TEST_CASE("the library has kernels of every op for every element type that the op takes") {
  auto const& kernels = kt::runtime::builtin_kernels();
  using own_ops = mp::mp_transform<std::type_identity, kt::op::own_ops>;
  mp::mp_for_each<own_ops>([&]<class Op>(std::type_identity<Op>) {
    INFO(std::string_view(Op::name));
    CHECK(kernels.own(kt::info<Op>.key) != nullptr);
  });
  mp::mp_for_each<kt::op::elementwise_ops>([&]<class Op>(Op) {
    INFO(std::string_view(Op::name));
    using types = typename Op::types;
    constexpr bool takes_all = std::is_same_v<Op, kt::op::where>;
    constexpr bool takes_floats = types::takes_floats || std::is_same_v<Op, kt::op::complex>;
    for (std::size_t e = 0; e < element_count; ++e) {
      element const type = static_cast<element>(e);
      bool const takes = takes_all || (kt::core::is_complex(type) ? Op::takes_complex
                                       : kt::core::is_float(type) ? takes_floats
                                                                  : types::takes_integers);
      CHECK((kernels.block(kt::info<Op>, type) != nullptr) == takes);
    }
  });
  mp::mp_for_each<kt::op::reduction_ops>([&]<class Op>(Op) {
    INFO(std::string_view(Op::name));
    bool const logical = std::is_same_v<Op, kt::op::all> || std::is_same_v<Op, kt::op::any>;
    for (std::size_t e = 0; e < element_count; ++e) {
      element const type = static_cast<element>(e);
      bool const is_complex = kt::core::is_complex(type);
      bool const takes = logical ? type == element::boolean : !is_complex || Op::takes_complex;
      CHECK((kernels.reduction(kt::info<Op>.key, type) != nullptr) == takes);
    }
  });
}

TEST_CASE("the library runs every op that computes by a function of its own, whole and in slices") {
  auto const all = samples();
  mp::mp_for_each<kt::op::all_ops>([&]<class Op>(Op) {
    if constexpr (kt::core::runs_itself<Op> && !mp::mp_contains<kt::op::random_ops, Op>::value) {
      INFO(std::string_view(Op::name));
      auto const of_op = [](sample const& s) { return s.op->key == kt::info<Op>.key; };
      auto const found = std::find_if(all.begin(), all.end(), of_op);
      REQUIRE(found != all.end());
      std::string const operands = found->operands;
      bool const varies = operands.find_first_of("MBFVWSsRQ") != std::string::npos;
      bool const only_literals = operands.find_first_not_of("0123456789") == std::string::npos;
      bool const has_slices = kt::info<Op>.has_each && !only_literals;
      for (std::size_t e = 0; e < element_count; ++e) {
        element const type = static_cast<element>(e);
        if (!takes<Op>(type) || (!varies && type != element::int64)) continue;
        INFO(kt::core::name_of(type));
        bool const is_bool = type == element::boolean;  // has no 2
        double const want = found->checksum;
        array const whole = run(*found, type, false);
        if (!is_bool) CHECK(checksum(whole) == Approx(want).epsilon(1e-5));
        if (!has_slices) continue;
        array const slices = run(*found, type, true);
        CHECK(slices.has_bytes_of(twice(whole)));
      }
    }
  });
}

// ---- draws, whose first operand is a state ------------------------------------------------------

namespace {

/// The numbers of a draw of three elements without parameters, and the state behind it.
template <class Op>
std::vector<double> drawn(std::vector<std::uint32_t> const& words, long long steps) {
  array state(element::uint32, {words.size()});
  std::copy(words.begin(), words.end(), state.data<std::uint32_t>());
  kt::graph g;
  kt::core::list<int> inputs{g.input({element::uint32, 1, 0}, 0), g.literal(3, element::int64)};
  if (Op::stream == kt::ops::generator::mrg) inputs.push_back(g.literal(6 + 96, element::int64));
  long long const attributes[] = {static_cast<long long>(element::float64), 0, 1, steps};
  g.results().push_back(g.apply(kt::core::identity<Op>(), inputs, attributes));
  array const result = run(std::move(g), {state});
  return {result.data<double>(), result.data<double>() + 3};
}

}  // namespace

TEST_CASE("the library draws random numbers") {
  using namespace kt::ops;
  using kt::op::draw;
  // numpy.random.RandomState(42).random_sample(3)
  std::vector<std::uint32_t> twister(kt::math::twister::words);
  kt::math::twister::seed(42, twister.data());
  CHECK(drawn<draw<generator::twister, distribution::uniform>>(twister, 0) ==
        std::vector{0.3745401188473625, 0.9507143064099162, 0.7319939418114051});
  // Theano's first three sub-streams
  CHECK(drawn<draw<generator::mrg, distribution::uniform>>({12345, 12345, 12345, 12345, 12345, 12345}, 3) ==
        std::vector{0.7353244530968368, 0.2585685825906694, 0.6940806899219751});
  kt::math::philox_place const place{1, 2, 4};
  auto const high = place.block(0), low = place.after(1).block(0);
  auto const of_philox = drawn<draw<generator::philox, distribution::uniform>>({1, 2, 3, 0}, 1);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(of_philox[i] == kt::math::unit_double(high.word[i], low.word[i]));
}

// ---- what the optimizer makes of systems with one matrix ----------------------------------------

TEST_CASE("gradients of solutions, inverses and determinants are found in the library alone") {
  using matrix = xt::xtensor<double, 2>;
  matrix const m{{4, 1, 0}, {1, 3, 1}, {0, 1, 2}};
  xt::xtensor<double, 1> const v{1, 2, 3};
  kt::runtime::graph g;
  auto a = g.input<double, 2>("a");
  auto b = g.input<double, 1>("b");
  auto const both = g.function({a, b}, std::tuple(sum(solve(a, b)), det(a)));
  auto const [total, determinant] = both(m, v);
  CHECK(total == Approx(32. / 18));
  CHECK(determinant == Approx(18));

  // With a.T w = 1 the gradient of sum(x) is -w x.T.
  auto const of_solve = g.function({a, b}, grad(sum(solve(a, b)), a));
  matrix const s = of_solve(m, v);
  CHECK(s(0, 0) == Approx(-2. / 9 * 4 / 18));
  CHECK(s(2, 2) == Approx(-4. / 9 * 26 / 18));
  auto const of_inverse = g.function({a}, grad(sum(matrix_inverse(a)), a));
  matrix const i = of_inverse(m);
  CHECK(i(0, 0) == Approx(-4. / 81));
  CHECK(i(2, 0) == Approx(-8. / 81));
  auto const of_slogdet = g.function({a}, grad(std::get<1>(slogdet(a)), a));
  CHECK(of_slogdet(m)(0, 0) == Approx(5. / 18));
  CHECK(of_slogdet(m)(0, 1) == Approx(-2. / 18));
}
