// Sparse matrices as values: arguments of calls, results, and matrices of Eigen.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/cpu/call/arrays/containers.hpp>
#include <kroton/ops/sparse/matrix.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

namespace kroton {

/// The value of a `kt::csr` (ByRows) or a `kt::csc`: arrays of its own. See `csr_array`.
template <class T, class Index, bool ByRows>
class sparse_array {
  static_assert(std::is_same_v<Index, std::int32_t> || std::is_same_v<Index, std::int64_t>,
                "kt::csr_array: indices are of std::int32_t or std::int64_t");
  using values = cpu::container_t<T, 1>;
  using positions = cpu::container_t<Index, 1>;

 public:
  using value_type = T;
  using index_type = Index;
  static constexpr bool by_rows = ByRows;

  /// 0 rows and 0 columns.
  sparse_array()
      : data_(counted<values>(0)),
        indices_(counted<positions>(0)),
        indptr_(positions(std::array<std::size_t, 1>{1}, Index(0))) {}
  /// From values, the number of the column (row) of each, where lines begin and end, and
  /// {rows, columns}: xtensor vectors, std::vectors, spans. Unsorted indices of a line are sorted,
  /// values of equal ones added. Throws kt::value_error if an index is outside the extent, or if
  /// indptr does not ascend from 0 to the number of values; kt::shape_error if numbers of elements
  /// do not fit each other.
  template <class D, class I, class P>
  sparse_array(D const& data, I const& indices, P const& indptr,
               std::array<std::size_t, 2> const& shape)
      : data_(cpu::to_container<T, 1>(data)),
        indices_(as_positions(indices)),
        indptr_(as_positions(indptr)),
        inner_(static_cast<std::int64_t>(shape[ByRows ? 1 : 0])) {
    check(shape[ByRows ? 0 : 1]);
  }

  /// The values, which may be changed; indices and bounds of lines may not.
  values& data() { return data_; }
  values const& data() const { return data_; }
  positions const& indices() const { return indices_; }
  positions const& indptr() const { return indptr_; }
  /// {rows, columns}.
  std::array<std::size_t, 2> shape() const {
    std::size_t const lines = indptr_.size() - 1, inner = static_cast<std::size_t>(inner_);
    return ByRows ? std::array{lines, inner} : std::array{inner, lines};
  }
  std::size_t shape(int d) const { return shape()[static_cast<std::size_t>(d)]; }
  /// How many values are stored.
  std::size_t size() const { return data_.size(); }
  /// All elements, with zeros where none are stored.
  cpu::container_t<T, 2> to_dense() const {
    cpu::container_t<T, 2> dense(shape());
    dense.fill(T(0));
    for (std::size_t i = 0; i + 1 < indptr_.size(); ++i)
      for (auto k = static_cast<std::size_t>(indptr_(i));
           k < static_cast<std::size_t>(indptr_(i + 1)); ++k) {
        auto const j = static_cast<std::size_t>(indices_(k));
        (ByRows ? dense(i, j) : dense(j, i)) += data_(k);
      }
    return dense;
  }

  // The arrays that a function reads or fills, in the order of the members of a kt::csr.
  auto leaves() const { return std::tie(data_, indices_, indptr_, inner_); }
  auto leaves() { return std::tie(data_, indices_, indptr_, inner_); }

 private:
  static constexpr char const* name = ByRows ? "kt::csr_array: " : "kt::csc_array: ";

