// SPDX-License-Identifier: BSD-3-Clause
#include "compiled.hpp"

#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <algorithm>
#include <stdexcept>

namespace accuracy {

namespace kt = kroton;

namespace {

/// Records a problem in a graph whose parameters are its variables.
class recorder {
 public:
  recorder(problem const& p, kt::graph& g) : p_(p), g_(g), found_(p.nodes.nodes.size()) {}

  kt::term record(int k) {
    kt::term& found = found_[static_cast<std::size_t>(k)];
    if (!found.exists()) found = make(p_.nodes[k]);
    return found;
  }

 private:
  kt::term number(double x) { return {&g_, g_.literal(x, kt::element::float64)}; }
  kt::term make(node const& n) {
    if (n.is == operation::number) return number(n.value);
    if (n.is == operation::variable) return {&g_, g_.parameters()[n.variable]};
    kt::term t[3];
    for (std::size_t i = 0; i < n.arguments.size(); ++i) t[i] = record(n.arguments[i]);
    auto const& [a, b, c] = t;
    switch (n.is) {
      case operation::number:
      case operation::variable: break;
      case operation::add: return a + b;
      case operation::sub: return a - b;
      case operation::mul: return a * b;
      case operation::div: return a / b;
      case operation::neg: return -a;
      case operation::fabs: return abs(a);
      case operation::sqrt: return sqrt(a);
      case operation::cbrt: return cbrt(a);
      case operation::hypot: return hypot(a, b);
      case operation::fma: return a * b + c;
      case operation::fmin: return minimum(a, b);
      case operation::fmax: return maximum(a, b);
      case operation::copysign: return where(b < number(0), -abs(a), abs(a));
      case operation::exp: return exp(a);
      case operation::exp2: return exp2(a);
      case operation::expm1: return expm1(a);
      case operation::log: return log(a);
      case operation::log2: return log2(a);
      case operation::log10: return log10(a);
      case operation::log1p: return log1p(a);
      case operation::pow: return pow(a, b);
      case operation::sin: return sin(a);
      case operation::cos: return cos(a);
      case operation::tan: return tan(a);
      case operation::asin: return asin(a);
      case operation::acos: return acos(a);
      case operation::atan: return atan(a);
      case operation::atan2: return atan2(a, b);
      case operation::sinh: return sinh(a);
      case operation::cosh: return cosh(a);
      case operation::tanh: return tanh(a);
      case operation::asinh: return asinh(a);
      case operation::acosh: return acosh(a);
      case operation::atanh: return atanh(a);
      case operation::erf: return erf(a);
      case operation::erfc: return erfc(a);
      case operation::lgamma: return gammaln(a);
      case operation::floor: return floor(a);
      case operation::ceil: return ceil(a);
      case operation::trunc: return trunc(a);
      case operation::round: return round(a);
      case operation::less: return a < b;
      case operation::less_equal: return a <= b;
      case operation::greater: return a > b;
      case operation::greater_equal: return a >= b;
      case operation::equal: return a == b;
      case operation::not_equal: return a != b;
      case operation::both: return a & b;
      case operation::either: return a | b;
      case operation::negation: return ~a;
      case operation::choice: return where(a, b, c);
    }
    return {};
  }

  problem const& p_;
  kt::graph& g_;
  std::vector<kt::term> found_;
};

}  // namespace

void require_rules(std::vector<std::string> const& names) {
  for (std::string const& name : names)
    if (!kt::is_known_rewrite(name))
      throw std::runtime_error("no rule, pass or book has the name " + name);
}

struct compiled::contents {
  std::shared_ptr<kt::runtime::program const> program;
  std::vector<std::string> rules;
};

compiled::compiled(problem const& p, way how, bool gradient,
                   std::vector<std::string> const& excluded,
                   std::vector<std::string> const& included)
    : contents_(std::make_unique<contents>()) {
  kt::graph g;
  for (std::size_t v = 0; v < p.variables.size(); ++v) {
    kt::term const input{&g, g.input({kt::element::float64, 1, 0}, static_cast<int>(v))};
    named(input, p.variables[v]);
  }
  kt::term result = recorder(p, g).record(p.body);
  // A constant has no extent of its own.
  kt::term const x{&g, g.parameters()[0]};
  if (result.rank() == 0) result = result + zeros_like(x);
  if (gradient) result = grad(sum(result), x, kt::disconnected::zero);
  g.results().push_back(result.id);
  if (!g.error().empty()) throw kt::value_error(p.name + ": " + std::string(g.error()));

  kt::rewrite::rewrite_options options;
  std::vector<std::string_view> const names(excluded.begin(), excluded.end());
  std::vector<std::string_view> const asked_for(included.begin(), included.end());
  kt::rewrite::rewrite_log log;
  options.ieee = how == way::ieee;
  options.excluded = {names.data(), static_cast<int>(names.size())};
  options.included = {asked_for.data(), static_cast<int>(asked_for.size())};
  options.log = &log;
  kt::stage const last = how == way::written ? kt::stage::as_written : kt::stage::specialize;
  contents_->program = kt::runtime::make_program(g, last, options);
  for (std::string_view rule : log)
    if (std::find(contents_->rules.begin(), contents_->rules.end(), rule) == contents_->rules.end())
      contents_->rules.emplace_back(rule);
}
compiled::compiled(compiled&&) noexcept = default;
compiled::~compiled() = default;

std::vector<double> compiled::operator()(std::vector<std::vector<double>> const& columns) const {
  std::vector<kt::runtime::array> inputs, outputs;
  for (std::vector<double> const& column : columns) inputs.emplace_back(column);
  kt::cpu::frame frame(contents_->program->tables());
  for (std::size_t k = 0; k < inputs.size(); ++k) frame.bind(static_cast<int>(k), inputs[k].ref());
  kt::runtime::run_program(*contents_->program, frame, outputs);
  double const* const first = outputs[0].data<double>();
  return {first, first + outputs[0].size()};
}

std::string compiled::text() const {
  kt::graph const& g = contents_->program->optimized();
  return kt::printing::formula_of(g, g.results()[0]);
}

std::vector<std::string> compiled::rules() const { return contents_->rules; }

}  // namespace accuracy
