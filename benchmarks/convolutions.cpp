// Convolutions: layers of well-known networks with both gradients, next to patches and BLAS and to
// oneDNN; and steps of the paper's network, next to a program by hand.
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/convolutional_network.hpp"
#include "harness/contest.hpp"

#include <kroton/kroton.hpp>
#include <xtensor/xrandom.hpp>

#if defined(BENCH_DNNL)
#include <oneapi/dnnl/dnnl.hpp>
#endif

namespace kt = kroton;

namespace {

template <class T, std::size_t Rank>
using array = xt::xtensor<T, Rank>;

template <class T, std::size_t Rank>
array<T, Rank> noise(typename array<T, Rank>::shape_type const& shape, double scale) {
  return xt::cast<T>(xt::random::rand<double>(shape, -scale, scale));
}

// ---- layers

/// Extents of a layer, and its options as constants.
template <int Padding, int Stride, int Dilation, int Groups>
struct layer {
  static constexpr std::size_t groups = Groups;
  char const* name;
  std::size_t channels, outputs, side, filter;

  std::size_t positions() const {
    return (side + 2 * Padding - (filter - 1) * Dilation - 1) / Stride + 1;
  }
  double operations() const {
    return static_cast<double>(outputs * positions() * positions() * channels / Groups * filter *
                               filter);
  }
  template <class X, class W>
  static constexpr auto convolve(X x, W w) {
    return conv2d(x, w, kt::correlation, kt::padding<Padding>, kt::stride<Stride>,
                  kt::dilation<Dilation>, kt::groups<Groups>);
  }
};

enum class part { outputs, images, filters };

/// One of the three tensors of a layer from the two others, as a function of images, filters and
/// outputs.
template <class L, part Part, class T>
constexpr auto computed = [](kt::tensor4<T> x, kt::tensor4<T> w, kt::tensor4<T> y) {
  auto const outputs = L::convolve(x, w);
  if constexpr (Part == part::outputs) return outputs;
  else if constexpr (Part == part::images) return grad(sum(outputs * y), x);
  else return grad(sum(outputs * y), w);
};

/// The products of patches with filters by BLAS, as many programs have them: a matrix of all
/// patches of an image.
template <class T, int P, int S, int D, int G>
void outputs_by_patches(layer<P, S, D, G> const& l, T const* x, T const* w, std::vector<T>& patches,
                        T* y) {
  std::size_t const m = l.positions(), c = l.channels / G, patch = c * l.filter * l.filter,
                    o = l.outputs / G;
  patches.resize(patch * m * m);
  for (std::size_t g = 0; g < G; ++g) {
    T* to = patches.data();
    for (std::size_t k = 0; k < c; ++k)
      for (std::size_t a = 0; a < l.filter; ++a)
        for (std::size_t b = 0; b < l.filter; ++b)
          for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < m; ++j) {
              std::size_t const row = i * S + a * D, column = j * S + b * D;
              bool const inside =
                  row >= P && column >= P && row < l.side + P && column < l.side + P;
              *to++ = inside ? x[((g * c + k) * l.side + row - P) * l.side + column - P] : T(0);
            }
    hand::product(o, m * m, patch, T(1), w + g * o * patch, patches.data(), T(0),
                  y + g * o * m * m);
  }
}

#if defined(BENCH_DNNL)
/// oneDNN's convolution: of arguments in its own layouts, or with converting to them and from them.
struct onednn {
  using memory = dnnl::memory;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::primitive run;
  std::unordered_map<int, memory> arguments;
  std::vector<std::pair<memory, memory>> given;  // as they are, and in a layout of its own
  memory result, plain;
  std::vector<float> values;

