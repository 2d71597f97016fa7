// Failing programs made small, and the rule that is to blame.
// SPDX-License-Identifier: BSD-3-Clause
#include "shrink.hpp"

#include "evaluate.hpp"
#include "print.hpp"
#include "record.hpp"
#include "scalar.hpp"

#include <kroton/function/catalogue.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace fuzz {

namespace {

/// The types, shapes and values of all values of a program, where it can be evaluated.
std::vector<argument> values_of(program const& p) {
  std::vector<argument> all;
  kt::graph g;
  auto const terms = record(g, p);
  for (auto const& t : terms) g.results().push_back(t.id);
  std::vector<argument> const inputs = inputs_for_reference(p.arguments);
  std::optional<evaluator> values;
  try {
    values.emplace(g, inputs, false);
  } catch (std::domain_error const&) {
    return all;
  }
  for (auto const& t : terms) {
    tensor const& x = (*values)[t.id];
    argument a{t.type(), x.shape, x.data};
    for (real& number : a.data)
      if (kt::core::is_float(a.type.element)) number = nearest(number, a.type.element);
    all.push_back(a);
  }
  return all;
}

class shrinker {
 public:
  shrinker(program p, failure const& f, check_options options) : p_(std::move(p)), kind_(f.kind), options_(options) {
    options_.only = f.configuration;
  }
  program run() {
    for (bool again = true; again && tries_ < most_tries;) {
      again = fewer_outputs();
      again = replaced_values() || again;
      again = simpler_calls() || again;
      again = simpler_bodies() || again;
      again = smaller_shapes() || again;
      again = simpler_data() || again;
    }
    return p_;
  }

 private:
  bool accept(program candidate) {
    candidate = without_dead_parts(candidate);
    if (candidate == p_ || ++tries_ > most_tries) return false;
    try {
      auto const found = check(candidate, options_);
      if (!found || found->kind != kind_ || found->configuration != options_.only) return false;
    } catch (std::exception const&) {
      return false;
    }
    p_ = std::move(candidate);
    return true;
  }

  bool fewer_outputs() {
    for (int v = 0; v < p_.size(); ++v) {
      program candidate = p_;
      candidate.outputs = {v};
      if (accept(candidate)) return true;
    }
    bool any = accept(without_dead_parts(p_, false, false));
    for (std::size_t k = 0; k < p_.outputs.size() && p_.outputs.size() > 1;) {
      program candidate = p_;
      candidate.outputs.erase(candidate.outputs.begin() + static_cast<long>(k));
      if (accept(candidate)) any = true;
      else ++k;
    }
    return any;
  }

  static program with_use_of(program p, int v, int instead) {
    for (auto& c : p.calls)
      for_each_value(c, [&](int& read) { read = read == v ? instead : read; });
    for (int& o : p.outputs) o = o == v ? instead : o;
    return p;
  }
  /// Reads of a call's value become reads of an earlier value of its type, or of a new argument that holds the same.
  bool replaced_values() {
    bool any = false;
    auto all = values_of(p_);
    for (int v = p_.size() - 1; v >= static_cast<int>(p_.arguments.size()) && !all.empty(); --v) {
      if (v >= p_.size()) continue;
      auto const& old = all[static_cast<std::size_t>(v)];
      bool done = false;
      for (int w = 0; w < v && !done; ++w)
        if (all[static_cast<std::size_t>(w)].type == old.type && all[static_cast<std::size_t>(w)].shape == old.shape)
          done = accept(with_use_of(p_, v, w));
      bool const is_parameter = old.type.broadcast == 0 || (old.type.rank == 2 && old.type.broadcast < 3);
      if (!done && is_parameter) {
        program candidate = p_;
        int const at = static_cast<int>(candidate.arguments.size());
        candidate.arguments.push_back(old);
        for (auto& c : candidate.calls)
          for_each_value(c, [&](int& read) { read = read == v ? at : read >= at ? read + 1 : read; });
        for (int& o : candidate.outputs) o = o == v ? at : o >= at ? o + 1 : o;
        done = accept(candidate);
      }
      if (done) {
        any = true;
        all = values_of(p_);
      }
    }
    return any;
  }

  bool simpler_calls() {
    bool any = false;
    for (std::size_t k = 0; k < p_.calls.size(); ++k) {
      bool done = false;  // then calls may have other numbers
      auto attempt = [&](auto change) {
        if (done) return;
        program candidate = p_;
        change(candidate.calls[k]);
        any = (done = accept(candidate)) || any;
      };
      call const c = p_.calls[k];
      if (c.keep) attempt([](call& x) { x.keep = false; });
      if (c.kind == call_kind::second_gradient) attempt([](call& x) { x.kind = call_kind::gradient; });
      for (std::size_t o = 0; o < c.operands.size() && c.kind == call_kind::elementwise; ++o)
        for (double number : {1., 0., 2., -1.}) {
          int symbols = 0;
          for (auto const& other : c.operands) symbols += other.is_number() ? 0 : 1;
          bool const simple = c.operands[o].is_number() && (c.operands[o].number == 0 || std::abs(c.operands[o].number) == 1);
          if (!simple && (c.operands[o].is_number() || (symbols > 1 && !(c.operands.size() == 3 && o == 0))))
            attempt([&](call& x) { x.operands[o] = {-1, number, true}; });
        }
      for (std::size_t i = 0; i < c.index.size(); ++i) attempt([&](call& x) { x.index[i] = {}; });
    }
    return any;
  }

