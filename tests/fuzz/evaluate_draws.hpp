// Draws: their numbers are those of the library. What is asked is which state each of them reads,
// and where streams end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate_loops.hpp"
#include "truth.hpp"

namespace fuzz {

class draw_node : public loop_node {
 protected:
  using loop_node::loop_node;

  /// An output of the op `node`, this one or the one that it reads, computed alone.
  void compute_alone(int node, int output) {
    kt::graph alone;
    kt::core::list<int> inputs;
    kt::core::list<long long> attributes;
    std::vector<argument> given;
    for (int k = 0; k < g_[node].input_count; ++k)
      inputs.push_back(input_of(alone, g_.input_of(node, k), given));
    for (int k = 0; k < g_[node].attribute_count; ++k) attributes.push_back(g_.attribute(node, k));
    kt::term const made{&alone, alone.apply(g_[node].op, inputs, attributes)};
    alone.results().push_back(output == 0 ? made.id : kt::core::output_of(made, output).id);
    fuzz::outcome const found = fuzz::run(std::move(alone), given);
    if (!found.exception.empty()) throw std::domain_error(found.text);
    make(found.outputs[0].shape);
    for (long i = 0; i < out_.count(); ++i)
      std::fill_n(at(i), lanes_, found.outputs[0].data[static_cast<std::size_t>(i)]);
  }

 private:
  /// An operand: numbers as literals, states as arguments.
  int input_of(kt::graph& alone, int from, std::vector<argument>& given) const {
    tensor const& x = e_[from];
    for (unsigned char f : x.flags) settle(f);
    argument a{g_.type(from), x.shape, {}};
    for (long i = 0; i < x.count(); ++i) a.data.push_back(*lanes_of(x, i));
    if (a.type.rank == 0 && kt::core::is_float(a.type.element))
      return alone.literal(static_cast<double>(a.data[0]), a.type.element);
    if (a.type.rank == 0) return alone.literal(static_cast<long long>(a.data[0]), a.type.element);
    given.push_back(a);
    return alone.input(a.type, static_cast<int>(given.size()) - 1);
  }
};

}  // namespace fuzz
