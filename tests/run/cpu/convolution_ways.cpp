// Every way of computing a convolution and its gradients gives what products of matrices give.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <random>
#include <vector>

namespace kt = kroton;
namespace cpu = kt::cpu;

namespace {

using cpu::convolution_way;
using count = std::ptrdiff_t;

template <class T>
struct tensor {
  std::vector<T> data;
  kt::core::array_ref ref;

  tensor(std::initializer_list<count> extents, unsigned seed) {
    ref.rank = static_cast<int>(extents.size());
    ref.bytes = sizeof(T);
    std::copy(extents.begin(), extents.end(), ref.extents);
    ref.make_contiguous_strides();
    std::mt19937 random(seed);
    // No room behind the last element, so that a sanitizer sees what is read there
    data = std::vector<T>(static_cast<std::size_t>(ref.size()));
    for (T& v : data) v = static_cast<T>(random() % 2001) / 1000 - 1;
    ref.data = reinterpret_cast<std::byte*>(data.data());
  }
};

struct layer {
  count batch, groups, channels, outputs;  // the last two of a group
  count images[2], filters[2], before[2], after[2], stride[2], dilation[2];
  bool flips;
};

/// Of the largest element: for transforms what docs/signal.md says.
template <class T>
double bound(convolution_way way) {
  if (way == convolution_way::winograd_of_two) return 4e-6;
  if (way == convolution_way::winograd_of_four) return 2e-5;
  if (way == convolution_way::spectra) return sizeof(T) == 4 ? 1e-5 : 2e-14;
  return sizeof(T) == 4 ? 2e-6 : 4e-15;
}

template <class Op, class T>
void compare(layer const& l) {
  auto const positions = [&](int d) {
    return (l.images[d] + l.before[d] + l.after[d] - (l.filters[d] - 1) * l.dilation[d] - 1) /
               l.stride[d] +
           1;
  };
  tensor<T> images({l.batch, l.groups * l.channels, l.images[0], l.images[1]}, 1);
  tensor<T> filters({l.groups * l.outputs, l.channels, l.filters[0], l.filters[1]}, 2);
  tensor<T> outputs({l.batch, l.groups * l.outputs, positions(0), positions(1)}, 3);
  constexpr bool of_images = cpu::is_of_images<Op>, of_filters = cpu::is_of_filters<Op>;
  tensor<T>& result = of_images ? images : of_filters ? filters : outputs;
  count const attributes[] = {l.flips, l.stride[0], l.stride[1], l.dilation[0], l.dilation[1], 0};
  cpu::convolution_arrays const arrays{images.ref, filters.ref, outputs.ref};
  auto const by = [&](convolution_way way, cpu::convolution_choice& c) {
    c.shape = cpu::shape_of(
        arrays, l.groups, [&](int i) { return attributes[i]; }, [&](int d) { return l.before[d]; });
    c.way =
        way == convolution_way::patches && c.shape.is_product() ? convolution_way::product : way;
    std::fill(result.data.begin(), result.data.end(), T(7));
    cpu::convolve<Op, T>(c, arrays, result.ref);
    return result.data;
  };
  cpu::convolution_choice first;
  auto const expected = by(convolution_way::patches, first);
  std::vector ways{convolution_way::columns, convolution_way::channels};
  if (l.channels == 1 && l.outputs == 1) ways.push_back(convolution_way::planes);
  if (std::is_same_v<Op, kt::op::convolution>) ways.push_back(convolution_way::taps);
  if (cpu::may_use_winograd<Op, T> && cpu::winograd_shape::fits(first.shape))
    for (convolution_way way :
         {convolution_way::winograd_of_two, convolution_way::winograd_of_four})
      ways.push_back(way);
  if (cpu::spectral_shape::fits(first.shape)) ways.push_back(convolution_way::spectra);
  for (convolution_way way : ways) {
    CAPTURE(static_cast<int>(way));
    cpu::convolution_choice c;
    for (int again = 0; again < 2; ++again) {  // with the memory of the call before
      auto const found = by(way, c);
      double most = 0, largest = 1;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        most = std::max(most,
                        std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i])));
        largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
      }
      CHECK(most <= largest * bound<T>(way));
    }
  }
}
template <class T>
void compare_all(layer const& l) {
  CAPTURE(l.batch, l.groups, l.channels, l.outputs, l.images[0], l.images[1], l.filters[0],
          l.filters[1], l.stride[1], l.dilation[1]);
  compare<kt::op::convolution, T>(l);
  compare<kt::op::convolution_images, T>(l);
  compare<kt::op::convolution_filters, T>(l);
}

}  // namespace

