// The engine: a graph under construction in which every node is in its final form when it is made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/complex.hpp>
#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/linear_algebra/products.hpp>
#include <kroton/rewrite/engine/coefficient.hpp>
#include <kroton/rewrite/engine/extent_representatives.hpp>
#include <kroton/rewrite/engine/options.hpp>
#include <kroton/rewrite/engine/rule_index.hpp>
#include <kroton/rewrite/engine/spreading.hpp>

namespace kroton::rewrite {

class seen_forms;

/// The parts of the engine that are made of what stands here: see engine.hpp.
struct engine_parts {
  int (*normal_form)(class rewriter&, int raw);
  int (*factored)(class rewriter&, int sum);
  int (*apply_rule)(class rewriter&, book_view const&, rule_record const&, int id);
  int (*seen_through)(class rewriter&, seen_forms&, int id);
};

/// Makes nodes in their final form. `make` adds the application as it stands (the graph's
/// hash-consing is the memo), brings it to normal form and applies rules until none matches; the
/// right side of a rule is made in the same way. So whatever lies below a node is final when the
/// node is made, and one pass over a graph reaches the fixed point.
class rewriter {
 public:
  graph g;

  constexpr rewriter(engine_parts const& parts, rewrite_options const& with, int fuel = 1000)
      : parts_(parts),
        options_(with),
        fuel_(fuel),
        most_growth_(2000 + fuel / 2),
        growth_(most_growth_) {
    if (with.excluded.empty() && with.included.empty() && !with.ieee) return;
    left_out_ = 0;
    for (int i = 0; i < static_cast<int>(std::size(form_passes)); ++i)
      if (!with.is_enabled(form_passes[i])) left_out_ |= std::uint64_t{1} << i;
  }

  /// `stabilizes`: what its rules find is worth looking for through ops that hide it.
  constexpr void use(book_view const& book, bool stabilizes = false) {
    rules_.add(book, options_, stabilizes);
  }

  /// From now on looks for stable forms through the ops that hide them, with a memory of what was
  /// tried. Half of the fuel is kept for rules that apply to what stands there.
  constexpr void look_through(seen_forms& seen) { seen_ = &seen, reserve_ = fuel_ / 2; }

  /// Whether a form may be taken that adds so many nodes. All of them together add nodes in
  /// proportion to the graph, a quarter of them where nothing cancels yet.
  constexpr bool may_grow(int nodes, bool cancels) {
    growth_ -= nodes;
    return growth_ >= (cancels ? 0 : most_growth_ / 4 * 3);
  }

  /// Whether a pass of the normal form takes part. (Before its first call, where clang has to find
  /// it defined.)
  template <text Pass>
  constexpr bool does() const {
    return (left_out_ >> pass_number<Pass> & 1u) == 0;
  }

  // ---- making nodes -----------------------------------------------------------------------------

  constexpr int make(op_info const* op, items<int> inputs, items<long long> attributes = {}) {
    int const raw = g.apply(op, inputs, attributes);
    bool const is_in_pairs = op->elementwise && op->arity == 2 && inputs.count > 2 &&
                             !has_normal_form(g.type(raw).element);
    return is_in_pairs ? make_in_pairs(op, inputs) : settle(raw);
  }
  template <class Op>
  constexpr int make(std::initializer_list<int> inputs,
                     std::initializer_list<long long> attributes = {}) {
    return make(identity<Op>(), {inputs.begin(), static_cast<int>(inputs.size())},
                {attributes.begin(), static_cast<int>(attributes.size())});
  }
  /// What sums and products of bools are, which have no normal form.
  constexpr int make_in_pairs(op_info const* op, items<int> inputs) {
    list<int> pair{inputs[0], -1};
    for (int k = 1; k < inputs.count; ++k) {
      pair[1] = inputs[k];
      pair[0] = settle(g.apply(op, pair));
    }
    return pair[0];
  }
  /// A node with several outputs as the further ones read it: what a rule replaces is its first
  /// output, and leaves the others.
  constexpr int with_outputs(int raw) {
    list<int> simple = inputs(raw);
    bool changed = false;
    for (int& i : simple) {
      int const form = closed(i);
      changed = changed || form != i;
      i = form;
    }
    if (!changed) return raw;
    list<long long> const own = attributes(raw);
    return g.apply(g[raw].op, simple, own);
  }
  constexpr int literal(double value, element e) {
    return g.literal_of_bits(number_of(e, value).bits, e);
  }
  constexpr int literal(coefficient c) { return g.literal_of_bits(c.bits, c.of); }
  constexpr int cast(int id, element to) { return settle(g.cast(id, to)); }
  constexpr int negative(int id) { return make<op::neg>({id}); }

