// How programs grow: sparse matrices and draws of random numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "draws.hpp"
#include "generate.hpp"
#include "sparse.hpp"

namespace fuzz {

/// One or two of the same extents, or of some that fit for a product.
void generator::add_matrix() {
  std::vector<long> const extents{dice_.pick(extents_), dice_.pick(extents_)};
  for (int k = 0, count = 1 + dice_.below(2); k < count; ++k) {
    argument a{{kt::element::float64, 2, 0}, extents, {}};
    if (k == 1 && dice_.one_in(3)) std::swap(a.shape[0], a.shape[1]);
    if (a.shape[0] > 5 && a.shape[1] > 5) a.shape[0] = extents_[0];
    a.kind = dice_.one_in(2) ? argument_kind::csr : argument_kind::csc;
    fill(a);
    for (real& x : a.data) {
      a.stored.push_back(dice_.below(5) < 2);
      if (a.stored.back() == 0) x = 0;
    }
    add_argument(a);
  }
}

/// Behind all others, where a function binds it.
void generator::add_stream() {
  add_argument(stream_of(dice_.one_in(3) ? argument_kind::twister : argument_kind::philox,
                         static_cast<std::uint32_t>(dice_.below(1 << 30))));
}

int generator::drawn_for_matrix(char letter) {
  for (int tries = 0; tries < 20; ++tries) {
    int const v = letter == 'm' ? dice_.below(static_cast<int>(program_.arguments.size())) : any();
    if (letter == 'm') {
      if (is_sparse(program_.arguments[static_cast<std::size_t>(v)].kind)) return v;
      continue;
    }
    if (of(v).type.element != kt::element::float64) continue;
    int const rank = of(v).type.rank;
    bool const broadcasts = of(v).type.broadcast != 0;  // which no sparse matrix does
    if (letter == 'v'   ? rank == 1
        : letter == 'x' ? rank == 2 && !broadcasts
        : letter == 'd' ? rank == 1 || rank == 2
                        : rank == 0)
      return v;
  }
  return -1;
}

/// Adds a function that takes as many matrices, or none where it finds no operands.
bool generator::add_sparse_function(call& c, bool gives_matrix, int matrices) {
  auto const& all = sparse_functions();
  int const number = dice_.below(static_cast<int>(all.size()));
  sparse_function const& f = all[static_cast<std::size_t>(number)];
  if (f.matrices != matrices || f.gives_matrix != gives_matrix) return false;
  std::vector<operand> operands;
  for (char letter : f.operands) {
    int const v = drawn_for_matrix(letter);
    if (v < 0) return false;
    operands.push_back(value(v));
  }
  c.operands.insert(c.operands.end(), operands.begin(), operands.end());
  c.axes.push_back(number);
  return true;
}
void generator::sparse() {
  for (int tries = 0; tries < 6; ++tries) {
    call c;
    c.kind = call_kind::sparse;
    auto grow = [&](bool gives_matrix, int matrices) {
      for (int drawn = 0; drawn < 200; ++drawn)
        if (add_sparse_function(c, gives_matrix, matrices)) return true;
      return false;
    };
    if (dice_.one_in(4)) {
      if (!grow(true, 0)) return;
    } else {
      int const first = drawn_for_matrix('m');
      if (first < 0) return;
      c.axes.push_back(0);
      c.operands.push_back(value(first));
    }
    for (int more = dice_.below(5); more > 0; --more) {
      if (dice_.one_in(3)) {
        call const before = c;
        if (!grow(true, 0) || (dice_.one_in(3) && !grow(true, 1)) || !grow(true, 2)) c = before;
      } else {
        grow(true, 1);
      }
    }
    if (grow(false, 1) && add(c, -1) >= 0) return;
  }
}

void generator::draw() {
  call c;
  c.kind = call_kind::draw;
  c.function = dice_.below(static_cast<int>(draw_functions().size()));
  for (std::size_t k = 0; k < program_.arguments.size(); ++k)
    if (is_stream(program_.arguments[k].kind)) c.operands = {value(static_cast<int>(k))};
  int const like = any(), rank = of(like).type.rank;
  if (dice_.one_in(2) && (rank == 1 || rank == 2)) {
    c.operands.push_back(value(like));
    for (int d = 0; d < rank; ++d) c.axes.push_back(d);
  } else {
    for (int d = scalars_ ? 0 : dice_.below(3); d > 0; --d)
      c.axes.push_back(static_cast<int>(dice_.pick(extents_)));
  }
  add(c, -1);
}

}  // namespace fuzz
