// Elementwise formulas, those of Figure 7 of the Theano paper and two more, on vectors of 1e3 to 1e7 elements.
// SPDX-License-Identifier: BSD-3-Clause
// xtensor's loops on batches, but the allocator that it has without them: aligned memory costs small arrays more than it
// brings.
#define XTENSOR_USE_XSIMD
#define XTENSOR_DEFAULT_ALLOCATOR(T) std::allocator<T>

#include "hand/loop.hpp"
#include "hand/memory.hpp"
#include "hand/vector_math.hpp"
#include "harness/python.hpp"

#include <kroton/kroton.hpp>

#include <cmath>
#include <cstdlib>

#if defined(BENCH_EIGEN)
#include <Eigen/Core>
#endif
#if defined(BENCH_ARMADILLO)
#define ARMA_DONT_USE_WRAPPER
#include <armadillo>
#endif

namespace kt = kroton;

namespace {

/// A formula in Python: for numexpr, for NumPy into y with a temporary, and as a value, for PyTorch the same.
struct python_text {
  char const *text, *numpy, *fresh, *torch, *torch_fresh;
};
/// Tensors in the memory of NumPy's arrays, named as these with a t before the name.
void make_tensors(bench::python& python, char const* names) {
  python.run("import torch; torch.set_num_threads(1)");
  python.run(std::string("for v in '") + names + "': globals()['t' + v] = torch.from_numpy(globals()[v])");
}

template <class T>
using vec = xt::xtensor<T, 1>;

// One formula on one element type. `by_hand` takes batches, the others assign to an array of their library.
template <class T, class Kroton, class Hand, class Eigenish, class Arma, class Xtensor>
void formula(bench::program& p, python_text py, Kroton f, Hand by_hand, [[maybe_unused]] Eigenish eigen,
             [[maybe_unused]] Arma arma, Xtensor lazy) {
  std::string const type = sizeof(T) == 8 ? "float64" : "float32";
  for (bool const fresh : {false, true}) {
    std::string const title = std::string(py.text) + ", " + type + (fresh ? ", as a new array" : ", into an array");
    for (int power = 3; power <= 7; ++power) {
      auto const n = static_cast<std::size_t>(std::pow(10, power));
      bench::contest c(p, title, bench::nanoseconds("an element"), "1e" + std::to_string(power), static_cast<double>(n));
      if (!c) continue;
      vec<T> a = vec<T>::from_shape({n}), b = a, y = a;
      for (std::size_t i = 0; i < n; ++i) {
        a.flat(i) = static_cast<T>(2 * std::sin(static_cast<double>(i)));
        b.flat(i) = static_cast<T>(std::cos(static_cast<double>(i)));
      }
      T const *const pa = a.data(), *const pb = b.data();
      c.tolerance(sizeof(T) == 8 ? 1e-12 : 2e-5);
      bench::python python;
      if (!fresh) {
        c.output(y);
        c.add("by hand", [&] { hand::loop(y.data(), pa, pb, n, by_hand); });
        if (n * sizeof(T) >= 1 << 20) c.add("by hand, streaming", [&] { hand::streaming_loop(y.data(), pa, pb, n, by_hand); });
        c.add("Kroton", [&] { f.into(y, a, b); });
#if defined(BENCH_EIGEN)
        using eigen_array = Eigen::Array<T, Eigen::Dynamic, 1>;
        auto const size = static_cast<Eigen::Index>(n);
        Eigen::Map<eigen_array const> ea(pa, size), eb(pb, size);
        Eigen::Map<eigen_array> ey(y.data(), size);
        c.add("Eigen", [=]() mutable { eigen(ey, ea, eb); });
#endif
        c.add("xtensor", [&] { lazy(xt::noalias(y), a, b); });
#if defined(BENCH_ARMADILLO)
        arma::Col<T> const aa(const_cast<T*>(pa), n, false, true), ab(const_cast<T*>(pb), n, false, true);
        arma::Col<T> ay(y.data(), n, false, true);
        c.add("Armadillo", [&] { arma(ay, aa, ab); });
#endif
        if (bench::python::available()) {
          python.array("a", a);
          python.array("b", b);
          python.array("y", y);
          python.run("t = np.empty_like(y); u = np.empty_like(y)");
          python.run("two, three, ten, one = (y.dtype.type(v) for v in (2, 3, 10, 1))");
          c.add("NumPy", python.loop(py.numpy));
        }
        if (bench::python::available("torch")) {
          make_tensors(python, "abyt");
          c.add("PyTorch", python.loop(py.torch));
        }
        if (bench::python::available("numexpr")) {
          python.run(std::string("names = [v for v in 'ab' if '") + py.text + "'.replace('tanh', '').count(v)]");
          python.run(std::string("f = numexpr.NumExpr('") + py.text +
                     "', signature=[(v, numexpr.necompiler.double if y.itemsize == 8 else float) for v in names])");
          python.run("args = [globals()[v] for v in names]");
          c.add("numexpr", python.loop("f(*args, out=y, casting='same_kind', ex_uses_vml=False)"));
        }
        c.measure();
        continue;
      }
      auto by_hand_once = [&] {
        T* const to = static_cast<T*>(hand::allocate(n * sizeof(T)));
        if (n * sizeof(T) >= hand::large)
          hand::streaming_loop(to, pa, pb, n, by_hand);
        else
          hand::loop(to, pa, pb, n, by_hand);
        asm volatile("" : : "r"(to) : "memory");
        std::free(to);
      };
      auto by_hand_values = [&] {
        std::vector<T> to(n);
        hand::loop(to.data(), pa, pb, n, by_hand);
        return to;
      };
      c.add("by hand", by_hand_once, by_hand_values);
      auto add = [&](char const* who, auto make) {
        auto once = [make] {
          auto const value = make();
          bench::use(*value.begin());
        };
        c.add(who, once, make);
      };
      add("Kroton", [&] { return f(a, b); });
#if defined(BENCH_EIGEN)
      using eigen_array = Eigen::Array<T, Eigen::Dynamic, 1>;
      auto const size = static_cast<Eigen::Index>(n);
      Eigen::Map<eigen_array const> ea(pa, size), eb(pb, size);
      add("Eigen", [&] {
        eigen_array value;
        eigen(value, ea, eb);
        return value;
      });
#endif
      add("xtensor", [&] {
        vec<T> value;
        lazy(xt::noalias(value), a, b);
        return value;
      });
#if defined(BENCH_ARMADILLO)
      arma::Col<T> const aa(const_cast<T*>(pa), n, false, true), ab(const_cast<T*>(pb), n, false, true);
      add("Armadillo", [&] {
        arma::Col<T> value;
        arma(value, aa, ab);
        return value;
      });
#endif
      if (bench::python::available()) {
        python.array("a", a);
        python.array("b", b);
        python.run("two, three, ten, one = (a.dtype.type(v) for v in (2, 3, 10, 1))");
        c.add("NumPy", python.loop(py.fresh), [&] { return python.values(py.fresh); });
      }
      if (bench::python::available("torch")) {
        make_tensors(python, "ab");
        c.add("PyTorch", python.loop(py.torch_fresh), [&] { return python.values(py.torch_fresh); });
      }
      if (bench::python::available("numexpr")) {
        std::string const text = std::string("numexpr.evaluate('") + py.text + "')";
        c.add("numexpr", python.loop(text), [&python, text] { return python.values(text); });
      }
      c.measure();
    }
  }
}

template <class T>
void all_formulas(bench::program& p) {
  using V = kt::vector<T>;
  using B = xsimd::batch<T>;
  // The formula for arrays of Eigen, Armadillo and xtensor, whose expressions must not outlive the statement.
#define ARRAYS(expression) [](auto&& y, auto const& a, [[maybe_unused]] auto const& b) { y = expression; }
  formula<T>(
      p, {"a+1", "np.add(a, 1, out=y)", "a + 1",
       "torch.add(ta, 1, out=ty)", "ta + 1"}, kt::function([](V a, [[maybe_unused]] V b) { return a + 1; }),
      [](B a, B) { return a + T(1); }, ARRAYS(a + T(1)), ARRAYS(a + T(1)), ARRAYS(a + T(1)));
  formula<T>(
      p, {"2*a+3*b", "np.multiply(a, 2, out=y); np.multiply(b, 3, out=t); np.add(y, t, out=y)", "2*a + 3*b",
       "torch.mul(ta, 2, out=ty).add_(tb, alpha=3)", "2*ta + 3*tb"},
      kt::function([](V a, V b) { return 2 * a + 3 * b; }), [](B a, B b) { return xsimd::fma(a, B(2), b * T(3)); },
      ARRAYS(T(2) * a + T(3) * b), ARRAYS(T(2) * a + T(3) * b), ARRAYS(T(2) * a + T(3) * b));
  formula<T>(
      p,
      {"a**2+b**2+2*a*b",
       "np.multiply(a, a, out=y); np.multiply(b, b, out=t); np.add(y, t, out=y); np.multiply(a, 2, out=t); np.multiply(t, b, "
       "out=t); np.add(y, t, out=y)",
       "a**2 + b**2 + 2*a*b",
       "torch.mul(ta, ta, out=ty).addcmul_(tb, tb).addcmul_(ta, tb, value=2)", "ta**2 + tb**2 + 2*ta*tb"},
      kt::function([](V a, V b) { return pow(a, 2) + pow(b, 2) + 2 * a * b; }),
      [](B a, B b) {
        B const s = a + b;
        return s * s;
      },
      ARRAYS(a.square() + b.square() + T(2) * a * b), ARRAYS(square(a) + square(b) + T(2) * a % b),
      ARRAYS(a * a + b * b + T(2) * a * b));
  formula<T>(
      p, {"2*a+b**10", "np.power(b, ten, out=t); np.multiply(a, 2, out=y); np.add(y, t, out=y)", "2*a + b**10",
       "torch.pow(tb, 10, out=ty).add_(ta, alpha=2)", "2*ta + tb**10"},
      kt::function([](V a, V b) { return 2 * a + pow(b, 10); }),
      [](B a, B b) {
        B const b2 = b * b, b4 = b2 * b2;
        return xsimd::fma(b4 * b4, b2, a + a);
      },
      ARRAYS(T(2) * a + b.pow(T(10))), ARRAYS(T(2) * a + pow(b, 10)), ARRAYS(T(2) * a + xt::pow<10>(b)));
  formula<T>(
      p,
      {"1/(1+exp(-a))", "np.negative(a, out=y); np.exp(y, out=y); np.add(y, 1, out=y); np.divide(1, y, out=y)",
       "1 / (1 + np.exp(-a))",
       "torch.neg(ta, out=ty).exp_().add_(1).reciprocal_()", "1 / (1 + torch.exp(-ta))"},
      kt::function([](V a, [[maybe_unused]] V b) { return 1 / (1 + exp(-a)); }),
      [](B a, B) { return B(1) / (hand::exp(-a) + B(1)); }, ARRAYS(T(1) / (T(1) + (-a).exp())), ARRAYS(T(1) / (T(1) + exp(-a))),
      ARRAYS(T(1) / (T(1) + xt::exp(-a))));
  formula<T>(
      p,
      {"tanh(a)*exp(-b*b)+log(1+exp(a))",
       "np.tanh(a, out=y); np.multiply(b, b, out=t); np.negative(t, out=t); np.exp(t, out=t); np.multiply(y, t, out=y); "
       "np.exp(a, out=t); np.add(t, 1, out=t); np.log(t, out=t); np.add(y, t, out=y)",
       "np.tanh(a)*np.exp(-b*b) + np.log(1 + np.exp(a))",
       "torch.tanh(ta, out=ty); ty.mul_(torch.mul(tb, tb, out=tt).neg_().exp_()); ty.add_(torch.exp(ta, out=tt).add_(1).log_())", "torch.tanh(ta)*torch.exp(-tb*tb) + torch.log(1 + torch.exp(ta))"},
      kt::function([](V a, V b) { return tanh(a) * exp(-b * b) + log(1 + exp(a)); }),
      [](B a, B b) { return xsimd::fma(hand::tanh(a), hand::exp(-b * b), hand::log(hand::exp(a) + B(1))); },
      ARRAYS(a.tanh() * (-b * b).exp() + (T(1) + a.exp()).log()), ARRAYS(tanh(a) % exp(-b % b) + log(T(1) + exp(a))),
      ARRAYS(xt::tanh(a) * xt::exp(-b * b) + xt::log(T(1) + xt::exp(a))));
#undef ARRAYS
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("elementwise", "elementwise: formulas on vectors, float64 and float32, into an array and as a new one", argc,
                   argv);
  all_formulas<double>(p);
  all_formulas<float>(p);
  return p.finish();
}
