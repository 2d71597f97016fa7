// Borders, neighbours, convolutions, grids, choices, and numbers of elements.
// SPDX-License-Identifier: BSD-3-Clause
#include "library_calls.hpp"

namespace fuzz {

void add_grids(std::vector<library_function>& to) {
  std::vector<library_function> const all{
      OF_ONE("pad", "n", 1, 3, kt::pad(x, kt::padding<1>)),
      OF_ONE("pad", "n", 1, 1, kt::pad(x, kt::padding<2, 1>, 3)),
      OF_ONE("pad", "n", 2, 2, kt::pad(x, kt::padding<0, 1, 2, 0>)),
      OF_ONE("pad", "n", 1, 3, kt::pad(x, kt::padding<1>, kt::extend::edge)),
      OF_ONE("pad", "n", 1, 1, kt::pad(x, kt::padding<3, 7>, kt::extend::edge)),
      OF_ONE("pad", "n", 1, 3, kt::pad(x, kt::padding<1>, kt::extend::reflect)),
      OF_ONE("pad", "n", 1, 1, kt::pad(x, kt::padding<3, 7>, kt::extend::reflect)),
      OF_ONE("pad", "n", 1, 3, kt::pad(x, kt::padding<1>, kt::extend::symmetric)),
      OF_ONE("pad", "n", 1, 1, kt::pad(x, kt::padding<3, 7>, kt::extend::symmetric)),
      OF_ONE("pad", "n", 1, 3, kt::pad(x, kt::padding<1>, kt::extend::wrap)),
      OF_ONE("pad", "n", 1, 1, kt::pad(x, kt::padding<3, 7>, kt::extend::wrap)),
      ALONG("diff", "n", 1, 3, kt::diff(x, axis)),
      ALONG("diff", "n", 1, 3, kt::diff<2>(x, axis)),
      ALONG("gradient", "n", 1, 3, kt::gradient(x, 0.5, axis)),
      OF_ONE("trapz", "n", 1, 3, kt::trapz(x, 0.5)),
      OF_ONE("trapz", "n", 1, 1, kt::trapezoid(x, cos(x))),
      OF_TWO("convolve", 1, 1, kt::convolve(x, y, kt::border::full)),
      OF_TWO("convolve", 1, 1, kt::convolve(x, y, kt::border::half)),
      OF_TWO("convolve", 1, 1, kt::convolve(x, y, kt::border::valid)),
      OF_ONE("convolve", "n", 1, 1, kt::convolve(x, kt::flip(x))),
      OF_TWO("correlate", 1, 1, kt::correlate(x, y, kt::border::full)),
      OF_TWO("correlate", 1, 1, kt::correlate(x, y, kt::border::half)),
      OF_TWO("correlate", 1, 1, kt::correlate(x, y, kt::border::valid)),
      OF_ONE("correlate", "n", 1, 1, kt::correlate(x, kt::flip(x))),
      OF_TWO("meshgrid", 1, 1, std::get<0>(kt::meshgrid(x, y))),
      OF_TWO("meshgrid", 1, 1, std::get<1>(kt::meshgrid(x, y))),
      OF_TWO("linspace", 0, 0, kt::linspace(x, y, 5)),
      OF_TWO("linspace", 0, 0, kt::geomspace(exp(x), exp(y), 4)),
      OF_ONE("fromfunction", "n", 1, 3,
             kt::fromfunction([](auto i, auto j) { return i - 2 * j; }, x.shape(0), 3)),
      OF_ONE("cross", "n", 1, 2, kt::cross(x, 2 * kt::flip(x, kt::axis<-1>))),
      OF_TWO("vdot", 1, 2, kt::vdot(x, y)),
      OF_ONE("choose", "n", 0, 3,
             kt::choose(kt::cast<std::int64_t>(x > 0) + kt::cast<std::int64_t>(x > 1), x, 2 * x,
                        x - 1)),
      OF_ONE("select", "n", 0, 3, kt::select(x > 1, x, x < -1, 2 * x, 0.5)),
      OF_ONE("piecewise", "n", 0, 3,
             kt::piecewise(
                 x, x < 0, [](auto v) { return -v; }, x > 1, 1)),
      OF_ONE("unravel_index", "n", 0, 2,
             std::get<0>(kt::unravel_index(kt::cast<std::int64_t>(x) % 6, 2, 3))),
      OF_ONE("unravel_index", "n", 0, 2,
             std::get<1>(kt::unravel_index(kt::cast<std::int64_t>(x) % 6, 2, 3))),
      OF_ONE("ravel_multi_index", "n", 0, 2,
             kt::ravel_multi_index(
                 std::tuple(kt::cast<std::int64_t>(x) % 4, kt::cast<std::int64_t>(x) % 3), 4, 3)),
      ALONG("put_along_axis", "n", 1, 3, kt::put_along_axis(x, kt::argsort(x, axis), x, axis)),
      ALONG("put_along_axis", "n", 1, 3, kt::put_along_axis(x, kt::argsort(x, axis), 2, axis)),
      OF_ONE("lexsort", "n", 1, 1, kt::lexsort(x, floor(x))),
  };
  to.insert(to.end(), all.begin(), all.end());
}

}  // namespace fuzz
