// Increasing functions behind maxima of windows, and gradients that are read where the maxima are:
// what becomes of graphs, and that values stay what they were.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/convolutions.hpp"

#include <set>

using namespace reference;

namespace {

using images = xt::xtensor<double, 4>;
constexpr auto bias = [](kt::dvector b) { return kt::dimshuffle<'x', 0, 'x', 'x'>(b); };

// A layer of a network of 2010, one of a later network, and pooling with overlaps and padding.
constexpr auto tanh_layer = [](kt::dtensor4 x, kt::dtensor4 w, kt::dvector b) {
  return tanh(max_pool_2d<3, 4>(tanh(conv2d(x, w) + bias(b))));
};
constexpr auto relu_layer = [](kt::dtensor4 x, kt::dtensor4 w, kt::dvector b) {
  return max_pool_2d<4>(relu(
      conv2d(x, w, kt::border::half, kt::stride<1, 2>, kt::correlation, kt::groups<2>) + bias(b)));
};
constexpr auto overlapping_layer = [](kt::dtensor4 x, kt::dtensor4 w, kt::dvector b) {
  return max_pool_2d<5>(sigmoid(conv2d(x, w, kt::padding<2, 1, 0, 3>) + bias(b)), kt::stride<4, 3>,
                        kt::padding<1>);
};

template <class G>
std::multiset<std::string> ops_of(G const& g) {
  std::multiset<std::string> names;
  for (auto const& node : kt::optimize(g, kt::stage::specialize).toposort())
    names.insert(std::string(node.name()));
  return names;
}

/// The layer and its gradients with the rules and as written.
template <class Layer>
void compare(Layer layer, std::size_t channels_of_filters) {
  kt::runtime::graph g;
  auto const x = g.input<double, 4>("x"), w = g.input<double, 4>("w"), v = g.input<double, 4>("v");
  auto const b = g.input<double, 1>("b");
  auto const y = layer(x, w, b);
  auto const all = std::tuple(y, grad(sum(y * v), x), grad(sum(y * v), w), grad(sum(y * v), b));
  auto const f = g.function({x, w, b, v}, all),
             plain = g.function({x, w, b, v}, all, kt::mode::fast_compile);
  images const given = random_numbers<images>({2, 4, 23, 26}, 1),
               filters = random_numbers<images>({6, channels_of_filters, 3, 3}, 2);
  xt::xtensor<double, 1> const added = random_numbers<xt::xtensor<double, 1>>({6}, 3);
  auto const shape = g.function({x, w, b}, y)(given, filters, added).shape();
  images const weights = random_numbers<images>({shape[0], shape[1], shape[2], shape[3]}, 4);
  auto const [y1, gx1, gw1, gb1] = f(given, filters, added, weights);
  auto const [y2, gx2, gw2, gb2] = plain(given, filters, added, weights);
  CHECK(difference(y1, y2) < 1e-15);
  CHECK(difference(gx1, gx2) < 1e-14);
  CHECK(difference(gw1, gw2) < 1e-14);
  CHECK(difference(gb1, gb2) < 1e-14);
}

}  // namespace

TEST_CASE("a bias and an activation come behind the maxima, and gradients are read there") {
  auto const g = kt::graph_of([](kt::dtensor4 x, kt::dtensor4 w, kt::dvector b) {
    auto const cost = sum(tanh_layer(x, w, b));
    auto const [gx, gw, gb] = grad(cost, x, w, b);
    return std::tuple(cost, gx, gw, gb);
  });
  auto const names = ops_of(g);
  CHECK(names.count("convolution") == 1);
  CHECK(names.count("max_pool") == 1);
  CHECK(names.count("convolution_images_at") == 1);
  CHECK(names.count("convolution_filters_at") == 1);
  CHECK(names.count("add_in_planes") == 0);
  CHECK(names.count("take_in_planes") == 0);
  for (auto const& node : kt::optimize(g, kt::stage::specialize).toposort())
    if (node.name() == "max_pool") CHECK(node.inputs()[0].owner().name() == "convolution");
}

TEST_CASE("layers with and without the rules of pooling have the same values and gradients") {
  compare(tanh_layer, 4);
  compare(relu_layer, 2);
  compare(overlapping_layer, 4);
}

TEST_CASE("what does not keep the order within planes stays before the maxima") {
  auto const pooled_is_bare = [](auto const& f) {
    for (auto const& node : kt::optimize(kt::graph_of(f), kt::stage::specialize).toposort())
      if (node.name() == "max_pool") return node.inputs()[0].is_input();
    return false;
  };
  CHECK(pooled_is_bare([](kt::dtensor4 x) { return max_pool_2d<2>(exp(x)); }));
  CHECK(pooled_is_bare([](kt::dtensor3 x, kt::dvector b) {
    return max_pool_2d<2>(x + kt::dimshuffle<0, 'x', 'x'>(b));
  }));
  CHECK(!pooled_is_bare([](kt::dtensor3 x) { return max_pool_2d<2>(cos(x)); }));
  CHECK(!pooled_is_bare([](kt::dtensor3 x, kt::dvector b) { return max_pool_2d<2>(x + b); }));
  CHECK(!pooled_is_bare([](kt::dtensor3 x) { return max_pool_2d<2>(-x); }));
  CHECK(
      !pooled_is_bare([](kt::dtensor3 x, kt::dmatrix m) { return max_pool_2d<2>(maximum(x, m)); }));
}
