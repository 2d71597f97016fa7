// Runs a program on sets of indices, see grad/sparsity.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/sparsity/strided.hpp>
#include <kroton/ops/sparse/sparsity.hpp>

#include <utility>

namespace kroton::cpu::sparsity {

/// An array that holds a set for each element.
struct set_array {
  shape extents{};
  shared_sets sets{};
};

/// The instructions one after the other; each adds an array.
class propagation {
 public:
  /// The code begins with the first instruction; operands are those behind the numbers of elements.
  propagation(long long const* code, core::array_ref const* operands)
      : next_(code), operands_(operands) {}

  /// What the elements of the tensor depend on, null if on nothing.
  shared_sets run(long long values) {
    values_.reserve(static_cast<std::size_t>(values));
    for (long long k = 0; k < values; ++k) {
      auto const what = static_cast<ops::sparsity_step>(read());
      extents_.resize(as_size(read()));
      for (count& e : extents_) e = extent();
      shared_sets found = result_of(what);
      values_.push_back({extents_, std::move(found)});
    }
    return values_.back().sets;
  }

 private:
  using step = ops::sparsity_step;

  shared_sets result_of(step what) {
    switch (what) {
      case step::itself:
        require_countable(size());
        return std::make_shared<index_sets const>(index_sets::of_themselves(size()));
      case step::united: return united();
      case step::permuted: return permuted();
      case step::reshaped: return value()->sets;
      case step::reduced: return reduced();
      case step::sliced: return sliced();
      case step::written: return written();
      case step::joined: return joined();
      case step::multiplied: return multiplied();
      case step::taken: return taken();
      case step::placed: return placed();
      case step::accumulated: return accumulated();
      case step::along: return along();
      case step::diagonal: return on_diagonal(false);
      case step::on_diagonal: return on_diagonal(true);
      case step::sparse: return sparse();
      case step::sampled: return sampled();
      case step::everything: return everything();
    }
    return nullptr;
  }

  count read() { return static_cast<count>(*next_++); }
  core::array_ref const& operand() { return operands_[read()]; }
  count number() {
    return static_cast<count>(*reinterpret_cast<std::int64_t const*>(operand().data));
  }
  // Where it is negative, the call fails for that reason.
  count extent() { return std::max(number(), count{0}); }
  // Null for one that depends on nothing.
  set_array const* value() {
    count const at = read();
    return at < 0 ? nullptr : &values_[as_size(at)];
  }
  count size() const { return elements_of(extents_); }
  strided_part whole() const { return {0, strides_of(extents_)}; }

  // For each index of some extents, an element of the result gets what one of the value has.
  static void add(set_union& to, set_array const* from, shape const& extents,
                  strided_part const& target, strided_part const& source) {
    if (from == nullptr) return;
    for_each_pair(extents, target, source, [&](count a, count b) { to.add(a, from->sets, b); });
  }
  // The same from a value that broadcasts to these extents.
  static void add_broadcast(set_union& to, set_array const* from, shape const& extents,
                            strided_part const& target) {
    if (from != nullptr)
      add(to, from, extents, target, {0, broadcast_strides(from->extents, extents)});
  }
  shared_sets gathered(set_array const* from, strided_part const& source) const {
    set_union all(size());
    add(all, from, extents_, whole(), source);
    return all.run();
  }

  shared_sets united() {
    std::vector<set_array const*> different;
    for (count n = read(); n > 0; --n) {
      set_array const* const next = value();
      bool known = false;
      for (set_array const* other : different) known = known || other->sets == next->sets;
      if (!known) different.push_back(next);
    }
    if (different.size() == 1 && elements_of(different[0]->extents) == size())
      return different[0]->sets;
    set_union all(size());
    for (set_array const* x : different) add_broadcast(all, x, extents_, whole());
    return all.run();
  }
  shared_sets permuted() {
    set_array const* const from = value();
    shape const own = strides_of(from->extents);
    strided_part source;
    for (std::size_t d = 0; d < extents_.size(); ++d) {
      count const axis = read();
      source.strides.push_back(axis < 0 ? 0 : own[as_size(axis)]);
    }
    return gathered(from, source);
  }
  shared_sets reduced() {
    set_array const* const from = value();
    set_union all(size());
    add(all, from, from->extents, {0, strides_of_groups(from->extents, read())}, all_of(*from));
    return all.run();
  }
  static strided_part all_of(set_array const& x) { return {0, strides_of(x.extents)}; }
  // Elements that differ along the given axes only have one place.
  static shape strides_of_groups(shape const& extents, count axes) {
    shape kept = extents;
    for (std::size_t d = 0; d < kept.size(); ++d)
      if ((axes >> d & 1) != 0) kept[d] = 1;
    return broadcast_strides(kept, extents);
  }

