// Requests for final forms, within requests: answered at once, or later where they are too deep.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/rewriter.hpp>

namespace kroton::rewrite {

/// Answers a request. Requests that are nested too deeply are suspended: the innermost waits, all
/// that it was made for is thrown away while calls return, and the outermost answers what waits
/// from the inside out, with all depth there is for each. So a request is made at most twice, and
/// what others wait for, however deep, is found in linear time.
constexpr int rewriter::find(request wanted) {
  if (suspended_ || fuel_ <= 0) return wanted.node;
  forms(wanted)[wanted.node] = open;
  wanted.applied = applied_;
  if (depth_ == deepest) {
    suspend();
    waiting_.push_back(wanted);
    return wanted.node;
  }
  int const form = answer(wanted);
  if (!suspended_) return form;
  waiting_.push_back(wanted);
  return depth_ > 0 ? wanted.node : answer_waiting();
}

constexpr int rewriter::answer(request const& wanted) {
  int const id = wanted.node, before = stabilized_, fuel = fuel_;
  bool stabilized = false;
  ++depth_;
  int form = -1;
  if (wanted.form == request::kind::sealed) {
    form = rewritten(id);
  } else if (wanted.form == request::kind::closed) {
    form = conform(parts_.factored(*this, id), id);
  } else {
    int const normal = parts_.normal_form(*this, id);
    note_written(normal, id, fuel);
    form = conform(normal == id ? rewritten(id) : sealed(normal), id);
    stabilized = was_stabilized(normal);
  }
  --depth_;
  if (suspended_) return form;
  forms(wanted)[id] = form;
  if (wanted.form != request::kind::closed && (stabilized || stabilized_ != before))
    note_stabilized(id);
  return form;
}

/// Answers all requests that wait, the innermost first; gives the form that the outermost asks
/// for.
constexpr int rewriter::answer_waiting() {
  list<request> open_requests;
  int form = -1;
  for (;;) {
    // They were left from the inside out.
    while (!waiting_.empty()) {
      open_requests.push_back(waiting_.back());
      waiting_.pop_back();
    }
    if (open_requests.empty()) return form;
    suspended_ = false;
    request const next = open_requests.back();
    applied_ = next.applied;
    form = answer(next);
    if (!suspended_) open_requests.pop_back();
  }
}

/// Depth is work like any other: what calls for itself without end uses up the fuel, too, and
/// then nothing is made any more.
constexpr void rewriter::suspend() {
  suspended_ = true;
  fuel_ -= deepest;
  if (fuel_ <= 0)
    g.fail(applied_ != nullptr ? applied_->endless
                               : "kt: rewriting did not terminate: the normal form");
}

}  // namespace kroton::rewrite
