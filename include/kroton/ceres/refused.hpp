// Lambdas that are not residuals of parameter blocks, rejected with a sentence.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ceres/blocks.hpp>
#include <kroton/core/refusal.hpp>
#include <kroton/function/faults.hpp>

#include <tuple>

namespace kroton::ceres {

/// The parameters of a lambda, the last `Data` of which are data.
template <class Parameters, std::size_t Data>
struct divided_parameters {
  static constexpr std::size_t block_count = std::tuple_size_v<Parameters> - Data;
  template <std::size_t First, std::size_t... I>
  static auto some(std::index_sequence<I...>)
      -> std::tuple<std::tuple_element_t<First + I, Parameters>...>;
  using blocks = decltype(some<0>(std::make_index_sequence<block_count>{}));
  using data = decltype(some<block_count>(std::make_index_sequence<Data>{}));
};

/// Why a lambda with so many data is rejected.
enum class fault {
  none,
  generic,
  parameter,
  no_block,
  unknown_size,
  no_doubles,
  data_of_batch,
  result
};

struct fault_at {
  ceres::fault fault = ceres::fault::none;
  int at = 0;
};

/// The first of the types for which something holds, from 0; -1 for none.
template <class Tuple, class Holds>
constexpr int first_of(Holds holds) {
  int at = 0, found = -1;
  [&]<class... P>(std::type_identity<std::tuple<P...>>) {
    ((found = found < 0 && holds(std::type_identity<P>{}) ? at : found, ++at), ...);
  }(std::type_identity<Tuple>{});
  return found;
}

template <class R>
concept is_one_real_variable =
    typed<R> && (std::floating_point<value_type_of<R>> || std::integral<value_type_of<R>>);

template <class F, std::size_t Data>
constexpr fault_at fault_of() {
  using enum fault;
  if constexpr (!has_signature<F>) {
    return {generic};
  } else {
    using parameters = parameters_of<F>;
    constexpr int stranger = first_that_is_no_variable<parameters>();
    if constexpr (stranger >= 0) {
      return {parameter, stranger};
    } else if constexpr (Data >= std::tuple_size_v<parameters>) {
      return {no_block};
    } else {
      using blocks = typename divided_parameters<parameters, Data>::blocks;
      constexpr int unknown =
          first_of<blocks>([]<class P>(std::type_identity<P>) { return size_of<P>() < 0; });
      constexpr int no_double =
          first_of<blocks>([]<class P>(std::type_identity<P>) { return !is_of_doubles<P>(); });
      if constexpr (unknown >= 0) return {unknown_size, unknown};
      else if constexpr (no_double >= 0) return {no_doubles, no_double};
      else if constexpr (!is_one_real_variable<typename result_on<F, parameters>::type>)
        return {result};
      else return {none};
    }
  }
}

/// The data of a batch are rows, so the sizes of all parameters have to be known.
template <class F, std::size_t Data>
constexpr fault_at fault_of_batch() {
  constexpr fault_at met = fault_of<F, Data>(), of_all = fault_of<F, 0>();
  if constexpr (met.fault != fault::none || of_all.fault == fault::none) return met;
  else return {fault::data_of_batch, of_all.at};
}

/// Says what is wrong, and returns whether anything is.
template <class F, fault_at Met>
constexpr bool refuses() {
  using enum fault;
  if constexpr (Met.fault == generic) {
    static_assert(is_accepted<F>,
                  "kt::ceres: the parameters of the lambda must have types, "
                  "as in [](kt::fixed<double, 3> point, kt::dscalar focal) { ... }");
  } else if constexpr (Met.fault == parameter) {
    static_assert(
        is_accepted<of::parameter<Met.at + 1>>,
        "kt::ceres: a parameter of the lambda is not a variable or a struct of variables");
  } else if constexpr (Met.fault == no_block) {
    static_assert(
        is_accepted<F>,
        "kt::ceres: there are at least as many data as parameters: the lambda's first parameters "
        "are Ceres' parameter blocks, the data are the values of its last");
  } else if constexpr (Met.fault == unknown_size) {
    static_assert(is_accepted<of::parameter<Met.at + 1>>,
                  "kt::ceres: the size of a parameter block must be known: declare it as a "
                  "kt::dscalar, a kt::fixed<double, n>, or a struct of these");
  } else if constexpr (Met.fault == no_doubles) {
    static_assert(is_accepted<of::parameter<Met.at + 1>, wanted::element<double>>,
                  "kt::ceres: parameter blocks consist of doubles");
  } else if constexpr (Met.fault == data_of_batch) {
    static_assert(is_accepted<of::parameter<Met.at + 1>>,
                  "kt::ceres::batch: data are rows of doubles: declare their parameter as a "
                  "kt::dscalar, a kt::fixed<double, n>, or a struct of these");
  } else if constexpr (Met.fault == result) {
    static_assert(is_accepted<F>,
                  "kt::ceres: the lambda must return its residuals as one variable of real "
                  "numbers; kt::stack<0>(a, b) and concatenate<0>(a, b) join several");
  }
  return Met.fault != none;
}

}  // namespace kroton::ceres
