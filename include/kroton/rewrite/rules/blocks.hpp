// Block-diagonal matrices, as kt::block_diagonal and joins of blocks and zeros write them:
// functions of the matrix are functions of its blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/blocks.hpp>
#include <kroton/rewrite/rules/join.hpp>
#include <kroton/rewrite/rules/triangular.hpp>

namespace kroton::rewrite::rules {

/// The blocks of a block-diagonal matrix or of its transpose; none of any other node.
constexpr list<int> blocks_of(rewriter& r, int id) {
  graph& g = r.g;
  list<int> blocks;
  if (int const source = flipped_operand(g, id); source >= 0) {
    blocks = blocks_of(r, source);
    for (int& b : blocks) b = flip(r, b);
    return blocks;
  }
  blocks = ops::diagonal_blocks(g, id);
  for (int k = 0; k < blocks.size(); ++k)
    for (int j = 0; j < blocks.size(); ++j)
      if (r.extent(g.input_of(g.input_of(id, k + 1), j + 1), 1) != r.extent(blocks[j], 1))
        return {};
  return blocks;
}
/// The same if all of them are square.
constexpr list<int> square_blocks_of(rewriter& r, int id) {
  list<int> blocks = blocks_of(r, id);
  for (int b : blocks)
    if (r.extent(b, 0) != r.extent(b, 1)) return {};
  return blocks;
}
constexpr int joined(rewriter& r, list<int> const& parts, int axis) {
  list<int> inputs{r.literal(0, element::int64)};
  for (int p : parts) {
    inputs[0] = r.make<op::add>({inputs[0], r.extent(p, axis)});
    inputs.push_back(p);
  }
  return r.make(identity<op::join>(), inputs, list<long long>{axis});
}
/// The matrix with these blocks.
constexpr int joined_blocks(rewriter& r, list<int> const& blocks) {
  int const zero = r.literal(0, r.g.type(blocks[0]).element);
  list<int> rows;
  for (int b : blocks) {
    list<int> row;
    for (int other : blocks)
      row.push_back(row.size() == rows.size()
                        ? b
                        : r.make<op::alloc>({zero, r.extent(b, 0), r.extent(other, 1)}));
    rows.push_back(joined(r, row, 1));
  }
  return joined(r, rows, 0);
}

/// An op that makes a matrix of a matrix, block by block.
template <class Op>
constexpr int function_of_blocks(rewriter& r, int id) {
  list<int> blocks = square_blocks_of(r, r.g.input_of(id, 0));
  if (blocks.empty()) return -1;
  for (int& b : blocks) b = r.make<Op>({b});
  return joined_blocks(r, blocks);
}
/// A reduction of the same of all blocks.
template <class Op>
constexpr int over_blocks(rewriter& r, list<int> const& values) {
  return values.size() == 1 ? values[0] : r.make(identity<Op>(), values);
}
constexpr int det_of_blocks(rewriter& r, int id) {
  list<int> blocks = square_blocks_of(r, r.g.input_of(id, 0));
  for (int& b : blocks) b = r.make<op::det>({b});
  return blocks.empty() ? -1 : over_blocks<op::mul>(r, blocks);
}
/// The cofactors of a block are multiplied by the determinants of the others; those of zeros are 0.
constexpr int cofactors_of_blocks(rewriter& r, int id) {
  list<int> const blocks = square_blocks_of(r, r.g.input_of(id, 0));
  list<int> cofactors;
  for (int k = 0; k < blocks.size(); ++k) {
    list<int> factors{r.make<op::cofactors>({blocks[k]})};
    for (int j = 0; j < blocks.size(); ++j)
      if (j != k) factors.push_back(r.make<op::det>({blocks[j]}));
    cofactors.push_back(over_blocks<op::mul>(r, factors));
  }
  return blocks.empty() ? -1 : joined_blocks(r, cofactors);
}
/// The two outputs of slogdet: the product of the signs, the sum of the logarithms.
constexpr int sign_of_blocks(rewriter& r, int id) {
  list<int> blocks = square_blocks_of(r, r.g.input_of(id, 0));
  for (int& b : blocks) b = r.settle(r.with_outputs(r.g.apply<op::slogdet>({b})));
  return blocks.empty() ? -1 : over_blocks<op::mul>(r, blocks);
}
constexpr int log_of_blocks(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!applies<op::slogdet>(g, x) || g.attribute(id, 0) != 1) return -1;
  list<int> blocks = square_blocks_of(r, g.input_of(x, 0));
  for (int& b : blocks) {
    int const both = r.with_outputs(g.apply<op::slogdet>({b}));
    b = r.make<op::item>({both}, {1});
  }
  return blocks.empty() ? -1 : over_blocks<op::add>(r, blocks);
}
/// The eigenvalues of all blocks, in order. Where the eigenvectors are read, too, as by gradients,
/// those of the matrix are computed with its values anyway.
constexpr int eigenvalues_of_blocks(rewriter& r, int id) {
  if (r.is_kept(id)) return -1;
  list<int> blocks = square_blocks_of(r, r.g.input_of(id, 0));
  for (int& b : blocks) b = r.settle(r.with_outputs(r.g.apply<op::eigh>({b})));
  return blocks.empty() ? -1 : r.make<op::sort>({joined(r, blocks, 0)}, {0});
}
/// The diagonals of square blocks, one behind the other.
constexpr int diagonal_of_blocks(rewriter& r, int id) {
  graph& g = r.g;
  if (g.type(g.input_of(id, 0)).rank != 2 || g.attribute(id, 2) != 0) return -1;
  list<int> blocks = square_blocks_of(r, g.input_of(id, 0));
  for (int& b : blocks) b = main_diagonal(r, b);
  return blocks.empty() ? -1 : joined(r, blocks, 0);
}