  template <int P, int S, int D, int G>
  onednn(layer<P, S, D, G> const& l, part which, float* x, float* w, float* y) {
    auto const n = [](std::size_t k) { return static_cast<memory::dim>(k); };
    auto const any = [&](memory::dims const& d) {
      return memory::desc(d, memory::data_type::f32, memory::format_tag::any);
    };
    memory::dims const images{1, n(l.channels), n(l.side), n(l.side)},
        outputs{1, n(l.outputs), n(l.positions()), n(l.positions())};
    memory::dims filters{n(l.outputs), n(l.channels), n(l.filter), n(l.filter)};
    if (G > 1) filters = {G, n(l.outputs / G), n(l.channels / G), n(l.filter), n(l.filter)};
    memory::dims const stride{S, S}, dilation{D - 1, D - 1}, padding{P, P};
    auto const direct = dnnl::algorithm::convolution_direct;
    dnnl::convolution_forward::primitive_desc const forward(
        {dnnl::prop_kind::forward_training, direct, any(images), any(filters), any(outputs), stride,
         dilation, padding, padding},
        engine);
    auto const put = [&](int argument, memory::desc const& to, memory::dims const& extents,
                         float* data) {
      auto const tag = extents.size() == 5 ? memory::format_tag::goihw : memory::format_tag::nchw;
      memory from({extents, memory::data_type::f32, tag}, engine, data), own(to, engine);
      given.emplace_back(from, own);
      arguments.emplace(argument, own);
    };
    auto const give = [&](int argument, memory::desc const& of, memory::dims const& extents) {
      auto const tag = extents.size() == 5 ? memory::format_tag::goihw : memory::format_tag::nchw;
      result = memory(of, engine);
      arguments.emplace(argument, result);
      std::size_t size = 1;
      for (auto e : extents) size *= static_cast<std::size_t>(e);
      values.resize(size);
      plain = memory({extents, memory::data_type::f32, tag}, engine, values.data());
    };
    if (which == part::outputs) {
      put(DNNL_ARG_SRC, forward.src_desc(), images, x);
      put(DNNL_ARG_WEIGHTS, forward.weights_desc(), filters, w);
      give(DNNL_ARG_DST, forward.dst_desc(), outputs);
      run = dnnl::convolution_forward(forward);
    } else if (which == part::images) {
      dnnl::convolution_backward_data::primitive_desc const back(
          {direct, any(images), any(filters), any(outputs), stride, dilation, padding, padding},
          engine, forward);
      put(DNNL_ARG_DIFF_DST, back.diff_dst_desc(), outputs, y);
      put(DNNL_ARG_WEIGHTS, back.weights_desc(), filters, w);
      give(DNNL_ARG_DIFF_SRC, back.diff_src_desc(), images);
      run = dnnl::convolution_backward_data(back);
    } else {
      dnnl::convolution_backward_weights::primitive_desc const back(
          {direct, any(images), any(filters), any(outputs), stride, dilation, padding, padding},
          engine, forward);
      put(DNNL_ARG_SRC, back.src_desc(), images, x);
      put(DNNL_ARG_DIFF_DST, back.diff_dst_desc(), outputs, y);
      give(DNNL_ARG_DIFF_WEIGHTS, back.diff_weights_desc(), filters);
      run = dnnl::convolution_backward_weights(back);
    }
    convert();
  }
  void convert() {
    for (auto& [from, own] : given) dnnl::reorder(from, own).execute(stream, from, own);
    stream.wait();
  }
  void operator()() {
    run.execute(stream, arguments);
    stream.wait();
  }
  std::vector<float> const& numbers() {
    dnnl::reorder(result, plain).execute(stream, result, plain);
    stream.wait();
    return values;
  }
};
#endif

template <class T, part Part, class L>
void layer_part(bench::program& p, L const& l, char const* what) {
  bool const single = sizeof(T) == sizeof(float);
  bench::contest c(p, std::string(single ? "layers, float32: " : "layers, float64: ") + what,
                   bench::unit{"10^9 multiplications/s", 1e-9, true}, l.name, l.operations());
  if (!c) return;
  c.tolerance(single ? 1e-3 : 1e-10);
  auto x = noise<T, 4>({1, l.channels, l.side, l.side}, 1),
       y = noise<T, 4>({1, l.outputs, l.positions(), l.positions()}, 1);
  auto w = noise<T, 4>({l.outputs, l.channels / L::groups, l.filter, l.filter}, 0.1);
  std::vector<T> patches;
  array<T, 4> by_patches = y;
  if constexpr (Part == part::outputs)
    c.add(
        "patches and BLAS",
        [&] { outputs_by_patches(l, x.data(), w.data(), patches, by_patches.data()); }, by_patches);
#if defined(BENCH_DNNL)
  if constexpr (std::is_same_v<T, float>) {
    auto const peer = std::make_shared<onednn>(l, Part, x.data(), w.data(), y.data());
    c.add("oneDNN", [peer] { (*peer)(); }, [peer] { return peer->numbers(); });
    auto const plain = [peer]() -> std::vector<float> const& {
      peer->convert();
      (*peer)();
      return peer->numbers();
    };
    c.add("oneDNN, plain arrays", [plain] { plain(); }, plain);
  }
#endif
  auto f = kt::function(computed<L, Part, T>);
  array<T, 4> result;
  c.add("Kroton", [&] { f.into(result, x, w, y); }, result);
  c.measure();
}
template <class T, class L>
void whole_layer(bench::program& p, L const& l) {
  layer_part<T, part::outputs>(p, l, "outputs");
  layer_part<T, part::images>(p, l, "gradient by images");
  layer_part<T, part::filters>(p, l, "gradient by filters");
}

// ---- the paper's network

constexpr std::size_t maps1 = 6, maps2 = 16, hidden = 120, classes = 10;
constexpr double rate = 0.01;

