// Programs as C++ that can be pasted into a test.
// SPDX-License-Identifier: BSD-3-Clause
#include "print.hpp"

#include "compressed.hpp"
#include "draws.hpp"
#include "library.hpp"
#include "record.hpp"
#include "sparse.hpp"

#include <cmath>
#include <cstdio>
#include <map>

namespace fuzz {

namespace {

std::string cpp_name(kt::element e) {
  constexpr char const* names[] = {"bool",          "std::int8_t",   "std::int16_t",  "std::int32_t", "std::int64_t", "std::uint8_t",
                                   "std::uint16_t", "std::uint32_t", "std::uint64_t", "float",        "double",
                                   "std::complex<float>", "std::complex<double>", "kt::half", "kt::bfloat16"};
  return names[static_cast<int>(e)];
}
std::string number_text(real x, kt::element e) {
  char text[64];
  if (kt::core::is_bool(e)) return x != 0 ? "true" : "false";
  if (!kt::core::is_float(e)) {
    if (kt::core::is_unsigned(e)) std::snprintf(text, sizeof text, "%lluu", static_cast<unsigned long long>(x));
    // The smallest number has no literal of its own.
    else if (x < -9.2e18L) return "std::numeric_limits<std::int64_t>::min()";
    else std::snprintf(text, sizeof text, "%lld", static_cast<long long>(x));
    return text;
  }
  std::string const type = cpp_name(e);
  if (std::isnan(x)) return "std::numeric_limits<" + type + ">::quiet_NaN()";
  if (std::isinf(x)) return (x < 0 ? "-std::numeric_limits<" : "std::numeric_limits<") + type + ">::infinity()";
  std::snprintf(text, sizeof text, "%.17g", static_cast<double>(x));
  std::string result = text;
  if (result.find_first_of(".e") == std::string::npos) result += ".";
  if (kt::core::is_short(e)) return type + "(" + result + ")";
  return e == kt::element::float32 ? result + "f" : result;
}
std::string joined(std::vector<std::string> const& parts) {
  std::string text;
  for (auto const& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

class printer {
 public:
  explicit printer(program const& p) : p_(p) {
    for (std::size_t k = 0; k < p.arguments.size(); ++k) names_.push_back("x" + std::to_string(k));
  }
  /// Of a body, whose arguments have these names; those of its calls begin with the prefix.
  printer(program const& p, std::vector<std::string> names, std::string prefix) : p_(p), names_(std::move(names)), prefix_(std::move(prefix)) {}

  std::string run() const {
    std::string text = "auto const f = " + lambda(p_.outputs.size(), {}) + ";\n", stream;
    std::vector<std::string> given;
    for (std::size_t k = 0; k < p_.arguments.size(); ++k) {
      argument const& a = p_.arguments[k];
      // The first word of a state is the seed.
      if (is_stream(a.kind)) {
        stream += std::string(", kt::") + (a.kind == argument_kind::philox ? "philox_streams(" : "random_streams(") + number_text(a.data[0], a.type.element) + ")";
      } else {
        text += declaration(a, names_[k]);
        given.push_back(names_[k]);
      }
    }
    std::string const call = ")(" + joined(given) + ");\n";
    return text + "auto const fast = kt::function(f" + stream + call + "auto const ieee = kt::function(f" + stream + ", kt::mode::ieee" + call;
  }
  std::string lambda(std::size_t count, std::vector<int> const& updated) const {
    std::vector<std::string> parameters, outputs;
    for (std::size_t k = 0; k < p_.arguments.size(); ++k) parameters.push_back(parameter(p_.arguments[k]) + " " + names_[k]);
    std::string text = "[](" + joined(parameters) + ") {\n" + calls_text();
    for (std::size_t k = 0; k < count; ++k) outputs.push_back(name(p_.outputs[k]));
    text += (updated.empty() ? "  return std::tuple(" : "  return kt::outputs(") + joined(outputs) + ")";
    for (std::size_t k = 0; count + k < p_.outputs.size(); ++k) text += ".update(" + name(updated[k]) + ", " + name(p_.outputs[count + k]) + ")";
    return text + ";\n}";
  }

 private:
  std::string name(int v) const {
    bool const sparse = p_.is_argument(v) && is_sparse(p_.arguments[static_cast<std::size_t>(v)].kind);
    return sparse ? "kt::dense_from_sparse(" + own_name(v) + ")" : own_name(v);
  }
  std::string own_name(int v) const { return p_.is_argument(v) ? names_[static_cast<std::size_t>(v)] : prefix_ + "t" + std::to_string(v); }
  std::string calls_text() const {
    std::string text;
    for (int v = static_cast<int>(p_.arguments.size()); v < p_.size(); ++v) text += "  auto " + name(v) + " = " + call_text(p_.at(v), v) + ";\n";
    return text;
  }
  std::string text(operand const& o) const {
    if (!o.is_number()) return name(o.value);
    return o.is_integer ? std::to_string(static_cast<long>(o.number)) : number_text(static_cast<real>(o.number), kt::element::float64);
  }
  static std::string parameter(argument const& a) {
    if (is_stream(a.kind)) return "kt::rng";
    if (is_sparse(a.kind)) return a.kind == argument_kind::csr ? "kt::csr<double>" : "kt::csc<double>";
    unsigned const all = (1u << a.shape.size()) - 1;
    if (a.shape.empty() || (a.fixed & all) == 0) return variable(a.type);
    if ((a.fixed & all) != all) return variable(a.type) + " /* extents known as bits: " + std::to_string(a.fixed & all) + " */";
    std::vector<std::string> parts{cpp_name(a.type.element)};
    for (long extent : a.shape) parts.push_back(std::to_string(extent));
    return "kt::fixed<" + joined(parts) + ">";
  }
  static std::string variable(kt::tensor_type t) {
    std::string const e = cpp_name(t.element);
    if (t.rank == 2 && t.broadcast == 1) return "kt::row<" + e + ">";
    if (t.rank == 2 && t.broadcast == 2) return "kt::col<" + e + ">";
    return "kt::variable<" + e + ", " + std::to_string(t.rank) + ">";
  }
  std::string bound(index_item::bound const& b) const {
    return b.none ? "kt::none" : b.is_value ? name(static_cast<int>(b.value)) : std::to_string(b.value);
  }
  std::string axes(call const& c) const {
    std::vector<std::string> all;
    for (int a : c.axes) all.push_back(a < 0 ? "'x'" : std::to_string(a));
    return joined(all);
  }
  std::string parameter_text(char letter, int p) const {
    if (letter == 'A') return p < 0 ? "" : ", kt::axis<" + std::to_string(p) + ">";
    if (letter == 'K') return p == 0 ? "" : ", kt::keepdims";
    if (letter == 's') return p == 0 ? "left" : "right";
    return std::to_string(p);
  }
  std::string library_text(call const& c, std::vector<std::string> const& operands) const {
    library_function const& f = library_functions()[static_cast<std::size_t>(c.function)];
    std::string result;
    for (std::size_t i = 0; i < f.text.size(); ++i) {
      bool const operand = f.text[i] == '$', parameter = f.text[i] == '#';
      if (!operand && !parameter) {
        result += f.text[i];
        continue;
      }
      auto const k = static_cast<std::size_t>(f.text[++i] - '0');
      result += operand ? operands[k] : parameter_text(f.parameters[k], c.axes[k]);
    }
    return result;
  }
  /// A text with operands instead of $ and a character.
  static std::string filled(std::string_view text, std::map<char, std::string> const& operands) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) result += text[i] == '$' ? operands.at(text[++i]) : std::string(1, text[i]);
    return result;
  }
  std::string sparse_text(call const& c, std::vector<std::string> const& operands) const {
    std::vector<std::string> stack;
    std::size_t next = 0;
    for (int number : c.axes) {
      sparse_function const& f = sparse_functions()[static_cast<std::size_t>(number)];
      std::map<char, std::string> named;
      for (std::size_t k = 0; k < f.operands.size(); ++k, ++next)
        named[static_cast<char>('0' + k)] = f.operands[k] == 'm' ? own_name(c.operands[next].value) : operands[next];
      for (int k = f.matrices - 1; k >= 0; --k, stack.pop_back()) named[static_cast<char>('a' + k)] = stack.back();
      stack.push_back(filled(f.text, named));
    }
    return stack.back();
  }
  std::string draw_text(call const& c, std::vector<std::string> const& o) const {
    std::vector<std::string> extents;
    for (int extent : c.axes) extents.push_back(o.size() == 1 ? std::to_string(extent) : o[1] + ".shape(" + std::to_string(extent) + ")");
    std::string text = filled(draw_functions()[static_cast<std::size_t>(c.function)].text, {{'0', o[0]}});
    return text.replace(text.find('#'), 1, "kt::size(" + joined(extents) + ")");
  }
  static std::string with_taps(std::vector<int> const& taps, std::string const& x, bool plain) {
    std::vector<std::string> all;
    for (int t : taps) all.push_back(std::to_string(t));
    return plain ? x : "kt::taps<" + joined(all) + ">(" + x + ")";
  }
  /// The loop that is call number v, on these operands.
  std::string loop_text(call const& c, int v, std::vector<std::string> const& operands) const {
    loop const& l = c.loops[0];
    std::string const prefix = prefix_ + "s" + std::to_string(v);
    std::vector<std::string> parameters, names, sequences, starts, constants, results, arguments;
    std::size_t next = 0;
    for (auto const& taps : l.sequences) sequences.push_back(with_taps(taps, operands[next++], taps == std::vector<int>{0}));
    for (auto const& taps : l.results) starts.push_back(taps.empty() ? "kt::none" : with_taps(taps, operands[next++], taps == std::vector<int>{-1}));
    std::string const steps = l.counted ? operands[next++] : "";
    for (int k = 0; k < l.listed; ++k) constants.push_back(operands[next++]);
    for (int k = 0; k < l.moving() + l.listed; ++k) {
      names.push_back(prefix + "x" + std::to_string(k));
      parameters.push_back("[[maybe_unused]] auto " + names.back());
    }
    names.insert(names.end(), operands.begin() + static_cast<long>(next), operands.end());
    printer const body(l.body, names, prefix);
    for (int r : l.body.outputs) results.push_back(body.name(r));
    arguments.push_back("[&](" + joined(parameters) + ") {\n" + body.calls_text() + "  return std::tuple(" + joined(results) + ");\n}");
    if (!sequences.empty()) arguments.push_back("kt::sequences(" + joined(sequences) + ")");
    arguments.push_back("kt::outputs_info(" + joined(starts) + ")");
    if (l.counted) arguments.push_back("kt::n_steps(" + steps + ")");
    if (!constants.empty()) arguments.push_back("kt::non_sequences(" + joined(constants) + ")");
    if (l.truncate > 0) arguments.push_back("kt::truncate_gradient(" + std::to_string(l.truncate) + ")");
    if (l.checkpoint > 0) arguments.push_back("kt::checkpoint(" + std::to_string(l.checkpoint) + ")");
    if (l.snapshots > 0) arguments.push_back("kt::snapshots(" + std::to_string(l.snapshots) + ")");
    if (l.backwards && !l.only_last) arguments.push_back("kt::go_backwards");
    std::string const scan = std::string(!l.only_last ? "kt::scan" : l.backwards ? "kt::foldr" : "kt::foldl") + "(" + joined(arguments) + ")";
    return results.size() == 1 ? scan : "std::get<" + std::to_string(c.function) + ">(" + scan + ")";
  }
  std::string call_text(call const& c, int v) const {
    std::vector<std::string> o;
    for (operand const& given : c.operands) o.push_back(text(given));
    switch (c.kind) {
      case call_kind::loop: return loop_text(c, v, o);
      case call_kind::sparse: return sparse_text(c, o);
      case call_kind::draw: return draw_text(c, o);
      case call_kind::library: return library_text(c, o);
      case call_kind::elementwise: {
        std::string const f(elementwise_functions()[static_cast<std::size_t>(c.function)].name);
        if (std::isalpha(static_cast<unsigned char>(f[0])) != 0 && f != "u-") return f + "(" + joined(o) + ")";
        if (o.size() == 1) return f.substr(f.size() - 1) + o[0];
        return o[0] + " " + f + " " + o[1];
      }
      case call_kind::cast: return "kt::cast<" + cpp_name(c.to) + ">(" + o[0] + ")";
      case call_kind::mean:
      case call_kind::reduction: {
        std::string const f(c.kind == call_kind::mean ? "mean" : reduction_names[c.function]);
        return "kt::" + f + "(" + o[0] + ", kt::axis<" + axes(c) + ">" + (c.keep ? ", kt::keepdims)" : ")");
      }
      case call_kind::softmax_like: return "kt::" + std::string(softmax_names[c.function]) + "(" + o[0] + ", kt::axis<" + axes(c) + ">)";
      case call_kind::dimshuffle: return "kt::dimshuffle<" + axes(c) + ">(" + o[0] + ")";
      case call_kind::reshape: {
        for (int a : c.axes) o.push_back(std::to_string(a));
        return "kt::reshape<" + std::to_string(c.axes.size()) + ">(" + joined(o) + ")";
      }
      case call_kind::subtensor: {
        std::vector<std::string> items;
        for (auto const& i : c.index)
          items.push_back(i.code == 0   ? "kt::slice()"
                          : i.code == 1 ? bound(i.begin)
                                        : "kt::slice(" + bound(i.begin) + ", " + bound(i.end) + ", " + std::to_string(i.step) + ")");
        return o[0] + "(" + joined(items) + ")";
      }
      case call_kind::dot: return "dot(" + joined(o) + ")";
      case call_kind::full_like: return "kt::full_like(" + joined(o) + ")";
      case call_kind::gradient: return "kt::grad(" + joined(o) + ", kt::disconnected::zero)";
      case call_kind::second_gradient:
        return "kt::grad(sum(kt::grad(" + joined(o) + ", kt::disconnected::zero) * cos(" + o[1] + ")), " + o[1] + ", kt::disconnected::zero)";
      default: return "kt::rop(" + joined(o) + ")";
    }
  }

  static std::string literal(argument const& a, std::size_t axis, std::size_t& next) {
    if (axis == a.shape.size()) return number_text(a.data[next++], a.type.element);
    std::vector<std::string> parts;
    for (long i = 0; i < a.shape[axis]; ++i) parts.push_back(literal(a, axis + 1, next));
    return "{" + joined(parts) + "}";
  }
  template <class T>
  static std::string vector_text(std::string const& type, std::vector<T> const& all, kt::element e) {
    std::vector<std::string> parts;
    for (T x : all) parts.push_back(number_text(x, e));
    return "std::vector<" + type + ">{" + joined(parts) + "}";
  }
  static std::string matrix_declaration(argument const& a, std::string const& name) {
    compressed const m(a);
    return (a.kind == argument_kind::csr ? "kt::csr_array<double> const " : "kt::csc_array<double> const ") + name + "{" +
           joined({vector_text("double", m.values, kt::element::float64), vector_text("int", m.indices, kt::element::int32),
                   vector_text("int", m.starts, kt::element::int32), "{" + std::to_string(a.shape[0]) + ", " + std::to_string(a.shape[1]) + "}"}) +
           "};\n";
  }
  static std::string declaration(argument const& a, std::string const& name) {
    if (is_sparse(a.kind)) return matrix_declaration(a, name);
    std::size_t next = 0;
    std::string const e = cpp_name(a.type.element);
    if (a.shape.empty()) return e + " const " + name + " = " + literal(a, 0, next) + ";\n";
    std::string const type = "xt::xtensor<" + e + ", " + std::to_string(a.shape.size()) + ">";
    if (!a.data.empty()) return type + " const " + name + literal(a, 0, next) + ";\n";
    std::vector<std::string> extents;
    for (long extent : a.shape) extents.push_back(std::to_string(extent));
    return type + " const " + name + "(" + type + "::shape_type{" + joined(extents) + "});\n";
  }

  program const& p_;
  std::vector<std::string> names_{};
  std::string prefix_{};
};

}  // namespace

std::string as_cpp(program const& p) { return printer(p).run(); }
std::string as_lambda(program const& p, std::size_t outputs, std::vector<int> const& updated) { return printer(p).lambda(outputs, updated); }

}  // namespace fuzz
