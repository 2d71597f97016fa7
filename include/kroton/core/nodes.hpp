// The graph: a hash-consed list of nodes in topological order, the same value at compile time and
// at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/body.hpp>
#include <kroton/core/graph_ops.hpp>
#include <kroton/core/literal.hpp>
#include <kroton/core/node.hpp>
#include <kroton/core/refusal.hpp>

#include <bit>
#include <cstdint>
#include <string_view>

namespace kroton {

namespace ops {
template <class T>
constexpr int complex_literal(graph&, std::complex<T> const&, element);
}  // namespace ops

/// A program: nodes in topological order, some of which are inputs, outputs, and new values of
/// updated parameters. Adding a node that already exists returns the existing node, so equal
/// subexpressions are shared by construction.
class graph {
 public:
  constexpr graph() = default;

  /// Adds (or finds) a node. Inputs must be nodes of this graph; the caller chooses the type, see
  /// `apply`.
  constexpr int add(core::op_info const* op, tensor_type type, core::items<int> inputs,
                    core::items<long long> attributes) {
    return add(op, type, inputs.first, inputs.count, attributes.first, attributes.count);
  }
  constexpr int add(core::op_info const* op, tensor_type type, int const* in, int in_count,
                    long long const* attr, int attr_count) {
    core::node const* const nodes = nodes_.data_;
    int const size = nodes_.size_;
    std::uint64_t hash =
        core::mix(op->name_hash, static_cast<std::uint64_t>(type.element) << 40 |
                                     static_cast<std::uint64_t>(type.rank) << 32 | type.broadcast);
    for (int i = 0; i < in_count; ++i) hash = core::mix(hash, nodes[in[i]].hash);
    for (int i = 0; i < attr_count; ++i)
      hash = core::mix(hash, static_cast<std::uint64_t>(attr[i]));
    if ((size + 1) * 2 > table_.size_ * row_size) set_table(size == 0 ? 1 : table_.size_ * 4);
    table_row* const table = table_.data_;
    int const mask = table_.size_ * row_size - 1;
    int slot = static_cast<int>(hash & static_cast<std::uint64_t>(mask));
    for (int found = 0; (found = table[slot / row_size].at[slot % row_size]) > 0;) {
      core::node const& n = nodes[found - 1];
      if (n.hash == hash && equal(n, op, type, in, in_count, attr, attr_count)) return found - 1;
      slot = (slot + 1) & mask;
    }
    if (type.rank > core::max_rank && too_many_axes_ == 0) too_many_axes_ = type.rank;
    table[slot / row_size].at[slot % row_size] = size + 1;
    ops_ |= core::op_bit(op->key);
    if (core::is_short(type.element)) has_short_ = true;
    nodes_.push_back({op, type, edges_.size_, in_count, attributes_.size_, attr_count, hash});
    edges_.append(in, in_count);
    attributes_.append(attr, attr_count);
    return size;
  }
  /// Adds a node with the type that the op's own rule computes. Operands of 16 bits are computed
  /// with as float32.
  constexpr int apply(core::op_info const* op, core::items<int> inputs,
                      core::items<long long> attributes = {}) {
    if (op->is_serial && inputs.count == op->arity) return apply_serial(op, inputs, attributes);
    if (has_short_ && !op->takes_stored) {
      core::list<int> const computed = lengthened(inputs);
      return add(op, op->type({this, computed, attributes}), computed, attributes);
    }
    return add(op, op->type({this, inputs, attributes}), inputs, attributes);
  }
  constexpr int apply(core::op_info const* op, int const* inputs, int count) {
    if (has_short_) return apply(op, core::items<int>{inputs, count});
    return add(op, op->type({this, {inputs, count}, {}}), inputs, count, nullptr, 0);
  }
  template <class Op>
  constexpr int apply(std::initializer_list<int> inputs,
                      std::initializer_list<long long> attributes = {}) {
    return apply(core::identity<Op>(), {inputs.begin(), static_cast<int>(inputs.size())},
                 {attributes.begin(), static_cast<int>(attributes.size())});
  }
  constexpr int input(tensor_type type, int position) {
    long long const attributes[] = {position};
    inputs_.push_back(add(core::identity<op::input>(), type, {}, attributes));
    return inputs_.back();
  }
  constexpr int literal_of_bits(std::int64_t bits, element e) {
    long long const attributes[] = {bits};
    return add(core::identity<op::literal>(), {e, 0, 0}, nullptr, 0, attributes, 1);
  }
  template <class Number>
  constexpr int literal(Number value, element e) {
    if constexpr (core::is_complex_number<Number>) return ops::complex_literal(*this, value, e);
    else return literal_of_bits(core::literal_bits(value, e), e);
  }
  /// The value converted to another element type; a literal is converted immediately.
  constexpr int cast(int id, element to) {
    tensor_type type = nodes_.data_[id].type;
    if (type.element == to) return id;
    if (core::is_short(type.element) && is_stored(id)) return cast(input_of(id, 0), to);
    if (is_literal(id)) {
      std::int64_t const bits = literal_bits(id);
      if (core::is_continuous(type.element)) return literal(std::bit_cast<double>(bits), to);
      if (type.element == element::uint64) return literal(static_cast<std::uint64_t>(bits), to);
      return core::is_continuous(to) || core::is_bool(to)
                 ? literal(bits, to)
                 : literal_of_bits(core::wrap(bits, to), to);
    }
    return converted(id, to, {});
  }
  /// The same conversion where nobody has asked for it: what computes with a value of 16 bits
  /// leaves it out, so that it is rounded only where it is stored.
  constexpr int store(int id, element to) {
    if (nodes_.data_[id].type.element == to || !core::is_short(to)) return cast(id, to);
    long long const stored[] = {core::is_stored_cast};
    return converted(id, to, stored);
  }
  /// The same conversion where the user has asked for it: also what has been stored is rounded.
  constexpr int round(int id, element to) {
    if (core::is_short(to) && is_stored(id)) id = input_of(id, 0);
    return cast(id, to);
  }

