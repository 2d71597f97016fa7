// Figure 5 of the Theano paper: steps of a perceptron 784-500-10, tanh, softmax, stochastic gradient descent, minibatches of 60
// and of 1.
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/blas.hpp"
#include "hand/vector_math.hpp"
#include "harness/python.hpp"

#include <boost/hana/define_struct.hpp>
#include <kroton/kroton.hpp>

#if defined(BENCH_EIGEN)
#include <Eigen/Core>
#endif

namespace kt = kroton;

namespace {

constexpr std::size_t pixels = 784, hidden = 500, classes = 10;
constexpr double rate = 0.01;

template <class T>
using matrix = xt::xtensor<T, 2>;
template <class T>
using vec = xt::xtensor<T, 1>;

struct dmlp : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(dmlp, (kt::dmatrix, W1), (kt::dvector, b1), (kt::dmatrix, W2), (kt::dvector, b2));
};
struct fmlp : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(fmlp, (kt::fmatrix, W1), (kt::fvector, b1), (kt::fmatrix, W2), (kt::fvector, b2));
};

template <class T, class Mlp>
constexpr auto step = [](kt::matrix<T> x, kt::lvector y, Mlp p) {
  auto probability = softmax(dot(tanh(dot(x, p.W1) + p.b1), p.W2) + p.b2);
  auto cost = mean(categorical_crossentropy(probability, y));
  return kt::outputs(cost).update(p, p - rate * grad(cost, p));
};

/// Parameters, and what a step computes on the way.
template <class T>
struct state {
  std::vector<T> W1, b1, W2, b2, h, s, dh;
  T cost = 0;

  state(std::size_t batch, matrix<T> const& w1, matrix<T> const& w2)
      : W1(w1.begin(), w1.end()),
        b1(hidden),
        W2(w2.begin(), w2.end()),
        b2(classes),
        h(batch * hidden),
        s(batch * classes),
        dh(h) {}

  /// The five products of a step, and what comes after the first three.
  template <class Hidden, class Scores, class Back>
  void products(T const* x, std::size_t n, T alpha, Hidden after_first, Scores after_second, Back after_third) {
    hand::product(n, hidden, pixels, T(1), x, W1.data(), T(0), h.data());
    after_first();
    hand::product(n, classes, hidden, T(1), h.data(), W2.data(), T(0), s.data());
    after_second();
    hand::product_with_transposed(n, hidden, classes, T(1), s.data(), W2.data(), T(0), dh.data());
    hand::add_transposed_product(hidden, classes, n, alpha, h.data(), s.data(), W2.data());
    after_third();
    hand::add_transposed_product(pixels, hidden, n, alpha, x, dh.data(), W1.data());
  }

  void step(T const* x, std::int64_t const* y, std::size_t n) {
    products(
        x, n, T(-rate), [&] { add_and_squash(n); }, [&] { softmax(y, n); }, [&] { back(n); });
  }

 private:
  using batch = xsimd::batch<T>;
  static constexpr std::size_t width = batch::size;

  void add_and_squash(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      T* const row = h.data() + i * hidden;
      std::size_t j = 0;
      for (; j + width <= hidden; j += width)
        hand::tanh(batch::load_unaligned(row + j) + batch::load_unaligned(b1.data() + j)).store_unaligned(row + j);
      for (; j < hidden; ++j) row[j] = std::tanh(row[j] + b1[j]);
    }
  }
  // The cost, and in place of the scores their gradient; b2 takes its step.
  void softmax(std::int64_t const* y, std::size_t n) {
    T total = 0;
    T const share = T(1) / static_cast<T>(n);
    for (std::size_t i = 0; i < n; ++i) {
      T* const row = s.data() + i * classes;
      T largest = row[0] += b2[0], sum = 0;
      for (std::size_t j = 1; j < classes; ++j) largest = std::max(largest, row[j] += b2[j]);
      auto const label = static_cast<std::size_t>(y[i]);
      T const right = row[label] - largest;
      for (std::size_t j = 0; j < classes; ++j) sum += row[j] = std::exp(row[j] - largest);
      total += std::log(sum) - right;
      for (std::size_t j = 0; j < classes; ++j) row[j] *= share / sum;
      row[label] -= share;
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < classes; ++j) b2[j] -= T(rate) * s[i * classes + j];
    cost = total * share;
  }
  void back(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < hidden; ++j) {
        T const a = h[i * hidden + j], d = dh[i * hidden + j] * (1 - a * a);
        dh[i * hidden + j] = d;
        b1[j] -= T(rate) * d;
      }
  }
};

