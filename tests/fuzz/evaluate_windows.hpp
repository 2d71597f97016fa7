// Convolutions: of images, filters and outputs, each from the two others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate_each.hpp"

namespace fuzz {

class window_node : public each_node {
 protected:
  using each_node::each_node;

  bool convolves(std::string_view name) {
    if (name == "convolution") convolve(made::outputs);
    else if (name == "convolution_images") convolve(made::images);
    else if (name == "convolution_filters") convolve(made::filters);
    else return false;
    return true;
  }

 private:
  enum class made { outputs, images, filters };

  static void check(bool holds) {
    if (!holds) throw std::domain_error("extents of a convolution");
  }
  /// Adds up y(b, o, i) = sum of x(b, c, i * stride + k * dilation - before) * w(o, c, k), solved
  /// for any of the three.
  void convolve(made of) {
    std::size_t const axes = in(0).shape.size() - 2;
    index const& first = in(0).shape;
    index const& second = in(1).shape;
    long const groups = integer_in(2), channels = integer_in(3);
    index before, extents;
    for (std::size_t d = 0; d < axes; ++d) {
      before.push_back(integer_in(static_cast<int>(4 + d)));
      extents.push_back(integer_in(static_cast<int>(4 + axes + d)));
    }
    index shape{of == made::filters ? second[1] : first[0], channels};
    shape.insert(shape.end(), extents.begin(), extents.end());
    make(shape);
    index const& x = of == made::images ? out_.shape : first;
    index const& w = of == made::filters ? out_.shape : second;
    index const& y = of == made::outputs ? out_.shape : of == made::images ? first : second;
    if (groups == 0) return;  // of a batch without elements
    check(x[0] == y[0] && w[0] == y[1] && w[0] % groups == 0 && x[1] == w[1] * groups);
    bool const flips = g_.attribute(id_, 0) != 0;
    for_each(y, [&](index const& to, long at_y) {
      for_each(w, [&](index const& filter, long at_w) {
        if (filter[0] != to[1]) return;
        index from{to[0], filter[1] + to[1] / (w[0] / groups) * w[1]};
        for (std::size_t d = 0; d < axes; ++d) {
          long const stride = static_cast<long>(g_.attribute(id_, static_cast<int>(1 + d)));
          long const step = static_cast<long>(g_.attribute(id_, static_cast<int>(1 + axes + d)));
          long const k = flips ? w[2 + d] - 1 - filter[2 + d] : filter[2 + d];
          from.push_back(to[2 + d] * stride + k * step - before[d]);
          if (from.back() < 0 || from.back() >= x[2 + d]) return;
        }
        long at_x = 0;
        for (std::size_t d = 0; d < from.size(); ++d) at_x = at_x * x[d] + from[d];
        if (of == made::outputs) add_product(at_y, at_x, at_w);
        else if (of == made::images) add_product(at_x, at_y, at_w);
        else add_product(at_w, at_x, at_y);
      });
    });
  }
};

}  // namespace fuzz
