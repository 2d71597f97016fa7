// Convolutions and pooling: ranks, element types, options, and extents that types tell.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// A single image has a batch and channels, too.
// expect: kt: a convolution takes images (batch, channels, extents...) and filters (outputs, channels / groups, extents...): conv1d of rank 3, conv2d of rank 4, conv3d of rank 5
namespace ranks {
auto f = kt::function([](kt::dmatrix x, kt::dtensor4 w) { return conv2d(x, w); });
}

// expect: kt: a convolution of integers is not defined: convert the images or the filters, as in kt::cast<float>(images)
namespace integers {
auto f = kt::function([](kt::btensor4 x, kt::itensor4 w) { return conv2d(x, w); });
}

// A number is not an option.
// expect: kt: the options of a convolution are kt::border::valid, full or half, kt::padding, kt::stride, kt::dilation, kt::groups and kt::correlation, each with its numbers, as in kt::stride<2, 2>
namespace unknown_option {
auto f = kt::function([](kt::dtensor4 x, kt::dtensor4 w) { return conv2d(x, w, 2); });
}

// expect: kt: strides, dilations and groups must be at least 1
namespace zero_stride {
auto f = kt::function([](kt::dtensor4 x, kt::dtensor4 w) { return conv2d(x, w, kt::stride<0, 1>); });
}

// expect: kt: kt::stride and kt::dilation take one number or one for each axis, kt::padding also two for each axis: before and behind
namespace three_strides {
auto f = kt::function([](kt::dtensor4 x, kt::dtensor4 w) { return conv2d(x, w, kt::stride<2, 2, 2>); });
}

// expect: kt: a padding must not be negative
namespace negative_padding {
auto f = kt::function([](kt::dtensor4 x, kt::dtensor4 w) { return conv2d(x, w, kt::padding<-1>); });
}

// expect: kt: kt::padding and a kt::border exclude each other: the border is a padding
namespace two_borders {
auto f = kt::function([](kt::dtensor4 x, kt::dtensor4 w) { return conv2d(x, w, kt::padding<1>, kt::border::full); });
}

// expect: kt: an option of a convolution or a pooling is given twice
namespace twice {
auto f = kt::function([](kt::dtensor4 x, kt::dtensor4 w) { return conv2d(x, w, kt::stride<2>, kt::stride<1>); });
}

// The channels of the filters are not those of the images.
// expect: kt::fixed: the extents of the
namespace known_channels {
auto f = kt::function([](kt::fixed<double, 2, 3, 5, 5> x, kt::fixed<double, 4, 2, 3, 3> w) { return conv2d(x, w); });
}

// A filter of seven rows on five.
// expect: kt::fixed: the extents of the
namespace known_window {
auto f = kt::function([](kt::fixed<double, 2, 3, 5, 5> x, kt::fixed<double, 4, 3, 7, 3> w) { return conv2d(x, w); });
}

// expect: kt::size: an extent must be an integer or an integer scalar
namespace size_of_vectors {
auto f = kt::function([](kt::dtensor4 y, kt::dtensor4 w, kt::dvector n) { return conv2d_transpose(y, w, kt::size(n, 2.5)); });
}

// Complex numbers have no order, and no average of windows is defined for them either.
// expect: kt: pooling is not defined for complex numbers: pool real(x) and imag(x)
namespace complex_pooling {
auto f = kt::function([](kt::zmatrix x) { return max_pool_2d<2>(x); });
}

// expect: kt: pooling needs a tensor with as many axes as its window: it goes over the last ones
namespace vector_of_planes {
auto f = kt::function([](kt::dvector x) { return max_pool_2d<2>(x); });
}

// expect: kt: pooling takes the extents of its window, all positive: one for each axis, or one for all, as in max_pool_2d<2, 2>(x)
namespace windows {
auto f = kt::function([](kt::dmatrix x) { return max_pool_2d<2, 2, 2>(x); });
}

// expect: kt: the options of a pooling are kt::stride, kt::padding, kt::ignore_border and, for averages, kt::ignore_padding
namespace groups_of_planes {
auto f = kt::function([](kt::dmatrix x) { return avg_pool_2d<2>(x, kt::groups<2>); });
}

// expect: kt: the padding of a pooling must be less than its window
namespace wide_padding {
auto f = kt::function([](kt::dmatrix x) { return max_pool_2d<2>(x, kt::padding<2>); });
}

// expect: kt: pooling with padding ignores the border: windows beyond it are only defined without padding
namespace beyond_padding {
auto f = kt::function([](kt::dmatrix x) { return max_pool_2d<3>(x, kt::padding<1>, kt::ignore_border<false>); });
}