template <class T, int P1, int P2>
constexpr auto network_step =
    [](kt::tensor4<T> x, kt::ivector y, kt::tensor4<T> w1, kt::vector<T> b1, kt::tensor4<T> w2,
       kt::vector<T> b2, kt::matrix<T> v, kt::vector<T> c, kt::matrix<T> u, kt::vector<T> d) {
      auto bias = [](auto b) { return kt::dimshuffle<'x', 0, 'x', 'x'>(b); };
      auto h1 = tanh(max_pool_2d<P1>(tanh(conv2d(x, w1, kt::correlation) + bias(b1))));
      auto h2 = tanh(max_pool_2d<P2>(tanh(conv2d(h1, w2, kt::correlation) + bias(b2))));
      auto h3 = tanh(dot(kt::reshape<2>(h2, x.shape(0), -1), v) + c);
      auto cost = mean(categorical_crossentropy(softmax(dot(h3, u) + d), y));
      auto [g1, gb1, g2, gb2, gv, gc, gu, gd] = grad(cost, w1, b1, w2, b2, v, c, u, d);
      return kt::outputs(cost)
          .update(w1, w1 - rate * g1)
          .update(b1, b1 - rate * gb1)
          .update(w2, w2 - rate * g2)
          .update(b2, b2 - rate * gb2)
          .update(v, v - rate * gv)
          .update(c, c - rate * gc)
          .update(u, u - rate * gu)
          .update(d, d - rate * gd);
    };

/// The same by hand. Images are readable a batch behind their end.
template <class T, int N, int K, int P1, int P2>
struct hand_network {
  using first = hand::convolutional_layer<T, N, K, 1, 6, P1>;
  using second = hand::convolutional_layer<T, first::after, K, 6, 16, P2>;
  static constexpr std::size_t size1 = first::size, size2 = second::size;

  first one;
  second two;
  std::vector<T> v, c, u, d, h1, s1, h2, s2, h3, p, d3, d2, d1, dw1, db1, dw2, db2;
  std::vector<int> at1, at2;
  T cost = 0;

  hand_network(std::size_t n, T const* w1, T const* w2, T const* v0, T const* u0)
      : one(w1),
        two(w2),
        v(v0, v0 + size2 * hidden),
        c(hidden),
        u(u0, u0 + hidden * classes),
        d(classes),
        h1(n * size1 + 64),
        s1(n * size1),
        h2(n * size2),
        s2(n * size2),
        h3(n * hidden),
        p(n * classes),
        d3(n * hidden),
        d2(n * size2),
        d1(size1),
        dw1(6 * first::filter),
        db1(6),
        dw2(16 * second::filter),
        db2(16),
        at1(n * size1),
        at2(n * size2) {}

  void step(T const* x, int const* y, std::size_t n) {
    one.pack();
    two.pack();
    for (std::size_t i = 0; i < n; ++i) {
      one.forward(x + i * N * N, &h1[i * size1], &s1[i * size1], &at1[i * size1]);
      two.forward(&h1[i * size1], &h2[i * size2], &s2[i * size2], &at2[i * size2]);
    }
    hand::product(n, hidden, size2, T(1), h2.data(), v.data(), T(0), h3.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < hidden; ++k)
        h3[i * hidden + k] = std::tanh(h3[i * hidden + k] + c[k]);
    hand::product(n, classes, hidden, T(1), h3.data(), u.data(), T(0), p.data());
    cost = 0;
    for (std::size_t i = 0; i < n; ++i) {
      T* const row = &p[i * classes];
      T most = row[0] + d[0], sum = 0;
      for (std::size_t k = 0; k < classes; ++k) most = std::max(most, row[k] += d[k]);
      for (std::size_t k = 0; k < classes; ++k) sum += row[k] = std::exp(row[k] - most);
      for (std::size_t k = 0; k < classes; ++k) row[k] /= sum;
      cost -= std::log(row[y[i]]) / static_cast<T>(n);
      row[y[i]] -= 1;
      for (std::size_t k = 0; k < classes; ++k) row[k] /= static_cast<T>(n);
    }
    hand::product_with_transposed(n, hidden, classes, T(1), p.data(), u.data(), T(0), d3.data());
    T const by = static_cast<T>(-rate);
    for (std::size_t k = 0; k < n * hidden; ++k) d3[k] *= 1 - h3[k] * h3[k];
    hand::product_with_transposed(n, size2, hidden, T(1), d3.data(), v.data(), T(0), d2.data());
    hand::add_transposed_product(hidden, classes, n, by, h3.data(), p.data(), u.data());
    hand::add_transposed_product(size2, hidden, n, by, h2.data(), d3.data(), v.data());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < classes; ++k) d[k] += by * p[i * classes + k];
      for (std::size_t k = 0; k < hidden; ++k) c[k] += by * d3[i * hidden + k];
    }
    for (auto* g : {&dw1, &db1, &dw2, &db2}) std::fill(g->begin(), g->end(), T(0));
    for (std::size_t k = 0; k < n * size2; ++k) d2[k] *= s2[k];
    for (std::size_t i = 0; i < n; ++i) {
      std::fill(d1.begin(), d1.end(), T(0));
      two.backward(&h1[i * size1], &d2[i * size2], &at2[i * size2], dw2.data(), db2.data(),
                   d1.data());
      for (std::size_t k = 0; k < size1; ++k) d1[k] *= s1[i * size1 + k];
      one.backward(x + i * N * N, d1.data(), &at1[i * size1], dw1.data(), db1.data(), nullptr);
    }
    auto const descend = [&](std::vector<T>& w, std::vector<T> const& g) {
      for (std::size_t k = 0; k < g.size(); ++k) w[k] += by * g[k];
    };
    descend(one.w, dw1);
    descend(one.bias, db1);
    descend(two.w, dw2);
    descend(two.bias, db2);
  }
};

