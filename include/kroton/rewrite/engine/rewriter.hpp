// The engine: a graph under construction in which every node is in its final form when it is made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/affine.hpp>
#include <kroton/ops/complex.hpp>
#include <kroton/ops/exponential.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/linalg.hpp>
#include <kroton/rewrite/engine/coefficient.hpp>
#include <kroton/rewrite/engine/options.hpp>
#include <kroton/rewrite/engine/order.hpp>

namespace kroton::rewrite {

/// The ops that do not hide from a rule what they are applied to.
constexpr bool is_looked_through(op_info const* op) {
  return is_op<op::mul>(op) || is_op<op::pow>(op) || is_op<op::neg>(op) ||
         is_op<op::dimshuffle>(op) || is_op<op::reshape>(op);
}

/// How many axes a dimshuffle adds in front.
constexpr int leading_axes(graph const& g, int id) {
  int count = 0;
  if (is_op<op::dimshuffle>(g[id].op))
    while (count < g[id].attribute_count && g.attribute(id, count) < 0) ++count;
  return count;
}
/// Whether a dimshuffle adds axes in front and does nothing else.
constexpr bool only_adds_axes(graph const& g, int id) {
  int const added = leading_axes(g, id);
  if (added == 0 || g[id].attribute_count - added != g.type(g.input_of(id, 0)).rank) return false;
  for (int d = added; d < g[id].attribute_count; ++d)
    if (g.attribute(id, d) != d - added) return false;
  return true;
}
/// Whether a node is its operand, spread as broadcasting would. Such nodes stand outside of
/// elementwise ops.
constexpr bool only_spreads(graph const& g, int id) {
  return is_op<op::alloc>(g[id].op) || only_adds_axes(g, id);
}

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
    for (int& b : bucket_) b = -1;
    if (with.excluded.empty() && !with.ieee) return;
    for (int i = 0; i < static_cast<int>(std::size(form_passes)); ++i)
      if (!with.is_enabled(form_passes[i])) left_out_ |= std::uint64_t{1} << i;
  }

  /// `stabilizes`: what its rules find is worth looking for through ops that hide it.
  constexpr void use(book_view const& book, bool stabilizes = false) {
    books_.push_back(book);
    for (auto const& rule : book.rules) {
      if (!options_.is_enabled(rule)) continue;
      if (options_.ieee && !rule.has_build) use(rule, rule.ieee_root, rule.ieee_needs, stabilizes);
      else
        for (int i = 0; i < rule.root_count; ++i) use(rule, rule.roots[i], rule.needs, stabilizes);
    }
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
    return settle(g.apply(op, inputs, attributes));
  }
  template <class Op>
  constexpr int make(std::initializer_list<int> inputs,
                     std::initializer_list<long long> attributes = {}) {
    return make(identity<Op>(), {inputs.begin(), static_cast<int>(inputs.size())},
                {attributes.begin(), static_cast<int>(attributes.size())});
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
  /// Whether what is made now is thrown away and made again later: see `find`. A loop that waits
  /// for a final form ends here.
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

  // ---- shapes -----------------------------------------------------------------------------------

  /// The extent of dimension d: a literal, or the representative of the extents that are equal to
  /// it at every call.
  constexpr int extent(int id, int d) {
    for (;;) {
      if (g.type(id).broadcasts(d)) return g.literal(1, element::int64);
      op_info const* op = g[id].op;
      if (!op->has_extent) return representative(mark(g.apply<op::extent_of>({id}, {d})));
      extent_source const source = op->extent(g.application(id), d);
      bool const is_dimension = source.from == extent_source::dimension;
      if (!is_dimension || !source.by.is_identity()) {
        int const n = is_dimension ? extent(g.input_of(id, source.input), source.axis)
                      : source.from == extent_source::value
                          ? g.input_of(id, source.input)
                          : g.literal(source.from == extent_source::one ? 1 : 0, element::int64);
        return representative(mapped(g, source.by, n, [&](op_info const* by, items<int> operands) {
          return make(by, operands);
        }));
      }
      id = g.input_of(id, source.input);
      d = source.axis;
    }
  }
  constexpr int representative(int id) const {
    while (id < class_.size() && class_[id] >= 0) id = class_[id];
    return id;
  }
  /// Makes two int64 scalars one class of extents, represented by a literal or else by the input
  /// that comes first.
  constexpr void unite(int a, int b) {
    a = representative(a);
    b = representative(b);
    if (a == b) return;
    class_.extend(g.size(), -1);
    if (extent_before(b, a)) std::swap(a, b);
    class_[b] = a;
  }
  /// A node with the type of `like`: converted, and spread over its extents where it does not span
  /// them.
  constexpr int conform(int id, int like) {
    if (id == like) return id;
    tensor_type const to = g.type(like);
    if (g.type(id) == to) return id;
    id = cast(id, to.element);
    if (g.type(id) == to) return id;
    bool spread = false, narrowed = false;
    list<int> inputs{id};
    list<long long> pattern;
    for (int d = 0; d < to.rank; ++d) {
      narrowed = narrowed || (to.broadcasts(d) && g.type(id).spans(d, to.rank));
      spread = spread || (!to.broadcasts(d) && !g.type(id).spans(d, to.rank));
      int const own = g.type(id).aligned(d, to.rank);
      pattern.push_back(own < 0 ? -1 : own);
    }
    if (narrowed) return conform(with_ones(id, to), like);
    if (!spread) return make(identity<op::dimshuffle>(), inputs, pattern);
    for (int d = 0; d < to.rank; ++d) inputs.push_back(extent(like, d));
    return make(identity<op::alloc>(), inputs);
  }
  /// A node with axes that broadcast by their type where those of `to` do: their extent is 1, which
  /// the call has asked for.
  constexpr int with_ones(int id, tensor_type to) {
    list<int> inputs{id};
    for (int d = 0; d < g.type(id).rank; ++d)
      inputs.push_back(to.broadcasts(d + to.rank - g.type(id).rank) ? g.literal(1, element::int64)
                                                                    : extent(id, d));
    return make(identity<op::reshape>(), inputs);
  }
  /// What an alloc spreads, or the node itself.
  constexpr int bare(int id) const { return g.is<op::alloc>(id) ? g.input_of(id, 0) : id; }
  /// A node as an elementwise op reads it: what an alloc spreads, and without the leading axes that
  /// broadcasting adds.
  constexpr int operand(int id) {
    id = bare(id);
    int const added = leading_axes(g, id);
    if (added == 0) return id;
    if (only_adds_axes(g, id)) return g.input_of(id, 0);
    list<long long> const pattern(g.attribute_data(id) + added, g[id].attribute_count - added);
    int const source[] = {g.input_of(id, 0)};
    return make(identity<op::dimshuffle>(), source, pattern);
  }
  constexpr list<int> inputs(int id) const {
    return {g.input_data(id), g[id].input_count};
  }
  constexpr list<long long> attributes(int id) const {
    return {g.attribute_data(id), g[id].attribute_count};
  }

  // ---- bookkeeping ------------------------------------------------------------------------------

  constexpr rewrite_options const& options() const { return options_; }
  constexpr bool real() const { return !options_.ieee; }
  /// Says that there are complex numbers in the graph, so that rules for real ones have to look
  /// out.
  constexpr void note_complex() { has_complex_ = true; }
  constexpr bool has_complex() const { return has_complex_; }
  /// Forgets final forms (not nodes): extents that are equal from now on have one representative.
  constexpr void forget() {
    for (int i = 0; i < final_.size(); ++i) final_[i] = unknown;
    closed_.clear();
  }
  constexpr void log(std::string_view name) {
    if (options_.log != nullptr && !suspended_) options_.log->push_back(name);
  }

 private:
  constexpr void use(rule_record const& rule, std::uint64_t root, std::uint64_t needs,
                     bool stabilizes) {
    if (root == 0) return;
    rules_.push_back({&rule, books_.size() - 1, root, needs, -1, stabilizes});
    // Behind the rules that are there already: books and their lines keep their order.
    int* link = &bucket_[root & (buckets - 1)];
    while (*link >= 0) link = &rules_[*link].next;
    *link = rules_.size() - 1;
  }

  static constexpr int unknown = -1, open = -2;
  static constexpr int buckets = 64;
  // Requests within requests: compilers end a constant evaluation at 512 nested calls, and each
  // takes up to fourteen.
  static constexpr int deepest = 24;
  struct entry {
    rule_record const* rule = nullptr;
    int book = 0;
    std::uint64_t root = 0, needs = 0;
    int next = -1;
    bool stabilizes = false;
  };
  /// A form of a node that somebody asks for, and the rule on whose behalf.
  struct request {
    enum class kind : std::uint8_t { settled, sealed, closed };
    int node = -1;
    kind form = kind::settled;
    rule_record const* applied = nullptr;
  };

  /// Answers a request. Requests that are nested too deeply are suspended: the innermost waits, all
  /// that it was made for is thrown away while calls return, and the outermost answers what waits
  /// from the inside out, with all depth there is for each. So a request is made at most twice, and
  /// what others wait for, however deep, is found in linear time.
  constexpr int find(request wanted) {
    if (suspended_ || fuel_ <= 0) return wanted.node;
    forms(wanted)[wanted.node] = open;
    wanted.applied = applied_;
    if (depth_ == deepest) {
      suspend();
      waiting_.push_back(wanted);
      return wanted.node;
    }
    int const form = answer(wanted);
    if (!suspended_) return form;
    waiting_.push_back(wanted);
    return depth_ > 0 ? wanted.node : answer_waiting();
  }
  constexpr list<int>& forms(request const& wanted) {
    return wanted.form == request::kind::closed ? closed_ : final_;
  }

  constexpr int answer(request const& wanted) {
    int const id = wanted.node, before = stabilized_;
    bool stabilized = false;
    ++depth_;
    int form = -1;
    if (wanted.form == request::kind::sealed) {
      form = rewritten(id);
    } else if (wanted.form == request::kind::closed) {
      form = conform(parts_.factored(*this, id), id);
    } else {
      int const normal = parts_.normal_form(*this, id);
      form = conform(normal == id ? rewritten(id) : sealed(normal), id);
      stabilized = was_stabilized(normal);
    }
    --depth_;
    if (suspended_) return form;
    forms(wanted)[id] = form;
    if (wanted.form != request::kind::closed && (stabilized || stabilized_ != before))
      note_stabilized(id);
    return form;
  }
  /// Answers all requests that wait, the innermost first; gives the form that the outermost asks
  /// for.
  constexpr int answer_waiting() {
    list<request> open_requests;
    int form = -1;
    for (;;) {
      // They were left from the inside out.
      while (!waiting_.empty()) {
        open_requests.push_back(waiting_.back());
        waiting_.pop_back();
      }
      if (open_requests.empty()) return form;
      suspended_ = false;
      request const next = open_requests.back();
      applied_ = next.applied;
      form = answer(next);
      if (!suspended_) open_requests.pop_back();
    }
  }
  /// Depth is work like any other: what calls for itself without end uses up the fuel, too, and
  /// then nothing is made any more.
  constexpr void suspend() {
    suspended_ = true;
    fuel_ -= deepest;
    if (fuel_ <= 0)
      g.fail(applied_ != nullptr ? applied_->endless
                                 : "kt: rewriting did not terminate: the normal form");
  }

  constexpr int rewritten(int id) {
    int const form = rewritten_by_rule(id);
    if (form != id || seen_ == nullptr || suspended_ || fuel_ < reserve_) return form;
    if (!g[id].op->elementwise || g[id].input_count == 0) return id;
    return has_complex_ && touches_complex(id) ? id : parts_.seen_through(*this, *seen_, id);
  }
  /// The node after the first rule that applies to it.
  constexpr int rewritten_by_rule(int id) {
    std::uint64_t const root = g[id].op->key;
    entry const* const entries = rules_.data();
    int const first = bucket_[root & (buckets - 1)];
    if (first < 0) return id;
    std::uint64_t const missing = ~ops_below(id);
    for (int i = first; i >= 0; i = entries[i].next) {
      if (entries[i].root != root || (entries[i].needs & missing) != 0) continue;
      rule_record const& rule = *entries[i].rule;
      if (has_complex_ && !rule.complex && touches_complex(id)) continue;
      if (fuel_ <= 0) return id;
      rule_record const* const outer = applied_;
      applied_ = &rule;
      int const result = parts_.apply_rule(*this, books_[entries[i].book], rule, id);
      applied_ = outer;
      if (suspended_) return id;
      if (result < 0 || result == id) continue;
      if (--fuel_ == 0) g.fail(rule.endless);
      log(rule.name);
      if (entries[i].stabilizes) ++stabilized_;
      return conform(result, id);
    }
    return id;
  }

  constexpr bool touches_complex(int id) const {
    if (is_complex(g.type(id).element)) return true;
    for (int i : g.inputs(id))
      if (is_complex(g.type(i).element)) return true;
    return false;
  }

  /// The ops of the operands, and of what lies below the factors, powers and views among them.
  constexpr std::uint64_t ops_below(int id) {
    std::uint64_t ops = 0;
    int const* const inputs = g.input_data(id);
    int const count = g[id].input_count;
    for (int i = 0; i < count; ++i) ops |= ops_of(inputs[i]);
    return ops;
  }
  constexpr std::uint64_t ops_of(int id) {
    if (id >= ops_.size()) ops_.extend(g.size(), 0);
    std::uint64_t const known = ops_.data()[id];
    if (known != 0) return known;
    op_info const* op = g[id].op;
    std::uint64_t const ops = op_bit(op->key) | (is_looked_through(op) ? ops_below(id) : 0);
    ops_[id] = ops;
    return ops;
  }

  constexpr void note_stabilized(int raw) {
    was_stabilized_.extend(g.size(), false);
    was_stabilized_[raw] = true;
  }

  /// Whether an extent is computed from elements of a tensor, which may have it themselves.
  constexpr bool counts_elements(int id) const {
    list<int> rest{id};
    while (!rest.empty()) {
      int const next = rest.back();
      rest.pop_back();
      if (g.type(next).rank > 0) return true;
      if (g.is<op::extent_of>(next)) continue;
      for (int i : g.inputs(next)) rest.push_back(i);
    }
    return false;
  }
  constexpr bool extent_before(int a, int b) const {
    if (g.is_literal(a) != g.is_literal(b)) return g.is_literal(a);
    auto rank = [&](int id) {
      if (!g.is<op::extent_of>(id) || !g.is<op::input>(g.input_of(id, 0)))
        return counts_elements(id) ? 1ll << 41 : 1ll << 40;
      return g.attribute(g.input_of(id, 0), 0) * 64 + g.attribute(id, 0);
    };
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return stands_before(g, a, b);
  }

  engine_parts parts_;
  rewrite_options options_;
  seen_forms* seen_ = nullptr;
  std::uint64_t left_out_ = 0;  // passes, by number
  int stabilized_ = 0;  // how often a rule of theirs has applied
  bool has_complex_ = false;
  int fuel_, most_growth_, growth_, reserve_ = 0, depth_ = 0;
  rule_record const* applied_ = nullptr;
  list<book_view> books_;
  list<entry> rules_;
  int bucket_[buckets]{};
  list<int> final_, closed_, class_;
  list<bool> was_stabilized_;
  bool suspended_ = false;
  list<request> waiting_;
  list<std::uint64_t> ops_;
};

}  // namespace kroton::rewrite
