// Who watches the steps of a frame, those of the bodies of its loops included.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace kroton::cpu {

class frame;

/// Is told of each step of a program before and after it. A loop tells the observer of its frame
/// how many steps it has done; the steps of its body have an observer of their own.
class step_observer {
 public:
  step_observer() = default;
  step_observer(step_observer const&) = delete;
  step_observer& operator=(step_observer const&) = delete;
  virtual ~step_observer() = default;

  virtual void begin(frame& f, int number) = 0;
  virtual void end(frame& f, int number) = 0;
  /// That of the steps of the body that step `number` runs; null if nobody watches these.
  virtual step_observer* of_body(std::size_t number) = 0;
  virtual void count_steps(std::size_t number, std::ptrdiff_t done) = 0;

  /// An observer of steps, see run_steps.
  template <class Step>
  void step(frame& f, int number, Step const& take) {
    begin(f, number);
    take();
    end(f, number);
  }
};

}  // namespace kroton::cpu