  /// Reserves memory for a number of nodes of one or two operands.
  constexpr void reserve_for(int nodes) {
    nodes_.reserve(nodes);
    edges_.reserve(2 * nodes);
    int rows = 1;
    while (rows * row_size < 2 * nodes) rows *= 2;
    if (rows > table_.size_) set_table(rows);
  }

  constexpr int size() const { return nodes_.size_; }
  constexpr core::node const& operator[](int id) const& { return nodes_.data_[id]; }
  constexpr core::node operator[](int id) && { return nodes_.data_[id]; }
  constexpr tensor_type type(int id) const { return nodes_.data_[id].type; }
  // The results stay valid until the next node is added.
  constexpr core::items<int> inputs(int id) && = delete;
  constexpr core::items<long long> attributes(int id) && = delete;
  constexpr core::items<int> inputs(int id) const& {
    core::node const& n = nodes_.data_[id];
    return {edges_.data_ + n.first_input, n.input_count};
  }
  // The same as a plain pointer.
  constexpr int const* input_data(int id) const {
    return edges_.data_ + nodes_.data_[id].first_input;
  }
  constexpr long long const* attribute_data(int id) const {
    return attributes_.data_ + nodes_.data_[id].first_attribute;
  }
  constexpr int input_of(int id, int i) const {
    return edges_.data_[nodes_.data_[id].first_input + i];
  }
  constexpr core::items<long long> attributes(int id) const& {
    return {attributes_.data_ + nodes_.data_[id].first_attribute, nodes_.data_[id].attribute_count};
  }
  constexpr long long attribute(int id, int i) const {
    return attributes_.data_[nodes_.data_[id].first_attribute + i];
  }
  constexpr core::application application(int id) const {
    return {this, inputs(id), attributes(id)};
  }
  template <class Op>
  constexpr bool is(int id) const {
    return nodes_.data_[id].op->key == core::key_constant<Op>;
  }
  /// Whether any node applies a serial op.
  constexpr bool is_serial() const {
    for (core::node const& n : nodes_)
      if (n.op->is_serial) return true;
    return false;
  }
  /// How many outputs a node has.
  constexpr int output_count(int id) const {
    core::op_info const* const op = nodes_.data_[id].op;
    return op->outputs > 0 ? op->outputs : op->output_count(application(id));
  }
  /// Whether any node applies one of these ops. For most graphs the set of ops decides.
  template <class... Op>
  constexpr bool has() const {
    if ((ops_ & (core::op_bit(core::key_constant<Op>) | ...)) == 0) return false;
    core::node const* const nodes = nodes_.data_;
    for (int id = 0; id < nodes_.size_; ++id) {
      std::uint64_t const key = nodes[id].op->key;
      if (((key == core::key_constant<Op>) || ...)) return true;
    }
    return false;
  }
  /// The same for ops that a table lists.
  constexpr bool has(core::items<core::op_info const*> ops) const {
    std::uint64_t wanted = 0;
    for (core::op_info const* op : ops) wanted |= core::op_bit(op->key);
    if ((ops_ & wanted) == 0) return false;
    for (int id = 0; id < nodes_.size_; ++id)
      for (core::op_info const* op : ops)
        if (nodes_.data_[id].op->key == op->key) return true;
    return false;
  }
  constexpr bool is_literal(int id) const {
    return nodes_.data_[id].op->key == info<op::literal>.key;
  }
  constexpr std::int64_t literal_bits(int id) const { return attribute(id, 0); }
  constexpr double literal_value(int id) const {
    return core::literal_value(literal_bits(id), nodes_.data_[id].type.element);
  }
  constexpr bool is_literal(int id, double value) const {
    return is_literal(id) && literal_value(id) == value;
  }

