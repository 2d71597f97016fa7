// One node after the other: elementwise ops, reductions and products.
// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate.hpp"

#include "evaluate_node.hpp"

namespace fuzz {

evaluator::evaluator(kt::graph const& g, std::vector<argument> const& arguments, bool with_errors, std::uint64_t seed)
    : g_(g), arguments_(arguments), lanes_(with_errors ? 1 + spread_lanes + tie_lanes : 1), random_(seed * 2 + 1) {
  extend();
}

evaluator::evaluator(kt::graph const& g, std::vector<tensor> given, evaluator& whole)
    : g_(g), arguments_(whole.arguments_), given_(std::move(given)), lanes_(whole.lanes_), random_(whole.random_) {
  extend();
  whole.random_ = random_;
}

void evaluator::extend() {
  // What the results do not need is not computed, and asks nothing of extents; without results all is.
  bool const everything = g_.results().empty();
  kt::core::list<bool> const live = g_.live();
  while (static_cast<int>(values_.size()) < g_.size()) {
    int const id = static_cast<int>(values_.size());
    bool const needed = everything || live[id] || g_.is<kt::op::input>(id);
    values_.push_back(needed ? node_evaluator(*this, id).run() : tensor{});
  }
  check_conditions();
}

// What the graph asks of extents beyond what its nodes do.
void evaluator::check_conditions() const {
  using kt::core::condition;
  // The number of elements that a condition asks about, once for all its extents: exact in extended precision as far as it fits.
  real count = 1, extent = 1;
  bool counts = false;
  auto close = [&] {
    if (counts && (extent < 0 || count * std::max(extent, real(1)) > real(kt::core::most_bytes)))
      throw std::domain_error("a number of elements");
    count *= std::max(extent, real(1));
  };
  for (auto const& c : g_.constraints()) {
    if (c.kind == condition::note) continue;
    real const left = (*this)[c.left].data.at(0), right = (*this)[c.right].data.at(0);
    if (c.kind == condition::factor) {
      extent *= left;
      continue;
    }
    close();
    counts = c.kind == condition::count || c.kind == condition::extent;
    if (c.kind != condition::extent) count = 1;
    extent = counts ? left : 1;
    if (counts) continue;
    bool const holds = c.kind == condition::index      ? left >= 0 && left < right
                       : c.kind == condition::at_least ? left >= right
                                                       : left == right;
    if (!holds) throw std::domain_error("a condition on extents");
  }
  close();
}

real evaluator::spread(int id, long element, bool any_order) const {
  tensor const& t = (*this)[id];
  real const* const x = &t.data[static_cast<std::size_t>(element * lanes_)];
  real most = 0;
  for (int k = 1; k < lanes_; ++k) {
    if (!any_order && k > spread_lanes - order_lanes && k <= spread_lanes) continue;
    if (!std::isfinite(x[k])) return std::numeric_limits<real>::infinity();
    most = std::fmax(most, std::abs(x[k] - x[0]));
  }
  return most;
}

}  // namespace fuzz
