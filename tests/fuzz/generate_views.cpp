// How programs grow: views, parts of tensors, products.
// SPDX-License-Identifier: BSD-3-Clause
#include "generate.hpp"

#include <algorithm>

namespace fuzz {

void generator::arrangement() {
  int const a = any(), rank = of(a).type.rank;
  int const kind = dice_.below(8);
  if (kind < 3 && rank > 0) {
    part(a);
  } else if (kind < 5) {
    std::vector<int> pattern;
    for (int d = 0; d < rank; ++d)
      if (!of(a).type.broadcasts(d) || !dice_.one_in(3)) pattern.push_back(d);
    for (std::size_t k = pattern.size(); k > 1; --k) std::swap(pattern[k - 1], pattern[static_cast<std::size_t>(dice_.below(static_cast<int>(k)))]);
    if (pattern.size() < 3 && dice_.one_in(2)) pattern.insert(pattern.begin() + dice_.below(static_cast<int>(pattern.size()) + 1), -1);
    view(call_kind::dimshuffle, a, pattern);
  } else if (kind == 5) {
    call c;
    c.kind = call_kind::full_like;
    c.operands = {value(a), number(dice_.pick({0., 1., 2., 0.5}))};
    add(c, a);
  } else {
    long count = 1;
    for (long e : of(a).shape) count *= e;
    std::vector<int> const flat{-1}, split{-1, static_cast<int>(dice_.pick(extents_))}, front{static_cast<int>(dice_.pick(extents_)), -1};
    std::vector<int> to = dice_.pick(std::vector<std::vector<int>>{flat, flat, split, front, {1, -1}, {-1, 1}});
    if (dice_.one_in(4) && rank > 0) {
      to.clear();
      for (long e : of(a).shape) to.push_back(static_cast<int>(e));
      std::reverse(to.begin(), to.end());
    }
    // Of nothing -1 could be anything.
    if (count == 0) to = std::find(to.begin(), to.end(), -1) == to.end() ? to : std::vector<int>{0, split[1]};
    if (to.size() > 3) return;
    view(call_kind::reshape, a, to);
  }
}
int generator::view(call_kind kind, int a, std::vector<int> axes) {
  call c;
  c.kind = kind;
  c.operands = {value(a)};
  c.axes = std::move(axes);
  return add(c, a);
}
int generator::part(int a) {
  call c;
  c.kind = call_kind::subtensor;
  c.operands = {value(a)};
  for (long e : of(a).shape) {
    index_item i;
    auto bound = [&] {
      index_item::bound b;
      b.none = dice_.one_in(3);
      if (!b.none) b.value = dice_.below(static_cast<int>(std::min(e, 8l)) + 2) - (dice_.one_in(2) ? 0 : static_cast<int>(std::min(e, 8l)) + 1);
      // An int64 scalar that is an argument.
      for (std::size_t v = 0; v < program_.arguments.size() && !b.none && palette_ >= 3; ++v)
        if (program_.arguments[v].type == kt::tensor_type{kt::element::int64, 0, 0} && dice_.one_in(2)) b = {false, true, static_cast<long>(v)};
      return b;
    };
    i.code = dice_.below(3);
    if (i.code == 1) {
      if (e == 0) i.code = 0;
      do i.begin = bound();
      while (i.begin.none);
    } else if (i.code == 2) {
      i.begin = bound();
      i.end = bound();
      i.step = dice_.pick({1, 1, 2, -1, -2, 3});
    }
    c.index.push_back(i);
  }
  return add(c, a);
}

void generator::product() {
  int const a = any();
  for (int tries = 0; tries < 20; ++tries) {
    int const b = any();
    if (dot(a, b) != a) return;
  }
}
int generator::dot(int a, int b) {
  for (int v : {a, b})
    if (of(v).type.rank == 0 || of(v).type.rank > 2) return a;
  long work = 1;
  for (int v : {a, b})
    for (long e : of(v).shape) work *= e;
  if (work > 100'000) return a;
  call c;
  c.kind = call_kind::dot;
  c.operands = {value(a), value(b)};
  return add(c, a);
}

}  // namespace fuzz