  /// The final form of a node whose inputs are final.
  constexpr int settle(int raw) {
    int const known = final_form(raw);
    return known == unknown ? find({raw, request::kind::settled}) : known == open ? raw : known;
  }
  /// Whether a rule that stabilizes, or functions that undo each other, had part in the final form
  /// of an application.
  constexpr bool was_stabilized(int raw) const {
    return raw < was_stabilized_.size() && was_stabilized_[raw];
  }
  /// The final form of a node that is in normal form by construction.
  constexpr int sealed(int id) {
    int const known = final_form(id);
    return known == unknown ? find({id, request::kind::sealed}) : known == open ? id : known;
  }
  /// Declares a node final: no rule applies to it.
  constexpr int mark(int id) {
    if (final_form(id) == unknown && !suspended_) final_[id] = id;
    return final_[id] < 0 ? id : final_[id];
  }

  /// Records what a node is in final form, when that was found on another way.
  constexpr void remember(int raw, int id) {
    if (final_form(raw) == unknown && !suspended_) final_[raw] = id;
  }
  constexpr bool is_known(int id) { return final_form(id) != unknown; }
  /// Whether what is made now is thrown away and made again later: see engine/requests.hpp. A loop
  /// that waits for a final form ends here.
  constexpr bool is_suspended() const { return suspended_; }

  constexpr int final_form(int id) {
    if (id >= final_.size()) final_.extend(g.size(), unknown);
    return final_.data()[id];
  }

  /// A sum as anything but a term of another sum sees it: as a product, where it is one.
  constexpr int closed(int id) {
    if (only_spreads(g, id)) return closed_below(id);
    node const& n = g[id];
    if (!is_op<op::add>(n.op) || options_.ieee || !has_normal_form(n.type.element)) return id;
    closed_.extend(g.size(), unknown);
    int const known = closed_[id];
    return known == unknown ? find({id, request::kind::closed}) : known == open ? id : known;
  }

  constexpr int closed_below(int id) {
    int const source = g.input_of(id, 0), form = closed(source);
    if (form == source) return id;
    list<int> operands = inputs(id);
    operands[0] = form;
    list<long long> const pattern = attributes(id);
    return sealed(g.apply(g[id].op, operands, pattern));
  }

  // ---- shapes: engine/shapes.hpp ----------------------------------------------------------------

  /// The extent of dimension d: a literal, or the representative of the extents that are equal to
  /// it at every call.
  constexpr int extent(int id, int d);
  constexpr int representative(int id) const { return classes_.representative(id); }
  /// Makes two int64 scalars one class of extents, represented by a literal or else by the input
  /// that comes first.
  constexpr void unite(int a, int b) { classes_.unite(g, a, b); }
  /// A node with the type of `like`: converted, and spread over its extents where it does not span
  /// them.
  constexpr int conform(int id, int like);
  /// A node with axes that broadcast by their type where those of `to` do: their extent is 1, which
  /// the call has asked for.
  constexpr int with_ones(int id, tensor_type to);
  /// What an alloc spreads, or the node itself.
  constexpr int bare(int id) const { return g.is<op::alloc>(id) ? g.input_of(id, 0) : id; }
  /// A node as an elementwise op reads it: what an alloc spreads, and without the leading axes that
  /// broadcasting adds.
  constexpr int operand(int id);
  constexpr list<int> inputs(int id) const { return {g.input_data(id), g[id].input_count}; }
  constexpr list<long long> attributes(int id) const {
    return {g.attribute_data(id), g[id].attribute_count};
  }

  // ---- bookkeeping ------------------------------------------------------------------------------

