// What Fourier transforms compute by: a library's transforms of single lines.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/cpu/machine.hpp>
#include <kroton/cpu/op/kernel.hpp>
#include <kroton/ops/signal/fourier.hpp>

#if defined(KROTON_FFTW)
#include <kroton/cpu/fourier/fftw.hpp>
#elif __has_include(<kissfft/kissfft.hh>)
#include <kroton/cpu/fourier/kiss.hpp>
#endif

#include <algorithm>
#include <concepts>
#include <list>
#include <vector>

namespace kroton::cpu {

namespace fourier {

#if defined(KROTON_FFTW)
template <class R>
using line_of = fftw_line<R>;
#elif __has_include(<kissfft/kissfft.hh>)
template <class R>
using line_of = line;
#else
/// Without a library.
template <class R>
struct line_of {
  using real_type = R;
  explicit line_of(std::size_t) {
    throw error(
        "Fourier transforms need KISS FFT where the program is compiled (Debian, Ubuntu: "
        "apt-get install libkissfft-dev), or FFTW and KROTON_FFTW");
  }
  void from_complex(std::complex<R> const*, std::complex<R>*, bool) {}
  void from_real(R const*, std::complex<R>*) {}
  void to_real(std::complex<R> const*, R*) {}
};
#endif

/// The transforms of n numbers, which the thread keeps for the next call: those of the last
/// lengths.
template <class R>
line_of<R>& transforms_of(std::ptrdiff_t n) {
  struct known {
    std::ptrdiff_t n;
    line_of<R> line;
  };
  constexpr std::size_t most = 16;
  static thread_local std::list<known> lines;
  auto found = std::find_if(lines.begin(), lines.end(), [&](known const& k) { return k.n == n; });
  if (found == lines.end()) {
    lines.push_front({n, line_of<R>(static_cast<std::size_t>(n))});
    if (lines.size() > most) lines.pop_back();
  } else {
    lines.splice(lines.begin(), lines, found);
  }
  return lines.front().line;
}

/// Copies lines to a buffer or from it: so many side by side, element by element, since these are
/// neighbours in memory.
template <class From, class To>
void copy_lines(From const* from, std::ptrdiff_t from_next, std::ptrdiff_t from_line, To* to,
                std::ptrdiff_t to_next, std::ptrdiff_t to_line, std::ptrdiff_t n,
                std::ptrdiff_t lines) {
  for (std::ptrdiff_t j = 0; j < n; ++j)
    for (std::ptrdiff_t k = 0; k < lines; ++k)
      to[j * to_next + k * to_line] = To(from[j * from_next + k * from_line]);
}

/// Calls run(from, to) for every line of two arrays along an axis, which other extents agree on; by
/// way of buffers where lines have gaps, or elements of other types.
template <class In, class Out, class LineIn, class LineOut, class Run>
void for_each_line(array_ref const& in, array_ref const& out, int axis, LineIn, LineOut,
                   Run const& run) {
  for (int d = 0; d < in.rank; ++d)
    if (d != axis && in.extents[d] == 0) return;
  constexpr bool reads_as_is = std::is_same_v<In, LineIn>,
                 writes_as_is = std::is_same_v<Out, LineOut>;
  std::ptrdiff_t const reads = in.extents[axis], writes = out.extents[axis];
  bool const is_read = reads_as_is && (in.strides[axis] == 1 || reads == 1),
             is_written = writes_as_is && (out.strides[axis] == 1 || writes == 1);
  // Lines that lie side by side go together through the buffers.
  int const last = in.rank - 1;
  std::ptrdiff_t const most = axis == last || is_read || is_written ? 1 : machine::line / 8;
  std::vector<LineIn> from(is_read ? 0 : static_cast<std::size_t>(most * reads));
  std::vector<LineOut> to(is_written ? 0 : static_cast<std::size_t>(most * writes));
  std::ptrdiff_t index[max_rank]{};
  In const* read = reinterpret_cast<In const*>(in.data);
  Out* write = reinterpret_cast<Out*>(out.data);
  for (;;) {
    std::ptrdiff_t const lines = axis == last ? 1 : std::min(most, in.extents[last] - index[last]);
    LineIn const* source = from.data();
    LineOut* target = to.data();
    if constexpr (reads_as_is)
      if (is_read) source = read;
    if constexpr (writes_as_is)
      if (is_written) target = write;
    if (!is_read)
      copy_lines(read, in.strides[axis], in.strides[last], from.data(), 1, reads, reads, lines);
    for (std::ptrdiff_t k = 0; k < lines; ++k) run(source + k * reads, target + k * writes);
    if (!is_written)
      copy_lines(to.data(), 1, writes, write, out.strides[axis], out.strides[last], writes, lines);
    int d = last;
    for (; d >= 0; --d) {
      if (d == axis) continue;
      std::ptrdiff_t const step = d == last ? lines : 1;
      read += step * in.strides[d], write += step * out.strides[d];
      if ((index[d] += step) < in.extents[d]) break;
      read -= in.extents[d] * in.strides[d], write -= in.extents[d] * out.strides[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace fourier

template <>
struct kernel<op::dft> {
  template <class T>
    requires core::is_complex_number<T>
  static void run(core::invocation const& call) {
    using R = typename T::value_type;
    int const axis = static_cast<int>(call.attribute(0));
    bool const inverse = call.attribute(1) != 0;
    auto& line = fourier::transforms_of<R>(call.operand(0).extents[axis]);
    using number = std::complex<typename std::remove_reference_t<decltype(line)>::real_type>;
    fourier::for_each_line<T, T>(
        call.operand(0), call.result(), axis, number(), number(),
        [&](number const* from, number* to) { line.from_complex(from, to, inverse); });
  }
};

template <>
struct kernel<op::real_dft> {
  template <std::floating_point T>
  static void run(core::invocation const& call) {
    int const axis = static_cast<int>(call.attribute(0));
    auto& line = fourier::transforms_of<T>(call.operand(0).extents[axis]);
    using real = typename std::remove_reference_t<decltype(line)>::real_type;
    fourier::for_each_line<T, std::complex<T>>(
        call.operand(0), call.result(), axis, real(), std::complex<real>(),
        [&](real const* from, std::complex<real>* to) { line.from_real(from, to); });
  }
};

template <>
struct kernel<op::dft_to_real> {
  template <class T>
    requires core::is_complex_number<T>
  static void run(core::invocation const& call) {
    using R = typename T::value_type;
    int const axis = static_cast<int>(call.attribute(0));
    auto& line = fourier::transforms_of<R>(call.result().extents[axis]);
    using real = typename std::remove_reference_t<decltype(line)>::real_type;
    fourier::for_each_line<T, R>(
        call.operand(0), call.result(), axis, std::complex<real>(), real(),
        [&](std::complex<real> const* from, real* to) { line.to_real(from, to); });
  }
};

}  // namespace kroton::cpu