  bool simpler_bodies() {
    bool any = false;
    for (std::size_t k = 0; k < p_.calls.size(); ++k)
      for (bool again = p_.calls[k].kind == call_kind::loop; again;) {
        again = false;
        for (call const& simpler : simpler_loops(p_.calls[k])) {
          program candidate = p_;
          candidate.calls[k] = simpler;
          if (!accept(candidate)) continue;
          again = any = true;
          break;
        }
        again = again && k < p_.calls.size() && p_.calls[k].kind == call_kind::loop;
      }
    return any;
  }

  bool smaller_shapes() {
    bool any = false;
    for (long from : {300l, 70l, 17l, 5l, 4l, 3l, 2l})
      for (long to : {1l, 2l, from - 1}) {
        if (to >= from) continue;
        program candidate = p_;
        for (auto& a : candidate.arguments) cut(a, from, to);
        any = accept(candidate) || any;
      }
    for (std::size_t k = 0; k < p_.arguments.size(); ++k) {
      program candidate = p_;
      if (k < candidate.arguments.size() && std::exchange(candidate.arguments[k].fixed, 0u) != 0) any = accept(candidate) || any;
    }
    return any;
  }
  static void cut(argument& a, long from, long to) {
    if (is_stream(a.kind)) return;
    argument result{a.type, a.shape, {}, a.fixed, a.kind, {}};
    for (long& e : result.shape) e = e == from ? to : e;
    for (std::size_t i = 0; i < a.data.size(); ++i) {
      std::size_t rest = i;
      bool kept = true;
      for (std::size_t d = a.shape.size(); d-- > 0; rest /= static_cast<std::size_t>(a.shape[d]))
        kept = kept && static_cast<long>(rest % static_cast<std::size_t>(a.shape[d])) < result.shape[d];
      if (kept) result.data.push_back(a.data[i]);
      if (kept && is_sparse(a.kind)) result.stored.push_back(a.stored[i]);
    }
    a = result;
  }

  bool simpler_data() {
    bool any = false;
    for (std::size_t k = 0; k < p_.arguments.size(); ++k) {
      auto attempt = [&](auto change) {
        if (k >= p_.arguments.size() || is_stream(p_.arguments[k].kind)) return;
        program candidate = p_;
        change(candidate.arguments[k]);
        any = accept(candidate) || any;
      };
      auto const data = p_.arguments[k].data;
      for (real number : {0.L, 1.L, 2.L})
        if ((number < 2 || !kt::core::is_bool(p_.arguments[k].type.element)) && std::count(data.begin(), data.end(), number) < static_cast<long>(data.size()))
          attempt([&](argument& a) { std::fill(a.data.begin(), a.data.end(), number); });
      attempt([](argument& a) {
        for (real& x : a.data) x = std::nearbyint(x);
      });
      attempt([](argument& a) {
        for (real& x : a.data) x = std::nearbyint(x * 4) / 4;
      });
      for (std::size_t i = 0; k < p_.arguments.size() && i < p_.arguments[k].data.size() && i < 12; ++i)
        if (p_.arguments[k].data[i] != std::nearbyint(p_.arguments[k].data[i]))
          attempt([&](argument& a) {
            if (i < a.data.size()) a.data[i] = std::nearbyint(a.data[i]);
          });
      if (k < p_.arguments.size() && p_.arguments[k].type.element == kt::element::float32)
        attempt([](argument& a) { a.type.element = kt::element::float64; });
      if (k < p_.arguments.size() && kt::core::is_short(p_.arguments[k].type.element)) attempt([](argument& a) { a.type.element = kt::element::float32; });
    }
    return any;
  }

  program p_;
  std::string kind_;
  check_options options_;
  static constexpr int most_tries = 2000;
  int tries_ = 0;
};

}  // namespace

program shrunk(program p, failure const& f, check_options options) { return shrinker(without_dead_parts(p), f, options).run(); }

std::string blamed(program const& p, failure const& f, check_options options) {
  if (!configurations[f.configuration].optimized) return {};
  std::vector<std::string_view> names;
  for (auto name : f.fired)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  for (auto const& pass : kt::passes())
    if (pass.optional && std::find(names.begin(), names.end(), pass.name) == names.end()) names.push_back(pass.name);
  options.only = f.configuration;
  for (auto name : names) {
    std::string_view const out[] = {name};
    options.excluded = out;
    if (!check(p, options)) return std::string(name);
  }
  return {};
}

std::string report(program const& p, failure const& f, check_options const& options, unsigned long long seed) {
  program const small = shrunk(p, f, options);
  check_options only = options;
  only.only = f.configuration;
  auto const again = check(small, only);
  failure const& shown = again ? *again : f;
  std::string const rule = blamed(small, shown, options);
  std::string text = "seed " + std::to_string(seed) + ": " + std::string(configurations[f.configuration].name) + ": " + shown.kind + ": " + shown.text + "\n";
  if (!rule.empty()) text += "the rule '" + rule + "' changes the value\n";
  return text + as_cpp(small);
}

}  // namespace fuzz
