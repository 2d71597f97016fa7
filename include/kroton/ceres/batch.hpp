// Many residual blocks of one kind, computed together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ceres/evaluation.hpp>
#include <kroton/ceres/refused.hpp>
#include <kroton/function/vmap.hpp>

#include <ceres/evaluation_callback.h>
#include <ceres/problem.h>
#include <ceres/sized_cost_function.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <vector>

namespace kroton::ceres {

/// F mapped over the leading axes of all its parameters.
template <class F, std::size_t... I>
constexpr auto mapped_over_all(std::index_sequence<I...>) {
  return vmap<static_cast<int>(I)...>(F{});
}
template <class F>
using rows_of =
    decltype(mapped_over_all<F>(std::make_index_sequence<std::tuple_size_v<parameters_of<F>>>{}));

template <class F, class B, class D>
class lambda_batch;
/// Residual blocks with a lambda's residuals, and rows of data as constants: what `batch` makes.
/// The blocks of a group are computed when Ceres asks for the first of them, by the thread that
/// does, and copied from there.
template <class F, class... B, class... D>
class lambda_batch<F, std::tuple<B...>, std::tuple<D...>> final
    : public ::ceres::EvaluationCallback {
  static constexpr std::size_t block_count = sizeof...(B);
  static constexpr int block_sizes[sizeof...(B)] = {size_of<B>()...};
  static constexpr int data_sizes[sizeof...(D) + 1] = {size_of<D>()..., 0};
  using one = residuals<F, std::tuple<B..., D...>, std::tuple<>>;
  static constexpr int residual_count =
      evaluation<F, std::tuple<B..., D...>, std::tuple<>>::residual_count;
  static constexpr std::size_t group_size = 256;
  /// The parameter blocks of each residual block; none where it has been removed.
  using pointers = std::vector<std::array<double const*, block_count>>;
  // What is computed for a residual block lies together, since Ceres asks in an order of its own:
  // its residuals, and behind them the Jacobian by each parameter block.
  template <std::size_t I>
  static constexpr std::size_t jacobian_size =
      static_cast<std::size_t>(residual_count) * static_cast<std::size_t>(block_sizes[I]);
  static constexpr auto places = [] {
    std::array<std::size_t, block_count + 1> at{static_cast<std::size_t>(residual_count)};
    for (std::size_t k = 0; k < block_count; ++k)
      at[k + 1] = at[k] + static_cast<std::size_t>(residual_count * block_sizes[k]);
    return at;
  }();
  static constexpr std::size_t record_size = places[block_count];

 public:
  /// The numbers of each parameter's data, row after row.
  explicit lambda_batch(std::array<std::vector<double>, sizeof...(D)> data, std::size_t rows)
      : data_(std::move(data)), rows_(rows) {}
  lambda_batch(lambda_batch const&) = delete;

  /// Adds a residual block to a problem, whose Options::evaluation_callback must be this batch: its
  /// data are the next row of the data. The loss may be null; the pointers are to the parameter
  /// blocks, in the order of the lambda's parameters. Throws kt::value_error where all rows are in
  /// use. The batch must live as long as the problem is evaluated; rows without a residual block
  /// are ignored, and a problem may remove residual blocks.
  template <std::same_as<double>... P>
    requires(sizeof...(P) == sizeof...(B))::ceres::ResidualBlockId
  add(::ceres::Problem& problem, ::ceres::LossFunction* loss, P*... blocks) {
    if (sizeof...(D) > 0 && blocks_->size() == rows_)
      throw value_error(message({"kt::ceres::batch: the data have ", rows_,
                                 " rows, and all of them have a residual block"}));
    if (blocks_->size() % group_size == 0) groups_.emplace_back();
    blocks_->push_back({blocks...});
    groups_.back().state = 0;  // it has no result of the new block
    return problem.AddResidualBlock(new block(*this, blocks_->size() - 1), loss, blocks...);
  }
  /// How many residual blocks have been added.
  std::size_t size() const { return blocks_->size(); }

  /// Called by Ceres.
  void PrepareForEvaluation(bool evaluate_jacobians, bool new_evaluation_point) override {
    if (new_evaluation_point || point_ == 0) ++point_;
    wants_jacobians_ = evaluate_jacobians || (wants_jacobians_ && !new_evaluation_point);
  }

 private:
  /// Residuals, and perhaps Jacobians, of consecutive blocks.
  struct group {
    std::mutex computing;
    std::atomic<long> state{0};  // twice the point, and one more where there are Jacobians
    bool has_result = false;
    std::vector<double> records;
  };

  class block final : public ::ceres::SizedCostFunction<residual_count, size_of<B>()...> {
   public:
    block(lambda_batch& all, std::size_t row) : all_(all), pointers_(all.blocks_), row_(row) {}
    // A problem has removed it, and its parameters may be gone.
    ~block() override { (*pointers_)[row_].fill(nullptr); }
    bool Evaluate(double const* const*, double* residuals, double** jacobians) const override {
      return all_.copy(row_, residuals, jacobians);
    }

   private:
    lambda_batch& all_;
    std::shared_ptr<pointers> pointers_;  // also where the batch ends before the problem
    std::size_t row_;
  };

  bool copy(std::size_t row, double* residuals, double** jacobians) {
    if (point_ == 0)
      throw value_error(
          "kt::ceres::batch: nothing has called PrepareForEvaluation: set "
          "ceres::Problem::Options::evaluation_callback to the batch");
    group& g = groups_[row / group_size];
    bool const with_jacobians = jacobians != nullptr;
    if (long const wanted = 2 * point_ + with_jacobians;
        g.state.load(std::memory_order_acquire) < wanted) {
      std::lock_guard const alone(g.computing);
      if (g.state.load(std::memory_order_relaxed) < wanted) {
        bool const all = with_jacobians || wants_jacobians_;
        compute(g, row / group_size * group_size, all);
        g.state.store(2 * point_ + all, std::memory_order_release);
      }
    }
    if (!g.has_result) return false;
    copy_results(g.records.data() + row % group_size * record_size, residuals, jacobians,
                 std::index_sequence_for<B...>{});
    return true;
  }

  // The numbers of elements are constants, so that no call is needed to copy them.
  template <std::size_t... I>
  static void copy_results(double const* record, double* residuals, double** jacobians,
                           std::index_sequence<I...>) {
    std::memcpy(residuals, record, residual_count * sizeof(double));
    if (jacobians != nullptr)
      ((jacobians[I] != nullptr
            ? (void)std::memcpy(jacobians[I], record + places[I], jacobian_size<I> * sizeof(double))
            : (void)0),
       ...);
  }
  /// A part of each record of a group, as an array with a row for each.
  template <std::size_t... N>
  static auto part_of_records(group& g, std::size_t n, std::size_t place) {
    std::array<std::size_t, 1 + sizeof...(N)> const shape{n, N...};
    std::array<std::ptrdiff_t, 1 + sizeof...(N)> strides{};
    std::ptrdiff_t step = 1;
    for (std::size_t d = sizeof...(N); d > 0; step *= static_cast<std::ptrdiff_t>(shape[d--]))
      strides[d] = step;
    strides[0] = static_cast<std::ptrdiff_t>(record_size);
    return xt::adapt(g.records.data() + place, (n * ... * N), xt::no_ownership(), shape, strides);
  }

  void compute(group& g, std::size_t first, bool with_jacobians) {
    std::size_t const n = std::min(group_size, blocks_->size() - first);
    constexpr auto all_blocks = std::index_sequence_for<B...>{};
    constexpr auto all_data = std::index_sequence_for<D...>{};
    auto const& gathered = gather(first, n, all_blocks);
    g.records.resize(n * record_size);
    auto residuals = part_of_records<residual_count>(g, n, 0);
    auto call = [&]<std::size_t... I, std::size_t... J>(std::index_sequence<I...>,
                                                        std::index_sequence<J...>, auto const& f,
                                                        auto& targets) {
      f.into(targets, into_pointer(gathered[I].data(), n, block_sizes[I])...,
             into_pointer(data_[J].data() + first * data_sizes[J], n, data_sizes[J])...);
    };
    g.has_result = true;
    try {
      if (!with_jacobians) {
        call(all_blocks, all_data, function_of_this_thread<rows_of<one>>(), residuals);
      } else {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
          std::tuple all(residuals,
                         part_of_records<residual_count, block_sizes[I]>(g, n, places[I])...);
          using both = ceres::with_jacobians<one, block_count>;
          call(all_blocks, all_data, function_of_this_thread<rows_of<both>>(), all);
        }(all_blocks);
      }
    } catch (error const&) { g.has_result = false; }
  }
  /// The parameters of consecutive blocks, row after row.
  template <std::size_t... I>
  std::array<std::vector<double>, block_count>& gather(std::size_t first, std::size_t n,
                                                       std::index_sequence<I...>) const {
    static thread_local std::array<std::vector<double>, block_count> rows;
    std::size_t there = first;  // stands in for those that have been removed
    while ((*blocks_)[there][0] == nullptr) ++there;
    (gather<block_sizes[I]>(first, n, there, I, rows[I]), ...);
    return rows;
  }
  template <int Size>
  void gather(std::size_t first, std::size_t n, std::size_t there, std::size_t k,
              std::vector<double>& rows) const {
    rows.resize(n * Size);
    for (std::size_t i = 0; i < n; ++i) {
      double const* const own = (*blocks_)[first + i][k];
      std::memcpy(rows.data() + i * Size, own != nullptr ? own : (*blocks_)[there][k],
                  Size * sizeof(double));
    }
  }

