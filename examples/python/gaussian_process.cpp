// A Kroton function as a Python module: NumPy's arrays are read where they lie, and results are arrays that Python frees.
//
//   import gaussian_process
//   value, gradient = gaussian_process.evidence(logs, x, y)
//
// Built where pybind11 is found; compare.py compares with NumPy.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <vector>

namespace kt = kroton;
namespace py = pybind11;

// cut: traits
/// NumPy's arrays of any strides, as arguments and as targets; the rank is that of the variable. One of another element type is
/// converted by pybind11.
template <class T, int Rank>
struct numpy {
  py::array_t<T, 0> array;
};

template <class T, int Rank>
struct kroton::array_traits<numpy<T, Rank>> {
  static auto view(auto& x) {
    if (x.array.ndim() != Rank) throw py::value_error("expected an array of rank " + std::to_string(Rank));
    kt::array_view<T const, Rank> view{x.array.data(), {}, {}};
    for (int d = 0; d < Rank; ++d) {
      view.shape[d] = static_cast<std::size_t>(x.array.shape(d));
      view.strides[d] = x.array.strides(d) / static_cast<py::ssize_t>(sizeof(T));
    }
    return view;
  }
};

/// A result as an array of NumPy's, which owns it from now on: nothing is copied.
template <class T, std::size_t Rank>
py::array_t<T> to_numpy(xt::xtensor<T, Rank> result) {
  auto* const kept = new xt::xtensor<T, Rank>(std::move(result));
  py::capsule const owner(kept, [](void* p) { delete static_cast<xt::xtensor<T, Rank>*>(p); });
  return py::array_t<T>(std::vector<py::ssize_t>(kept->shape().begin(), kept->shape().end()), kept->data(), owner);
}
// end cut

// cut: model
// The logarithm of the evidence of a Gaussian process with a squared exponential kernel and noise, and its gradient by the
// logarithms of length, height and noise. (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2.30)
constexpr double log_2pi = 1.8378770664093454836;  // std::log is not constexpr before C++26
constexpr auto evidence = [](kt::dvector logs, kt::dmatrix x, kt::dvector y) {
  auto p = exp(logs);
  auto squares = sum(x * x, kt::axis<1>);
  auto distances = dimshuffle<0, 'x'>(squares) + squares - 2 * dot(x, transpose(x));
  auto k = sqr(p(1)) * exp(-distances / (2 * sqr(p(0)))) + (sqr(p(2)) + 1e-10) * kt::eye<double>(x.shape(0));
  auto l = cholesky(k);
  auto misfit = sum(sqr(solve_triangular(l, y, kt::lower)));
  auto value = -0.5 * misfit - sum(log(diag(l))) - 0.5 * log_2pi * x.shape(0);
  return std::tuple(value, grad(value, logs));
};
// end cut

PYBIND11_MODULE(gaussian_process, m) {
  m.def("evidence", [](py::array_t<double, 0> logs, py::array_t<double, 0> x, py::array_t<double, 0> y) {
    static auto const f = kt::function(evidence);
    auto [value, gradient] = f(numpy<double, 1>{logs}, numpy<double, 2>{x}, numpy<double, 1>{y});
    return py::make_tuple(value, to_numpy(std::move(gradient)));
  });
}
