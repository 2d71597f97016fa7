// Loops made simpler: fewer operands and results, shorter bodies.
// SPDX-License-Identifier: BSD-3-Clause
#include "shrink.hpp"

#include "record.hpp"

#include <algorithm>

namespace fuzz {

namespace {

using position = std::vector<int>::difference_type;

bool reads(program const& p, int v) {
  bool found = std::find(p.outputs.begin(), p.outputs.end(), v) != p.outputs.end();
  for (call const& c : p.calls)
    for_each_value(c, [&](int read) { found = found || read == v; });
  return found;
}
/// The program without one of its arguments, which nothing reads.
void drop_argument(program& p, int k) {
  p.arguments.erase(p.arguments.begin() + k);
  auto close = [&](int& v) { v -= v > k ? 1 : 0; };
  for (call& c : p.calls) for_each_value(c, close);
  for (int& v : p.outputs) close(v);
}

class simplifier {
 public:
  explicit simplifier(call const& c) : c_(c) {}

  std::vector<call> run() {
    options();
    fewer_results();
    fewer_sequences();
    fewer_constants();
    shorter_body();
    return std::move(found_);
  }

 private:
  template <class Change>
  void attempt(Change change) {
    call candidate = c_;
    change(candidate, candidate.loops[0]);
    found_.push_back(std::move(candidate));
  }
  loop const& whole() const { return c_.loops[0]; }

  void options() {
    if (whole().backwards) attempt([](call&, loop& l) { l.backwards = false; });
    if (whole().truncate >= 0) attempt([](call&, loop& l) { l.truncate = -1; });
    if (whole().checkpoint > 0) attempt([](call&, loop& l) { l.checkpoint = 0; });
    if (whole().snapshots > 0) attempt([](call&, loop& l) { l.snapshots = 0; });
    if (whole().listed > 0) attempt([](call&, loop& l) { l.listed = 0; });
    if (!whole().counted) return;
    std::size_t at = whole().sequences.size();
    for (auto const& taps : whole().results) at += taps.empty() ? 0 : 1;
    if (!whole().sequences.empty())
      attempt([&](call& c, loop& l) {
        l.counted = false;
        c.operands.erase(c.operands.begin() + static_cast<position>(at));
      });
    for (int n : {1, 2})
      if (operand const o = c_.operands[at]; !o.is_number() || o.number > n)
        attempt([&](call& c, loop&) { c.operands[at] = {-1, static_cast<double>(n), true}; });
  }

  /// Results that are not asked for. A state that is read stays what it was in the beginning.
  void fewer_results() {
    std::size_t input = 0, at = whole().sequences.size();
    for (auto const& taps : whole().sequences) input += taps.size();
    for (std::size_t u = 0; u < whole().results.size(); ++u) {
      auto const& taps = whole().results[u];
      bool const is_state = !taps.empty();
      bool const goes = !reads_any(input, taps.size()) || (taps == std::vector<int>{-1} && !c_.operands[at].is_number());
      if (whole().results.size() > 1 && c_.function != static_cast<int>(u) && goes)
        attempt([&](call& c, loop& l) { drop_result(c, l, u, input, at); });
      // A result that is asked for without feedback.
      if (is_state && !reads_any(input, taps.size()))
        attempt([&](call& c, loop& l) {
          for (std::size_t k = 0; k < taps.size(); ++k) drop_argument(l.body, static_cast<int>(input));
          c.operands.erase(c.operands.begin() + static_cast<position>(at));
          l.results[u].clear();
        });
      input += taps.size();
      at += is_state ? 1 : 0;
    }
  }
  bool reads_any(std::size_t first, std::size_t count) const {
    bool any = false;
    for (std::size_t k = 0; k < count; ++k) any = any || reads(whole().body, static_cast<int>(first + k));
    return any;
  }
  void drop_result(call& c, loop& l, std::size_t u, std::size_t input, std::size_t at) const {
    auto const taps = l.results[u];
    l.results.erase(l.results.begin() + static_cast<position>(u));
    l.body.outputs.erase(l.body.outputs.begin() + static_cast<position>(u));
    c.function -= c.function > static_cast<int>(u) ? 1 : 0;
    if (taps.empty()) return;
    operand const start = c.operands[at];
    c.operands.erase(c.operands.begin() + static_cast<position>(at));
    if (reads(l.body, static_cast<int>(input))) {
      int const last = static_cast<int>(l.body.arguments.size());
      l.body.arguments.push_back(l.body.arguments[input]);
      auto redirect = [&](int& v) { v = v == static_cast<int>(input) ? last : v >= last ? v + 1 : v; };
      for (call& inner : l.body.calls) for_each_value(inner, redirect);
      for (int& v : l.body.outputs) redirect(v);
      c.operands.push_back(start);
    }
    for (std::size_t k = 0; k < taps.size(); ++k) drop_argument(l.body, static_cast<int>(input));
  }

