// The sweep of reverse mode: accumulates the gradients of all nodes, from the outputs back to the
// inputs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/item.hpp>
#include <kroton/grad/batching.hpp>
#include <kroton/grad/conjugate.hpp>
#include <kroton/grad/logarithms.hpp>
#include <kroton/grad/masks.hpp>
#include <kroton/grad/shifted_softmax.hpp>
#include <kroton/ops/along_axes/reduction.hpp>

namespace kroton::calculus {

/// How the gradients of the operands of a node that owns a body are made, of those that are wanted:
/// by a sweep through the body, see grad/loop/pullback.hpp.
using body_pullback = list<int> (*)(graph&, int id, list<int> const& given,
                                    list<bool> const& wanted);

/// Accumulates the gradients of all nodes of a graph by one sweep from the last seeded node back.
///
/// A gradient that came through `where` is kept as what it is, where(c, v, 0): an elementwise op is
/// pulled back with v, and its result masked again, so that 0 * inf in the branch not taken never
/// becomes NaN, in gradients of any order. One that came through `ifelse` is treated so by every
/// op, so that what leads from the branch not taken to the inputs is not computed.
class reverse_sweep {
 public:
  constexpr reverse_sweep(graph& g, body_pullback of_body)
      : g_(g),
        of_body_(of_body),
        masking_(g),
        logarithms_(g),
        contributions_(g.size(), list<int>{}) {}

  constexpr void seed(int node, int gradient) { add(node, gradient); }

  /// Visits only nodes that depend on one of `wrt`, and not through integers and bools, which no
  /// gradient passes, nor through `ends`.
  constexpr void run(list<int> const& wrt, list<int> const& ends = {}) {
    int const size = contributions_.size();
    list<bool> is_end(size);
    for (int id : ends) is_end[id] = true;
    stays_ = is_end;
    for (int id : wrt) stays_[id] = true;
    depends_ = list<bool>(size, false);
    list<bool>& depends = depends_;
    for (int id : wrt) depends[id] = true;
    for (int id = 0; id < size; ++id)
      for (int in : g_.inputs(id))
        depends[id] = depends[id] || (depends[in] && has_continuous_output(in));
    logarithms_.find(depends, wrt);
    if (logarithms_.any())
      by_logarithm_ = list<list<int>>(static_cast<int>(std::size(logarithms)) * size, list<int>{});
    for (int id = size - 1; id >= 0; --id) {
      if (!depends[id] || is_end[id] || wrt_only(wrt, id)) continue;
      if (!g_[id].op->has_pullback) {
        stop(id, depends);
        continue;
      }
      if (g_[id].op->has_items()) {
        pull_back_outputs(id, size);
        continue;
      }
      pull_back_all(id, gradient_by::value);
      if (!logarithms_.any()) continue;
      for (gradient_by by : logarithms) pull_back_all(id, by);
    }
  }

  /// The gradient of a node, or -1 if none reached it.
  constexpr int gradient(int id) {
    return contributions_[id].empty() ? -1 : total(contributions_[id]);
  }

 private:
  // A node that leads to no other requested node.
  constexpr bool wrt_only(list<int> const& wrt, int id) const {
    return wrt.size() == 1 && wrt[0] == id;
  }

  // Whether any output of a node is continuous.
  constexpr bool has_continuous_output(int id) const {
    return is_continuous(g_.type(id).element) || g_[id].op->has_items();
  }

  constexpr bool is_output_of(int output, int id) const {
    return g_.is<op::item>(output) && g_.input_of(output, 0) == id;
  }

  constexpr bool is_reached(int id) const {
    if (!contributions_[id].empty()) return true;
    if (g_[id].op->has_items())
      for (int output = id + 1; output < contributions_.size(); ++output)
        if (is_output_of(output, id) && !contributions_[output].empty()) return true;
    return false;
  }

  // At an op without a pullback, a gradient that would continue is 0, or an error if the op does
  // not declare one.
  constexpr void stop(int id, list<bool> const& depends) {
    op_info const& op = *g_[id].op;
    if ((!op.is_constant && op.unwritten_gradient.empty()) || !is_reached(id)) return;
    for (int i = 0; i < op.read(g_[id].input_count); ++i) {
      int const operand = g_.input_of(id, i);
      element const e = g_.type(operand).element;
      if (!depends[operand] || !is_continuous(e)) continue;
      if (!op.is_constant) return g_.fail(op.unwritten_gradient);
      add(operand, fitted(g_.literal(0, e), operand));
    }
  }

