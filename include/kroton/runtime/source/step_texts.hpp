// The ops of a plan's steps in words, for profiles and monitors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/plan/bodies.hpp>
#include <kroton/print/describe.hpp>

#include <string>
#include <vector>

namespace kroton::runtime::detail {

/// One by one: those of a fused loop, or the one that a step runs.
inline std::vector<std::string> op_texts(kroton::graph const& g, plan::planned_step const& step) {
  if (core::places_part(step.kind)) return {"part of " + printing::op_text(g, step.node)};
  if (step.kind != core::step_kind::loop) return {printing::op_text(g, step.node)};
  std::vector<std::string> texts;
  for (int id : step.again) texts.push_back(printing::op_text(g, id));
  for (int id : step.nodes) texts.push_back(printing::op_text(g, id));
  return texts;
}
inline std::string joined(std::vector<std::string> const& texts) {
  std::string all;
  for (std::string const& text : texts) all += (all.empty() ? "" : " ") + text;
  return all;
}

}  // namespace kroton::runtime::detail
