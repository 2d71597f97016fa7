// The plan of a function for given extents: what each step does, which choices were made and why,
// and how much memory it takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/function.hpp>
#include <kroton/print/loop_plan.hpp>
#include <kroton/print/loop_way.hpp>
#include <kroton/print/shape.hpp>

#include <ostream>

namespace kroton::printing {

template <class A>
inline constexpr bool is_shape = false;
template <int Rank>
inline constexpr bool is_shape<shape_t<Rank>> = true;

/// A parameter is given by its shape, a number, or an array.
template <class A>
concept stands_for_parameter = is_shape<A> || number<A> || number_range<A> || xtensor_expression<A>;

/// A parameter for the plan. A shape is treated as an array in row-major order whose data is never
/// read; a scalar given only by its shape counts as 0.
template <class T, int Rank, class A>
class planned_argument {
 public:
  explicit planned_argument(A const& a) : given_(a) {}
  array_ref ref() const { return given_.ref(); }

 private:
  argument<T, Rank, A> given_;
};
template <class T, int Rank, int Given>
class planned_argument<T, Rank, shape_t<Given>> {
  static_assert(Rank == Given, "kt::debugprint: a shape's rank differs from that of its parameter");

 public:
  explicit planned_argument(shape_t<Given> const& s) : shape_(s) {}
  array_ref ref() const {
    array_ref r;
    r.rank = Rank;
    r.bytes = static_cast<int>(sizeof(T));
    if constexpr (Rank == 0) r.data = reinterpret_cast<std::byte*>(const_cast<T*>(&zero_));
    for (int d = 0; d < Rank; ++d) r.extents[d] = shape_.extents[static_cast<std::size_t>(d)];
    r.make_contiguous_strides();
    return r;
  }

 private:
  shape_t<Given> shape_;
  T zero_{};
};

/// `gemv: one column`, from the extents of a product's operands.
inline std::string way_text(array_ref const& a, array_ref const& b, element e) {
  using blas::product_way;
  std::ptrdiff_t const rows = a.rank == 2 ? a.extents[0] : 1,
                       columns = b.rank == 2 ? b.extents[1] : 1;
  std::ptrdiff_t const inner = a.extents[a.rank - 1];
  product_way const way = blas::way_of(rows, inner, columns);
  if (way == product_way::nothing) return "nothing to do: no elements";
  if (way == product_way::zeros) return "no product: sums of nothing are 0";
  std::string const work = ", " +
                           count_text(static_cast<double>(rows) * static_cast<double>(inner) *
                                      static_cast<double>(columns)) +
                           " multiplications";
  if (!is_float(e)) return "plain loops" + work;
  switch (way) {
    case product_way::inner: return "dot: one row times one column" + work;
    case product_way::outer: return "one pass over the result: sums of one element" + work;
    case product_way::columns: return "gemv: one column" + work;
    case product_way::rows: return "gemv: one row" + work;
    default: return "gemm" + work;
  }
}

template <class Node>
struct name_of_node {
  static constexpr std::string_view value{};
};
template <class Op, int... In>
struct name_of_node<apply<Op, In...>> {
  static constexpr std::string_view value = info<Op>.name;
};
template <class Op, long long... A, int... In>
struct name_of_node<apply<with<Op, A...>, In...>> {
  static constexpr std::string_view value = info<Op>.name;
};
template <class T, int In>
struct name_of_node<apply<op::cast_to<T>, In>> {
  static constexpr std::string_view value = "cast";
};
template <class... N>
std::string names_of_nodes(std::type_identity<expression<N...>>) {
  std::string text;
  for (std::string_view name : {std::string_view{}, name_of_node<N>::value...})
    if (!name.empty()) text += " " + std::string(name);
  return text;
}

/// Prints the steps of a program in a frame whose extents are known and whose arrays have no data.
/// The source provides what the tables lack: names of ops, the contents of loops, the choices that
/// ops with choices have made.
template <class Source>
class plan_printer {
 public:
  plan_printer(frame& f, Source const& source, std::ostream& out)
      : f_(f), source_(source), out_(out) {}

