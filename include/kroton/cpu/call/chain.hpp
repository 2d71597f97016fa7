// Chains of products: the order with the fewest multiplications for the extents of a call, and the
// products in that order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/steps.hpp>
#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/plan/product_order.hpp>

#include <algorithm>
#include <cstdio>

namespace kroton::cpu {

/// One product of a chain. Operands are factors or, counted after them, earlier products.
struct chain_product {
  int left = 0, right = 0;
  int slot = -1;       // of the work memory; none for the last product, which is the result
  array_ref result{};  // the intermediate array
};

/// The order of a chain for some extents, and the memory of its intermediate arrays.
struct chain_choice {
  std::vector<std::ptrdiff_t> extents;  // rows of the first factor, then the columns of each
  bool from_vector = false, to_vector = false;
  std::vector<chain_product> products;
  double multiplications = 0, left_to_right = 0, right_to_left = 0;
  std::vector<std::size_t> slots;  // offsets, then the size of all
  memory_block memory;

  int factors() const { return static_cast<int>(extents.size()) - 1; }
};

/// Finds the order, see plan/product_order.hpp.
class chain_planner {
 public:
  explicit chain_planner(chain_choice& c)
      : c_(c), n_(c.factors()), order_(numbers_of(c.extents)) {
    c_.multiplications = order_.multiplications();
    for (int k = 1; k < n_; ++k) {
      c_.left_to_right += extent(0) * extent(k) * extent(k + 1);
      c_.right_to_left += extent(k - 1) * extent(k) * extent(n_);
    }
  }
  /// Lists the products in the order in which they run, and shares memory among the intermediate
  /// arrays.
  void list_products(int bytes) {
    bytes_ = bytes;
    emit(0, n_ - 1);
    c_.slots.push_back(0);
    std::size_t total = 0;
    for (std::size_t& size : c_.slots) total += std::exchange(size, total);
  }

 private:
  static core::list<double> numbers_of(std::vector<std::ptrdiff_t> const& extents) {
    core::list<double> numbers;
    for (std::ptrdiff_t n : extents) numbers.push_back(static_cast<double>(n));
    return numbers;
  }
  double extent(int k) const {
    return static_cast<double>(c_.extents[static_cast<std::size_t>(k)]);
  }

  int emit(int i, int j) {
    if (i == j) return i;
    chain_product p;
    p.left = emit(i, order_.split(i, j));
    p.right = emit(order_.split(i, j) + 1, j);
    if (j - i + 1 < n_) place(p, i, j);
    for (int operand : {p.left, p.right})
      if (operand >= n_)
        used_[static_cast<std::size_t>(c_.products[static_cast<std::size_t>(operand - n_)].slot)] =
            false;
    c_.products.push_back(p);
    return n_ + static_cast<int>(c_.products.size()) - 1;
  }
  void place(chain_product& p, int i, int j) {
    bool const row = i == 0 && c_.from_vector, column = j == n_ - 1 && c_.to_vector;
    array_ref& a = p.result;
    if (!row) a.extents[a.rank++] = c_.extents[static_cast<std::size_t>(i)];
    if (!column) a.extents[a.rank++] = c_.extents[static_cast<std::size_t>(j) + 1];
    a.bytes = bytes_;
    a.make_contiguous_strides();
    auto const free = std::find(used_.begin(), used_.end(), false);
    p.slot = static_cast<int>(free - used_.begin());
    if (free == used_.end()) {
      used_.push_back(true);
      c_.slots.push_back(0);
    }
    used_[static_cast<std::size_t>(p.slot)] = true;
    std::size_t& size = c_.slots[static_cast<std::size_t>(p.slot)];
    constexpr auto most = static_cast<std::size_t>(most_bytes);
    // A plan of any size can be printed: the memory is checked when it is allocated.
    size = std::max(size, (bytes_that_fit(a, most) + 63) / 64 * 64);
  }

  chain_choice& c_;
  int n_, bytes_ = 0;
  plan::product_order order_;
  std::vector<bool> used_;
};

/// The order as a formula of the letters A, B, C ...: `A (B C)`; from the 27th factor on `A1`, `B1`
/// ...
inline std::string order_text(chain_choice const& c, int operand, bool outermost = true) {
  if (operand < c.factors()) {
    std::string const letter(1, static_cast<char>('A' + operand % 26));
    return operand < 26 ? letter : letter + std::to_string(operand / 26);
  }
  chain_product const& p = c.products[static_cast<std::size_t>(operand - c.factors())];
  std::string const text = order_text(c, p.left, false) + " " + order_text(c, p.right, false);
  return outermost ? text : "(" + text + ")";
}
/// `20,000`; very large numbers as powers of ten.
inline std::string count_text(double count) {
  char digits[32];
  std::snprintf(digits, sizeof(digits), count < 1e15 ? "%.0f" : "%.3g", count);
  std::string text = digits;
  if (count < 1e15)
    for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3)
      text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

/// The choice of a chain's order; see cpu/op/choice.hpp.
struct chain_step {
  using choice = chain_choice;

