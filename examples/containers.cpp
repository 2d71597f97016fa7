// A program's own type of array as an argument and as a target.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <iostream>

namespace kt = kroton;

// cut: traits
/// Pixels in rows that begin at multiples of 16.
struct image {
  std::size_t rows = 0, columns = 0, pitch = 0;
  std::vector<float> pixels;
};

template <>
struct kroton::array_traits<image> {
  // Of an image that is const, the elements are const.
  static auto view(auto& x) {
    using T = std::remove_pointer_t<decltype(x.pixels.data())>;
    return kt::array_view<T, 2>{
        x.pixels.data(), {x.rows, x.columns}, {static_cast<std::ptrdiff_t>(x.pitch), 1}};
  }
  // Since it owns its elements; without this, into asks for the extents of the result.
  static void resize(image& x, std::array<std::size_t, 2> const& shape) {
    std::size_t const pitch = (shape[1] + 15) / 16 * 16;
    x = {shape[0], shape[1], pitch, std::vector<float>(shape[0] * pitch)};
  }
};

/// The magnitude of the gradient at inner pixels.
constexpr auto edges = [](kt::fmatrix x) {
  auto const inner = kt::slice(1, -1), before = kt::slice(0, -2);
  auto const behind = kt::slice(2, kt::none);
  return sqrt(sqr(x(behind, inner) - x(before, inner)) + sqr(x(inner, behind) - x(inner, before)));
};
// end cut

int main() {
  image circle;
  kt::array_traits<image>::resize(circle, {16, 32});
  for (std::size_t i = 0; i < circle.rows; ++i)
    for (std::size_t j = 0; j < circle.columns; ++j) {
      float const y = static_cast<float>(i) - 7.5f, x = (static_cast<float>(j) - 15.5f) / 2;
      circle.pixels[i * circle.pitch + j] = x * x + y * y < 30 ? 1.0f : 0.0f;
    }
  image found;
  kt::function(edges).into(found, circle);
  for (std::size_t i = 0; i < found.rows; ++i) {
    for (std::size_t j = 0; j < found.columns; ++j)
      std::cout << (found.pixels[i * found.pitch + j] > 0 ? '#' : '.');
    std::cout << '\n';
  }
}