#if defined(BENCH_EIGEN)
template <class T>
struct eigen_state {
  using mat = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using row = Eigen::Matrix<T, 1, Eigen::Dynamic>;
  mat W1, W2, h, s, dh;
  row b1, b2;
  T cost = 0;

  eigen_state(matrix<T> const& w1, matrix<T> const& w2)
      : W1(Eigen::Map<mat const>(w1.data(), pixels, hidden)),
        W2(Eigen::Map<mat const>(w2.data(), hidden, classes)),
        b1(row::Zero(hidden)),
        b2(row::Zero(classes)) {}
  void step(Eigen::Map<mat const> const& x, std::int64_t const* y) {
    Eigen::Index const n = x.rows();
    h.noalias() = x * W1;
    h = (h.rowwise() + b1).array().tanh();
    s.noalias() = h * W2;
    s.rowwise() += b2;
    cost = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      T const largest = s.row(i).maxCoeff(), right = s(i, y[i]) - largest;
      s.row(i) = (s.row(i).array() - largest).exp();
      T const sum = s.row(i).sum();
      cost += (std::log(sum) - right) / static_cast<T>(n);
      s.row(i) /= sum * static_cast<T>(n);
      s(i, y[i]) -= T(1) / static_cast<T>(n);
    }
    dh.noalias() = s * W2.transpose();
    dh.array() *= 1 - h.array().square();
    W2.noalias() -= T(rate) * (h.transpose() * s);
    b2 -= T(rate) * s.colwise().sum();
    W1.noalias() -= T(rate) * (x.transpose() * dh);
    b1 -= T(rate) * dh.colwise().sum();
  }
};
#endif

constexpr char const* numpy_step = R"(h = np.tanh(x.dot(W1) + b1)
s = h.dot(W2) + b2
e = np.exp(s - s.max(axis=1, keepdims=True))
q = e / e.sum(axis=1, keepdims=True)
cost[0] = -np.log(q[rows, labels]).mean()
q[rows, labels] -= 1
q /= x.shape[0]
d = q.dot(W2.T) * (1 - h * h)
W2 -= rate * h.T.dot(q)
b2 -= rate * q.sum(axis=0)
W1 -= rate * x.T.dot(d)
b1 -= rate * d.sum(axis=0))";

constexpr char const* torch_step = R"(loss = torch.nn.functional.cross_entropy(torch.tanh(tx @ p[0] + p[1]) @ p[2] + p[3], ty)
loss.backward()
with torch.no_grad():
  for w in p:
    w.sub_(w.grad, alpha=0.01)
    w.grad = None)";

/// A function of Python of these statements.
std::string definition(char const* name, char const* globals, char const* statements) {
  std::string text = std::string("def ") + name + "():\n    global " + globals + "\n    ";
  for (char const* s = statements; *s; ++s) text += *s == '\n' ? std::string("\n    ") : std::string(1, *s);
  return text + "\n";
}

