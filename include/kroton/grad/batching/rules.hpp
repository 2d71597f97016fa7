// Which rule batches a node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching/control.hpp>
#include <kroton/grad/batching/draws.hpp>
#include <kroton/grad/batching/loops.hpp>
#include <kroton/grad/batching/pass.hpp>
#include <kroton/grad/batching/products.hpp>
#include <kroton/grad/batching/selections.hpp>
#include <kroton/grad/batching/slices.hpp>
#include <kroton/grad/batching/sparse.hpp>
#include <kroton/grad/batching/systems.hpp>
#include <kroton/grad/batching/views.hpp>
#include <kroton/grad/batching/windows.hpp>
#include <kroton/ops/along_axes/positions.hpp>
#include <kroton/ops/along_axes/scans.hpp>
#include <kroton/ops/along_axes/sorting.hpp>

namespace kroton::calculus {

constexpr lanes batching::rebuilt(int id) {
  op_info const* const op = g_[id].op;
  if (find_segments(id)) return {-1, 0, true, true};
  bool any = false, changed = false;
  list<int> inputs;
  list<int> const operands(g_.inputs(id).first, g_[id].input_count);  // `at` may record nodes
  for (int in : operands) {
    inputs.push_back(at(in).node);
    any = any || at(in).batched;
    changed = changed || at(in).node != in;
  }
  if (op->is_serial && (any || changed)) {
    g_.fail("kt::vmap, kt::jacobian, kt::hessian: an op whose calls have an order, such as "
        "kt::all_reduce, cannot be mapped");
    return {id, 0, true, false};
  }
  if (is_op<op::scan>(op) && (any || has_own_draw(id))) return loop_batching(*this, id).scan();
  if (op->has_body && has_own_draw(id)) {
    g_.fail("kt::vmap: an equation inside of the callable draws random numbers: draw before it");
    return {id, 0, true, false};
  }
  // Of a scan some outputs may depend on the batch index and others not
  if (is_op<op::item>(op) && g_.is<op::scan>(g_.input_of(id, 0)))
    return loop_batching(*this, id).item();
  if (is_op<op::item>(op) && g_[g_.input_of(id, 0)].op->is_draw)
    return draw_batching(*this, id).state();
  if (op->is_draw && (any || has_own_draw(id))) return draw_batching(*this, id).draw();
  if (!any) return {again(id, inputs), 0, true, false};
  if (is_op<op::extent_of>(op)) return view_batching(*this, id).extent_of();
  if (op->elementwise) return elementwise(id);
  if (op->reduction || is_op<op::logsumexp>(op) || is_op<op::largest_exponent>(op) ||
      is_op<op::relative_sum>(op))
    return reduction(id);
  if (is_op<op::dimshuffle>(op)) return view_batching(*this, id).dimshuffle();
  if (is_op<op::alloc>(op)) return view_batching(*this, id).alloc();
  if (is_op<op::dot>(op)) return product_batching(*this, id).dot();
  if (is_op<op::batched_dot>(op)) return product_batching(*this, id).batched_dot();
  if (is_op<op::reshape>(op)) return view_batching(*this, id).reshape();
  if (is_op<op::subtensor>(op)) return selection_batching(*this, id).subtensor();
  if (is_op<op::inc_subtensor>(op) || is_op<op::set_subtensor>(op))
    return selection_batching(*this, id).subtensor_write();
  if (is_op<op::take>(op)) return selection_batching(*this, id).take(1);
  if (is_op<op::inc_take>(op) || is_op<op::set_take>(op))
    return selection_batching(*this, id).take(2);
  if (is_op<op::join>(op)) return view_batching(*this, id).join();
  if (is_op<op::from_diagonals>(op)) return view_batching(*this, id).from_diagonals();
  if (is_op<op::ifelse>(op)) return control_batching(*this, id).ifelse();
  if (is_op<op::softmax>(op) || is_op<op::log_softmax>(op) || is_op<op::first_equal>(op))
    return slice_batching(*this, id).along_axes();
  if (is_op<op::dft>(op) || is_op<op::real_dft>(op) || is_op<op::dft_to_real>(op) ||
      is_op<op::argmax>(op) || is_op<op::argmin>(op) || is_op<op::cumsum>(op) ||
      is_op<op::cumprod>(op) || is_op<op::shift>(op) || is_op<op::sort>(op) || is_op<op::topk>(op))
    return slice_batching(*this, id).along_axis();
  if (is_op<op::csr_dot>(op) || is_op<op::csr_transposed_dot>(op))
    return sparse_batching(*this, id).by_dense();
  if (is_op<op::solve>(op) || is_op<op::solve_triangular>(op))
    return system_batching(*this, id).solve();
  if (is_op<op::convolution>(op) || is_op<op::convolution_images>(op))
    return window_batching(*this, id).from_filters();
  if (is_op<op::convolution_filters>(op)) return window_batching(*this, id).to_filters();
  if (is_op<op::max_pool>(op) || is_op<op::avg_pool>(op) || is_op<op::spread_windows>(op) ||
      is_op<op::take_in_planes>(op) || is_op<op::add_in_planes>(op))
    return window_batching(*this, id).over_planes();
  if (is_op<op::print>(op)) return control_batching(*this, id).print();
  if (is_op<op::assertion>(op)) return control_batching(*this, id).assertion();
  if (is_op<op::after>(op)) return control_batching(*this, id).after();
  if (is_op<op::item>(op)) return slice_batching(*this, id).item();
  if (op->has_batch) return op->batch(*this, id);
  if (op->has_inner || op->is_written_out) return control_batching(*this, id).inlined();
  if (op->has_each) return slice_batching(*this, id).each();
  g_.fail("kt::vmap: an op of the callable cannot be mapped");
  return {id, 0, true, false};
}

}  // namespace kroton::calculus
