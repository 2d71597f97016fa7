// Wrong arguments of Fourier transforms.
// errors: at most 12
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// expect: a Fourier transform takes a length (an integer or an integer scalar), one kt::axis<...> and a norm
namespace fft_text {
auto f = kt::function([](kt::dvector x) { return fft(x, "ortho"); });
}
namespace fft_fraction {
auto f = kt::function([](kt::dvector x) { return irfft(x, 2.5); });
}
namespace fft_two_axes {
auto f = kt::function([](kt::dmatrix x) { return rfft(x, kt::axis<0, 1>); });
}

// expect: the axis of a Fourier transform is outside the rank of its operand, which has at least one axis
namespace fft_axis {
auto f = kt::function([](kt::dmatrix x) { return fft(x, kt::axis<2>); });
}
namespace fft_number {
auto f = kt::function([](kt::dscalar x) { return ifft(x); });
}

// expect: kt::rfft: takes real numbers; the transform of complex ones is fft(x), of their real parts rfft(real(x))
namespace rfft_complex {
auto f = kt::function([](kt::zvector x) { return rfft(x); });
}
namespace rfft2_complex {
auto f = kt::function([](kt::zmatrix x) { return rfft2(x); });
}

// expect: the axes of a Fourier transform are within the rank of its operand, each one once
namespace fft2_vector {
auto f = kt::function([](kt::dvector x) { return fft2(x); });
}
namespace fftn_twice {
auto f = kt::function([](kt::dmatrix x) { return fftn(x, kt::axis<0, -2>); });
}
namespace fftshift_outside {
auto f = kt::function([](kt::dvector x) { return fftshift(x, kt::axis<1>); });
}

// expect: a Fourier transform along several axes takes kt::axis<...> and a norm
namespace fft2_length {
auto f = kt::function([](kt::dmatrix x) { return fft2(x, 4); });
}

// expect: kt::fftconvolve: takes two arrays of one rank, which is at least 1
namespace convolve_ranks {
auto f = kt::function([](kt::dvector x, kt::dmatrix y) { return fftconvolve(x, y); });
}