  void print() {
    for (int i = 0; i < f_.tables().steps.size(); ++i) {
      for (int b = 0; b < f_.tables().bundles.size(); ++b)
        if (f_.tables().bundles[b].first == i) bundle(b);
      for (int b = 0; b < f_.tables().bands.size() && i > last_of_bundle_; ++b)
        if (f_.tables().bands[b].first == i) band(b);
      step(i);
    }
  }
  /// The memory that the printed chains keep between their products.
  std::size_t chain_bytes() const { return chain_bytes_; }

 private:
  void bundle(int b) {
    bundle_info const& info = f_.tables().bundles[b];
    if (!source_.takes_as_one(f_, b)) return;
    last_of_bundle_ = info.last;
    out_ << "  steps " << info.first + 1 << " to " << info.last + 1
         << " as one, batch by batch along the axis of " << f_.extent(info.extent) << '\n';
  }
  void band(int b) {
    band_info const& info = f_.tables().bands[b];
    std::ptrdiff_t const rows = f_.extent(info.rows), part = f_.bands().rows(b);
    bool const by_columns = f_.bands().by_columns(b);
    if (part == rows && !by_columns) return;
    out_ << "  steps " << info.first + 1 << " to " << info.last + 1 << " together";
    if (part < rows) out_ << ", " << part << " of " << rows << " rows at a time";
    out_ << (by_columns ? ", by columns\n" : "\n");
  }
  void step(int i) {
    step_info const& info = f_.tables().steps[i];
    step_view const s{f_, info};
    out_ << "  " << i + 1 << ". ";
    if (info.kind == step_kind::loop) {
      loop(i, s);
      return;
    }
    out_ << (places_part(info.kind) ? "part" : source_.op_name(i)) << ':';
    set_extents(s);
    for (int k = 0; k < read_count(s); ++k) out_ << ' ' << shape_text(f_.value(s.operand(k)));
    array_ref const& result = f_.value(s.result(0));
    out_ << " -> " << shape_text(result);
    int const factors = factors_of(info.kind, info.operand_count);
    if (traits_of(info.kind).view == step_traits::part) view(s);
    else if (result.size() == 0) note("nothing to do: no elements");
    else if (factors > 2) chain(chosen<chain_step>(s));
    else if (factors > 0)
      note(way_text(f_.value(s.operand(0)), f_.value(s.operand(1)), type_of(s)));
    else if (source_.joins(i, s)) {
      f_.left(s.result(0)) = {&s.info, nullptr};
      note("not copied in the frame: its loops read the arrays where they are");
    } else if (source_.gathers(i, s)) {
      f_.indirect(s.result(0)) = source_.elements(i, s);
      note(f_.indirect(s.result(0)).make != nullptr
               ? "not stored in the frame: its loop makes the numbers that it reads"
               : "not copied in the frame: its loop reads the elements through the indices");
    } else if (std::string const choice = source_.choice(i, s); !choice.empty()) note(choice);
    out_ << '\n';
  }
  void note(std::string const& text) { out_ << "\n     " << text; }
  element type_of(step_view const& s) const { return f_.tables().values[s.operand(0)].type; }
  // Indices, and the scalars of a product, do not affect its shape.
  int read_count(step_view const& s) const {
    return traits_of(s.info.kind).array_count(s.info.operand_count);
  }

  void loop(int i, step_view const& s) {
    planned_loop const l = source_.loop(i, s);
    if (s.info.space_rank == 0) {
      out_ << "scalars:" << l.names << '\n';
      return;
    }
    out_ << "loop over " << shape_text(l.before, l.rank) << ':' << l.names;
    if (l.empty)
      note(l.reduces ? "nothing to do but to store what reductions of nothing give: no elements"
                     : "nothing to do: no elements");
    for (std::string const& text : l.notes)
      if (i > last_of_bundle_) note(text);
    out_ << '\n';
  }

  void chain(chain_choice const& c) {
    note(chain_step::describe(c));
    chain_bytes_ += c.slots.back();
  }

  // Views find their extents when they run. A reshape would copy: its extents are in the table.
  void set_extents(step_view const& s) {
    array_ref& result = f_.value(s.result(0));
    if (s.info.kind == step_kind::dimshuffle) return run_dimshuffle(s);
    if (is_selection(s.info.kind)) return run_subtensor(s);
    if (places_part(s.info.kind)) return run_joined_part(s);
    if (s.info.kind != step_kind::reshape) return;
    for (int d = 0; d < result.rank; ++d)
      result.extents[d] = f_.extent(f_.tables().values[s.result(0)].extents[d]);
    result.make_contiguous_strides();
  }
  void view(step_view const& s) {
    array_ref const& base = f_.value(s.operand(0));
    if (s.info.kind == step_kind::reshape && !base.contiguous())
      note("copied, since the operand is not contiguous: " +
           count_text(static_cast<double>(base.size() * base.bytes)) + " bytes");
    else out_ << (places_part(s.info.kind) ? ", where it is computed" : ", a view");
  }

