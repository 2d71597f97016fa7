// Transforms of one line by FFTW, which is under the GNU General Public License: with
// KROTON_FFTW, for programs to be linked with fftw3 and fftw3f.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fftw3.h>

#include <algorithm>
#include <complex>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

namespace kroton::cpu::fourier {

/// FFTW's functions for a type of numbers.
template <class R>
struct fftw;
#define KROTON_FFTW_FUNCTIONS(R, x)                            \
  template <>                                                  \
  struct fftw<R> {                                             \
    using plan = x##_plan;                                     \
    using complex = x##_complex;                               \
    static constexpr auto plan_complex = &x##_plan_dft_1d;     \
    static constexpr auto plan_real = &x##_plan_dft_r2c_1d;    \
    static constexpr auto plan_to_real = &x##_plan_dft_c2r_1d; \
    static constexpr auto run_complex = &x##_execute_dft;      \
    static constexpr auto run_real = &x##_execute_dft_r2c;     \
    static constexpr auto run_to_real = &x##_execute_dft_c2r;  \
    static constexpr auto destroy = &x##_destroy_plan;         \
  }
KROTON_FFTW_FUNCTIONS(double, fftw);
KROTON_FFTW_FUNCTIONS(float, fftwf);
#undef KROTON_FFTW_FUNCTIONS

/// The transforms of n numbers: complex ones, real ones to n/2 + 1 coefficients, and back, without
/// dividing. Each is planned when it is first asked for.
template <class R>
class fftw_line {
  using calls = fftw<R>;
  using plan =
      std::unique_ptr<std::remove_pointer_t<typename calls::plan>, void (*)(typename calls::plan)>;
  using number = std::complex<R>;

 public:
  using real_type = R;
  explicit fftw_line(std::size_t n)
      : n_(static_cast<int>(n)), reals_(n), in_(n), out_(n), kept_(n / 2 + 1) {}

  void from_complex(number const* in, number* out, bool inverse) {
    plan& p = inverse ? backward_ : forward_;
    if (!p)
      p = planned([&] {
        return calls::plan_complex(n_, raw(in_.data()), raw(out_.data()),
                                   inverse ? FFTW_BACKWARD : FFTW_FORWARD, flags);
      });
    calls::run_complex(p.get(), raw(in), raw(out));
  }
  void from_real(R const* in, number* out) {
    if (!real_)
      real_ = planned([&] { return calls::plan_real(n_, reals_.data(), raw(out_.data()), flags); });
    calls::run_real(real_.get(), const_cast<R*>(in), raw(out));
  }
  void to_real(number const* in, R* out) {
    if (!to_real_)
      to_real_ =
          planned([&] { return calls::plan_to_real(n_, raw(in_.data()), reals_.data(), flags); });
    std::copy_n(in, kept_.size(), kept_.begin());  // which FFTW overwrites
    calls::run_to_real(to_real_.get(), raw(kept_.data()), out);
  }

 private:
  static constexpr unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED;
  static typename calls::complex* raw(number const* p) {
    return reinterpret_cast<typename calls::complex*>(const_cast<number*>(p));
  }
  static std::mutex& planner() {  // which threads share
    static std::mutex one;
    return one;
  }
  static void forget(typename calls::plan p) {
    std::lock_guard const lock(planner());
    calls::destroy(p);
  }
  template <class Make>
  static plan planned(Make const& make) {
    std::lock_guard const lock(planner());
    return plan(make(), &forget);
  }

  int n_;
  std::vector<R> reals_;
  std::vector<number> in_, out_, kept_;
  plan forward_{nullptr, &forget}, backward_ = plan(nullptr, &forget),
                                   real_ = plan(nullptr, &forget),
                                   to_real_ = plan(nullptr, &forget);
};

}  // namespace kroton::cpu::fourier