  std::array<std::vector<double>, sizeof...(D)> data_;
  std::size_t rows_;
  std::shared_ptr<pointers> blocks_ = std::make_shared<pointers>();
  std::deque<group> groups_{};
  long point_ = 0;
  bool wants_jacobians_ = false;
};

/// Several callbacks as one, for problems with several batches: `kt::ceres::callbacks all{&a, &b}`.
class callbacks final : public ::ceres::EvaluationCallback {
 public:
  callbacks(std::initializer_list<::ceres::EvaluationCallback*> all) : all_(all) {}
  void PrepareForEvaluation(bool evaluate_jacobians, bool new_evaluation_point) override {
    for (auto* each : all_) each->PrepareForEvaluation(evaluate_jacobians, new_evaluation_point);
  }

 private:
  std::vector<::ceres::EvaluationCallback*> all_;
};

/// The elements of data for a parameter P, row after row; `rows` is how many there are, or -1 if
/// that is not known yet. Throws kt::shape_error for another number of rows or columns.
template <class P, class A>
std::vector<double> rows_of_data(A const& given, int parameter, std::ptrdiff_t& rows) {
  constexpr int rank = cpu::static_rank_of<A>;
  static_assert(rank > 0, "kt::ceres::batch: data are arrays, with a row for each residual block");
  auto const array = cpu::to_container<double, rank>(given);
  auto const count = static_cast<std::ptrdiff_t>(array.shape()[0]);
  if (rows >= 0 && rows != count)
    throw shape_error(message({"kt::ceres::batch: the data for parameter ", parameter, " have ",
                               count, " rows, the data before ", rows}));
  rows = count;
  if (static_cast<std::ptrdiff_t>(array.size()) != count * size_of<P>())
    throw shape_error(message({"kt::ceres::batch: a row of the data for parameter ", parameter,
                               " has ", static_cast<std::ptrdiff_t>(array.size()) / count,
                               " elements, the parameter ", size_of<P>()}));
  return {array.begin(), array.end()};
}