  // Overloads for temporaries return copies, which outlive the graph.
  constexpr core::list<int> const& parameters() const& { return inputs_; }
  constexpr core::list<int> parameters() && { return static_cast<core::list<int>&&>(inputs_); }
  constexpr void set_parameters(core::list<int> ids) { inputs_.swap(ids); }
  constexpr core::list<int>& results() & { return outputs_; }
  constexpr core::list<int> const& results() const& { return outputs_; }
  constexpr core::list<int> results() && { return static_cast<core::list<int>&&>(outputs_); }
  constexpr core::list<core::update>& updates() & { return updates_; }
  constexpr core::list<core::update> const& updates() const& { return updates_; }
  constexpr core::list<core::update> updates() && {
    return static_cast<core::list<core::update>&&>(updates_);
  }
  constexpr core::list<core::extent_constraint>& constraints() & { return constraints_; }
  constexpr core::list<core::extent_constraint> const& constraints() const& { return constraints_; }
  constexpr core::list<core::extent_constraint> constraints() && {
    return static_cast<core::list<core::extent_constraint>&&>(constraints_);
  }
  constexpr core::list<core::name_entry>& names() & { return names_; }
  constexpr core::list<core::name_entry> const& names() const& { return names_; }
  constexpr core::list<core::name_entry> names() && {
    return static_cast<core::list<core::name_entry>&&>(names_);
  }
  /// The graphs that nodes of this one own. Such a node has the address of its body as an
  /// attribute.
  constexpr core::list<core::body> const& bodies() const { return bodies_; }
  /// Owns a body, unless an equal one is there, and returns its address.
  constexpr long long intern(core::body const& added);
  /// Owns the bodies of another graph, whose nodes can then be recorded here.
  constexpr void share_bodies(graph const& from);
  /// Drops all other bodies than these.
  constexpr void keep_bodies(core::list<long long> const& addresses) {
    core::list<core::body> kept;
    for (core::body const& b : bodies_)
      if (addresses.contains(b.address())) kept.push_back(b);
    bodies_.swap(kept);
  }
  /// The body at an address that a node of this graph has.
  constexpr graph const& body(long long address) const {
    int i = 0;
    while (bodies_.data_[i].address() != address) ++i;
    return *bodies_.data_[i];
  }
  /// Records all nodes of another graph, as they are; `image` is where they are then.
  constexpr void copy_nodes(graph const& from, core::list<int>& image);

  /// How a node was written: another one of the same value that nothing has to read, or -1. What
  /// copies a graph may leave it out.
  constexpr int written(int id) const { return id < written_.size() ? written_.data_[id] : -1; }
  constexpr bool has_written() const { return written_.size() > 0; }
  constexpr void note_written(int id, int as) {
    written_.extend(nodes_.size_, -1);
    written_.data_[id] = as;
  }

  constexpr std::string_view name(int id) const {
    for (auto const& entry : names_)
      if (entry.node == id) return entry.name;
    return {};
  }
  /// Records an error in the program; the first one counts, unless a static_assert has already
  /// reported it.
  constexpr void fail(std::string_view message) {
    if (error_.empty() || message == core::said_above) error_ = message;
  }
  /// The first error; a node with too many dimensions if no other was recorded.
  constexpr std::string_view error() const {
    return error_.empty() && too_many_axes_ > 0 ? core::rank_error(too_many_axes_) : error_;
  }

  /// Notes that a derivative is 0 because nothing of what is differentiated depends on a variable,
  /// and that the compiler should warn of it.
  constexpr void note_disconnected() { has_disconnected_ = true; }
  constexpr bool has_disconnected() const { return has_disconnected_; }

  /// Copies another graph's outputs, updates, extent conditions and names; `image` maps its nodes
  /// to nodes of this graph. A name whose node is missing here (-1) is dropped.
  constexpr void adopt(graph const& from, core::list<int> const& image);

