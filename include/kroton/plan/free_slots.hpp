// The slots of an arena that no value holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/list.hpp>

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

}  // namespace kroton::plan