  constexpr void add(int node, int gradient) { contributions_[node].push_back(gradient); }

  // The gradients that have reached a node, with respect to its value or a logarithm of it.
  constexpr list<int>& reached(int id, gradient_by by) {
    if (by == gradient_by::value) return contributions_[id];
    return by_logarithm_[static_cast<int>(std::size(logarithms)) * id + static_cast<int>(by) - 1];
  }
  // The operands of a serial op may be those of several processes, of which each has its own
  // conditions: masks stay on the gradient that it pulls back.
  constexpr void pull_back_all(int id, gradient_by by) {
    if (reached(id, by).empty()) return;
    bool const keeps_masks = !g_[id].op->is_serial && all_lazy(reached(id, by));
    if (!keeps_masks && pull_back_shifted(id, by)) return;
    if (g_[id].op->elementwise || keeps_masks) {
      for (int gradient : grouped(reached(id, by))) pull_back_masked(id, gradient, {}, by);
    } else {
      pull_back(id, total(reached(id, by)), {}, by);
    }
  }

  // Past the nodes between a softmax and what it depends on, of which none is asked for: see
  // shifted_softmax.hpp.
  constexpr bool pull_back_shifted(int id, gradient_by by) {
    if (by != gradient_by::value && by != gradient_by::log) return false;
    shifted_softmax const s = shifted_softmax_at(g_, id, stays_);
    bool const by_log = by == gradient_by::log;
    if (s.of.node < 0 || (by_log && s.kind != shifted_softmax::softmax)) return false;
    term const y{&g_, id}, given = expand_like({&g_, total(reached(id, by))}, y);
    add_gradient(s.of.node, pulled_back(s, y, given, by_log).id, {}, gradient_by::value);
    for (shifted_softmax::part const& c : s.constant)
      if (depends_[c.node])
        add_gradient(c.node, of_constant(s, c, y, given).id, {}, gradient_by::value);
    return true;
  }

  // Whether no gradient of a node is needed whatever the conditions are.
  constexpr bool all_lazy(list<int> const& all) const {
    for (int given : all)
      if (!masking_.is_lazy(given)) return false;
    return true;
  }

