// Transforms of one line by KISS FFT, in double precision.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/fourier/factors.hpp>
#include <kroton/cpu/fourier/plain.hpp>

#include <kissfft/kissfft.hh>

#include <algorithm>
#include <memory>
#include <vector>

namespace kroton::cpu::fourier {

using complex = std::complex<double>;

/// The transform of n complex numbers in both directions. KISS FFT takes time in proportion to the
/// sum of the prime factors of n; for large ones the transform is a convolution of a convenient
/// length. (L. I. Bluestein, A linear filtering approach to the computation of the discrete Fourier
/// transform, 1970)
class complex_line {
 public:
  explicit complex_line(std::size_t n) : n_(n) {
    if (largest_prime_factor(n) <= largest_factor) {
      backward_.emplace_back(n, true);
      forward_.emplace_back(n, false);
    } else {
      begin_convolutions();
    }
  }
  /// Not in place.
  void run(complex const* in, complex* out, bool inverse) {
    if (convolution_) return convolve(in, out, inverse);
    using number = std::complex<kiss_number>;
    (inverse ? backward_ : forward_)
        .front()
        .transform(reinterpret_cast<number const*>(in), reinterpret_cast<number*>(out));
  }

 private:
  static constexpr std::size_t largest_factor = 31;

  // With jk = (j^2 + k^2 - (k - j)^2) / 2 the sum is a convolution with chirp(j) = exp(pi i j^2/n).
  void begin_convolutions() {
    std::size_t m = 1;
    while (m < 2 * n_ - 1) m *= 2;
    convolution_ = std::make_unique<complex_line>(m);
    for (std::size_t j = 0; j < n_; ++j) chirp_.push_back(root_of_unity(j * j % (2 * n_), 2 * n_));
    given_.resize(m);
    between_.resize(m);
    spectrum_.resize(m);
    given_[0] = chirp_[0];
    for (std::size_t j = 1; j < n_; ++j) given_[j] = given_[m - j] = chirp_[j];
    convolution_->run(given_.data(), spectrum_.data(), false);
    for (complex& c : spectrum_) c /= static_cast<double>(m);
  }
  void convolve(complex const* in, complex* out, bool inverse) {
    auto const turned = [=](complex c) { return inverse ? std::conj(c) : c; };
    std::fill(given_.begin(), given_.end(), complex());
    for (std::size_t j = 0; j < n_; ++j) given_[j] = times(turned(in[j]), std::conj(chirp_[j]));
    convolution_->run(given_.data(), between_.data(), false);
    for (std::size_t k = 0; k < between_.size(); ++k)
      between_[k] = times(between_[k], spectrum_[k]);
    convolution_->run(between_.data(), given_.data(), true);
    for (std::size_t k = 0; k < n_; ++k) out[k] = turned(times(given_[k], std::conj(chirp_[k])));
  }

  std::size_t n_;
  std::vector<kissfft<kiss_number>> forward_, backward_;
  std::unique_ptr<complex_line> convolution_;
  std::vector<complex> chirp_, spectrum_, given_, between_;
};

/// The transforms of n numbers: complex ones, real ones to n/2 + 1 coefficients, and back, without
/// dividing. Those of an even number of real ones are complex ones of half the length.
class line {
 public:
  using real_type = double;
  explicit line(std::size_t n)
      : n_(n), is_halved_(n % 2 == 0), real_(is_halved_ ? n / 2 : n), in_(n), out_(n) {
    for (std::size_t k = 0; is_halved_ && k < n / 2; ++k) roots_.push_back(root_of_unity(k, n));
  }
  void from_complex(complex const* in, complex* out, bool inverse) {
    if (!complex_) complex_ = std::make_unique<complex_line>(n_);
    complex_->run(in, out, inverse);
  }
  void from_real(double const* in, complex* out) {
    std::size_t const half = n_ / 2;
    if (!is_halved_) {
      for (std::size_t j = 0; j < n_; ++j) in_[j] = in[j];
      real_.run(in_.data(), out_.data(), false);
      std::copy_n(out_.begin(), half + 1, out);
      return;
    }
    // Even elements are real parts, odd ones imaginary parts.
    real_.run(reinterpret_cast<complex const*>(in), out, false);
    complex const sums = out[0];
    out[0] = sums.real() + sums.imag();
    out[half] = sums.real() - sums.imag();
    for (std::size_t k = 1; 2 * k <= half; ++k) {
      complex const at = out[k], mirrored = std::conj(out[half - k]);
      complex const even = (at + mirrored) * 0.5;
      complex const turned = times((at - mirrored) * 0.5, std::conj(roots_[k]));
      out[k] = {even.real() + turned.imag(), even.imag() - turned.real()};
      out[half - k] = {even.real() - turned.imag(), -even.imag() - turned.real()};
    }
  }
  void to_real(complex const* in, double* out) {
    std::size_t const half = n_ / 2;
    if (!is_halved_) {
      in_[0] = in[0].real();
      for (std::size_t k = 1; k <= half; ++k) {
        in_[k] = in[k];
        in_[n_ - k] = std::conj(in[k]);
      }
      real_.run(in_.data(), out_.data(), true);
      for (std::size_t j = 0; j < n_; ++j) out[j] = out_[j].real();
      return;
    }
    double const first = in[0].real(), last = in[half].real();
    in_[0] = {first + last, first - last};
    for (std::size_t k = 1; k < half; ++k) {
      complex const mirrored = std::conj(in[half - k]);
      complex const even = in[k] + mirrored, odd = times(in[k] - mirrored, roots_[k]);
      in_[k] = {even.real() - odd.imag(), even.imag() + odd.real()};
    }
    real_.run(in_.data(), out_.data(), true);
    for (std::size_t j = 0; j < half; ++j) {
      out[2 * j] = out_[j].real();
      out[2 * j + 1] = out_[j].imag();
    }
  }

 private:
  std::size_t n_;
  bool is_halved_;
  complex_line real_;
  std::unique_ptr<complex_line> complex_;
  std::vector<complex> in_, out_, roots_;
};

}  // namespace kroton::cpu::fourier
