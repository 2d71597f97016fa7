// How programs grow: arguments, elementwise calls, reductions, derivatives.
// SPDX-License-Identifier: BSD-3-Clause
#include "generate.hpp"
#include "scalar.hpp"

#include <kroton/core/call.hpp>

#include <algorithm>
#include <cmath>

namespace fuzz {

generator::generator(std::uint64_t seed) : dice_(seed) {
  palette_ = dice_.pick({0, 0, 0, 0, 0, 1, 1, 2, 3, 3, shorts});
  for (int k = 0; k < 2; ++k) extents_.push_back(dice_.pick({2, 3, 3, 4, 5}));
  if (dice_.one_in(5)) extents_.push_back(1);
  if (dice_.one_in(10)) extents_.push_back(0);
  if (dice_.one_in(25)) extents_.push_back(dice_.pick({17, 70, 300}));
}

generator generator::of_integers(std::uint64_t seed) {
  generator result(seed);
  result.palette_ = integers;
  return result;
}

generator generator::of_known_extents(std::uint64_t seed) {
  generator result(seed);
  result.knows_extents_ = true;
  std::erase(result.extents_, 0);  // of which nothing is taken apart
  return result;
}

generator generator::of_scalars(std::uint64_t seed) {
  generator result(seed);
  result.scalars_ = true;
  return result;
}

generator generator::of_loops(std::uint64_t seed) {
  generator result(seed);
  result.begins_with_loop_ = true;
  return result;
}

generator generator::of_library(std::uint64_t seed) {
  generator result(seed);
  result.calls_library_ = true;
  return result;
}

program generator::run() {
  int const arguments = 1 + dice_.below(4), calls = 3 + dice_.below(14);
  for (int k = 0; k < arguments; ++k) add_argument(type_of_argument());
  if (!scalars_ && dice_.one_in(2)) add_positions();
  if (!scalars_ && dice_.one_in(8)) add_matrix();
  if (dice_.one_in(10)) add_stream();
  for (int k = 0; k < calls; ++k) {
    if (begins_with_loop_ && k == 2) loop_over({});
    next();
  }
  int const outputs = 1 + (dice_.one_in(3) ? dice_.below(3) : 0);
  program_.outputs.push_back(program_.size() - 1);
  for (int k = 1; k < outputs; ++k) program_.outputs.push_back(any());
  return without_dead_parts(program_);
}

// ---- what there is -------------------------------------------------------------------------------------------------------

int generator::any() {
  int const size = static_cast<int>(known_.size());
  // The first argument is a tensor.
  int const v = dice_.one_in(2) ? std::max(0, size - 1 - dice_.below(4)) : dice_.below(size);
  return is_tensor(v) ? v : 0;
}
int generator::any_where(bool (generator::*holds)(int) const) {
  for (int tries = 0; tries < 20; ++tries)
    if (int const v = any(); (this->*holds)(v)) return v;
  return -1;
}
/// A value that fits next to another in an elementwise op.
int generator::beside(int v) {
  known const& a = of(v);
  for (int tries = 0; tries < 20; ++tries) {
    int const w = any();
    known const& b = of(w);
    int const rank = std::max(a.type.rank, b.type.rank);
    bool fits = true;
    for (int d = 0; d < rank && fits; ++d)
      fits = !a.type.spans(d, rank) || !b.type.spans(d, rank) ||
             a.shape[static_cast<std::size_t>(a.type.aligned(d, rank))] == b.shape[static_cast<std::size_t>(b.type.aligned(d, rank))];
    if (fits) return w;
  }
  return v;
}

kt::tensor_type generator::type_of_argument() {
  using enum kt::element;
  kt::tensor_type type{float64, 0, 0};
  if (palette_ == 1) type.element = float32;
  if (palette_ == 2) type.element = dice_.pick({float32, float64});
  if (palette_ == 3)
    type.element = dice_.pick({float64, float64, float64, float32, float32, int64, int64, int32, int16, int8, uint8, uint16, uint32, uint64, boolean});
  if (palette_ == shorts)
    type.element = dice_.pick({float16, float16, float16, bfloat16, bfloat16, float32, float64, int64, int8, uint8, boolean});
  if (palette_ == integers)
    type.element = dice_.pick({int64, int64, int64, int32, int32, int16, int8, int8, uint8, uint16, uint32,
                               uint64, uint64, boolean, float64});
  if (scalars_) return type;
  type.rank = static_cast<std::uint8_t>(dice_.pick({0, 1, 1, 1, 2, 2, 2, 3}));
  if (type.rank == 2 && dice_.one_in(4)) type.broadcast = dice_.pick({1u, 2u});
  return type;
}
void generator::add_argument(kt::tensor_type type) {
  argument a;
  a.type = type;
  for (int d = 0; d < type.rank; ++d) a.shape.push_back(type.broadcasts(d) ? 1 : dice_.pick(extents_));
  // One long axis is enough.
  if (std::count_if(a.shape.begin(), a.shape.end(), [](long e) { return e > 5; }) > 1)
    for (long& e : a.shape) e = e > 5 ? extents_[0] : e;
  if (knows_extents_) a.fixed = dice_.one_in(3) ? static_cast<unsigned>(dice_.below(8)) : 7u;
  for (int d = 0; d < type.rank && a.fixed == 7; ++d)
    if (a.shape[static_cast<std::size_t>(d)] == 1) a.type.broadcast |= 1u << d;
  fill(a);
  add_argument(a);
}
void generator::add_argument(argument a) {
  program_.arguments.push_back(a);
  terms_.push_back(record(graph_, a, static_cast<int>(terms_.size()), recorded_));
  inputs_ = inputs_for_reference(program_.arguments);
  // What is known of arguments alone.
  known_.push_back({a.type, a.shape, a.data});
}
/// Integers that are positions along most axes; one that is not now and then.
void generator::add_positions() {
  add_argument(kt::tensor_type{kt::element::int64, static_cast<std::uint8_t>(dice_.pick({1, 1, 2})), 0});
  for (real& x : program_.arguments.back().data) x = dice_.one_in(40) ? 3 : dice_.below(4) - 2;
}
void generator::fill(argument& a) {
  long count = 1;
  for (long e : a.shape) count *= e;
  int const manner = dice_.below(6);
  for (long i = 0; i < count; ++i) a.data.push_back(element_for(a.type.element, manner));
}
real generator::element_for(kt::element e, int manner) {
  if (kt::core::is_bool(e)) return dice_.below(2);
  if (palette_ == integers && !kt::core::is_float(e) && manner != 0) return integer_at_end(e);
  if (kt::core::is_unsigned(e)) return manner == 5 && dice_.one_in(4) ? std::ldexp(real(1), 8 * kt::core::bytes_of(e)) - 1 : dice_.below(7);
  if (kt::core::is_integer(e)) return manner == 5 && dice_.one_in(4) ? -std::ldexp(real(1), 8 * kt::core::bytes_of(e) - 1) : dice_.below(9) - 4;
  real x = 0;
  if (manner == 0) x = dice_.below(9) * 0.5L - 2;
  else if (manner == 1) x = dice_.uniform(0, 1);
  else if (manner == 2) x = dice_.uniform(0.1L, 4);
  else if (manner == 3) x = dice_.uniform(-12, 12);
  else x = dice_.uniform(-3, 3);
  return nearest(x, e);
}

/// One of the outermost integers of a type, or of those about 0, half the range and its square root.
real generator::integer_at_end(kt::element e) {
  int const bits = 8 * kt::core::bytes_of(e) - (kt::core::is_signed(e) ? 1 : 0);
  real const beyond = std::ldexp(real(1), bits), lowest = kt::core::is_signed(e) ? -beyond : 0;
  real const middle = dice_.pick({real(0), real(0), beyond / 2, std::ldexp(real(1), bits / 2)});
  int const near = dice_.below(3);
  switch (dice_.below(5)) {
    case 0: return lowest + near;
    case 1: return beyond - 1 - near;
    case 2: return std::fmax(lowest, 0 - middle - near);  // integers have no -0
    default: return middle + near;
  }
}

// ---- growing ---------------------------------------------------------------------------------------------------------------

int generator::add(call const& c, int otherwise) {
  // Trials go to a copy, since a graph keeps its first error and every node.
  kt::graph trial = graph_;
  std::vector<kt::term> terms = terms_;
  for (auto& t : terms) t.of = &trial;
  kt::term const t = record(trial, c, terms, recorded_);
  long span = 1;  // of a broadcast result, at most
  for (operand const& o : c.operands)
    for (long e : o.is_number() ? std::vector<long>{} : of(o.value).shape) span *= e > 5 ? e : 1;
  if (span > 2000) return otherwise;
  if (!trial.error().empty() || trial.size() > 400) return otherwise;
  known k{t.type(), {}, {}};
  trial.results().push_back(t.id);
  try {
    evaluator const values(trial, inputs_, false);
    tensor const& x = values[t.id];
    if (x.count() > 2000) return otherwise;
    k.shape = x.shape;
    k.data = x.data;
    long bad = 0;
    for (long i = 0; i < x.count(); ++i)
      bad += !std::isfinite(x.data[static_cast<std::size_t>(i)]) || x.flags[static_cast<std::size_t>(i)] != 0 ||
             (kt::core::is_float(x.type) && std::abs(x.data[static_cast<std::size_t>(i)]) > 1e8L);
    if (2 * bad > x.count() && !dice_.one_in(20)) return otherwise;
  } catch (std::domain_error const&) {
    return otherwise;
  }
  graph_ = std::move(trial);
  graph_.results() = {};
  program_.calls.push_back(c);
  terms_.push_back({&graph_, t.id});
  known_.push_back(k);
  return program_.size() - 1;
}
int generator::apply(std::string_view function, std::initializer_list<operand> operands) {
  call c;
  c.function = function_named(function);
  c.operands = operands;
  int otherwise = 0;
  for (operand const& o : operands) otherwise = o.is_number() ? otherwise : o.value;
  auto const& f = elementwise_functions()[static_cast<std::size_t>(c.function)];
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    if (c.operands[k].is_number() || (c.operands.size() == 3 && k == 0)) continue;
    kt::element const e = of(c.operands[k].value).type.element;
    if (kt::core::is_bool(e) ? !f.bools : kt::core::is_float(e) ? !f.reals : !f.integers) return otherwise;
  }
  // Bitwise ops take no floating operand, which uint64 next to a signed integer would become.
  if (!f.reals && c.operands.size() == 2 && !c.operands[0].is_number() && !c.operands[1].is_number() &&
      kt::core::is_float(kt::core::promote(of(c.operands[0].value).type.element, of(c.operands[1].value).type.element)))
    return otherwise;
  return add(c, otherwise);
}