  static choice choose(step_view const& s) {
    choice c;
    int const n = factors_of(s.info.kind, s.info.operand_count);
    array_ref const &first = s.f.value(s.operand(0)), &last = s.f.value(s.operand(n - 1));
    c.from_vector = first.rank == 1;
    c.to_vector = last.rank == 1;
    c.extents.push_back(c.from_vector ? 1 : first.extents[0]);
    for (int k = 0; k + 1 < n; ++k) c.extents.push_back(s.f.value(s.operand(k + 1)).extents[0]);
    c.extents.push_back(c.to_vector ? 1 : last.extents[1]);
    chain_planner(c).list_products(first.bytes);
    return c;
  }

  /// `A (B C), 20,000 multiplications; left to right needs 200,000 (10x1000, 1000x10, 10x1000)`
  static std::string describe(choice const& c) {
    bool const from_left = c.multiplications == c.left_to_right;
    std::string text = order_text(c, c.factors() + static_cast<int>(c.products.size()) - 1) + ", " +
                       count_text(c.multiplications) + " multiplications; " +
                       (from_left ? "right to left" : "left to right") + " needs " +
                       count_text(from_left ? c.right_to_left : c.left_to_right) + " (";
    for (int k = 0; k < c.factors(); ++k) {
      bool const row = k == 0 && c.from_vector, column = k == c.factors() - 1 && c.to_vector;
      auto const extent = [&](int d) {
        return std::to_string(c.extents[static_cast<std::size_t>(k + d)]);
      };
      text += (k == 0 ? "" : ", ") + (row      ? extent(1)
                                      : column ? extent(0)
                                               : extent(0) + "x" + extent(1));
    }
    return text + ")";
  }
};

/// out = alpha * (the product of the factors) + beta * out, in the order chosen for the extents.
template <class T>
void multiply_chain(step_view const& s, array_ref const& out, T alpha, T beta) {
  if (out.size() == 0) return;
  chain_choice& c = chosen<chain_step>(s);
  if (c.memory.data() == nullptr) {
    std::byte* const at = c.memory.room(c.slots.back());
    for (chain_product& p : c.products)
      if (p.slot >= 0) p.result.data = at + c.slots[static_cast<std::size_t>(p.slot)];
  }
  auto const operand = [&](int k) -> array_ref const& {
    return k < c.factors() ? s.f.value(s.operand(k))
                           : c.products[static_cast<std::size_t>(k - c.factors())].result;
  };
  for (chain_product const& p : c.products) {
    if (p.slot >= 0) product<T>(operand(p.left), operand(p.right), p.result, T(1), T(0));
    else product<T>(operand(p.left), operand(p.right), out, alpha, beta);
  }
}

/// The same in a small call, which keeps nothing: three factors, of which the cheaper two come
/// first.
template <class T, class Step>
void multiply_chain(Step const& s, array_ref const& out, T alpha, T beta) {
  if (out.size() == 0) return;
  array_ref const &a = s.array(0), &b = s.array(1), &c = s.array(2);
  std::ptrdiff_t const rows = a.rank == 1 ? 1 : a.extents[0], left = b.extents[0],
                       right = b.extents[1], columns = c.rank == 1 ? 1 : c.extents[1];
  bool const from_left = rows * right * (left + columns) <= left * columns * (right + rows);
  array_ref between = from_left ? a : c;
  between.rank = 0;
  if (!from_left) between.extents[between.rank++] = left;
  else if (a.rank == 2) between.extents[between.rank++] = rows;
  if (from_left) between.extents[between.rank++] = right;
  else if (c.rank == 2) between.extents[between.rank++] = columns;
  between.make_contiguous_strides();
  between.data = s.scratch(static_cast<std::size_t>(between.size() * between.bytes));
  product<T>(from_left ? a : b, from_left ? b : c, between, T(1), T(0));
  product<T>(from_left ? between : a, from_left ? c : between, out, alpha, beta);
}

/// The product of three or more factors.
template <class T, class Step>
void run_chain(Step const& s) {
  multiply_chain<T>(s, s.target(), T(1), T(0));
}

/// A factor of a product: of a real one it has the type of the product, or is a double.
template <class T>
T factor_in(array_ref const& a) {
  if constexpr (is_complex_number<T>) return *reinterpret_cast<T const*>(a.data);
  else
    return static_cast<T>(a.bytes == 4
                              ? static_cast<double>(*reinterpret_cast<float const*>(a.data))
                              : *reinterpret_cast<double const*>(a.data));
}

/// alpha * dot(A, B) + beta * C; C is the result's memory already where it is dead. `Chain`: of
/// three or more factors, which costs those who have none nothing to compile.
template <class T, bool Chain, class Step>
void run_gemm(Step const& s) {
  int const factors = factors_of(s.info.kind, s.info.operand_count);
  array_ref const& out = s.target();
  if (!s.continues()) copy_array(out, s.array(factors));
  T const alpha = factor_in<T>(s.array(factors + 1));
  T const beta = s.continues() ? T(1) : factor_in<T>(s.array(factors + 2));
  if constexpr (Chain) multiply_chain<T>(s, out, alpha, beta);
  else product<T>(s.array(0), s.array(1), out, alpha, beta);
}

}  // namespace kroton::cpu