  /// Which nodes the outputs, updates and extent conditions need.
  constexpr core::list<bool> live() const {
    core::list<bool> result = core::list<bool>(nodes_.size());
    bool* const needed = result.data_;
    for (int id : outputs_) needed[id] = true;
    for (auto const& u : updates_) needed[u.value] = true;
    for (auto const& c : constraints_) needed[c.left] = needed[c.right] = true;
    core::node const* const nodes = nodes_.data_;
    int const* const edges = edges_.data_;
    for (int id = nodes_.size_ - 1; id >= 0; --id)
      if (needed[id])
        for (int i = 0; i < nodes[id].input_count; ++i)
          needed[edges[nodes[id].first_input + i]] = true;
    return result;
  }

  /// Whether a node is a conversion that nobody has asked for.
  constexpr bool is_stored(int id) const {
    return nodes_.data_[id].op->key == info<op::cast>.key && nodes_.data_[id].attribute_count > 0;
  }

 private:
  constexpr int converted(int id, element to, core::items<long long> attributes) {
    tensor_type type = nodes_.data_[id].type;
    type.element = to;
    int const inputs[] = {id};
    return add(core::identity<op::cast>(), type, inputs, attributes);
  }
  // Operands of 16 bits as float32.
  constexpr core::list<int> lengthened(core::items<int> inputs) {
    core::list<int> computed(inputs.first, inputs.count);
    for (int& id : computed)
      if (core::is_short(type(id).element)) id = cast(id, element::float32);
    return computed;
  }
  // After the serial node that was recorded last.
  constexpr int apply_serial(core::op_info const* op, core::items<int> inputs,
                             core::items<long long> attributes) {
    int before = nodes_.size_ - 1;
    while (before >= 0 && !nodes_.data_[before].op->is_serial) --before;
    core::list<int> all(inputs.first, inputs.count);
    all.push_back(before >= 0 ? before : literal(0, element::int64));
    return apply(op, all, attributes);
  }
  constexpr bool equal(core::node const& n, core::op_info const* op, tensor_type const& type,
                       int const* in, int in_count, long long const* attr, int attr_count) const {
    if (n.op->key != op->key || n.input_count != in_count || n.attribute_count != attr_count ||
        n.type.element != type.element || n.type.rank != type.rank ||
        n.type.broadcast != type.broadcast)
      return false;
    int const* const edges = edges_.data_ + n.first_input;
    for (int i = 0; i < in_count; ++i)
      if (edges[i] != in[i]) return false;
    long long const* const attributes = attributes_.data_ + n.first_attribute;
    for (int i = 0; i < attr_count; ++i)
      if (attributes[i] != attr[i]) return false;
    return true;
  }
  constexpr void set_table(int rows) {
    core::list<table_row> grown = core::list<table_row>(rows);
    table_row* const table = grown.data_;
    core::node const* const nodes = nodes_.data_;
    int const mask = rows * row_size - 1;
    for (int id = 0; id < nodes_.size_; ++id) {
      int slot = static_cast<int>(nodes[id].hash & static_cast<std::uint64_t>(mask));
      while (table[slot / row_size].at[slot % row_size] > 0) slot = (slot + 1) & mask;
      table[slot / row_size].at[slot % row_size] = id + 1;
    }
    table_.swap(grown);
  }

  // In constant evaluation a row is zeroed and copied at once. And g++ 12 keeps the elements of an
  // array in one piece of memory; for one of more than 4096 bytes, 255 elements, it walks through
  // all pages that its garbage collector has freed.
  static constexpr int row_size = 16;
  struct table_row {
    int at[row_size];
  };

  std::uint64_t ops_ = 0;   // of all nodes, as core::op_bit
  bool has_short_ = false;  // whether any node is stored in 16 bits
  core::list<core::node> nodes_;
  core::list<int> edges_;
  core::list<long long> attributes_;
  core::list<table_row> table_;  // by hash: the number of a node, plus one
  core::list<int> inputs_, outputs_;
  core::list<core::update> updates_;
  core::list<core::extent_constraint> constraints_;
  core::list<core::name_entry> names_;
  core::list<int> written_;  // by node
  core::list<core::body> bodies_;
  std::string_view error_;
  bool has_disconnected_ = false;
  int too_many_axes_ = 0;  // the rank of the first node of more than 8 dimensions
};

constexpr tensor_type core::application::input(int i) const { return of->type(inputs.first[i]); }

}  // namespace kroton