  frame& f_;
  Source const& source_;
  std::ostream& out_;
  std::size_t chain_bytes_ = 0;
  int last_of_bundle_ = -1;  // of the one that is printed
};

/// There is no plan for shapes alone if extents depend on elements.
inline void refuse_computed_extents(program_tables const& tables) {
  for (auto const& step : tables.steps)
    if (step.prologue && (step.kind != step_kind::loop || step.space_rank > 0))
      throw value_error(
          "kt::debugprint: extents inside depend on the elements of a parameter, not only on "
          "shapes");
}

/// The plan of a program whose parameters are bound and whose prologue has run. `way` is asked how
/// the call goes, when the extents are laid out.
template <class Source, class Way>
void print_plan(frame& f, Source const& source, std::ostream& out, Way way) {
  f.part_bands(true);
  std::size_t const bytes = f.measure(static_cast<std::size_t>(most_bytes));
  out << "plan for";
  for (int p = 0; p < f.tables().parameters.size(); ++p)
    out << (p == 0 ? " " : ", ") << shape_text(f.value(p));
  out << '\n';
  plan_printer<Source> printer(f, source, out);
  printer.print();
  out << "  memory: " << count_text(static_cast<double>(bytes)) << " bytes between the steps";
  if (printer.chain_bytes() > 0)
    out << ", " << count_text(static_cast<double>(printer.chain_bytes())) << " bytes within chains";
  out << "\n  call: " << way() << '\n';
}

/// Describes the steps of a static program.
template <class Program>
class static_plan_source {
  static constexpr int count = static_cast<int>(Program::steps.size());

 public:
  std::string_view op_name(int i) const {
    return Program::value.ops[Program::steps[static_cast<std::size_t>(i)].op]->name;
  }
  /// Whether a call takes the steps of a bundle as one.
  bool takes_as_one(frame& f, int bundle) const {
    return takes_bundle<Program>(f, bundle);
  }
  /// Whether a step leaves the arrays that it joins to its loops.
  bool joins(int i, step_view const& s) const {
    return s.info.indirect && joins(i) && is_left_to_loops(s);
  }
  /// Whether a step leaves the elements that it selects, or makes, to its loop.
  bool gathers(int i, step_view const& s) const {
    if (!s.info.indirect || joins(i)) return false;
    int const op = Program::steps[static_cast<std::size_t>(i)].op;
    return Program::value.ops[op]->selects ? is_read_in_place(s.array(0), s.array(1))
                                           : s.target().size() >= machine::min_indirect;
  }
  /// What its loop reads then.
  indirect_array elements(int i, step_view const& s) const {
    indirect_array result;
    visit(i, [&]<int I>(std::integral_constant<int, I>) {
      static constexpr step_info const& info = Program::steps[I];
      if constexpr (info.kind == step_kind::own && info.indirect) {
        // Nothing is computed here, so the random numbers are not generated either.
        if constexpr (info_of_step<Program, I>.generates)
          result = {
              .index = s.target(),
              .bytes = s.target().bytes,
              .make = [](std::uint64_t const*, std::byte*, std::ptrdiff_t, std::ptrdiff_t) {}};
        else if constexpr (info_of_step<Program, I>.selects)
          result = selected(s.array(0), s.array(1));
      }
    });
    return result;
  }
  planned_loop loop(int i, step_view const& s) const {
    planned_loop result;
    visit(i, [&]<int I>(std::integral_constant<int, I>) {
      static constexpr step_info const& info = Program::steps[I];
      if constexpr (info.kind == step_kind::loop) {
        using expression = lift_t<Program, info.body>;
        using kernel = loop_of<expression>;
        auto space = space_of<typename kernel::space>(s, kernel::facts);
        indirect_array const* arrays[static_cast<std::size_t>(kernel::operands) + 1];
        if constexpr (info.indirect) read_through_indices(s, space, arrays);
        space_parts parts(space.rank, space.extents);
        std::ptrdiff_t number = 1;
        if (info.indirect && find_parts(s, kernel::facts, parts)) {
          number = parts.count();
          space = parts.largest(space);
        }
        turning_loop<expression, info.indirect ? 0 : info.space_rank>::run(
            space, row_choices_of(s), [&]<class Kernel>(auto& turned, std::type_identity<Kernel>) {
              result = planned_loop::of(turned, Kernel::facts,
                                        names_of_nodes(std::type_identity<expression>{}),
                                        Kernel::G::has_reduction);
            });
        if (number > 1)
          result.notes.insert(result.notes.begin(),
                              "in " + std::to_string(number) +
                                  " parts, each of which reads one of the joined arrays; of the "
                                  "largest:");
      }
    });
    return result;
  }
  std::string choice(int i, step_view const& s) const {
    std::string result;
    visit(i, [&]<int I>(std::integral_constant<int, I>) {
      static constexpr step_info const& info = Program::steps[I];
      if constexpr (info.kind == step_kind::own) {
        using own = kernel_of<op_at<Program::value.ops[info.op]>>;
        if constexpr (chooses<own, step_view>) result = own::describe(chosen<own>(s));
      } else if constexpr (info.kind == step_kind::scan) {
        result = way_of_scan<Program, I>();
      }
    });
    return result;
  }