  void fewer_sequences() {
    std::size_t input = 0;
    for (std::size_t s = 0; s < whole().sequences.size(); ++s) {
      std::size_t const taps = whole().sequences[s].size();
      if (!reads_any(input, taps) && (whole().counted || whole().sequences.size() > 1))
        attempt([&](call& c, loop& l) {
          for (std::size_t k = 0; k < taps; ++k) drop_argument(l.body, static_cast<int>(input));
          l.sequences.erase(l.sequences.begin() + static_cast<position>(s));
          c.operands.erase(c.operands.begin() + static_cast<position>(s));
        });
      for (std::size_t k = 0; k < taps && taps > 1; ++k)
        if (!reads(whole().body, static_cast<int>(input + k)))
          attempt([&](call&, loop& l) {
            drop_argument(l.body, static_cast<int>(input + k));
            l.sequences[s].erase(l.sequences[s].begin() + static_cast<position>(k));
          });
      if (whole().sequences[s] != std::vector<int>{0} && taps == 1) attempt([&](call&, loop& l) { l.sequences[s] = {0}; });
      input += taps;
    }
  }
  void fewer_constants() {
    int const first = whole().moving(), count = static_cast<int>(whole().body.arguments.size()) - first;
    for (int k = 0; k < count; ++k)
      if (!reads(whole().body, first + k))
        attempt([&](call& c, loop& l) {
          drop_argument(l.body, first + k);
          c.operands.erase(c.operands.end() - (count - k));
          l.listed -= k < l.listed ? 1 : 0;
        });
  }

  /// Values of the body become earlier ones of their type, operands become numbers, inner loops simpler.
  void shorter_body() {
    program const& body = whole().body;
    kt::graph g;
    program open = body;
    open.outputs.clear();
    auto const terms = record(g, open);
    int const size = body.size(), first = static_cast<int>(body.arguments.size());
    for (int v = size - 1; v >= first; --v)
      for (int w = 0; w < v; ++w)
        if (terms[static_cast<std::size_t>(v)].type() == terms[static_cast<std::size_t>(w)].type())
          attempt([&](call&, loop& l) {
            for (call& inner : l.body.calls) for_each_value(inner, [&](int& read) { read = read == v ? w : read; });
            for (int& o : l.body.outputs) o = o == v ? w : o;
          });
    for (std::size_t k = 0; k < body.calls.size(); ++k) {
      call const& inner = body.calls[k];
      if (inner.kind == call_kind::loop)
        for (call const& simpler : simplifier(inner).run()) attempt([&](call&, loop& l) { l.body.calls[k] = simpler; });
      if (inner.kind == call_kind::second_gradient) attempt([&](call&, loop& l) { l.body.calls[k].kind = call_kind::gradient; });
      for (std::size_t o = 0; inner.kind == call_kind::elementwise && o < inner.operands.size() && inner.operands.size() == 2; ++o)
        if (!inner.operands[1 - o].is_number() && (!inner.operands[o].is_number() || inner.operands[o].number != 1))
          attempt([&](call&, loop& l) { l.body.calls[k].operands[o] = {-1, 1, true}; });
    }
  }

  call const& c_;
  std::vector<call> found_;
};

}  // namespace

std::vector<call> simpler_loops(call const& c) { return simplifier(c).run(); }

}  // namespace fuzz