/// Residual blocks of one kind, which are computed together, for many at a time in a loop with SIMD
/// across them. The lambda is as for `cost_function`; data are arrays with a row for each residual
/// block: a vector for a kt::dscalar, a matrix for a kt::fixed vector or a struct. It is a
/// ceres::EvaluationCallback:
///   `auto all = kt::ceres::batch<reprojection>(seen);`
///   `ceres::Problem::Options options; options.evaluation_callback = &all;`
///   `ceres::Problem problem(options);`
///   `all.add(problem, loss, camera, point);  // a row of seen after the other`
/// Residual blocks that have no result make all of their group fail. Throws kt::shape_error where
/// the rows of data do not fit.
template <auto f, class... Data>
auto batch(Data const&... data) {
  using F = std::remove_const_t<decltype(f)>;
  constexpr fault_at met = fault_of_batch<F, sizeof...(Data)>();
  if constexpr (refuses<F, met>()) {
    return callbacks({});
  } else {
    using divided = divided_parameters<parameters_of<F>, sizeof...(Data)>;
    return [&]<class... D>(std::type_identity<std::tuple<D...>>) {
      std::ptrdiff_t rows = -1;
      int parameter = static_cast<int>(divided::block_count);
      std::array<std::vector<double>, sizeof...(D)> all;
      [[maybe_unused]] auto* next = all.data();
      ((*next++ = rows_of_data<D>(data, ++parameter, rows)), ...);
      return lambda_batch<F, typename divided::blocks, std::tuple<D...>>(
          std::move(all), static_cast<std::size_t>(std::max<std::ptrdiff_t>(rows, 0)));
    }(std::type_identity<typename divided::data>{});
  }
}

}  // namespace kroton::ceres