  struct selected_part {
    strided_part at;
    shape extents;
  };
  selected_part selection(shape const& of) {
    selected_part part;
    shape const strides = strides_of(of);
    for (std::size_t d = 0; d < of.size(); ++d) {
      count const treatment = read(), by = read();
      if (treatment > 0) part.at.first += number() * strides[d];
      if (treatment == 1) continue;
      part.extents.push_back(treatment == 2 ? extent() : of[d]);
      part.at.strides.push_back(strides[d] * by);
    }
    return part;
  }
  shared_sets sliced() {
    set_array const* const from = value();
    return gathered(from, selection(from->extents).at);
  }
  shared_sets written() {
    set_array const *const base = value(), *const value_of_part = value();
    bool const replaces = read() != 0;
    selected_part const part = selection(extents_);
    set_union all(size());
    add(all, base, extents_, whole(), whole());
    if (replaces)
      for_each_pair(part.extents, part.at, part.at, [&](count to, count) { all.drop(to); });
    add_broadcast(all, value_of_part, part.extents, part.at);
    return all.run();
  }
  shared_sets joined() {
    auto const axis = as_size(read());
    shape const strides = strides_of(extents_);
    set_union all(size());
    strided_part target = whole();
    for (count n = read(); n > 0; --n) {
      set_array const* const from = value();
      count const along = number();
      if (from != nullptr) add(all, from, from->extents, target, all_of(*from));
      target.first += along * strides[axis];
    }
    return all.run();
  }
  shared_sets multiplied() {
    set_array const *const a = value(), *const b = value();
    count const batch = number(), rows = number(), inner = number(), columns = number();
    shape const space{batch, rows, inner, columns};
    strided_part const target{0, {rows * columns, columns, 0, 1}};
    auto const whole_batch = [&](set_array const* x, count slice) {
      return elements_of(x->extents) == slice && batch != 1 ? 0 : slice;
    };
    set_union all(size());
    if (a != nullptr) add(all, a, space, target, {0, {whole_batch(a, rows * inner), inner, 1, 0}});
    if (b != nullptr)
      add(all, b, space, target, {0, {whole_batch(b, inner * columns), 0, columns, 1}});
    return all.run();
  }

  // The places that index tensors select: for each index of `extents`, an element of `of`.
  struct taken_places {
    shape extents;
    std::vector<count> places;
  };
  taken_places selected_places(shape const& of) {
    count const axes = read();
    auto const before = as_size(read());
    std::vector<core::array_ref const*> indices;
    for (count n = read(); n > 0; --n) indices.push_back(&operand());
    shape common;
    for (core::array_ref const* x : indices)
      common.resize(std::max(common.size(), static_cast<std::size_t>(x->rank)), 1);
    for (core::array_ref const* x : indices)
      for (std::size_t d = 0; d < static_cast<std::size_t>(x->rank); ++d)
        if (x->extents[d] != 1)
          common[common.size() - static_cast<std::size_t>(x->rank) + d] = x->extents[d];
    // The place that all indices together add.
    shape const strides = strides_of(of);
    std::vector<count> offset(as_size(elements_of(common)));
    std::size_t next = 0;
    strided_part others;
    taken_places found;
    for (std::size_t d = 0; d < of.size(); ++d) {
      if ((axes >> d & 1) == 0) {
        others.strides.push_back(strides[d]);
        found.extents.push_back(of[d]);
        continue;
      }
      core::array_ref const& x = *indices[next++];
      std::vector<count> const values = integers_of(x);
      shape const own(x.extents, x.extents + x.rank);
      for_each_pair(common, {0, strides_of(common)}, {0, broadcast_strides(own, common)},
                    [&](count to, count from) {
                      count const i = values[as_size(from)];
                      offset[as_size(to)] += (i < 0 ? i + of[d] : i) * strides[d];
                    });
    }
    auto const here = static_cast<std::ptrdiff_t>(before);
    found.extents.insert(found.extents.begin() + here, common.begin(), common.end());
    others.strides.insert(others.strides.begin() + here, common.size(), 0);
    strided_part by_index{0, shape(found.extents.size())};
    shape const within = strides_of(common);
    std::copy(within.begin(), within.end(), by_index.strides.begin() + here);
    for_each_pair(found.extents, others, by_index, [&](count place, count index) {
      found.places.push_back(place + offset[as_size(index)]);
    });
    return found;
  }
  shared_sets taken() {
    set_array const* const from = value();
    taken_places const at = selected_places(from->extents);
    set_union all(size());
    for (std::size_t i = 0; i < at.places.size(); ++i)
      all.add(static_cast<count>(i), from->sets, at.places[i]);
    return all.run();
  }
  shared_sets placed() {
    set_array const *const base = value(), *const given = value();
    bool const replaces = read() != 0;
    taken_places const at = selected_places(extents_);
    set_union all(size());
    add(all, base, extents_, whole(), whole());
    if (replaces)
      for (count place : at.places) all.drop(place);
    if (given != nullptr)
      for_each_pair(
          at.extents, {0, strides_of(at.extents)},
          {0, broadcast_strides(given->extents, at.extents)},
          [&](count to, count source) { all.add(at.places[as_size(to)], given->sets, source); });
    return all.run();
  }

