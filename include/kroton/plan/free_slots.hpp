// The slots of an arena that no value holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/plan/planned.hpp>

namespace kroton::plan {

/// Numbers of slots that nobody holds, of which the least goes first: a heap.
class free_slots {
 public:
  constexpr bool empty() const { return slots_.empty(); }
  constexpr int first() const { return slots_[0]; }
  constexpr void add(int slot) {
    slots_.push_back(slot);
    for (int i = slots_.size() - 1; i > 0 && slots_[i] < slots_[(i - 1) / 2]; i = (i - 1) / 2)
      exchange(i, (i - 1) / 2);
  }
  constexpr void take() {
    slots_[0] = slots_.back();
    slots_.pop_back();
    for (int i = 0, least = 0; 2 * i + 1 < slots_.size(); i = least) {
      least = 2 * i + 1;
      if (least + 1 < slots_.size() && slots_[least + 1] < slots_[least]) ++least;
      if (slots_[i] <= slots_[least]) return;
      exchange(i, least);
    }
  }

 private:
  constexpr void exchange(int i, int j) {
    int const slot = slots_[i];
    slots_[i] = slots_[j];
    slots_[j] = slot;
  }

  list<int> slots_;
};

/// The free slots of values of each kind: of equal extents and sizes of elements. Those of kinds of
/// which no value is still to come are for all others.
class slot_kinds {
 public:
  constexpr explicit slot_kinds(int values) : kind_of_(values, -1) {}

  /// Counts a value that is going to be placed.
  constexpr void expect(int v, planned_value const& value) {
    int const bytes = bytes_of(value.type.element);
    int k = 0;
    while (k < kinds_.size() &&
           (kinds_[k].bytes != bytes || !same_extents(kinds_[k].extents, value.extents)))
      ++k;
    if (k == kinds_.size()) kinds_.push_back({value.extents, bytes});
    kind_of_[v] = k;
    ++kinds_[k].to_come;
  }
  /// The least slot that a value may take, or -1.
  constexpr int first_free(int v) const {
    free_slots const& own = kinds_[kind_of_[v]].free;
    if (!own.empty()) return own.first();
    return spare_.empty() ? -1 : spare_.first();
  }
  /// Notes that a value has its place: in the slot that `first_free` has found, or in another.
  constexpr void place(int v, bool in_free_slot) {
    kind& own = kinds_[kind_of_[v]];
    if (in_free_slot) (own.free.empty() ? spare_ : own.free).take();
    --own.to_come;
    while (own.to_come == 0 && !own.free.empty()) {
      spare_.add(own.free.first());
      own.free.take();
    }
  }
  constexpr void release(int v, int slot) {
    kind& own = kinds_[kind_of_[v]];
    (own.to_come == 0 ? spare_ : own.free).add(slot);
  }

 private:
  static constexpr bool same_extents(list<int> const& a, list<int> const& b) {
    bool same = a.size() == b.size();
    for (int d = 0; same && d < a.size(); ++d) same = a[d] == b[d];
    return same;
  }

  struct kind {
    list<int> extents{};
    int bytes = 0;
    int to_come = 0;  // values that have no place yet
    free_slots free{};
  };

  list<kind> kinds_{};
  free_slots spare_{};
  list<int> kind_of_;  // of values
};

}  // namespace kroton::plan