operand generator::literal_of(int beside, double x) const {
  if (is_real(beside)) return number(x);
  return whole(static_cast<int>(std::abs(x)));
}
operand generator::literal(int beside) {
  if (!is_real(beside)) {
    if (kt::core::is_bool(of(beside).type.element)) return whole(dice_.below(2));
    if (palette_ == integers) return whole(dice_.pick({0, 1, 2, 3, -1, -2, 7, 8, 64, 127, -128, 255}));
    return whole(dice_.pick({0, 1, 2, 3}));
  }
  double const x = dice_.pick({0., 1., 2., -1., 0.5, 3., -2., 1. / 3, 4., 0.1, -0.5, 10., -0.});
  if (x == 0 && std::signbit(x)) return number(x);
  return x == std::floor(x) && dice_.one_in(2) ? whole(static_cast<int>(x)) : number(x);
}

void generator::next() {
  if (!scalars_ && depth_ < 2 && dice_.one_in(depth_ == 0 ? 16 : 30)) return loop_over({});
  if (program_.has(&is_sparse) && dice_.one_in(3)) return sparse();
  if (program_.has(&is_stream) && dice_.one_in(4)) return draw();
  if (calls_library_ && dice_.one_in(2)) return library_with_gradient();
  int kind = dice_.below(100);
  // Arrangements, products and most of the library make tensors.
  if (scalars_ && (kind >= 58 && kind < 72)) kind = 0;
  if (scalars_ && (kind >= 80 && kind < 96)) kind = 28;
  if (kind < 28) elementwise();
  else if (kind < 52) idiom();
  else if (kind < 58) reduction();
  else if (kind < 67) arrangement();
  else if (kind < 72) product();
  else if (kind < 80) derivative();
  else if (kind < 96) library();
  else conversion();
}

