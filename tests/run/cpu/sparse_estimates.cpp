// How many values a product of sparse matrices has, guessed from some of its lines: close to what
// it has, whichever of the matrices are transposed.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <random>
#include <set>

namespace sparse_estimates {

using namespace reference;

namespace {

struct pattern {
  vec<std::int32_t> index, start;
  std::int64_t inner = 0;
};
/// Lines of so many indices: anywhere, or next to each other.
pattern made(std::size_t lines, std::size_t inner, std::size_t each, bool is_band, unsigned seed) {
  std::mt19937 random(seed);
  pattern p;
  p.inner = static_cast<std::int64_t>(inner);
  std::vector<std::int32_t> index, start{0};
  for (std::size_t i = 0; i < lines; ++i) {
    std::set<std::size_t> line;
    while (line.size() < each)
      line.insert(is_band ? i * (inner - each) / lines + line.size() : random() % inner);
    for (std::size_t j : line) index.push_back(static_cast<std::int32_t>(j));
    start.push_back(static_cast<std::int32_t>(index.size()));
  }
  p.index = xt::adapt(index);
  p.start = xt::adapt(start);
  return p;
}
std::vector<std::vector<std::int32_t>> rows_of(pattern const& p, bool is_transposed) {
  std::size_t const lines = p.start.size() - 1;
  std::vector<std::vector<std::int32_t>> rows(is_transposed ? static_cast<std::size_t>(p.inner)
                                                            : lines);
  for (std::size_t i = 0; i < lines; ++i)
    for (auto k = static_cast<std::size_t>(p.start(i)); k < static_cast<std::size_t>(p.start(i + 1)); ++k)
      if (is_transposed)
        rows[static_cast<std::size_t>(p.index(k))].push_back(static_cast<std::int32_t>(i));
      else rows[i].push_back(p.index(k));
  return rows;
}
template <class T>
kt::core::array_ref ref(vec<T>& x) {
  kt::core::array_ref a;
  a.data = reinterpret_cast<std::byte*>(x.data());
  a.rank = 1;
  a.bytes = sizeof(T);
  a.extents[0] = static_cast<std::ptrdiff_t>(x.size());
  a.strides[0] = 1;
  return a;
}
kt::core::array_ref ref(std::int64_t& x) {
  kt::core::array_ref a;
  a.data = reinterpret_cast<std::byte*>(&x);
  a.bytes = sizeof x;
  return a;
}

void check(pattern a, pattern b, bool of_a, bool of_b) {
  auto const rows = rows_of(a, of_a), others = rows_of(b, of_b);
  std::int64_t products = 0, values = 0;
  for (auto const& row : rows) {
    std::set<std::int32_t> found;
    for (std::int32_t k : row) {
      auto const& other = others[static_cast<std::size_t>(k)];
      products += static_cast<std::int64_t>(other.size());
      found.insert(other.begin(), other.end());
    }
    values += static_cast<std::int64_t>(found.size());
  }
  kt::core::array_ref const operands[] = {ref(a.index), ref(a.start), ref(a.inner),
                                          ref(b.index), ref(b.start), ref(b.inner)};
  long long const attributes[] = {of_a, of_b};
  kt::core::invocation const call{operands, nullptr, {attributes, 2}};
  kt::cpu::lines::sparse_pair const pair(call, 0);
  kt::cpu::lines::product_estimate const estimate(pair, products / 10);
  INFO(of_a << of_b << " products " << products << " values " << values);
  CHECK(static_cast<double>(estimate.products()) == Approx(products).epsilon(0.1));
  CHECK(static_cast<double>(estimate.values()) == Approx(values).epsilon(0.25));
}

}  // namespace

TEST_CASE("values of products of sparse matrices are guessed from some lines", "[sparse]") {
  for (bool is_band : {false, true}) {
    auto const tall = made(20000, 900, 4, is_band, 1), other = made(20000, 700, 3, is_band, 2),
               wide = made(900, 20000, 60, is_band, 3), square = made(900, 700, 5, is_band, 4),
               wider = made(700, 20000, 60, is_band, 5);
    check(tall, other, true, false);
    check(wide, other, false, false);
    check(tall, wider, true, true);
    check(wide, wider, false, true);
    check(square, square, false, true);
  }
}

}  // namespace sparse_estimates
