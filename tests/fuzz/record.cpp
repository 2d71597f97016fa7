// Recording: every operation that users can call, on terms.
// SPDX-License-Identifier: BSD-3-Clause
#include "record.hpp"

#include "draws.hpp"
#include "library.hpp"
#include "sparse.hpp"

#include <optional>
#include <stdexcept>

namespace fuzz {

namespace {

// Calls f with the operand as what it is: a term, an int or a double.
template <class F>
kt::term with_operand(operand const& o, kt::term const& value, F f) {
  if (!o.is_number()) return f(value);
  if (o.is_integer) return f(static_cast<int>(o.number));
  return f(o.number);
}

#define UNARY(name, reals, integers, bools)                                        \
  {#name, 1, reals, integers, bools, [](kt::graph&, operand const*, kt::term const* v) { \
     return kt::term(kt::name(v[0]));                                              \
   }}
#define BINARY_AS(text, expression, reals, integers, bools)                                                   \
  {text, 2, reals, integers, bools, [](kt::graph&, operand const* o, kt::term const* v) {                     \
     return with_operand(o[0], v[0], [&](auto const& a) {                                                     \
       return with_operand(o[1], v[1], [&](auto const& b) {                                                   \
         if constexpr (kt::symbolic<decltype(a)> || kt::symbolic<decltype(b)>) return kt::term(expression);   \
         else return kt::term{};                                                                              \
       });                                                                                                    \
     });                                                                                                      \
   }}
#define BINARY(name, reals, integers, bools) BINARY_AS(#name, kt::name(a, b), reals, integers, bools)

std::vector<elementwise_function> make_functions() {
  return {
      BINARY_AS("+", a + b, true, true, true),
      BINARY_AS("-", a - b, true, true, false),
      BINARY_AS("*", a * b, true, true, true),
      BINARY_AS("/", a / b, true, true, false),
      BINARY_AS("%", a % b, true, true, false),
      BINARY_AS("==", a == b, true, true, true),
      BINARY_AS("!=", a != b, true, true, true),
      BINARY_AS("<", a < b, true, true, true),
      BINARY_AS("<=", a <= b, true, true, true),
      BINARY_AS(">", a > b, true, true, true),
      BINARY_AS(">=", a >= b, true, true, true),
      BINARY_AS("&", kt::call<kt::op::bit_and>(a, b), false, true, true),
      BINARY_AS("|", kt::call<kt::op::bit_or>(a, b), false, true, true),
      BINARY_AS("^", kt::call<kt::op::bit_xor>(a, b), false, true, true),
      BINARY_AS("<<", kt::call<kt::op::shift_left>(a, b), false, true, false),
      BINARY_AS(">>", kt::call<kt::op::shift_right>(a, b), false, true, false),
      BINARY(floordiv, true, true, false), BINARY(pow, true, true, false),
      BINARY(maximum, true, true, true), BINARY(minimum, true, true, true),
      BINARY(fmax, true, true, true), BINARY(fmin, true, true, true), BINARY(copysign, true, true, false), UNARY(signbit, true, true, true),
      BINARY(logaddexp, true, false, false), BINARY(atan2, true, false, false),
      BINARY(hypot, true, false, false), UNARY(cbrt, true, true, false),
      BINARY(nextafter, true, false, false),
      {"u-", 1, true, true, false, [](kt::graph&, operand const*, kt::term const* v) { return -v[0]; }},
      {"~", 1, false, true, true, [](kt::graph&, operand const*, kt::term const* v) { return ~v[0]; }},
      UNARY(abs, true, true, false), UNARY(sgn, true, true, false), UNARY(sqr, true, true, false),
      UNARY(inv, true, true, false), UNARY(sqrt, true, true, false), UNARY(floor, true, true, false),
      UNARY(ceil, true, true, false), UNARY(round, true, true, false), UNARY(trunc, true, true, false),
      UNARY(exp, true, true, true), UNARY(exp2, true, true, false), UNARY(expm1, true, true, false),
      UNARY(log, true, true, false), UNARY(log2, true, true, false), UNARY(log10, true, true, false),
      UNARY(log1p, true, true, false), UNARY(sigmoid, true, true, false), UNARY(softplus, true, true, false),
      UNARY(log1mexp, true, false, false), UNARY(sin, true, true, false), UNARY(cos, true, true, false),
      UNARY(tan, true, false, false), UNARY(asin, true, false, false), UNARY(acos, true, false, false),
      UNARY(atan, true, true, false), UNARY(sinh, true, false, false), UNARY(cosh, true, false, false),
      UNARY(tanh, true, true, false), UNARY(asinh, true, false, false), UNARY(acosh, true, false, false),
      UNARY(atanh, true, false, false), UNARY(erf, true, false, false), UNARY(erfc, true, false, false),
      UNARY(erfcx, true, false, false), UNARY(logerfc, true, false, false), UNARY(gammaln, true, false, false),
      UNARY(digamma, true, false, false), UNARY(trigamma, true, false, false), UNARY(stop_gradient, true, false, false),
      UNARY(erfinv, true, false, false), UNARY(erfcinv, true, false, false), UNARY(gamma, true, false, false),
      BINARY(betaln, true, false, false), BINARY(gammainc, true, false, false), BINARY(gammaincc, true, false, false), UNARY(i0, true, false, false), UNARY(i1, true, false, false),
      UNARY(i0e, true, false, false), UNARY(i1e, true, false, false), UNARY(j0, true, false, false), UNARY(j1, true, false, false),
      UNARY(zeros_like, true, true, true), UNARY(ones_like, true, true, true),
      {"where", 3, true, true, true,
       [](kt::graph&, operand const* o, kt::term const* v) {
         return with_operand(o[1], v[1], [&](auto const& a) {
           return with_operand(o[2], v[2], [&](auto const& b) { return kt::term(kt::where(v[0], a, b)); });
         });
       }},
      {"ifelse", 3, true, true, true,
       [](kt::graph& g, operand const* o, kt::term const* v) {
         // What takes terms alone; a number has another rank than most branches.
         if (o[1].is_number() || o[2].is_number() || v[1].rank() != v[2].rank()) g.fail("the fuzzer: branches of two ranks");
         return o[1].is_number() || o[2].is_number() ? v[0] : kt::term(kt::ifelse(v[0], v[1], v[2]));
       }},
  };
}

#undef BINARY
#undef BINARY_AS
#undef UNARY

long long axes_of(call const& c) {
  long long bits = 0;
  for (int a : c.axes) bits |= 1ll << a;
  return bits;
}

kt::term reduced(kt::term x, call const& c) {
  using kt::core::identity;
  kt::core::op_info const* const ops[] = {identity<kt::op::sum>(), identity<kt::op::prod>(), identity<kt::op::max>(),
                                          identity<kt::op::min>(), identity<kt::op::all>(), identity<kt::op::any>(),
                                          identity<kt::op::logsumexp>()};
  kt::element as = x.element();
  if (c.kind == call_kind::mean) as = kt::core::is_float(as) ? as : kt::element::float64;
  else if (c.function <= 1) as = kt::ops::accumulated(as);
  else if (c.function == 4 || c.function == 5) as = kt::element::boolean;
  else if (c.function == 6) as = kt::core::floating(as);
  kt::term const operand{x.of, x.of->cast(x.id, as)};
  kt::term const total = kt::ops::reduce(c.kind == call_kind::mean ? ops[0] : ops[c.function], operand, axes_of(c), c.keep);
  if (c.kind != call_kind::mean) return total;
  kt::term const count = kt::ops::count_of(x, axes_of(c));
  return total / kt::term{x.of, x.of->cast(count.id, as)};
}

kt::term indexed(kt::graph& g, kt::term x, call const& c, std::vector<kt::term> const& values) {
  kt::ops::selection chosen{g, x};
  chosen.inputs.push_back(x.id);
  auto with_bound = [&](index_item::bound const& b, auto f) {
    if (b.none) f(kt::none);
    else if (b.is_value) f(values[static_cast<std::size_t>(b.value)]);
    else f(static_cast<int>(b.value));
  };
  for (index_item const& i : c.index) {
    if (i.code == 0) chosen.add(kt::slice());
    else if (i.code == 1 && i.begin.is_value) chosen.add(values[static_cast<std::size_t>(i.begin.value)]);
    else if (i.code == 1) chosen.add(static_cast<int>(i.begin.value));
    else
      with_bound(i.begin, [&](auto const& begin) {
        with_bound(i.end, [&](auto const& end) { chosen.add(kt::slice(begin, end, i.step)); });
      });
  }
  bool whole = true;
  for (index_item const& i : c.index) whole = whole && i.code == 0;
  return whole ? x : kt::term{&g, g.apply(kt::core::identity<kt::op::subtensor>(), chosen.inputs, chosen.attributes)};
}

kt::term reshaped(kt::term x, call const& c) {
  auto const& e = c.axes;
  if (e.empty()) return kt::reshape<0>(x);
  if (e.size() == 1) return kt::reshape<1>(x, e[0]);
  if (e.size() == 2) return kt::reshape<2>(x, e[0], e[1]);
  return kt::reshape<3>(x, e[0], e[1], e[2]);
}

}  // namespace