void generator::elementwise() {
  int const a = any();
  auto const& all = elementwise_functions();
  int const k = dice_.one_in(3) ? dice_.below(5) : dice_.below(static_cast<int>(all.size()));
  elementwise_function const& function = all[static_cast<std::size_t>(k)];
  if (function.arity == 1) apply(function.name, {value(a)});
  else if (function.arity == 3) {
    int const b = beside(a), c = beside(a);
    apply(function.name, {value(c), dice_.one_in(5) ? literal(a) : value(a), dice_.one_in(5) && a != b ? literal(a) : value(b)});
  } else if (dice_.one_in(3)) {
    operand const number = literal(a);
    if (dice_.one_in(2)) apply(function.name, {value(a), number});
    else apply(function.name, {number, value(a)});
  } else {
    int const b = beside(a);
    apply(function.name, {value(a), value(b)});
  }
}
void generator::conversion() {
  using enum kt::element;
  call c;
  int const a = any();
  c.kind = call_kind::cast;
  c.operands = {value(a)};
  c.to = palette_ == shorts ? dice_.pick({float16, float16, bfloat16, bfloat16, float32, float64, int64, int8, boolean})
         : palette_ >= 3    ? dice_.pick({float64, float32, int64, int32, int16, int8, uint8, uint32, uint64, boolean})
                            : dice_.pick({float64, float32, int64, boolean});
  if (palette_ < 2 && !dice_.one_in(3)) return;
  add(c, a);
}