/// The parts of x along an axis that belong to blocks, by their extents along `of`.
constexpr list<int> parts_for(rewriter& r, list<int> const& blocks, int of, int x, int axis) {
  graph& g = r.g;
  list<int> parts;
  int begin = g.literal(0, element::int64);
  for (int b : blocks) {
    int const length = r.extent(b, of);
    list<axis_selection> axes(g.type(x).rank);
    axes[axis] = {2, 1, begin, length};
    parts.push_back(r.settle(select(r, x, axes)));
    begin = r.make<op::add>({begin, length});
  }
  return parts;
}
constexpr int solve_with_blocks(rewriter& r, int id) {
  list<int> const blocks = square_blocks_of(r, r.g.input_of(id, 0));
  if (blocks.empty()) return -1;
  list<int> parts = parts_for(r, blocks, 0, r.g.input_of(id, 1), 0);
  for (int k = 0; k < blocks.size(); ++k) parts[k] = r.make<op::solve>({blocks[k], parts[k]});
  return joined(r, parts, 0);
}
/// The products of the blocks of two matrices that fit each other, or none.
constexpr list<int> products_of_blocks(rewriter& r, list<int> const& left, list<int> const& right) {
  list<int> products;
  for (int k = 0; left.size() == right.size() && k < left.size(); ++k) {
    if (r.extent(left[k], 1) != r.extent(right[k], 0)) return {};
    products.push_back(r.make<op::dot>({left[k], right[k]}));
  }
  return products;
}
/// Whether a matrix, or what it is the transpose of, is computed anyway.
constexpr bool is_made_anyway(rewriter const& r, int id) {
  int const source = flipped_operand(r.g, id);
  return r.is_kept(id) || (source >= 0 && r.is_kept(source));
}
constexpr int product_with_blocks(rewriter& r, int id) {
  graph& g = r.g;
  int const a = g.input_of(id, 0), b = g.input_of(id, 1);
  // A product with a vector costs no more than the matrix did: then parts only add steps.
  if (g.type(b).rank == 1 && is_made_anyway(r, a)) return -1;
  if (g.type(a).rank == 1 && is_made_anyway(r, b)) return -1;
  list<int> const left = blocks_of(r, a), right = blocks_of(r, b);
  if (left.empty() && right.empty()) return -1;
  if (list<int> const both = products_of_blocks(r, left, right); !both.empty())
    return joined_blocks(r, both);
  list<int> parts;
  if (!left.empty()) {
    parts = parts_for(r, left, 1, b, 0);
    for (int k = 0; k < left.size(); ++k) parts[k] = r.make<op::dot>({left[k], parts[k]});
    return joined(r, parts, 0);
  }
  int const last = g.type(a).rank - 1;
  parts = parts_for(r, right, 0, a, last);
  for (int k = 0; k < right.size(); ++k) parts[k] = r.make<op::dot>({parts[k], right[k]});
  return joined(r, parts, last);
}

}  // namespace kroton::rewrite::rules
