// Functions of structs of variables: a struct counts as one parameter, argument or output for each
// of its variables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/outputs.hpp>
#include <kroton/function/values.hpp>

namespace kroton::functions {

template <class Parameters>
inline constexpr bool sound_structures = true;
template <class... P>
inline constexpr bool sound_structures<std::tuple<P...>> = (is_sound_parameter<P>() && ...);

// ---- names ------------------------------------------------------------------------------------

// Writes `b of parameter 3`, or `outer.b` in a nested struct; the number appears only if several
// parameters are structs. A variable that is not in a struct is `own`.
template <class P>
constexpr void append_names(list<char>& text, list<int>& ends, list<char> const& path,
                            std::string_view suffix, std::string_view own) {
  if constexpr (structured<P>) {
    with_members<P>([&]<class... M>(std::type_identity<M>...) {
      auto append = [&](std::string_view name, auto next) {
        list<char> longer = path;
        if (!longer.empty()) longer.push_back('.');
        longer.append(name.data(), static_cast<int>(name.size()));
        append_names<typename decltype(next)::type>(text, ends, longer, suffix, own);
      };
      (append(M::name(), std::type_identity<typename M::type>{}), ...);
    });
  } else {
    if (path.empty()) suffix = own;
    text.append(path.data(), path.size());
    text.append(suffix.data(), static_cast<int>(suffix.size()));
    ends.push_back(text.size());
  }
}

/// The names of the variables of parameters. One that is not in a struct is `parameter 2`, behind a
/// struct: there its number is not the one that it has among all variables. Before, it has none.
template <class... P>
class member_names {
  static constexpr int structs = (static_cast<int>(structured<P>) + ... + 0);
  static constexpr std::size_t count = (leaf_count<P>() + ... + 0);

  static constexpr void write(list<char>& text, list<int>& ends) {
    int position = 0;
    bool is_counted = true;
    auto append = [&]<class X>(std::type_identity<X>) {
      ++position;
      char suffix[] = " of parameter 00";
      char* digit = suffix + 14;
      if (position >= 10) *digit++ = static_cast<char>('0' + position / 10);
      *digit++ = static_cast<char>('0' + position % 10);
      std::string_view const whole(suffix, static_cast<std::size_t>(digit - suffix));
      append_names<X>(text, ends, {}, structs > 1 ? whole : "",
                      is_counted ? "" : whole.substr(std::string_view(" of ").size()));
      is_counted = is_counted && !structured<X>;
    };
    (append(std::type_identity<P>{}), ...);
  }
  static constexpr std::size_t length = [] {
    list<char> text;
    list<int> ends;
    write(text, ends);
    return static_cast<std::size_t>(text.size());
  }();
  struct table_t {
    char text[length + 1];
    int begin[count + 1];
  };
  static constexpr table_t table = [] {
    list<char> text;
    list<int> ends;
    write(text, ends);
    table_t result{};
    for (int i = 0; i < text.size(); ++i) result.text[i] = text[i];
    for (int i = 0; i < ends.size(); ++i) result.begin[i + 1] = ends[i];
    return result;
  }();

 public:
  static constexpr std::string_view at(std::size_t i) {
    return {table.text + table.begin[i],
            static_cast<std::size_t>(table.begin[i + 1] - table.begin[i])};
  }
};

// ---- parameters and arguments -----------------------------------------------------------------

template <class A>
concept tuple_of_values = !is_values<A> && requires { std::tuple_size<A>::value; };

/// The values of a parameter's variables: from a kt::values, or from a std::tuple with one value
/// for each member.
template <class P, class A>
auto leaves_of_argument(A const& a) {
  if constexpr (!structured<P>) {
    return std::tuple<A const&>(a);
  } else if constexpr (compound<P>) {
    if constexpr (sparse_argument<A>)
      return leaves_of_sparse<P>(a);
    else {
      static_assert(sparse_argument<A>,
                    "kt::function: a sparse parameter takes a kt::csr_array (a kt::csc a "
                    "kt::csc_array) or an Eigen::SparseMatrix; a dense argument needs a kt::matrix "
                    "parameter");
      static parameter_value_t<P> const instead;
      return instead.leaves();
    }
  } else if constexpr (is_values<A>) {
    static_assert(std::same_as<A, values<P>>,
                  "kt::function: a kt::values of another struct was passed for a struct parameter");
    return leaf_references(a);
  } else {
    if constexpr (!tuple_of_values<A>) {
      static_assert(tuple_of_values<A>,
                    "kt::function: a struct parameter takes a kt::values of its struct, or a "
                    "std::tuple of its members' values");
    } else if constexpr (std::tuple_size_v<A> != members_of<P>::count) {
      static_assert(
          std::tuple_size_v<A> == members_of<P>::count,
          "kt::function: the tuple for a struct parameter must have one value for each member");
    } else {
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::tuple_cat(leaves_of_argument<member_t<P, I>>(std::get<I>(a))...);
      }(typename members_of<P>::sequence{});
    }
  }
}

/// The values of a struct from kt::values, or from a std::tuple with one value for each member.
template <class P, class A>
auto const& values_of_argument(A const& a)
  requires(!structured<P> || is_values<A>)
{
  return a;
}
template <structured P, class A>
  requires(!is_values<A>)
values<P> values_of_argument(A const& a) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return values<P>(values_of_argument<member_t<P, I>>(std::get<I>(a))...);
  }(typename members_of<P>::sequence{});
}