  template <class A>
  static A counted(std::size_t n) {
    return A(std::array<std::size_t, 1>{n});
  }
  // Those of the other type may not fit.
  template <class V>
  static positions as_positions(V const& given) {
    using E = cpu::element_t<V>;
    static_assert(std::is_integral_v<E>, "kt::csr_array: indices and indptr are integers");
    static_assert(cpu::static_rank_of<V> == 1, "kt::csr_array: indices and indptr are vectors");
    auto const all = cpu::to_container<E, 1>(given);
    positions result = counted<positions>(all.size());
    cpu::ask_for_large_pages(result.data(), all.size() * sizeof(Index));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!std::in_range<Index>(all(i)))
        throw value_error(core::message(
            {name, all(i), " at position ", i, " does not fit the type of the indices"}));
      result(i) = static_cast<Index>(all(i));
    }
    return result;
  }
  void check(std::size_t lines) {
    if (indptr_.size() != lines + 1)
      throw shape_error(
          core::message({name, "indptr has ", indptr_.size(), " elements, but there are ", lines,
                         ByRows ? " rows" : " columns"}));
    if (indices_.size() != data_.size())
      throw shape_error(core::message(
          {name, "there are ", data_.size(), " values, but ", indices_.size(), " indices"}));
    if (indptr_(0) != 0)
      throw value_error(core::message({name, "indptr starts at ", indptr_(0), " instead of 0"}));
    for (std::size_t i = 0; i < lines; ++i)
      if (indptr_(i + 1) < indptr_(i))
        throw value_error(core::message({name, "indptr does not ascend: element ", i, " is ",
                                         indptr_(i), ", element ", i + 1, " is ", indptr_(i + 1)}));
    if (static_cast<std::size_t>(indptr_(lines)) != data_.size())
      throw value_error(core::message(
          {name, "indptr ends at ", indptr_(lines), ", but there are ", data_.size(), " values"}));
    bool ordered = true;
    for (std::size_t i = 0; i < lines; ++i)
      for (auto k = indptr_(i); k < indptr_(i + 1); ++k) {
        Index const j = indices_(static_cast<std::size_t>(k));
        if (j < 0 || j >= inner_)
          throw value_error(
              core::message({name, "index ", j, " at position ", k, " is out of range: there are ",
                             inner_, ByRows ? " columns" : " rows"}));
        if (k > indptr_(i) && j <= indices_(static_cast<std::size_t>(k) - 1)) ordered = false;
      }
    if (!ordered) sort(lines);
  }
  void sort(std::size_t lines) {
    std::vector<T> kept;
    std::vector<Index> places, order;
    positions bounds = indptr_;
    for (std::size_t i = 0; i < lines; ++i) {
      order.resize(static_cast<std::size_t>(indptr_(i + 1) - indptr_(i)));
      std::iota(order.begin(), order.end(), indptr_(i));
      auto const at = [&](Index k) { return indices_(static_cast<std::size_t>(k)); };
      std::sort(order.begin(), order.end(),
                [&](Index a, Index b) { return std::pair(at(a), a) < std::pair(at(b), b); });
      std::size_t const first = places.size();
      for (Index k : order) {
        T const value = data_(static_cast<std::size_t>(k));
        if (places.size() > first && places.back() == at(k)) {
          kept.back() = static_cast<T>(kept.back() + value);
        } else {
          places.push_back(at(k));
          kept.push_back(value);
        }
      }
      bounds(i + 1) = static_cast<Index>(places.size());
    }
    data_ = cpu::to_container<T, 1>(kept);
    indices_ = cpu::to_container<Index, 1>(places);
    indptr_ = bounds;
  }

  values data_;
  positions indices_, indptr_;
  std::int64_t inner_ = 0;
};

/// A sparse matrix of compressed rows, the argument for a `kt::csr` and what a function that
/// returns one gives: `kt::csr_array{data, indices, indptr, {rows, columns}}`.
template <class T, class Index = std::int32_t>
class csr_array : public sparse_array<T, Index, true> {
 public:
  using sparse_array<T, Index, true>::sparse_array;
};
template <class D, class I, class P>
csr_array(D const&, I const&, P const&, std::array<std::size_t, 2> const&)
    -> csr_array<cpu::element_t<D>, cpu::element_t<I>>;
/// The same of compressed columns, for a `kt::csc`: indices are those of rows.
template <class T, class Index = std::int32_t>
class csc_array : public sparse_array<T, Index, false> {
 public:
  using sparse_array<T, Index, false>::sparse_array;
};
template <class D, class I, class P>
csc_array(D const&, I const&, P const&, std::array<std::size_t, 2> const&)
    -> csc_array<cpu::element_t<D>, cpu::element_t<I>>;