  shared_sets accumulated() {
    set_array const* const from = value();
    auto const axis = as_size(read());
    bool const backwards = read() != 0;
    shape const strides = strides_of(extents_);
    count const along = extents_[axis], onward = backwards ? -strides[axis] : strides[axis];
    shape lines = extents_;
    lines[axis] = 1;
    std::vector<std::vector<std::int32_t>> sets(as_size(size()));
    strided_part const start{backwards ? (along - 1) * strides[axis] : 0, strides};
    if (along > 0)
      for_each_pair(lines, start, start, [&](count at, count) {
        std::vector<std::int32_t> united, next;
        for (count k = 0; k < along; ++k, at += onward) {
          next.clear();
          append_union(next, united.data(), united.data() + united.size(), from->sets->begin(at),
                       from->sets->end(at));
          united.swap(next);
          sets[as_size(at)] = united;
        }
      });
    index_sets all;
    for (auto const& set : sets) {
      all.index.insert(all.index.end(), set.begin(), set.end());
      all.close();
      require_countable(all.total());
    }
    return std::make_shared<index_sets const>(std::move(all));
  }
  // First what each group of elements depends on, then all of the group alike.
  shared_sets along() {
    shape const groups = strides_of_groups(extents_, read());
    return spread_groups(groups);
  }
  shared_sets everything() { return spread_groups(shape(extents_.size())); }
  shared_sets spread_groups(shape const& groups) {
    count number_of_groups = 1;
    for (std::size_t d = 0; d < groups.size(); ++d)
      if (groups[d] != 0) number_of_groups *= extents_[d];
    set_union collected(number_of_groups);
    for (count n = read(); n > 0; --n) {
      set_array const* const from = value();
      // Of arrays of another shape every element.
      if (from->extents == extents_) add(collected, from, extents_, {0, groups}, all_of(*from));
      else
        for (count i = 0; i < from->sets->size(); ++i)
          for (count group = 0; group < number_of_groups; ++group)
            collected.add(group, from->sets, i);
    }
    set_array const group{{}, collected.run()};
    set_union all(size());
    add(all, &group, extents_, whole(), {0, groups});
    return all.run();
  }
  shared_sets on_diagonal(bool is_result) {
    set_array const* const from = value();
    shape const& of = is_result ? extents_ : from->extents;
    shape const strides = strides_of(of);
    count const first = read(), second = read(), offset = read();
    strided_part at;
    at.first = offset > 0 ? offset * strides[as_size(second)] : -offset * strides[as_size(first)];
    for (std::size_t d = 0; d < of.size(); ++d)
      if (count const axis = static_cast<count>(d); axis != first && axis != second)
        at.strides.push_back(strides[d]);
    at.strides.push_back(strides[as_size(first)] + strides[as_size(second)]);
    if (!is_result) return gathered(from, at);
    set_union all(size());
    add(all, from, from->extents, at, all_of(*from));
    return all.run();
  }

  static std::pair<count, count> places_of_line(std::vector<count> const& start, std::size_t line,
                                                std::vector<count> const& index) {
    count const end = std::min(start[line + 1], static_cast<count>(index.size()));
    count const limit = std::max(end, count{0});
    return {std::clamp(start[line], count{0}, limit), limit};
  }
  shared_sets sparse() {
    set_array const *const values = value(), *const dense = value();
    std::vector<count> const index = integers_of(operand()), start = integers_of(operand());
    count const columns = number();
    bool const is_transposed = read() != 0;
    set_union all(size());
    for (std::size_t line = 0; line + 1 < start.size(); ++line)
      for (auto [k, end] = places_of_line(start, line, index); k < end; ++k) {
        count const i = static_cast<count>(line), j = index[as_size(k)], to = is_transposed ? j : i,
                    from = is_transposed ? i : j;
        for (count c = 0; c < columns; ++c) {
          if (values != nullptr) all.add(to * columns + c, values->sets, k);
          if (dense != nullptr) all.add(to * columns + c, dense->sets, from * columns + c);
        }
      }
    return all.run();
  }
  shared_sets sampled() {
    set_array const *const left = value(), *const right = value();
    std::vector<count> const index = integers_of(operand()), start = integers_of(operand());
    count const inner = number();
    set_union all(size());
    for (std::size_t line = 0; line + 1 < start.size(); ++line)
      for (auto [k, end] = places_of_line(start, line, index); k < end; ++k)
        for (count c = 0; c < inner; ++c) {
          if (left != nullptr) all.add(k, left->sets, static_cast<count>(line) * inner + c);
          if (right != nullptr) all.add(k, right->sets, index[as_size(k)] * inner + c);
        }
    return all.run();
  }

  long long const* next_;
  core::array_ref const* operands_;
  shape extents_{};
  std::vector<set_array> values_{};
};

}  // namespace kroton::cpu::sparsity