  constexpr rewrite_options const& options() const { return options_; }
  constexpr bool real() const { return !options_.ieee; }
  /// The types of values that only rules marked as `complex` may touch: what is stored in 16 bits
  /// is moved and converted, but not computed with.
  static constexpr bool is_special(element e) { return is_complex(e) || is_short(e); }
  /// Says that there are values of such types in the graph, so that rules for real ones have to
  /// look out.
  constexpr void note_special() { has_special_ = true; }
  constexpr bool has_special() const { return has_special_; }
  /// Says that a node is needed as it stands: it is a result, or one of several outputs of which
  /// the further ones are read.
  constexpr void keep(int id) {
    kept_.extend(g.size(), false);
    kept_[id] = true;
  }
  constexpr bool is_kept(int id) const { return id < kept_.size() && kept_[id]; }
  /// Forgets final forms (not nodes): extents that are equal from now on have one representative.
  constexpr void forget() {
    for (int i = 0; i < final_.size(); ++i) final_[i] = unknown;
    closed_.clear();
  }
  constexpr void log(std::string_view name) {
    if (options_.log != nullptr && !suspended_) options_.log->push_back(name);
  }
  /// How many rules may still apply: less than before where one has.
  constexpr int fuel() const { return fuel_; }
  /// Says how a sum or product was written that is new, and that no rule has made.
  constexpr void note_written(int form, int raw, int fuel_before) {
    if (form <= raw || raw < 0 || fuel_ != fuel_before || suspended_) return;
    if (g[raw].input_count > 2) return;  // rules make these: nobody wrote them
    op_info const* const op = g[form].op;
    bool const regroups = is_op<op::add>(op) || is_op<op::mul>(op) || is_op<op::pow>(op);
    // Like terms have become one.
    if (!is_op<op::add>(op) && (is_op<op::add>(g[raw].op) || is_op<op::sub>(g[raw].op))) return;
    if (regroups && is_float(g.type(form).element) && g.type(form) == g.type(raw) &&
        does<"written_order">())
      g.note_written(form, raw);
  }
  /// Says that a product is new that was a sum in normal form before a factor was taken out of it.
  constexpr void note_sum(int form, int sum, int fuel_before) {
    if (form <= sum || fuel_ != fuel_before || suspended_ || !g.is<op::mul>(form)) return;
    bool const is_number = is_float(g.type(form).element) && g.type(form) == g.type(sum);
    if (is_number && g.written(form) < 0 && does<"written_order">()) g.note_written(form, sum);
  }

 private:
  static constexpr int unknown = -1, open = -2;

  // ---- requests: engine/requests.hpp ------------------------------------------------------------

  /// A form of a node that somebody asks for, and the rule on whose behalf.
  struct request {
    enum class kind : std::uint8_t { settled, sealed, closed };
    int node = -1;
    kind form = kind::settled;
    rule_record const* applied = nullptr;
  };

  // Requests within requests: compilers end a constant evaluation at 512 nested calls, and each
  // takes up to fourteen.
  static constexpr int deepest = 24;
  constexpr int find(request wanted);
  constexpr int answer(request const& wanted);
  constexpr int answer_waiting();
  constexpr void suspend();
  constexpr list<int>& forms(request const& wanted) {
    return wanted.form == request::kind::closed ? closed_ : final_;
  }

  // ---- rules ------------------------------------------------------------------------------------

  constexpr int rewritten(int id) {
    int const form = rewritten_by_rule(id);
    if (form != id || seen_ == nullptr || suspended_ || fuel_ < reserve_) return form;
    if (!g[id].op->elementwise || g[id].input_count == 0) return id;
    return has_special_ && touches_special(id) ? id : parts_.seen_through(*this, *seen_, id);
  }
  /// The node after the first rule that applies to it.
  constexpr int rewritten_by_rule(int id) {
    std::uint64_t const root = g[id].op->key;
    int const first = rules_.first(root);
    if (first < 0) return id;
    rule_index::entry const* const entries = rules_.entries();
    std::uint64_t const missing = ~ops_.of_operands(g, id);
    for (int i = first; i >= 0; i = entries[i].next) {
      if (entries[i].root != root || (entries[i].needs & missing) != 0) continue;
      rule_record const& rule = *entries[i].rule;
      if (has_special_ && !rule.complex && touches_special(id)) continue;
      if (fuel_ <= 0) return id;
      rule_record const* const outer = applied_;
      applied_ = &rule;
      int const result = parts_.apply_rule(*this, rules_.book(entries[i].book), rule, id);
      applied_ = outer;
      if (suspended_) return id;
      if (result < 0 || result == id) continue;
      if (--fuel_ == 0) g.fail(rule.endless);
      log(rule.name);
      if (options_.observer != nullptr)
        options_.observer->applied(*options_.observer, g, rule.name, id, result);
      if (entries[i].stabilizes) ++stabilized_;
      return conform(result, id);
    }
    return id;
  }

  constexpr bool touches_special(int id) const {
    if (is_special(g.type(id).element)) return true;
    for (int i : g.inputs(id))
      if (is_special(g.type(i).element)) return true;
    return false;
  }

  constexpr void note_stabilized(int raw) {
    was_stabilized_.extend(g.size(), false);
    was_stabilized_[raw] = true;
  }

  engine_parts parts_;
  rewrite_options options_;
  seen_forms* seen_ = nullptr;
  std::uint64_t left_out_ = 0;  // by number
  int stabilized_ = 0;          // how often a rule of theirs has applied
  bool has_special_ = false;
  int fuel_, most_growth_, growth_, reserve_ = 0, depth_ = 0;
  rule_record const* applied_ = nullptr;
  rule_index rules_;
  list<int> final_, closed_;
  extent_representatives classes_;
  list<bool> was_stabilized_, kept_;
  bool suspended_ = false;
  list<request> waiting_;
  ops_below ops_;
};

}  // namespace kroton::rewrite
