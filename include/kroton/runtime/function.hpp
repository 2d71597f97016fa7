// Functions of run-time graphs: a program, a workspace, and the types of the outputs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/runtime/run.hpp>

#include <memory>

namespace kroton::runtime {

/// What a function gives: Result is a container for one typed output, a std::tuple of containers for several, and
/// std::vector<kt::runtime::array> for outputs whose types are only known at run time. Copies share the program and have a
/// workspace of their own, so that one copy a thread is safe.
template <class Result>
class function {
 public:
  explicit function(std::shared_ptr<program const> p) : program_(std::move(p)), frame_(program_->tables()) {}
  function(function const& other) : function(other.program_) {}
  function& operator=(function const& other) {
    if (this != &other) {
      program_ = other.program_;
      frame_ = core::frame(program_->tables());
    }
    return *this;
  }

  /// Computes the outputs for arguments in the order of the function's inputs: numbers, xtensor expressions, ranges of numbers,
  /// kt::runtime::array. Throws kt::shape_error or kt::value_error naming the input.
  template <class... A>
  Result operator()(A const&... arguments) const {
    Result result{};
    into(result, arguments...);
    return result;
  }
  /// Computes into what the caller has: a container or view, a std::tuple of them (std::tie), or a vector of arrays.
  template <class Out, class... A>
  void into(Out&& out, A const&... arguments) const {
    check_count(sizeof...(A));
    std::size_t position = 0;
    [[maybe_unused]] auto next = [&] { return position++; };
    std::tuple<std::conditional_t<true, bound_argument, A>...> const bound{bind(arguments, next())...};
    std::size_t k = 0;
    std::apply([&](auto const&... b) { (core::bind(frame_, static_cast<int>(k++), b.ref()), ...); }, bound);
    run(out, static_cast<Result*>(nullptr));
  }

  /// The same for arrays in a list, of which there are as many as inputs.
  void into(Result& out, core::items<array const*> arguments) const {
    auto const& parameters = program_->tables().parameters;
    check_count(static_cast<std::size_t>(arguments.size()));
    std::vector<bound_argument> bound;
    bound.reserve(parameters.size());
    for (int k = 0; k < arguments.size(); ++k) {
      auto const position = static_cast<std::size_t>(k);
      bound.emplace_back(*arguments[k], parameters[position], position);
      core::bind(frame_, k, bound.back().ref());
    }
    run(out, static_cast<Result*>(nullptr));
  }

  /// The program, for printing and profiling.
  runtime::program const& compiled() const { return *program_; }

 private:
  void check_count(std::size_t given) const {
    std::size_t const count = program_->tables().parameters.size();
    if (given != count)
      throw value_error("the function has " + std::to_string(count) + " inputs, " + std::to_string(given) +
                        " arguments are given");
  }
  template <class A>
  bound_argument bind(A const& given, std::size_t position) const {
    return bound_argument(given, program_->tables().parameters[position], position);
  }
  void run(std::vector<array>& out, std::vector<array>*) const { run_program(*program_, frame_, out); }
  template <class Out, class... Value>
  void run(Out& out, std::tuple<Value...>*) const {
    static_assert(std::tuple_size_v<std::remove_cvref_t<Out>> == sizeof...(Value),
                  "kt::runtime: into takes one target for each output; tie several with std::tie");
    auto targets = std::apply([](auto&... target) { return std::tie(target...); }, out);
    std::tuple<> none;
    run_program<Value...>(*program_, frame_, targets, none);
  }
  template <class Out, class Value>
  void run(Out& out, Value*) const {
    std::tuple<Out&> targets(out);
    std::tuple<> none;
    run_program<Value>(*program_, frame_, targets, none);
  }

  std::shared_ptr<program const> program_;
  mutable core::frame frame_;
};

}  // namespace kroton::runtime
