// Random programs that are well typed and mostly finite.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate.hpp"
#include "record.hpp"

#include <random>

namespace fuzz {

/// The random numbers of one program.
class dice {
 public:
  explicit dice(std::uint64_t seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  real uniform(real low, real high) { return low + (high - low) * static_cast<real>(random_() >> 11) * 0x1p-53L; }
  template <class T>
  T const& pick(std::vector<T> const& from) {
    return from[static_cast<std::size_t>(below(static_cast<int>(from.size())))];
  }
  template <class T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[below(static_cast<int>(from.size()))];
  }

 private:
  std::mt19937_64 random_;
};

/// Grows a program call by call. Each call is recorded and evaluated at once, so that the next finds types, shapes and values.
class generator {
 public:
  explicit generator(std::uint64_t seed);
  /// Of integers of all types, many of which are at the ends of their range.
  static generator of_integers(std::uint64_t seed);
  /// Of tensors some or all of whose extents are known to the graph.
  static generator of_known_extents(std::uint64_t seed);
  /// Of numbers, without tensors.
  static generator of_scalars(std::uint64_t seed);
  /// With a loop among its first calls.
  static generator of_loops(std::uint64_t seed);
  /// Of functions of the library, and their gradients.
  static generator of_library(std::uint64_t seed);
  program run();

 private:
  /// Of the body of a loop, as deep as this is; of the same kind as another one.
  generator(generator const& around, std::vector<argument> const& given, std::uint64_t seed);

  using known = argument;

  // What there is.
  known const& of(int v) const { return known_[static_cast<std::size_t>(v)]; }
  bool is_real(int v) const { return kt::core::is_float(of(v).type.element); }
  int any();
  bool is_tensor(int v) const { return !program_.is_argument(v) || !is_stream(program_.arguments[static_cast<std::size_t>(v)].kind); }
  int any_where(bool (generator::*holds)(int) const);
  int any_real() { return any_where(&generator::is_real); }
  int beside(int v);
  kt::tensor_type type_of_argument();
  void add_argument(kt::tensor_type type);
  void add_argument(argument a);
  void add_positions();
  void fill(argument& a);
  real element_for(kt::element e, int manner);
  real integer_at_end(kt::element e);

  // Growing. Each gives the number of a value, or that of an operand where the call was refused.
  int add(call const& c, int otherwise);
  int apply(std::string_view function, std::initializer_list<operand> operands);
  static operand value(int v) { return {v, 0, false}; }
  static operand whole(int n) { return {-1, static_cast<double>(n), true}; }
  static operand number(double x) { return {-1, x, false}; }
  operand literal(int beside);

  int f(std::string_view name, int a) { return apply(name, {value(a)}); }
  int f(std::string_view name, int a, int b) { return apply(name, {value(a), value(b)}); }
  int with(std::string_view name, int a, double x) { return apply(name, {value(a), literal_of(a, x)}); }
  int with(double x, std::string_view name, int a) { return apply(name, {literal_of(a, x), value(a)}); }
  operand literal_of(int beside, double x) const;
  int reduce(std::string_view name, int a, std::vector<int> axes, bool keep);
  int softmax(bool logarithm, int a);
  int dot(int a, int b);
  int view(call_kind kind, int a, std::vector<int> axes);
  int part(int a);
  int choice(int c, int a, int b);
  bool is_number(int v) const;
  bool is_bool(int v) const;
  bool is_position(int v) const;
  int drawn_operand(char letter, int first);
  int drawn_parameter(char letter, int rank);
  int call_library(int number, std::vector<int> operands);
  int lib(std::string_view name, std::vector<int> operands);

  void next();
  void elementwise();
  void conversion();
  void reduction();
  void arrangement();
  void product();
  void derivative();
  void gradient_of(int cost, int wrt);
  void idiom();
  void library();
  void library_with_gradient();
  bool is_variable(int v) const;
  void add_matrix();
  void add_stream();
  int drawn_for_matrix(char letter);
  bool add_sparse_function(call& c, bool gives_matrix, int matrices);
  void sparse();
  void draw();
  int algebra(int a, int b);
  int exponential(int a, int b);
  int selection(int a, int b);
  int tensor_idiom(int a, int b);
  int library_idiom(int a, int b);
  std::vector<int> random_axes(int rank);
  int scalar_cost();

  // Loops.
  struct drawn_loop;
  void loop_over(std::vector<int> const& sequences);
  bool has_rows(int v) const { return of(v).type.rank > 0 && of(v).shape[0] <= 20; }
  bool is_matrix(int v) const { return of(v).type.rank == 2; }
  bool is_count(int v) const;
  argument row_of(int v, long r) const;
  std::vector<int> taps_of_sequence();
  void draw_sequences(drawn_loop& d, std::vector<int> const& given);
  void draw_results(drawn_loop& d);
  void draw_steps(drawn_loop& d);
  void draw_constants(drawn_loop& d);
  void draw_body(drawn_loop& d);
  int next_state(int state);
  void after_loop(drawn_loop const& d, int v);

  dice dice_;
  program program_;
  kt::graph graph_;
  std::vector<argument> inputs_;  // of the graph
  recorded_arguments recorded_{};
  std::vector<kt::term> terms_;
  std::vector<known> known_;
  std::vector<long> extents_;
  static constexpr int integers = 4, shorts = 5;
  int palette_ = 0;  // 0 float64, 1 float32, 2 floats, 3 everything, or integers, or numbers of 16 bits
  bool scalars_ = false, begins_with_loop_ = false, knows_extents_ = false, calls_library_ = false;
  int depth_ = 0;  // of loops
};

}  // namespace fuzz