template <class T, class Mlp>
void train(bench::program& p, std::size_t n) {
  bench::contest c(p, std::string("MLP 784-500-10, ") + (sizeof(T) == 8 ? "float64" : "float32"), bench::per_second("examples"),
                   "minibatch " + std::to_string(n), static_cast<double>(n));
  if (!c) return;
  xt::random::seed(1);
  auto noise = [](std::size_t rows, std::size_t columns, double scale) {
    return matrix<T>(xt::cast<T>(scale * xt::random::randn<double>({rows, columns})));
  };
  matrix<T> const x = noise(n, pixels, 1), W1 = noise(pixels, hidden, 0.03), W2 = noise(hidden, classes, 0.03);
  xt::xtensor<std::int64_t, 1> const y =
      xt::arange<std::int64_t>(static_cast<std::int64_t>(n)) % static_cast<std::int64_t>(classes);

  c.tolerance(sizeof(T) == 8 ? 1e-9 : 1e-4).checked_after(5);
  state<T> bare(n, W1, W2), by_hand(n, W1, W2);
  c.add(
      "by hand: BLAS and fused loops", [&] { by_hand.step(x.data(), y.data(), n); },
      [&] { return std::tie(by_hand.cost, by_hand.W1, by_hand.b1, by_hand.W2, by_hand.b2); });
  // At this rate the parameters stay what they are.
  auto nothing = [] {};
  c.add_unchecked("by hand: only the BLAS calls", [&] { bare.products(x.data(), n, T(1e-30), nothing, nothing, nothing); });

  kt::shared<Mlp> weights(W1, vec<T>(xt::zeros<T>({hidden})), W2, vec<T>(xt::zeros<T>({classes})));
  auto f = kt::function(step<T, Mlp>, weights);
  T cost = 0;
  c.add(
      "Kroton", [&] { cost = f(x, y); },
      [&] {
        auto const [w1, b1, w2, b2] = weights.get_value();
        return std::tuple(cost, w1, b1, w2, b2);
      });
#if defined(BENCH_EIGEN)
  eigen_state<T> eigen(W1, W2);
  Eigen::Map<typename eigen_state<T>::mat const> const ex(x.data(), static_cast<Eigen::Index>(n), pixels);
  auto range = [](auto const& m) { return std::span(m.data(), static_cast<std::size_t>(m.size())); };
  c.add(
      "Eigen", [&] { eigen.step(ex, y.data()); },
      [&] { return std::tuple(eigen.cost, range(eigen.W1), range(eigen.b1), range(eigen.W2), range(eigen.b2)); });
#endif
  bench::python python;
  if (bench::python::available()) {
    python.array("x", x);
    python.array("labels", y);
    python.array("W1_0", W1);
    python.array("W2_0", W2);
    python.run("W1, W2 = W1_0.copy(), W2_0.copy(); b1, b2 = (np.zeros(w.shape[1], w.dtype) for w in (W1, W2))");
    python.run("cost = np.zeros(1, x.dtype); rate = x.dtype.type(0.01); rows = np.arange(x.shape[0])");
    c.add("NumPy", python.loop("step()"), [&] { return python.values("cost, W1, b1, W2, b2"); });
    python.run(definition("step", "W1, b1, W2, b2", numpy_step));
  }
  if (bench::python::available("torch")) {
    python.run("import torch; torch.set_num_threads(1)");
    python.run("tx, ty = torch.from_numpy(x), torch.from_numpy(labels)");
    python.run("p = [torch.tensor(w, requires_grad=True) for w in (W1_0, np.zeros(500, x.dtype), W2_0, np.zeros(10, x.dtype))]");
    python.run(definition("torch_step", "loss", torch_step));
    c.add("PyTorch", python.loop("torch_step()"), [&] { return python.values("loss.detach(), *[w.detach() for w in p]"); });
  }
  c.measure();
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("mlp", "mlp: stochastic gradient descent on a perceptron, Figure 5 of the Theano paper", argc, argv);
  for (std::size_t n : {std::size_t{60}, std::size_t{1}}) train<double, dmlp>(p, n);
  for (std::size_t n : {std::size_t{60}, std::size_t{1}}) train<float, fmlp>(p, n);
  return p.finish();
}
