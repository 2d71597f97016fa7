// Factors of sparse matrices by Eigen: the analysis is kept for a pattern, the factors for its
// values.
//
// Eigen's SimplicialLDLT and SparseLU, since version 3.4 entirely under the MPL 2. SuiteSparse is
// faster on large systems, but CHOLMOD's supernodal part and UMFPACK are under the GPL.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/error.hpp>
#include <kroton/cpu/op/sparse/lines.hpp>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif
#if __has_include(<Eigen/SparseLU>)
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#else
#include <eigen3/Eigen/SparseCholesky>
#include <eigen3/Eigen/SparseLU>
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <algorithm>
#include <cstdint>
#include <list>
#include <vector>

namespace kroton::sparse_systems {

/// A square matrix whose columns are the lines of a pattern, and its factors.
template <class T>
class factorization {
 public:
  using right_sides = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  factorization(cpu::sparse_lines const& lines, std::ptrdiff_t n)
      : index_(lines.indices(), lines.indices() + lines.size()) {
    for (std::ptrdiff_t i = 0; i <= n; ++i)
      start_.push_back(static_cast<std::int32_t>(i == n ? lines.size() : lines.begin(i)));
    auto const extent = static_cast<Eigen::Index>(n);
    std::vector<T> const ones(index_.size(), T(1));
    matrix_ = Eigen::Map<matrix const>(extent, extent, static_cast<Eigen::Index>(index_.size()),
                                       start_.data(), index_.data(), ones.data());
    find_mirrored();
  }

  bool has_pattern(cpu::sparse_lines const& lines, std::ptrdiff_t n) const {
    if (start_.size() != static_cast<std::size_t>(n) + 1) return false;
    if (index_.size() != static_cast<std::size_t>(lines.size())) return false;
    for (std::ptrdiff_t i = 0; i < n; ++i)
      if (start_[static_cast<std::size_t>(i)] != lines.begin(i)) return false;
    return std::equal(index_.begin(), index_.end(), lines.indices());
  }

  /// Factors the matrix with these values, unless they are those of the call before. Throws
  /// kt::linalg_error if it is singular.
  void factor(T const* values) {
    T* const own = matrix_.valuePtr();
    bool const same = is_factored_ && std::equal(values, values + index_.size(), own);
    if (same) return;
    is_factored_ = false;
    std::copy(values, values + index_.size(), own);
    by_cholesky_ = try_cholesky();
    if (!by_cholesky_) factor_by_lu();
    is_factored_ = true;
  }
  /// The solution with the matrix or with its transpose.
  right_sides solution(right_sides const& b, bool transposed) {
    // The transpose of a Hermitian matrix is its conjugate.
    if (by_cholesky_ && transposed) return cholesky_.solve(b.conjugate()).conjugate();
    if (by_cholesky_) return cholesky_.solve(b);
    if (transposed) return lu_.transpose().solve(b);
    return lu_.solve(b);
  }

 private:
  using matrix = Eigen::SparseMatrix<T, Eigen::ColMajor, std::int32_t>;

  // For each value that of the mirrored element; none if the pattern is not symmetric.
  void find_mirrored() {
    for (std::size_t j = 0; j + 1 < start_.size(); ++j)
      for (std::int32_t k = start_[j]; k < start_[j + 1]; ++k) {
        auto const i = static_cast<std::size_t>(index_[static_cast<std::size_t>(k)]);
        auto const begin = index_.begin() + start_[i], end = index_.begin() + start_[i + 1];
        auto const at = std::lower_bound(begin, end, static_cast<std::int32_t>(j));
        if (at == end || *at != static_cast<std::int32_t>(j)) return mirrored_.clear();
        mirrored_.push_back(static_cast<std::size_t>(at - index_.begin()));
      }
  }
  bool is_hermitian() const {
    T const* const value = matrix_.valuePtr();
    for (std::size_t k = 0; k < mirrored_.size(); ++k)
      if (!(value[k] == Eigen::numext::conj(value[mirrored_[k]]))) return false;
    return !mirrored_.empty();
  }
  // Of a matrix that is positive definite. If one of the pattern was not, the next hardly will be.
  bool try_cholesky() {
    if (was_indefinite_ || !is_hermitian()) return false;
    if (!is_analyzed_for_cholesky_) cholesky_.analyzePattern(matrix_);
    is_analyzed_for_cholesky_ = true;
    cholesky_.factorize(matrix_);
    bool const is_definite =
        cholesky_.info() == Eigen::Success && cholesky_.vectorD().real().minCoeff() > 0;
    was_indefinite_ = !is_definite;
    return is_definite;
  }
  void factor_by_lu() {
    if (!is_analyzed_for_lu_) lu_.analyzePattern(matrix_);
    is_analyzed_for_lu_ = true;
    lu_.factorize(matrix_);
    if (lu_.info() != Eigen::Success)
      throw linalg_error(core::message(
          {"kt::solve: the sparse matrix is singular: ", lu_.lastErrorMessage().c_str()}));
  }

  std::vector<std::int32_t> index_, start_{};
  std::vector<std::size_t> mirrored_{};
  matrix matrix_{};
  Eigen::SimplicialLDLT<matrix> cholesky_{};
  Eigen::SparseLU<matrix> lu_{};
  bool is_factored_ = false, by_cholesky_ = false, was_indefinite_ = false,
       is_analyzed_for_cholesky_ = false, is_analyzed_for_lu_ = false;
};

/// The factors that the thread keeps for the next call: those of the last patterns.
template <class T>
factorization<T>& factors_of(cpu::sparse_lines const& lines, std::ptrdiff_t n) {
  constexpr std::size_t most = 8;
  static thread_local std::list<factorization<T>> all;
  auto const at = std::find_if(all.begin(), all.end(), [&](factorization<T> const& known) {
    return known.has_pattern(lines, n);
  });
  if (at == all.end()) {
    all.emplace_front(lines, n);
    if (all.size() > most) all.pop_back();
  } else {
    all.splice(all.begin(), all, at);
  }
  return all.front();
}

}  // namespace kroton::sparse_systems