std::vector<elementwise_function> const& elementwise_functions() {
  static std::vector<elementwise_function> const functions = make_functions();
  return functions;
}

int function_named(std::string_view name) {
  auto const& all = elementwise_functions();
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].name == name) return static_cast<int>(k);
  throw std::logic_error("the fuzzer knows no function " + std::string(name));
}

namespace {

kt::term record_computed(kt::graph& g, call const& c, std::vector<kt::term> const& values) {
  std::vector<kt::term> v;
  for (operand const& o : c.operands) v.push_back(o.is_number() ? kt::term{} : values[static_cast<std::size_t>(o.value)]);
  // What the typed functions refuse while they compile.
  bool const names_axes = c.kind == call_kind::reduction || c.kind == call_kind::mean || c.kind == call_kind::softmax_like ||
                          c.kind == call_kind::dimshuffle;
  bool refused = c.kind == call_kind::subtensor && static_cast<int>(c.index.size()) != v[0].rank();
  for (int axis : c.axes) refused = refused || (names_axes && axis >= v[0].rank());
  for (auto const& factor : v) refused = refused || (c.kind == call_kind::dot && (factor.rank() == 0 || factor.rank() > 2));
  bool const differentiates = c.kind == call_kind::gradient || c.kind == call_kind::second_gradient || c.kind == call_kind::rop;
  for (auto const& x : v) refused = refused || (differentiates && !kt::core::is_float(x.element()));
  refused = refused || (differentiates && c.kind != call_kind::rop && v[0].rank() != 0);
  if (refused) {
    g.fail("the fuzzer: a call on operands that it does not take");
    return v[0];
  }
  switch (c.kind) {
    case call_kind::library: {
      library_function const& f = library_functions()[static_cast<std::size_t>(c.function)];
      v.resize(3, v[0]);  // as many as any takes
      if (v[0].rank() >= f.low && v[0].rank() <= f.high)
        if (kt::term const t = f.record(g, c.axes.data(), v.data()); t.exists() && t.rank() <= 4) return t;
      g.fail("the fuzzer: a call on operands that it does not take");
      return v[0];
    }
    case call_kind::elementwise:
      return elementwise_functions()[static_cast<std::size_t>(c.function)].record(g, c.operands.data(), v.data());
    case call_kind::cast: return {&g, g.round(v[0].id, c.to)};
    case call_kind::reduction:
    case call_kind::mean: return reduced(v[0], c);
    case call_kind::softmax_like: {
      kt::term const x{&g, g.cast(v[0].id, kt::core::floating(v[0].element()))};
      kt::core::op_info const* const ops[] = {kt::core::identity<kt::op::softmax>(), kt::core::identity<kt::op::log_softmax>()};
      return kt::ops::over_axes(ops[c.function], x, axes_of(c));
    }
    case call_kind::dimshuffle: {
      kt::core::list<int> pattern;
      for (int a : c.axes) pattern.push_back(a);
      for (int d = 0; d < v[0].rank(); ++d)
        if (!pattern.contains(d) && !v[0].type().broadcasts(d)) g.fail("kt::dimshuffle: only a broadcasting axis can be left out");
      return kt::ops::permute(v[0], pattern);
    }
    case call_kind::reshape: return reshaped(v[0], c);
    case call_kind::subtensor: return indexed(g, v[0], c, values);
    case call_kind::dot: return kt::dot(v[0], v[1]);
    case call_kind::full_like: return kt::full_like(v[0], c.operands[1].number);
    case call_kind::gradient: return kt::grad(v[0], v[1], kt::disconnected::zero);
    case call_kind::second_gradient: {
      kt::term const first = kt::grad(v[0], v[1], kt::disconnected::zero);
      return kt::grad(kt::term(kt::sum(first * kt::cos(v[1]))), v[1], kt::disconnected::zero);
    }
    default: return kt::rop(v[0], v[1], v[2]);
  }
}

/// What terms compute as float32 and a variable of 16 bits stores.
kt::term stored(call const& c, kt::term t, std::vector<kt::term> const& values) {
  bool const chooses = c.kind == call_kind::elementwise && c.operands.size() == 3;
  std::optional<kt::element> type;
  for (std::size_t k = chooses ? 1 : 0; k < c.operands.size(); ++k) {
    if (c.operands[k].is_number()) continue;
    kt::element const e = values[static_cast<std::size_t>(c.operands[k].value)].element();
    bool const counts = kt::core::is_float(e) || c.kind != call_kind::library;
    if (counts) type = type ? kt::core::promote(*type, e) : e;
    if (c.kind == call_kind::rop) break;
  }
  bool const is_stored = t.element() == kt::element::float32 && type && kt::core::is_short(*type);
  return is_stored && c.kind != call_kind::cast ? kt::term{t.of, t.of->store(t.id, *type)} : t;
}

}  // namespace