 private:
  static bool joins(int i) {
    return Program::value.ops[Program::steps[static_cast<std::size_t>(i)].op]->concatenates;
  }
  template <class Visit>
  static void visit(int i, Visit visit) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      using expand = int[];
      (void)expand{0, (I == i ? (visit(std::integral_constant<int, I>{}), 0) : 0)...};
    }(std::make_integer_sequence<int, count>{});
  }
};

/// A function's access for its plan.
template <class F>
struct shape_plan;
template <class F, class Mode, class... P, class... S>
struct shape_plan<compiled_function<F, Mode, std::tuple<P...>, S...>> {
  using function_type = compiled_function<F, Mode, std::tuple<P...>, S...>;
  using program = freeze::program<F, Mode, static_cast<int>(sizeof...(S)), P...>;
  static constexpr int free = static_cast<int>(sizeof...(P) - sizeof...(S));

  /// How a call goes that a frame has laid out, and why.
  static std::string way_of_call(frame& f) {
    using executor = typename function_type::executor_type;
    if constexpr (requires { executor::needs_frame(f); }) {
      if constexpr (executor::is_scalar) return "as a function of numbers";
      if constexpr (executor::is_of_elements) return "as a function of the elements of its arrays";
      std::string const reason = executor::needs_frame(f);
      if (!reason.empty()) return "in the frame, since " + reason;
      std::ptrdiff_t const together = executor::rows_together(f);
      std::string const way = "small, without the frame";
      return together == 0 || program::bands.size() != 1 ||
                     together == f.extent(program::bands[0].rows)
                 ? way
                 : way + ", " + std::to_string(together) + " rows at a time";
    } else {
      return "in the frame, as its mode asks";
    }
  }

  template <class... A>
  static void print(function_type const& function, std::ostream& out, A const&... given) {
    static_assert(sizeof...(A) == static_cast<std::size_t>(free),
                  "kt::debugprint: the number of shapes differs from the number of parameters that "
                  "are not bound to shared variables");
    [&]<std::size_t... I, std::size_t... K>(std::index_sequence<I...>, std::index_sequence<K...>) {
      using all = std::tuple<P...>;
      auto const arguments =
          std::tuple(planned_argument<value_type_of<std::tuple_element_t<I, all>>,
                                      rank_of<std::tuple_element_t<I, all>>, A>(given)...);
      program_frame<program> f;
      (f.bind(static_cast<int>(I), std::get<I>(arguments).ref()), ...);
      (f.bind(free + static_cast<int>(K), shared_ref(std::get<K>(function.shared_))), ...);
      refuse_computed_extents(f.tables());
      f.find_extents([&](auto const& prologue) { run_steps<program, true>(f, prologue); });
      print_plan(f, static_plan_source<program>(), out, [&] { return way_of_call(f); });
    }(std::make_index_sequence<static_cast<std::size_t>(free)>{},
      std::make_index_sequence<sizeof...(S)>{});
  }
};

}  // namespace kroton::printing
