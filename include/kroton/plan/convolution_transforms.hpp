// The pass that lets convolutions be computed by transforms: their rounding errors are larger than
// those of sums of products, by a bound, and an infinity or NaN spreads to its neighbours.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/signal/convolution_at.hpp>

namespace kroton::plan {

/// Marks every convolution of real numbers in a lowered graph.
class convolution_transforms {
 public:
  constexpr explicit convolution_transforms(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    bool any = false;
    for (int id = 0; id < from_.size(); ++id) any = any || is_convolution(id);
    if (!any) return std::move(from_);
    to_.share_bodies(from_);
    list<int> image(from_.size(), -1), inputs;
    for (int id : from_.parameters())
      image[id] = to_.input(from_.type(id), static_cast<int>(from_.attribute(id, 0)));
    for (int id = 0; id < from_.size(); ++id) {
      if (image[id] >= 0) continue;
      inputs.clear();
      for (int i : from_.inputs(id)) inputs.push_back(image[i]);
      items<long long> const own = from_.attributes(id);
      list<long long> attributes(own.first, own.count);
      if (is_convolution(id)) attributes.back() = 1;
      image[id] = to_.add(from_[id].op, from_.type(id), inputs, attributes);
    }
    to_.adopt(from_, image);
    return std::move(to_);
  }

 private:
  constexpr bool is_convolution(int id) const {
    return (from_.is<op::convolution>(id) || from_.is<op::convolution_images>(id) ||
            from_.is<op::convolution_filters>(id) || from_.is<op::convolution_images_at>(id) ||
            from_.is<op::convolution_filters_at>(id)) &&
           is_float(from_.type(id).element);
  }

  graph from_, to_;
};

}  // namespace kroton::plan
