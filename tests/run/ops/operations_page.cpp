// docs/operations.md is what this writes: KROTON_WRITE_DOCS=1 ./kroton_tests "the page of operations" renews it.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include <kroton/catalogue/table.hpp>
#include <kroton/cpu/op/kernels.hpp>
#include <kroton/cuda/op/kernels.hpp>

namespace kt = kroton;
namespace core = kt::core;
using boost::mp11::mp_for_each;
using kt::element;

namespace {

constexpr int element_count = static_cast<int>(element::complex128) + 1;

/// Element types; those of a kind by its name.
struct type_set {
  bool has[element_count]{};

  bool is(type_set const& other) const { return std::equal(std::begin(has), std::end(has), std::begin(other.has)); }
  std::string text() const {
    static constexpr struct {
      char const* name;
      int first, last;
    } groups[] = {{"bool", 0, 0}, {"signed", 1, 4}, {"unsigned", 5, 8}, {"float", 9, 10}, {"complex", 11, 12}};
    constexpr type_set small{{true, true, true, false, false, true, true}}, wide{{false, false, false, true, true, false, false, true, true}};
    if (is(small)) return "small";
    if (is(wide)) return "wide";
    std::string result;
    auto add = [&](std::string_view name) { result += (result.empty() ? "" : ", ") + std::string(name); };
    bool all = true;
    for (bool h : has) all = all && h;
    if (all) return "all";
    for (auto const& g : groups) {
      bool whole = true;
      for (int e = g.first; e <= g.last; ++e) whole = whole && has[e];
      if (whole) add(g.name);
      else
        for (int e = g.first; e <= g.last; ++e)
          if (has[e]) add(core::name_of(static_cast<element>(e)));
    }
    return result;
  }
};

/// Which element types an op takes, and what each gives: `small → float32; wide → float64; ...`.
template <class Op>
std::string elementwise_types() {
  constexpr bool takes_floats = Op::types::takes_floats || std::is_same_v<typename Op::types, kt::signatures::selection>;
  std::vector<std::pair<std::string, type_set>> by_result;
  auto note = [&](std::string const& result, int e) {
    for (auto& [known, set] : by_result)
      if (known == result) return void(set.has[e] = true);
    by_result.push_back({result, {}});
    by_result.back().second.has[e] = true;
  };
  for (int i = 0; i < element_count; ++i) {
    auto const e = static_cast<element>(i);
    if (core::is_complex(e) ? !Op::takes_complex : core::is_float(e) && !takes_floats) continue;
    element const operands[] = {e, e, e};
    element const result = Op::types::of(operands, Op::arity).result;
    bool const always = std::is_same_v<typename Op::types, kt::signatures::comparison>;
    note(result == e && !always ? "itself" : std::string(core::name_of(result)), i);
  }
  std::string text;
  for (auto const& [result, set] : by_result) text += (text.empty() ? "" : "; ") + set.text() + " → " + result;
  return text;
}
template <class Op, bool Moves>
type_set operand_types() {
  type_set set;
  mp_for_each<boost::mp11::mp_iota_c<static_cast<std::size_t>(element_count)>>([&](auto index) {
    using T = core::value_t<static_cast<element>(index())>;
    bool takes = !core::is_complex(static_cast<element>(index())) || Op::takes_complex || Moves;
    if constexpr (core::runs_by_type<Op>) takes = takes && kroton::cpu::runs_on<Op, T>;
    set.has[index()] = takes;
  });
  return set;
}
/// Those of `all` for which a device has a kernel.
template <class Op>
type_set kernel_types(type_set all) {
  mp_for_each<boost::mp11::mp_iota_c<static_cast<std::size_t>(element_count)>>([&](auto index) {
    using T = core::value_t<static_cast<element>(index())>;
    all.has[index()] = all.has[index()] && kt::cuda::kernel<Op>::template takes<T>;
  });
  return all;
}

std::string operands(int arity) { return arity < 0 ? "any" : std::to_string(arity); }
template <class Op>
char const* gradient() {
  if (core::has_pullback<Op>) return "yes";
  return kt::info<Op>.unwritten_gradient.empty() ? "none" : "not written";
}

/// What a device does with an op that is not elementwise.
template <class Op, bool Moves = false>
std::string on_device() {
  if constexpr (core::declares_own<Op>) {
    type_set const all = operand_types<Op, Moves>(), there = kernel_types<Op>(all);
    if (there.is(all)) return "kernel";
    std::string const types = there.text();
    return types.empty() ? "host" : "kernel for " + types + ", else host";
  } else {
    core::step_kind const kind = kt::info<Op>.step;
    if (core::traits_of(kind).is_product) return "cuBLAS, kernel";
    if (core::traits_of(kind).view == core::step_traits::part) return "strides";
    if (kind == core::step_kind::ifelse) return "no copy";
    if (kind == core::step_kind::scan || kind == core::step_kind::print || kind == core::step_kind::assertion) return "host";
    return "kernel";
  }
}

template <class List>
void elementwise_rows(std::ostream& out, char const* gpu = "kernel") {
  mp_for_each<List>([&]<class Op>(Op) {
    out << "| `" << Op::name << "` | " << operands(Op::arity) << " | " << elementwise_types<Op>() << " | " << gradient<Op>() << " | fused loop | "
        << gpu << " |\n";
  });
}
/// `Moves`: ops that move elements and ask for no type.
template <class List, bool Moves = false>
void other_rows(std::ostream& out, char const* cpu, char const* gpu = nullptr) {
  mp_for_each<List>([&]<class Op>(Op) {
    out << "| `" << Op::name << "` | " << operands(Op::arity) << " | " << operand_types<Op, Moves>().text() << " | " << gradient<Op>() << " | " << cpu << " | "
        << (gpu != nullptr ? gpu : on_device<Op, Moves>()) << " |\n";
  });
}

/// Draws: operands are the state of a stream, parameters and extents. Loops make some numbers that they read.
void random_rows(std::ostream& out) {
  mp_for_each<kt::op::random_ops>([&]<class Op>(Op) {
    out << "| `" << Op::name << "` | " << operands(Op::arity) << " | uint32 state | " << gradient<Op>() << " | "
        << (kt::info<Op>.generates ? "loop, or within the loop that reads them" : "loop") << " | " << on_device<Op>() << " |\n";
  });
}

std::string page() {
  std::ostringstream out;
  out << "# The operations\n\n"
         "Written by tests/run/ops/operations_page.cpp from the ops' own declarations: what the graph is made of. The functions that users\n"
         "call are these or made of these (`mean`, `var`, `norm`, `outer`, `einsum`, `stack`, `roll`, `foldl`, `hessian`, the losses ...), with the names\n"
         "of NumPy and Theano. *Types* are those of the operands and, for elementwise ops, of the result; operands of several types are\n"
         "promoted before; *small* are bool and the integers of 8 and 16 bits, *wide* those of 32 and 64. *Gradient*: whether one flows; *none* by nature. *CUDA*: what `kt::cuda::function` runs on the device; *host*: there, between transfers.\n";
  auto head = [&](char const* title) {
    out << "\n## " << title << "\n\n| op | operands | types | gradient | CPU | CUDA |\n|---|---|---|---|---|---|\n";
  };
  using namespace kt::op;
  head("Arithmetic");
  elementwise_rows<arithmetic_ops>(out);
  head("Comparison, logic, choice");
  elementwise_rows<logic_ops>(out);
  head("Exponential and trigonometric functions");
  elementwise_rows<boost::mp11::mp_append<exponential_ops, trigonometric_ops>>(out);
  head("Special functions");
  elementwise_rows<special_ops>(out);
  head("Complex numbers");
  elementwise_rows<complex_ops>(out, "host");
  head("Reductions");
  other_rows<reduction_ops>(out, "fused loop");
  other_rows<normalizing_ops>(out, "fused loops", "kernels");
  head("Views and choices of one branch");
  other_rows<view_ops, true>(out, "no copy");
  head("Creation and joining");
  other_rows<boost::mp11::mp_list<alloc>, true>(out, "loop");
  other_rows<creation_ops>(out, "loop");
  head("Indexing");
  other_rows<indexing_ops>(out, "loop");
  head("Positions, cumulative sums and orders");
  other_rows<order_ops>(out, "loop");
  head("Products");
  other_rows<product_ops>(out, "BLAS");
  head("Convolutions and pooling");
  other_rows<window_ops>(out, "direct loops, BLAS");
  head("Linear algebra");
  other_rows<diagonal_ops>(out, "loop");
  other_rows<linear_algebra_ops>(out, "LAPACK");
  head("Sparse matrices");
  other_rows<sparse_ops>(out, "by lines");
  head("Fourier transforms");
  other_rows<fourier_ops>(out, "KISS FFT or FFTW");
  head("Random numbers");
  random_rows(out);
  head("Loops");
  other_rows<boost::mp11::mp_list<scan>, true>(out, "its body, step by step");
  return out.str();
}

/// The page as it lies in the project, found from this file.
std::string path() {
  std::string const here = __FILE__;
  return here.substr(0, here.rfind("tests/run/")) + "docs/operations.md";
}

}  // namespace

TEST_CASE("the page of operations says what the ops say", "[ops]") {
  std::string const now = page();
  if (std::getenv("KROTON_WRITE_DOCS") != nullptr) std::ofstream(path()) << now;
  std::ifstream file(path());
  std::string const there{std::istreambuf_iterator<char>(file), {}};
  CHECK(there == now);
}