namespace functions {

/// A sparse matrix of Eigen, or anything of its form.
template <class M>
concept eigen_sparse = requires(M const& m) {
  { m.valuePtr() };
  { m.innerIndexPtr() };
  { m.outerIndexPtr() };
  { m.innerNonZeroPtr() };
  { m.isCompressed() } -> std::convertible_to<bool>;
  { m.outerSize() };
  { m.innerSize() };
  { M::IsRowMajor };
};
template <class A>
inline constexpr bool is_sparse_array = false;
template <class T, class Index, bool ByRows>
inline constexpr bool is_sparse_array<sparse_array<T, Index, ByRows>> = true;
template <class T, class Index>
inline constexpr bool is_sparse_array<csr_array<T, Index>> = true;
template <class T, class Index>
inline constexpr bool is_sparse_array<csc_array<T, Index>> = true;

/// What binds to a sparse parameter.
template <class A> concept sparse_argument = is_sparse_array<A> || eigen_sparse<A>;

template <class T, class Index, bool ByRows>
using sparse_array_t = std::conditional_t<ByRows, csr_array<T, Index>, csc_array<T, Index>>;

/// The same matrix by lines of the other kind, from arrays of one kind.
template <class T, bool ByRows, class Values, class Indices, class Starts>
sparse_array_t<T, std::int32_t, ByRows> turned(Values const& value, Indices const& index,
                                               Starts const& start, std::size_t lines,
                                               std::size_t inner) {
  std::size_t const n = static_cast<std::size_t>(start[lines]);
  std::vector<std::int32_t> bounds(inner + 1), places(n);
  std::vector<T> values(n);
  for (std::size_t k = 0; k < n; ++k) ++bounds[static_cast<std::size_t>(index[k]) + 1];
  std::partial_sum(bounds.begin(), bounds.end(), bounds.begin());
  std::vector<std::int32_t> next(bounds.begin(), bounds.end() - 1);
  for (std::size_t i = 0; i < lines; ++i)
    for (auto k = static_cast<std::size_t>(start[i]); k < static_cast<std::size_t>(start[i + 1]);
         ++k) {
      auto const to = static_cast<std::size_t>(next[static_cast<std::size_t>(index[k])]++);
      places[to] = static_cast<std::int32_t>(i);
      values[to] = value[k];
    }
  return {values, places, bounds, ByRows ? std::array{inner, lines} : std::array{lines, inner}};
}

/// A matrix of Eigen whose arrays have another form than a parameter's, as arrays of that form.
template <class T, bool ByRows, eigen_sparse M>
sparse_array_t<T, std::int32_t, ByRows> converted_sparse(M const& m) {
  auto const lines = static_cast<std::size_t>(m.outerSize()),
             inner = static_cast<std::size_t>(m.innerSize());
  std::vector<T> value;
  std::vector<std::int64_t> index, start{0};
  for (std::size_t i = 0; i < lines; ++i) {
    auto const begin = m.outerIndexPtr()[i];
    auto const end = m.isCompressed() ? m.outerIndexPtr()[i + 1] : begin + m.innerNonZeroPtr()[i];
    for (auto k = begin; k < end; ++k) {
      value.push_back(m.valuePtr()[k]);
      index.push_back(static_cast<std::int64_t>(m.innerIndexPtr()[k]));
    }
    start.push_back(static_cast<std::int64_t>(value.size()));
  }
  constexpr bool rows = M::IsRowMajor;
  sparse_array_t<T, std::int32_t, rows> const same(
      value, index, start, rows ? std::array{lines, inner} : std::array{inner, lines});
  if constexpr (rows == ByRows) return same;
  else return turned<T, ByRows>(same.data(), same.indices(), same.indptr(), lines, inner);
}

template <class M>
using eigen_value = std::remove_cvref_t<decltype(*std::declval<M const&>().valuePtr())>;

/// The arrays of an argument for a sparse parameter: the caller's own where they have its form.
template <class P, sparse_argument A>
auto leaves_of_sparse(A const& a) {
  constexpr bool rows = P::by_rows;
  if constexpr (is_sparse_array<A>) {
    using T = typename A::value_type;
    static_assert(A::by_rows == rows,
                  "kt::function: a kt::csr takes a kt::csr_array, a kt::csc a kt::csc_array; the "
                  "transpose of the parameter is a.T()");
    if constexpr (std::is_same_v<typename A::index_type, std::int32_t>) {
      return a.leaves();
    } else {
      sparse_array_t<T, std::int32_t, rows> const narrow(a.data(), a.indices(), a.indptr(),
                                                         a.shape());
      return std::apply([](auto const&... leaf) { return std::tuple(leaf...); }, narrow.leaves());
    }
  } else {
    using T = eigen_value<A>;
    using I = std::remove_cvref_t<decltype(*a.innerIndexPtr())>;
    using owned = std::tuple<cpu::container_t<T, 1>, cpu::container_t<std::int32_t, 1>,
                             cpu::container_t<std::int32_t, 1>, std::int64_t>;
    if constexpr (static_cast<bool>(A::IsRowMajor) == rows && std::is_same_v<I, std::int32_t>) {
      using views =
          std::tuple<std::span<T const>, std::span<I const>, std::span<I const>, std::int64_t>;
      if (!a.isCompressed())
        throw value_error(
            "a matrix of Eigen that is not compressed was passed for a sparse parameter: call its "
            "makeCompressed()");
      auto const lines = static_cast<std::size_t>(a.outerSize()),
                 n = static_cast<std::size_t>(a.outerIndexPtr()[lines]);
      return views(std::span(a.valuePtr(), n), std::span(a.innerIndexPtr(), n),
                   std::span(a.outerIndexPtr(), lines + 1),
                   static_cast<std::int64_t>(a.innerSize()));
    } else {
      auto const array = converted_sparse<T, rows>(a);
      return std::apply([](auto const&... leaf) { return owned(leaf...); }, array.leaves());
    }
  }
}

}  // namespace functions
}  // namespace kroton