  // Adds contributions with the same mask, or with none; those that remain have different masks.
  constexpr list<int> grouped(list<int> const& all) {
    list<int> groups;
    for (int next : all) {
      bool merged = false;
      for (int& group : groups) {
        if (!masking_.joins(group, next)) continue;
        group = masking_.add(group, next);
        merged = true;
        break;
      }
      if (!merged) groups.push_back(next);
    }
    return groups;
  }
  constexpr int total(list<int>& all) {
    list<int> const groups = grouped(all);
    int result = groups[0];
    for (int i = 1; i < groups.size(); ++i) result = masking_.add(result, groups[i]);
    all = list<int>{result};
    return result;
  }
  // Not by value: nvcc leaks the memory of a parameter.
  constexpr void pull_back_masked(int id, int gradient, list<mask> const& outer, gradient_by by) {
    list<mask> masks(outer);
    bool const elementwise = g_[id].op->elementwise;
    mask m{}, inner{};
    int value = 0;
    while (masking_.find(gradient, m, value) && (m.lazy || elementwise)) {
      masks.push_back(m);
      gradient = value;
    }
    // A lazy choice of two gradients is propagated as a whole, unless one of them must keep its own
    // mask.
    if (elementwise && masking_.is_lazy(gradient)) {
      int const condition = g_.input_of(gradient, 0), then = g_.input_of(gradient, 1),
                otherwise = g_.input_of(gradient, 2);
      if (masking_.find(then, inner, value) || masking_.find(otherwise, inner, value)) {
        masks.push_back({condition, true, true});
        pull_back_masked(id, then, masks, by);
        masks.back().then = false;
        pull_back_masked(id, otherwise, masks, by);
        return;
      }
    }
    pull_back(id, gradient, masks, by);
  }
  constexpr void pull_back(int id, int gradient, list<mask> const& masks, gradient_by by) {
    // The value inside a mask may span less than the node; its gradient must not.
    term const full = expand_like({&g_, gradient}, {&g_, id});
    auto plain = [&](int node, term own) {
      list<int> given{own.id}, gradients;
      pull_back_given(node, given, gradients);
      return gradients;
    };
    list<gradient_part> parts;
    if (by != gradient_by::value) {
      logarithms_.pull_back(id, by, full, parts, plain);
    } else if (logarithms_.converts(id)) {
      logarithms_.convert(id, full, parts, plain);
    } else {
      add_gradients(id, plain(id, full), masks);
      return;
    }
    for (gradient_part const& part : parts) add_gradient(part.node, part.gradient, masks, part.by);
  }
  // From all outputs together: they come after the node.
  constexpr void pull_back_outputs(int id, int size) {
    list<int> given(g_.output_count(id), -1);
    bool any = false;
    for (int output = id; output < size; ++output) {
      bool const is_item = is_output_of(output, id);
      if ((output != id && !is_item) || contributions_[output].empty()) continue;
      given[is_item ? static_cast<int>(g_.attribute(output, 0)) : 0] =
          total(contributions_[output]);
      any = true;
    }
    if (!any) return;
    list<mask> masks;
    if (!g_[id].op->is_serial) masks = common_masks(given);
    for (int k = 0; k < given.size(); ++k)
      if (given[k] >= 0) given[k] = expand_like({&g_, given[k]}, output_of({&g_, id}, k)).id;
    list<int> gradients;
    pull_back_given(id, given, gradients);
    add_gradients(id, gradients, masks);
  }
  // Takes off the gradients of several outputs the lazy masks that all of them have.
  constexpr list<mask> common_masks(list<int>& given) const {
    list<mask> masks;
    for (bool again = true; again;) {
      mask common{}, m{};
      int value = 0, count = 0;
      list<int> inside(given.size(), -1);
      for (int k = 0; k < given.size(); ++k) {
        if (given[k] < 0) continue;
        bool const is_masked = masking_.find(given[k], m, value) && m.lazy;
        bool const is_same =
            count == 0 || (m.condition == common.condition && m.then == common.then);
        again = again && is_masked && is_same;
        common = m;
        inside[k] = value;
        ++count;
      }
      if (!again) continue;
      masks.push_back(common);
      given.swap(inside);
    }
    return masks;
  }
  // The gradients of the operands from those of all outputs; of one slice if the node runs slice by
  // slice.
  constexpr void pull_back_given(int id, list<int>& given, list<int>& gradients) {
    op_info const& op = *g_[id].op;
    bool const conjugates = pulls_back_conjugates(g_, id);
    if (conjugates) conjugate_all(g_, given);
    bool const is_loop = op.has_body && !op.is_written_out && !op.is_for_derivatives;
    if (is_loop) gradients = of_body_(g_, id, given, wanted_operands(id));
    else if (op.has_slice) pull_back_each(g_, id, given, gradients);
    else if (op.has_items()) op.pullback_of_outputs(g_, id, given, gradients);
    else op.pullback(g_, id, given[0], gradients);
    if (conjugates) conjugate_all(g_, gradients);
  }
  constexpr list<bool> wanted_operands(int id) const {
    list<bool> wanted;
    for (int in : g_.inputs(id))
      wanted.push_back(depends_[in] && is_continuous(g_.type(in).element));
    return wanted;
  }
  constexpr void add_gradients(int id, list<int> const& gradients, list<mask> const& masks) {
    for (int i = 0; i < gradients.size(); ++i) {
      int const operand = g_.input_of(id, i);
      if (gradients[i] >= 0 && is_continuous(g_.type(operand).element))
        add_gradient(operand, gradients[i], masks, gradient_by::value);
    }
  }
  constexpr void add_gradient(int operand, int gradient, list<mask> const& masks, gradient_by by) {
    int given = gradient_as(g_, gradient, g_.type(operand).element);
    for (int k = masks.size() - 1; k >= 0; --k) {
      if (masks[k].lazy) given = fitted(given, operand);
      given = masking_.put(masks[k], given, operand);
    }
    reached(operand, by).push_back(fitted(given, operand));
  }
  // Converts a gradient to the type and the shape of the operand.
  constexpr int fitted(int gradient, int operand) {
    term const x{&g_, operand};
    return gradient_as(g_, expand_like(unbroadcast({&g_, gradient}, x.type()), x).id, x.element());
  }

  graph& g_;
  body_pullback of_body_;
  list<bool> stays_{};    // of each node, whether it is asked for, or an end
  list<bool> depends_{};  // of each node, whether it depends on a variable that is asked for
  masking masking_;
  logarithmic_gradients logarithms_;
  list<list<int>> contributions_;
  // The gradients of a node with respect to each logarithm, in one list: nvcc frees only the first
  // of an array of lists
  list<list<int>> by_logarithm_;
};

}  // namespace kroton::calculus