std::vector<int> generator::random_axes(int rank) {
  std::vector<int> axes;
  for (int d = 0; d < rank; ++d)
    if (rank == 1 || dice_.one_in(2)) axes.push_back(d);
  if (axes.empty() || dice_.one_in(4)) {
    axes.clear();
    for (int d = 0; d < rank; ++d) axes.push_back(d);
  }
  return axes;
}
void generator::reduction() {
  int const a = any(), rank = of(a).type.rank;
  call c;
  c.operands = {value(a)};
  c.axes = random_axes(rank);
  c.keep = dice_.one_in(2);
  int const which = dice_.below(12);
  c.kind = which == 10 ? call_kind::mean : which == 11 && rank > 0 ? call_kind::softmax_like : call_kind::reduction;
  if (c.kind == call_kind::softmax_like) c.keep = false;
  c.function = c.kind == call_kind::softmax_like ? dice_.below(2) : which < 7 ? which : 0;
  // Without a conversion these are of bools, and a sum of exponentials of floats.
  add(c, a);
}

int generator::scalar_cost() {
  int const v = any_real();
  if (v < 0 || of(v).type.rank == 0) return v;
  call c;
  c.kind = call_kind::reduction;
  c.operands = {value(v)};
  for (int d = 0; d < of(v).type.rank; ++d) c.axes.push_back(d);
  int const sum = add(c, -1);
  return sum;
}
/// Whether something may be differentiated by a value. Which nodes are one may differ between sparse matrices and the dense ones
/// for reference, so that where there are some, it is an argument.
bool generator::is_variable(int v) const {
  return program_.is_argument(v) || std::none_of(program_.calls.begin(), program_.calls.end(), [](call const& c) { return c.kind == call_kind::sparse; });
}
void generator::gradient_of(int cost, int wrt) {
  if (!is_variable(wrt)) return;
  call c;
  c.kind = dice_.one_in(4) ? call_kind::second_gradient : call_kind::gradient;
  c.operands = {value(cost), value(wrt)};
  add(c, cost);
}
void generator::derivative() {
  int const cost = scalar_cost();
  int wrt = any_real();
  for (int tries = 0; tries < 4 && wrt >= static_cast<int>(program_.arguments.size()); ++tries) wrt = any_real();
  if (cost < 0 || wrt < 0) return;
  if (!dice_.one_in(5)) return gradient_of(cost, wrt);
  int const y = any_real();
  if (y < 0 || !is_variable(wrt)) return;
  call c;
  c.kind = call_kind::rop;
  c.operands = {value(y), value(wrt), value(wrt)};
  add(c, cost);
}

}  // namespace fuzz
