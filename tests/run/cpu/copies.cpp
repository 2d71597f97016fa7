// Copies between arrays of any strides, against one element after another.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <kroton/cpu/loop/transposition.hpp>

#include <cstring>
#include <numeric>
#include <random>

namespace {

namespace core = kroton::core;
namespace cpu = kroton::cpu;

/// An array of the given extents whose axes lie in memory in a random order, some turned round,
/// with gaps; or, where it may, without a step along an axis.
core::array_ref random_array(std::mt19937& random, core::array_ref const& like,
                             std::vector<std::byte>& memory, bool may_repeat) {
  core::array_ref a = like;
  std::vector<int> order(static_cast<std::size_t>(a.rank));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::ptrdiff_t stride = random() % 4 == 0 ? 2 : 1, first = 0;
  for (int d : order) {
    a.strides[d] = may_repeat && random() % 8 == 0 ? 0 : stride;
    if (a.strides[d] != 0) stride *= a.extents[d] + (random() % 4 == 0 ? 1 : 0);
    if (random() % 8 == 0) {
      first += (a.extents[d] - 1) * a.strides[d];
      a.strides[d] = -a.strides[d];
    }
  }
  memory.assign(static_cast<std::size_t>((stride + 1) * a.bytes), std::byte{0xee});
  a.data = memory.data() + first * a.bytes;
  return a;
}
void copy_one_by_one(core::array_ref const& to, core::array_ref const& from) {
  std::ptrdiff_t index[core::max_rank]{};
  for (std::ptrdiff_t k = 0; k < to.size(); ++k) {
    std::ptrdiff_t t = 0, f = 0, rest = k;
    for (int d = to.rank - 1; d >= 0; --d) {
      index[d] = rest % to.extents[d];
      rest /= to.extents[d];
      t += index[d] * to.strides[d];
      f += index[d] * from.strides[d];
    }
    std::memcpy(to.data + t * to.bytes, from.data + f * from.bytes,
                static_cast<std::size_t>(to.bytes));
  }
}

}  // namespace

TEST_CASE("copies between arrays of any strides move every element and nothing else") {
  std::mt19937 random(20261126);
  int const bytes[] = {1, 2, 4, 8, 16};
  for (int round = 0; round < 4000; ++round) {
    core::array_ref like;
    like.rank = static_cast<int>(random() % 4);
    like.bytes = bytes[random() % 5];
    for (int d = 0; d < like.rank; ++d)
      like.extents[d] =
          static_cast<std::ptrdiff_t>(random() % 3 == 0 ? random() % 80 : random() % 6);
    std::vector<std::byte> target, source;
    core::array_ref const to = random_array(random, like, target, false),
                          from = random_array(random, like, source, true);
    for (std::byte& b : source) b = static_cast<std::byte>(random());
    std::vector<std::byte> const before = target;
    copy_one_by_one(to, from);
    std::vector<std::byte> const expected = target;
    for (auto* const copy : {&core::copy, &cpu::copy_array}) {
      target = before;
      copy(to, from);
      REQUIRE(target == expected);
    }
  }
}

TEST_CASE("narrow rows become columns, and columns narrow rows") {
  for (int bytes : {4, 8})
    for (std::ptrdiff_t n : {1, 3, 15, 16, 17, 40, 131})
      for (std::ptrdiff_t d : {2, 3, 4, 5})
        for (std::ptrdiff_t gap : {0, 1})
          for (bool to_columns : {false, true}) {
            CAPTURE(bytes, n, d, gap, to_columns);
            // One of the arrays has columns that lie `n + gap` apart, the other no gaps.
            core::array_ref rows, columns;
            for (core::array_ref* a : {&rows, &columns}) {
              a->rank = 2;
              a->bytes = bytes;
              a->extents[0] = n;
              a->extents[1] = d;
            }
            rows.strides[0] = d;
            rows.strides[1] = columns.strides[0] = 1;
            columns.strides[1] = n + gap;
            // Nothing is read or written behind the last element: the sanitizers see it.
            std::vector<std::byte> of_rows(static_cast<std::size_t>(n * d * bytes)),
                of_columns(static_cast<std::size_t>(((d - 1) * (n + gap) + n) * bytes));
            std::vector<std::byte>& source = to_columns ? of_rows : of_columns;
            std::vector<std::byte>& target = to_columns ? of_columns : of_rows;
            for (std::size_t i = 0; i < source.size(); ++i) source[i] = std::byte(i * 37 % 251);
            rows.data = of_rows.data();
            columns.data = of_columns.data();
            std::vector<std::byte> const before = target;
            if (to_columns) copy_one_by_one(columns, rows);
            else copy_one_by_one(rows, columns);
            std::vector<std::byte> const expected = target;
            target = before;
            if (to_columns) cpu::copy_array(columns, rows);
            else cpu::copy_array(rows, columns);
            CHECK((target == expected));
          }
}