TEST_CASE("all ways of computing convolutions agree") {
  cpu::machine::min_shared_multiplications = 0;  // threads share them all
  layer const layers[] = {
      {2, 1, 3, 5, {7, 9}, {3, 3}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, false},
      {1, 1, 1, 6, {12, 28}, {5, 5}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, true},
      {2, 1, 6, 16, {9, 14}, {5, 5}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, true},
      {1, 1, 40, 33, {6, 19}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false},
      {1, 1, 3, 17, {11, 37}, {7, 7}, {3, 3}, {3, 3}, {2, 2}, {1, 1}, false},
      {2, 1, 2, 3, {9, 12}, {3, 2}, {2, 0}, {0, 3}, {3, 4}, {1, 1}, true},
      {1, 1, 4, 8, {12, 40}, {3, 3}, {2, 2}, {2, 2}, {1, 1}, {2, 2}, false},
      {1, 1, 2, 2, {13, 21}, {3, 2}, {0, 1}, {1, 0}, {2, 3}, {3, 2}, true},
      {2, 5, 1, 1, {8, 33}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false},
      {3, 1, 18, 35, {9, 14}, {3, 3}, {2, 0}, {0, 3}, {1, 1}, {1, 1}, true},
      {1, 2, 5, 4, {3, 21}, {3, 3}, {0, 3}, {1, 0}, {1, 1}, {1, 1}, false},
      {2, 1, 17, 36, {7, 150}, {3, 9}, {1, 4}, {0, 4}, {1, 1}, {1, 1}, true},
      {1, 1, 2, 3, {33, 30}, {14, 11}, {3, 0}, {2, 5}, {1, 1}, {1, 1}, false},
      {2, 3, 1, 1, {16, 20}, {5, 4}, {2, 1}, {2, 2}, {1, 1}, {1, 1}, true},
      {1, 3, 1, 1, {27, 35}, {3, 3}, {1, 1}, {1, 1}, {2, 2}, {1, 1}, true},
      {1, 2, 1, 1, {19, 23}, {4, 3}, {0, 2}, {1, 2}, {1, 1}, {2, 2}, false},
      {1, 2, 1, 1, {30, 7}, {7, 2}, {2, 1}, {1, 0}, {3, 2}, {2, 3}, false},
      {1, 2, 1, 1, {1, 40}, {1, 5}, {0, 2}, {0, 2}, {1, 1}, {1, 1}, true},
      {1, 1, 1, 1, {8, 13}, {3, 3}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, false},
      {1, 2, 1, 1, {20, 45}, {7, 7}, {3, 3}, {3, 3}, {1, 1}, {1, 1}, false},
      {1, 2, 3, 20, {8, 8}, {3, 3}, {1, 1}, {1, 1}, {2, 2}, {1, 1}, false},
      {2, 1, 5, 18, {4, 25}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, false},
      {1, 1, 2, 3, {2, 2}, {3, 4}, {2, 3}, {2, 3}, {1, 1}, {1, 1}, true},
      {1, 1, 2, 3, {3, 5}, {1, 1}, {2, 2}, {2, 2}, {2, 2}, {1, 1}, true},
      {1, 1, 1, 2, {1, 64}, {1, 9}, {0, 4}, {0, 4}, {1, 1}, {1, 1}, true},
  };
  for (layer const& l : layers) {
    compare_all<float>(l);
    compare_all<double>(l);
  }
}

TEST_CASE("the errors of Winograd's algorithm are bounded") {
  cpu::convolution_shape s;
  s.batch = 1;
  s.channels = s.outputs = 64;
  s.axes[1] = s.axes[2] = {14, 3, 14, 1, 1, 1};
  auto const computed = [&]<class T>(convolution_way way, T) {
    tensor<T> images({1, 64, 14, 14}, 1), filters({64, 64, 3, 3}, 2), outputs({1, 64, 14, 14}, 3);
    cpu::convolution_choice c;
    c.shape = s;
    c.way = way;
    cpu::convolve<kt::op::convolution, T>(c, {images.ref, filters.ref, outputs.ref}, outputs.ref);
    return outputs.data;
  };
  auto const exact = computed(convolution_way::columns, double{});
  double largest = 0;
  for (double v : exact) largest = std::max(largest, std::abs(v));
  for (convolution_way way : {convolution_way::columns, convolution_way::winograd_of_two,
                              convolution_way::winograd_of_four}) {
    auto const found = computed(way, float{});
    double most = 0;
    for (std::size_t i = 0; i < exact.size(); ++i)
      most = std::max(most, std::abs(static_cast<double>(found[i]) - exact[i]));
    CAPTURE(static_cast<int>(way), most / largest);
    CHECK(most <= largest * bound<float>(way));
  }
}

TEST_CASE("products of spectra are taken for large filters") {
  cpu::convolution_shape s;
  s.batch = 1;
  s.channels = 16;
  s.outputs = 32;
  s.axes[1] = s.axes[2] = {64, 15, 50, 0, 1, 1};
  CHECK(cpu::way_of<kt::op::convolution, double>(s) == convolution_way::channels);
  s.may_transform = true;
  CHECK(cpu::way_of<kt::op::convolution, double>(s) == convolution_way::spectra);
  CHECK(cpu::way_of<kt::op::convolution_filters, float>(s) == convolution_way::spectra);
  s.axes[1] = s.axes[2] = {64, 3, 62, 0, 1, 1};
  CHECK(cpu::way_of<kt::op::convolution, double>(s) == convolution_way::channels);
}

TEST_CASE("Winograd's algorithm is taken where sums may be formed in other ways") {
  cpu::convolution_shape s;
  s.batch = 1;
  s.channels = s.outputs = 64;
  s.axes[1] = s.axes[2] = {56, 3, 56, 1, 1, 1};
  CHECK(cpu::way_of<kt::op::convolution, float>(s) == convolution_way::channels);
  s.may_transform = true;
  CHECK(cpu::way_of<kt::op::convolution, float>(s) == convolution_way::winograd_of_four);
  CHECK(cpu::way_of<kt::op::convolution_images, float>(s) == convolution_way::winograd_of_four);
  CHECK(cpu::way_of<kt::op::convolution_filters, float>(s) == convolution_way::channels);
  CHECK(cpu::way_of<kt::op::convolution, double>(s) == convolution_way::channels);
  s.axes[1] = s.axes[2] = {2, 3, 2, 1, 1, 1};
  CHECK(cpu::way_of<kt::op::convolution, float>(s) == convolution_way::channels);
}