kt::term record(kt::graph& g, call const& c, std::vector<kt::term> const& values, recorded_arguments const& of) {
  switch (c.kind) {
    case call_kind::loop: return record_loop(g, c, values);
    case call_kind::sparse: return record_sparse(g, c, values, of);
    case call_kind::draw: return record_draw(g, c, values, of);
    default: return stored(c, record_computed(g, c, values), values);
  }
}

kt::term record(kt::graph& g, argument const& a, int value, recorded_arguments& of) {
  if (is_sparse(a.kind)) return record_matrix(g, a, value, of);
  kt::term const parameter{&g, g.input(a.type, g.parameters().size())};
  if (is_stream(a.kind)) of.kinds[value] = a.kind, of.nodes[value] = {parameter.id};
  for (int d = 0; d < a.type.rank; ++d)
    if ((a.fixed >> d & 1u) != 0 && !a.type.broadcasts(d))
      kt::ops::note_extent(g, parameter.id, d, a.shape[static_cast<std::size_t>(d)]);
  return parameter;
}

std::vector<kt::term> record(kt::graph& g, program const& p, bool for_reference) {
  std::vector<kt::term> values;
  recorded_arguments of{for_reference};
  for (argument const& a : p.arguments) values.push_back(record(g, a, static_cast<int>(values.size()), of));
  for (call const& c : p.calls) values.push_back(record(g, c, values, of));
  for (int v : p.outputs) g.results().push_back(values[static_cast<std::size_t>(v)].id);
  record_states(g, of);
  return values;
}

std::vector<argument> inputs_for_reference(std::vector<argument> const& arguments) {
  std::vector<argument> inputs;
  for (argument const& a : arguments) {
    inputs.push_back(a);
    if (!is_sparse(a.kind)) continue;
    argument stored{{kt::element::boolean, 2, 0}, a.shape, {a.stored.begin(), a.stored.end()}};
    for (std::size_t i = 0; i < a.data.size(); ++i)
      if (a.stored[i] == 0) inputs.back().data[i] = 0;
    inputs.push_back(stored);
  }
  return inputs;
}

}  // namespace fuzz
