// Sparse functions, and their recording.
// SPDX-License-Identifier: BSD-3-Clause
#include "sparse.hpp"

namespace fuzz {

namespace {

using written = matrix_stack<sparse_value>;
using reference = matrix_stack<masked_value>;

/// The matrix that comes next, or the result.
template <class V>
void give(written& s, V const& made) {
  if constexpr (kt::sparse<V>) s.matrices.emplace_back(made);
  else s.result = made;
}
void give(reference& s, kt::term all, kt::term stored, bool by_rows) {
  s.matrices.push_back({kt::where(stored, all, 0.), stored, by_rows});
}
void refuse(kt::graph& g) {
  g.fail("the fuzzer: a sparse function on operands that it does not take");
}

// Calls f with a dense operand as a variable of its rank.
template <int Low, int High, class F>
void with_dense(kt::graph& g, kt::term x, F f) {
  if (x.rank() < Low || x.rank() > High) return refuse(g);
  if constexpr (Low <= 0 && 0 <= High)
    if (x.rank() == 0) f(kt::dscalar(x));
  if constexpr (Low <= 1 && 1 <= High)
    if (x.rank() == 1) f(kt::dvector(x));
  if constexpr (Low <= 2 && 2 <= High)
    if (x.rank() == 2) f(kt::dmatrix(x));
}
kt::term turned(kt::term x) { return kt::ops::permute(x, {1, 0}); }
kt::term numbers(kt::term stored) { return kt::cast<double>(stored); }
template <class X>
kt::term lines(X const& x, bool by_rows) {
  return by_rows ? kt::term(x(kt::slice(1, 3))) : kt::term(x(kt::slice(), kt::slice(1, 3)));
}
template <int Axis>
void join(reference& s) {
  masked_value const b = s.pop(), a = s.pop();
  give(s, kt::concatenate<Axis>(kt::dmatrix(a.all), kt::dmatrix(b.all)),
       kt::concatenate<Axis>(kt::matrix<bool>(a.stored), kt::matrix<bool>(b.stored)), a.by_rows);
}

// What a function makes of one matrix, `a`, or of two; of one and a dense operand, `x`.
#define ONE(...)                                                       \
  [](written& s, kt::term const*) {                                    \
    std::visit([&](auto const& a) { give(s, __VA_ARGS__); }, s.pop()); \
  }
#define TWO(...)                                                                            \
  [](written& s, kt::term const*) {                                                         \
    sparse_value const second = s.pop(), first = s.pop();                                   \
    std::visit([&](auto const& a, auto const& b) { give(s, __VA_ARGS__); }, first, second); \
  }
#define WITH(LOW, HIGH, ...)                                                                     \
  [](written& s, kt::term const* operands) {                                                     \
    std::visit(                                                                                  \
        [&](auto const& a) {                                                                     \
          with_dense<LOW, HIGH>(s.g, operands[0], [&](auto const& x) { give(s, __VA_ARGS__); }); \
        },                                                                                       \
        s.pop());                                                                                \
  }
#define OF_LINES(BY_ROWS, ...)                                                \
  [](written& s, kt::term const*) {                                           \
    std::visit(                                                               \
        [&](auto const& a) {                                                  \
          if constexpr (std::remove_cvref_t<decltype(a)>::by_rows == BY_ROWS) \
            give(s, __VA_ARGS__);                                             \
          else refuse(s.g);                                                   \
        },                                                                    \
        s.pop());                                                             \
  }
// The same of all elements: on the same places, on others, or the dense result.
#define ON_PLACES(...)                                   \
  [](reference& s, [[maybe_unused]] kt::term const* x) { \
    masked_value const a = s.pop();                      \
    give(s, __VA_ARGS__, a.stored, a.by_rows);           \
  }
#define ON_BOTH(STORED, ...)                     \
  [](reference& s, kt::term const*) {            \
    masked_value const b = s.pop(), a = s.pop(); \
    give(s, __VA_ARGS__, STORED, a.by_rows);     \
  }
#define DENSE(...)                                       \
  [](reference& s, [[maybe_unused]] kt::term const* x) { \
    masked_value const a = s.pop();                      \
    s.result = __VA_ARGS__;                              \
  }
#define FUNCTION(NAME) {"kt::" #NAME "($a)", 1, "", true, ONE(NAME(a)), ON_PLACES(NAME(a.all))}

/// The values that are stored, line by line.
kt::term values_of(masked_value const& a) {
  kt::term const all = a.by_rows ? a.all : turned(a.all),
                 stored = a.by_rows ? a.stored : turned(a.stored);
  return kt::take(kt::flatten(all), kt::nonzero(kt::vector<bool>(kt::flatten(stored))));
}

/// Of an argument the value that a program has of it, as users have it from kt::dense_from_sparse.
kt::term dense_of(masked_value const& a) { return kt::where(a.stored, a.all, 0.); }

std::vector<sparse_function> make_functions() {
  return {
      {"$0", 0, "m", true, [](written&, kt::term const*) {}, [](reference&, kt::term const*) {}},
      {"kt::grad($0, $1, kt::disconnected::zero)", 0, "cm", true,
       [](written& s, kt::term const* x) {
         std::visit(
             [&](auto const& a) {
               give(s, kt::grad(kt::dscalar(x[0]), a, kt::disconnected::zero));
             },
             s.pop());
       },
       ON_PLACES(kt::grad(x[0], a.all, kt::disconnected::zero))},
      {"kt::csr_from_dense($0)", 0, "x", true,
       [](written& s, kt::term const* x) { give(s, kt::csr_from_dense(kt::dmatrix(x[0]))); },
       [](reference& s, kt::term const* x) { give(s, x[0], kt::term(x[0] != 0), true); }},
      {"kt::csc_from_dense($0)", 0, "x", true,
       [](written& s, kt::term const* x) { give(s, kt::csc_from_dense(kt::dmatrix(x[0]))); },
       [](reference& s, kt::term const* x) { give(s, x[0], kt::term(x[0] != 0), false); }},
      FUNCTION(abs),
      FUNCTION(sgn),
      FUNCTION(sqr),
      FUNCTION(sin),
      FUNCTION(tanh),
      FUNCTION(expm1),
      FUNCTION(atan),
      FUNCTION(erf),
      {"kt::sqrt(kt::abs($a))", 1, "", true, ONE(kt::sqrt(kt::abs(a))),
       ON_PLACES(kt::sqrt(kt::abs(a.all)))},
      {"(-$a)", 1, "", true, ONE(-a), ON_PLACES(-a.all)},
      {"$a.with_data(exp($a.data()) * 2 + 1)", 1, "", true, ONE(a.with_data(exp(a.data()) * 2 + 1)),
       ON_PLACES(exp(a.all) * 2 + 1)},
      {"(0.5 * $a)", 1, "", true, ONE(0.5 * a), ON_PLACES(0.5 * a.all)},
      {"($a * $0)", 1, "s", true, WITH(0, 0, a * x), ON_PLACES(a.all * x[0])},
      {"($a / $0)", 1, "s", true, WITH(0, 0, a / x), ON_PLACES(a.all / x[0])},
      {"($a * $0)", 1, "d", true, WITH(1, 2, a * x), ON_PLACES(a.all * x[0])},
      {"($0 * $a)", 1, "d", true, WITH(1, 2, x * a), ON_PLACES(x[0] * a.all)},
      {"($a / $0)", 1, "d", true, WITH(1, 2, a / x), ON_PLACES(a.all / x[0])},
      {"($a + $b)", 2, "", true, TWO(a + b), ON_BOTH(kt::term(a.stored | b.stored), a.all + b.all)},
      {"($a - $b)", 2, "", true, TWO(a - b), ON_BOTH(kt::term(a.stored | b.stored), a.all - b.all)},
      {"($a * $b)", 2, "", true, TWO(a * b), ON_BOTH(kt::term(a.stored & b.stored), a.all * b.all)},
      {"dot($a, $b)", 2, "", true, TWO(dot(a, b)),
       ON_BOTH(kt::term(kt::dot(numbers(a.stored), numbers(b.stored)) > 0.5),
               kt::dot(a.all, b.all))},
      {"kt::vstack($a, $b)", 2, "", true, TWO(kt::vstack(a, b)),
       [](reference& s, kt::term const*) { join<0>(s); }},
      {"kt::hstack($a, $b)", 2, "", true, TWO(kt::hstack(a, b)),
       [](reference& s, kt::term const*) { join<1>(s); }},
      {"$a.T()", 1, "", true, ONE(a.T()),
       [](reference& s, kt::term const*) {
         masked_value const a = s.pop();
         give(s, turned(a.all), turned(a.stored), !a.by_rows);
       }},
      {"$a(kt::slice(1, 3))", 1, "", true, OF_LINES(true, a(kt::slice(1, 3))),
       [](reference& s, kt::term const*) {
         masked_value const a = s.pop();
         give(s, lines(kt::dmatrix(a.all), true), lines(kt::matrix<bool>(a.stored), true), true);
       }},
      {"$a(kt::slice(), kt::slice(1, 3))", 1, "", true,
       OF_LINES(false, a(kt::slice(), kt::slice(1, 3))),
       [](reference& s, kt::term const*) {
         masked_value const a = s.pop();
         give(s, lines(kt::dmatrix(a.all), false), lines(kt::matrix<bool>(a.stored), false), false);
       }},
      {"kt::sampling_dot($0, $1, $a)", 1, "xx", true,
       [](written& s, kt::term const* x) {
         std::visit(
             [&](auto const& a) {
               give(s, kt::sampling_dot(kt::dmatrix(x[0]), kt::dmatrix(x[1]), a));
             },
             s.pop());
       },
       ON_PLACES(a.all * kt::dot(x[0], turned(x[1])))},
      {"kt::dense_from_sparse($a)", 1, "", false, ONE(kt::dense_from_sparse(a)),
       DENSE(dense_of(a))},
      {"$a.data()", 1, "", false, ONE(a.data()), DENSE(values_of(a))},
      {"kt::sum($a)", 1, "", false, ONE(kt::sum(a)), DENSE(kt::sum(a.all))},
      {"kt::sum($a, kt::axis<0>)", 1, "", false, ONE(kt::sum(a, kt::axis<0>)),
       DENSE(kt::sum(a.all, kt::axis<0>))},
      {"kt::sum($a, kt::axis<1>)", 1, "", false, ONE(kt::sum(a, kt::axis<1>)),
       DENSE(kt::sum(a.all, kt::axis<1>))},
      {"kt::diag($a)", 1, "", false, ONE(kt::diag(a)), DENSE(kt::diag(kt::dmatrix(a.all)))},
      {"$a(0, -1)", 1, "", false, ONE(a(0, -1)), DENSE(kt::dmatrix(a.all)(0, -1))},
      {"dot($a, $0)", 1, "d", false, WITH(1, 2, dot(a, x)), DENSE(kt::dot(a.all, x[0]))},
      {"dot($0, $a)", 1, "d", false, WITH(1, 2, dot(x, a)), DENSE(kt::dot(x[0], a.all))},
      {"($a + $0)", 1, "d", false, WITH(1, 2, a + x), DENSE(dense_of(a) + x[0])},
      {"($0 - $a)", 1, "d", false, WITH(1, 2, x - a), DENSE(x[0] - dense_of(a))},
  };
}

sparse_value matrix_of(kt::graph& g, std::vector<int> const& nodes, bool by_columns) {
  auto made = [&]<class A>(A) {
    return sparse_value(A{{},
                          kt::dvector({&g, nodes[0]}),
                          kt::ivector({&g, nodes[1]}),
                          kt::ivector({&g, nodes[2]}),
                          kt::lscalar({&g, nodes[3]})});
  };
  return by_columns ? made(kt::csc<double>{}) : made(kt::csr<double>{});
}

}  // namespace

std::vector<sparse_function> const& sparse_functions() {
  static std::vector<sparse_function> const functions = make_functions();
  return functions;
}

kt::term record_matrix(kt::graph& g, argument const& a, int value, recorded_arguments& of) {
  auto add = [&](kt::element e, std::uint8_t rank) {
    of.nodes[value].push_back(g.input({e, rank, 0}, g.parameters().size()));
    return kt::term{&g, of.nodes[value].back()};
  };
  of.kinds[value] = a.kind;
  if (of.for_reference) {
    // What depends on the matrix does not depend on the dense one that is made of it.
    kt::term const all = add(kt::element::float64, 2);
    return kt::where(add(kt::element::boolean, 2), all, 0.);
  }
  add(kt::element::float64, 1), add(kt::element::int32, 1), add(kt::element::int32, 1),
      add(kt::element::int64, 0);
  return std::visit([](auto const& m) { return kt::term(kt::dense_from_sparse(m)); },
                    matrix_of(g, of.nodes[value], a.kind == argument_kind::csc));
}

kt::term record_sparse(kt::graph& g, call const& c, std::vector<kt::term> const& values,
                       recorded_arguments const& of) {
  written as_written{g};
  reference referred{g};
  std::size_t next = 0;
  for (int number : c.axes) {
    sparse_function const& f = sparse_functions()[static_cast<std::size_t>(number)];
    std::vector<kt::term> operands;
    for (char letter : f.operands) {
      int const v = c.operands[next++].value;
      operands.push_back(values[static_cast<std::size_t>(v)]);
      if (letter != 'm') continue;
      std::vector<int> const& nodes = of.nodes.at(v);
      bool const by_columns = of.kinds.at(v) == argument_kind::csc;
      if (of.for_reference)
        referred.matrices.push_back({{&g, nodes[0]}, {&g, nodes[1]}, !by_columns});
      else as_written.matrices.push_back(matrix_of(g, nodes, by_columns));
    }
    if (of.for_reference) f.refer(referred, operands.data());
    else f.record(as_written, operands.data());
    if (!g.error().empty()) return values[0];
  }
  return of.for_reference ? referred.result : as_written.result;
}

}  // namespace fuzz