/// F, of parameters P, on the variables of its parameters in place of the structs.
// A pack, not a tuple: with a type of std among the arguments of a program, calls would be looked
// up in std.
template <class F, class... P>
struct flattened {
  using parameters = leaves_t<P...>;

  template <symbolic... X>
  constexpr auto operator()(X const&... x) const {
    term const all[] = {x...};
    int k = 0;
    auto next = [&]<class V>(std::type_identity<V>) { return V(all[k++]); };
    std::tuple<P...> const given{build<P>(next)...};
    auto const result = std::apply([](auto const&... p) { return F{}(p...); }, given);
    // After the call: a name that the lambda assigns takes precedence.
    for (std::size_t i = 0; i != sizeof...(X); ++i)
      if (!member_names<P...>::at(i).empty()) named(all[i], member_names<P...>::at(i));
    return result;
  }

  /// How many of F's parameters the first `leaves` variables make up.
  static constexpr std::size_t count_within(std::size_t leaves) {
    std::size_t count = 0, sum = 0;
    ((sum += leaf_count<P>(), count += sum <= leaves ? 1u : 0u), ...);
    return count;
  }
  /// References to the values of all variables in the arguments of a call.
  template <class... A>
  static auto leaves_of_arguments(A const&... arguments) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple_cat(
          leaves_of_argument<std::tuple_element_t<I, std::tuple<P...>>>(arguments)...);
    }(std::index_sequence_for<A...>{});
  }
};

template <class F, class Parameters>
struct flattening;
template <class F, class... P>
struct flattening<F, std::tuple<P...>> {
  using type = flattened<F, P...>;
};
/// The same for parameters in a std::tuple.
template <class F, class Parameters>
using flattened_t = typename flattening<F, Parameters>::type;

template <class F>
inline constexpr bool is_flattened = false;
template <class F, class... P>
inline constexpr bool is_flattened<flattened<F, P...>> = true;

/// How many arguments make up the first `leaves` variables of F's parameters.
template <class F>
constexpr std::size_t argument_count(int leaves) {
  if constexpr (is_flattened<F>) return F::count_within(static_cast<std::size_t>(leaves));
  else return static_cast<std::size_t>(leaves);
}

template <class S>
auto leaves_of_shared(S const& s) {
  if constexpr (requires { s.all(); })
    return std::apply(
        [](auto const&... member) { return std::tuple_cat(leaves_of_shared(member)...); }, s.all());
  else
    return std::tuple<S>(s);
}

// ---- outputs ----------------------------------------------------------------------------------

/// The elements of a lambda's result: variables and structs, in order; tuples, pairs and arrays are
/// flattened.
template <class R>
constexpr auto pieces(R const& result) {
  if constexpr (typed<R> || structured<R>) return std::tuple<R>(result);
  else if constexpr (requires { result.updates(); }) return pieces(result.values());
  else
    return std::apply([](auto const&... part) { return std::tuple_cat(pieces(part)...); }, result);
}
template <class R>
using pieces_t = decltype(pieces(std::declval<R const&>()));

template <class R>
inline constexpr bool holds_structure = structured<R>;
template <class... V>
inline constexpr bool holds_structure<output_list<V...>> = (structured<V> || ...);
template <class... V>
inline constexpr bool holds_structure<std::tuple<V...>> = (holds_structure<V> || ...);
template <class A, class B>
inline constexpr bool holds_structure<std::pair<A, B>> = holds_structure<A> || holds_structure<B>;
template <class V, std::size_t N>
inline constexpr bool holds_structure<std::array<V, N>> = holds_structure<V>;

/// The outputs of a call, with structs assembled: a single one, or a std::tuple.
template <class R, class Leaves>
auto with_structures(Leaves& all) {
  using list = pieces_t<R>;
  if constexpr (std::tuple_size_v<list> == 1) {
    return value_from_leaves<std::tuple_element_t<0, list>, 0>(all);
  } else {
    return [&]<class... Q, std::size_t... K>(std::type_identity<std::tuple<Q...>>,
                                             std::index_sequence<K...>) {
      constexpr auto before = [](std::size_t k) {
        std::size_t const counts[]{leaf_count<Q>()...};
        std::size_t sum = 0;
        for (std::size_t i = 0; i < k; ++i) sum += counts[i];
        return sum;
      };
      return std::tuple<parameter_value_t<Q>...>(value_from_leaves<Q, before(K)>(all)...);
    }(std::type_identity<list>{}, std::make_index_sequence<std::tuple_size_v<list>>{});
  }
}

template <class T>
auto leaves_of_target(T& target) {
  if constexpr (is_values<T> || is_sparse_array<T>) return leaf_references(target);
  else return std::tuple<T&>(target);
}
/// References to the arrays that `into` fills.
template <class R, class Out>
auto targets_of(Out& out) {
  using list = pieces_t<R>;
  if constexpr (!tuple_of_values<std::remove_const_t<Out>>) {
    static_assert(std::tuple_size_v<list> == 1 &&
                      std::same_as<Out, parameter_value_t<std::tuple_element_t<0, list>>>,
                  "kt::function: into takes a kt::values for an output that is a struct; tie "
                  "several targets with std::tie");
    return leaves_of_target(out);
  } else {
    static_assert(std::tuple_size_v<std::remove_const_t<Out>> == std::tuple_size_v<list>,
                  "kt::function: into takes one target for each output; tie several with std::tie");
    return std::apply([](auto&... target) { return std::tuple_cat(leaves_of_target(target)...); },
                      out);
  }
}

}  // namespace kroton::functions