template <class T, int N, int K, int P1, int P2>
void network(bench::program& p, std::size_t n) {
  std::string const title = "the paper's network, " + std::to_string(N) + " x " + std::to_string(N);
  std::string const column =
      std::string(sizeof(T) == 4 ? "float32" : "float64") + ", batch " + std::to_string(n);
  bench::contest c(p, title, bench::per_second("examples"), column, static_cast<double>(n));
  if (!c) return;
  c.tolerance(sizeof(T) == 4 ? 1e-3 : 1e-9).checked_after(3);
  using by_hand = hand_network<T, N, K, P1, P2>;
  std::size_t const side = N, filter = K;
  auto const x = noise<T, 4>({n, 1, side, side}, 1);
  array<int, 1> y = array<int, 1>::from_shape({n});
  for (std::size_t i = 0; i < n; ++i) y(i) = static_cast<int>(i % classes);
  auto const w1 = noise<T, 4>({maps1, 1, filter, filter}, 0.15),
             w2 = noise<T, 4>({maps2, maps1, filter, filter}, 0.08);
  auto const v = noise<T, 2>({by_hand::size2, hidden}, 0.05),
             u = noise<T, 2>({hidden, classes}, 0.1);
  by_hand other(n, w1.data(), w2.data(), v.data(), u.data());
  c.add(
      "by hand", [&] { other.step(x.data(), y.data(), n); },
      [&] { return std::tuple(other.cost, other.one.w, other.two.w, other.v); });
  auto const zeros = [](std::size_t k) { return array<T, 1>(xt::zeros<T>({k})); };
  kt::shared kw1(w1), kw2(w2);
  kt::shared kb1(zeros(maps1)), kb2(zeros(maps2)), kc(zeros(hidden)), kd(zeros(classes));
  kt::shared kv(v), ku(u);
  auto f = kt::function(network_step<T, P1, P2>, kw1, kb1, kw2, kb2, kv, kc, ku, kd);
  T cost = 0;
  c.add(
      "Kroton", [&] { cost = f(x, y); },
      [&] { return std::tuple(cost, kw1.get_value(), kw2.get_value(), kv.get_value()); });
  c.measure();
}
template <class T>
void networks(bench::program& p) {
  for (std::size_t n : {1, 10, 60}) network<T, 32, 5, 2, 2>(p, n);
  for (std::size_t n : {1, 10, 60}) network<T, 96, 7, 3, 3>(p, n);
  for (std::size_t n : {1, 10, 60}) network<T, 256, 7, 5, 4>(p, n);
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("convolutions",
                   "convolutions: layers with their gradients, and steps of the paper's network",
                   argc, argv);
  networks<float>(p);
  networks<double>(p);
  auto const layers = [&]<class T>(T) {
    whole_layer<T>(p, layer<1, 1, 1, 1>{"3 x 3, 64 to 64, 56 x 56", 64, 64, 56, 3});
    whole_layer<T>(p, layer<0, 1, 1, 1>{"1 x 1, 256 to 64, 56 x 56", 256, 64, 56, 1});
    whole_layer<T>(p, layer<1, 1, 1, 64>{"depthwise 3 x 3, 64, 56 x 56", 64, 64, 56, 3});
    whole_layer<T>(p, layer<3, 2, 1, 1>{"7 x 7 stride 2, 3 to 64, 224 x 224", 3, 64, 224, 7});
    whole_layer<T>(p, layer<2, 1, 2, 1>{"3 x 3 dilated, 64 to 64, 28 x 28", 64, 64, 28, 3});
    whole_layer<T>(p, layer<3, 1, 1, 1>{"7 x 7, 32 to 32, 56 x 56", 32, 32, 56, 7});
    whole_layer<T>(p, layer<7, 1, 1, 1>{"15 x 15, 16 to 32, 64 x 64", 16, 32, 64, 15});
  };
  layers(float{});
  layers(double{});
  return p.finish();
}
