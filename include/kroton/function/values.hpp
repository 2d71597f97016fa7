// The values of a struct of variables, and shared variables that store them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/structure.hpp>
#include <kroton/function/shared.hpp>
#include <kroton/function/sparse_array.hpp>

#include <concepts>
#include <string>

namespace kroton {

template <structured S>
class values;

namespace functions {

/// The container of the value of a variable, or of a struct of variables.
template <class P>
struct value_of_parameter {
  using type = std::tuple<>;  // for rejected types
};
template <typed P>
struct value_of_parameter<P> {
  using type = container_t<value_type_of<P>, rank_of<P>>;
};
template <structured P>
struct value_of_parameter<P> {
  using type = values<P>;
};
template <compound P>
struct value_of_parameter<P> {
  using type = sparse_array_t<typename P::value_type, std::int32_t, P::by_rows>;
};
template <class P>
using parameter_value_t = typename value_of_parameter<P>::type;

template <class P>
struct shared_of_parameter {
  using type = std::tuple<>;
};
template <typed P>
struct shared_of_parameter<P> {
  using type = shared<value_type_of<P>, rank_of<P>>;
};
template <structured P>
struct shared_of_parameter<P> {
  using type = shared<P>;
};

template <class V>
inline constexpr bool is_values = false;
template <class S>
inline constexpr bool is_values<values<S>> = true;

/// The position of a member that is given by its position or by its pointer.
template <class S, auto Which>
constexpr std::size_t member_position() {
  if constexpr (std::is_integral_v<decltype(Which)>) {
    return static_cast<std::size_t>(Which);
  } else {
    std::size_t position = 0, k = 0;
    auto look = [&]<class M>(std::type_identity<M>) {
      if constexpr (std::same_as<std::remove_const_t<decltype(M::pointer)>,
                                 std::remove_const_t<decltype(Which)>>)
        if (M::pointer == Which) position = k + 1;
      ++k;
    };
    with_members<S>([&](auto... m) { (look(m), ...); });
    return position == 0 ? k : position - 1;
  }
}
template <class S, auto Which>
struct position_of_member {
  static constexpr std::size_t found = member_position<S, Which>();
  static constexpr std::size_t value = found < members_of<S>::count ? found : 0;
  static_assert(found < members_of<S>::count, "kt::get: the struct has no such member");
};

/// A value of a struct made from the values of its variables, the first of which is number At of a
/// tuple; they are moved.
template <class P, std::size_t At, class Leaves>
auto value_from_leaves(Leaves& all) {
  if constexpr (compound<P>) {
    parameter_value_t<P> value;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      value.leaves() = std::forward_as_tuple(std::move(std::get<At + I>(all))...);
    }(typename members_of<P>::sequence{});
    return value;
  } else if constexpr (structured<P>) {
    values<P> value;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((std::get<I>(value.all()) =
            value_from_leaves<member_t<P, I>, At + leaves_before<P, I>()>(all)),
       ...);
    }(typename members_of<P>::sequence{});
    return value;
  } else {
    return parameter_value_t<P>(std::move(std::get<At>(all)));
  }
}

/// References to the values of all variables in a value.
template <class V>
auto leaf_references(V& value) {
  if constexpr (is_values<std::remove_const_t<V>>)
    return std::apply([](auto&... member) { return std::tuple_cat(leaf_references(member)...); },
                      value.all());
  else if constexpr (is_sparse_array<std::remove_const_t<V>>)
    return value.leaves();
  else
    return std::tuple<V&>(value);
}

}  // namespace functions

namespace files {

/// Writes the values of a struct to files and reads them; defined in kroton/npz.hpp.
template <class S>
struct values_file;

}  // namespace files

/// The values of a struct of variables: for each member an array or a number, or kt::values for a
/// member that is a struct. Tuple-like: `auto [W, b] = v;`, `kt::get<&layer::W>(v)`,
/// `kt::get<0>(v)`.
template <structured S>
class values {
  static constexpr bool is_sound = core::is_sound_parameter<S>();
  static_assert(is_sound,
                "kt::values: a member of the struct is not a variable, or none is declared with "
                "BOOST_HANA_DEFINE_STRUCT");
  template <class>
  struct storage_of;
  template <std::size_t... I>
  struct storage_of<std::index_sequence<I...>> {
    using type = std::tuple<functions::parameter_value_t<core::member_t<S, I>>...>;
  };

 public:
  /// The members' values as a std::tuple.
  using tuple = typename storage_of<typename core::members_of<S>::sequence>::type;

  /// Empty arrays and zeros.
  values() = default;
  /// One value for each member, in order: anything that kt::shared accepts, or kt::values for a
  /// member that is a struct. Elements are converted.
  template <class... V>
    requires(sizeof...(V) > 0 && !(sizeof...(V) == 1 && (std::same_as<V, values> && ...)))
  explicit values(V const&... given) {
    static_assert(!is_sound || sizeof...(V) == core::members_of<S>::count,
                  "kt::values: the number of values differs from the number of the struct's "
                  "members");
    if constexpr (is_sound && sizeof...(V) == core::members_of<S>::count) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((std::get<I>(all_) = converted<core::member_t<S, I>>(given)), ...);
      }(std::index_sequence_for<V...>{});
    }
  }

  tuple& all() & { return all_; }
  tuple const& all() const& { return all_; }
  tuple all() && { return std::move(all_); }

  /// Writes the arrays to a .npz file that NumPy can read, each under its member's name,
  /// `outer.inner` in a nested struct. Throws kt::file_error. Needs kroton/npz.hpp.
  void save(std::string const& file) const {
    io([&]<class F>(std::type_identity<F>) { F::save(file, *this); });
  }
  /// Reads a file written by `save` or numpy.savez. Throws kt::file_error, which leaves the values
  /// unchanged. Needs kroton/npz.hpp.
  void load(std::string const& file) {
    io([&]<class F>(std::type_identity<F>) { F::load(file, *this); });
  }

 private:
  template <class P, class V>
  static functions::parameter_value_t<P> converted(V const& given) {
    if constexpr (compound<P>) {
      static_assert(std::same_as<V, functions::parameter_value_t<P>>,
                    "kt::values: a sparse member needs a kt::csr_array or kt::csc_array of its "
                    "element type");
      return given;
    } else if constexpr (structured<P>) {
      static_assert(std::same_as<V, values<P>>,
                    "kt::values: a member that is a struct needs the kt::values of its type");
      return given;
    } else {
      static_assert(!functions::is_values<V>,
                    "kt::values: a kt::values was passed for a member that is not such a struct");
      static_assert(cpu::static_rank_of<V> == rank_of<P> || cpu::static_rank_of<V> == -1,
                    "kt::values: the rank of a value differs from that of its member");
      return cpu::to_container<value_type_of<P>, rank_of<P>>(given);
    }
  }
  template <class Use>
  static void io(Use const& use) {
    constexpr bool is_defined = requires { sizeof(files::values_file<S>); };
    static_assert(is_defined, "kt::values: to save and load values, #include <kroton/npz.hpp>");
    if constexpr (is_defined) use(std::type_identity<files::values_file<S>>{});
  }

  tuple all_{};
};

/// A member of values, by its pointer or its position: `kt::get<&layer::W>(v)`.
template <auto Which, structured S>
auto& get(values<S>& v) {
  return std::get<functions::position_of_member<S, Which>::value>(v.all());
}
template <auto Which, structured S>
auto const& get(values<S> const& v) {
  return std::get<functions::position_of_member<S, Which>::value>(v.all());
}
/// Returns the member itself if the values are a temporary, so that a variable bound to it outlives
/// them.
template <auto Which, structured S>
auto get(values<S>&& v) {
  return std::move(std::get<functions::position_of_member<S, Which>::value>(v.all()));
}

namespace functions {

/// Shared variables for all members of a struct, on the host or on a device: `Variable<P>::type` is
/// that of a member.
template <structured S, template <class> class Variable>
class shared_members {
  template <class>
  struct storage_of;
  template <std::size_t... I>
  struct storage_of<std::index_sequence<I...>> {
    using type = std::tuple<typename Variable<core::member_t<S, I>>::type...>;
  };

 public:
  using value_type = values<S>;
  using tuple = typename storage_of<typename core::members_of<S>::sequence>::type;

  /// From one value for each member, in order, or from a kt::values.
  template <class... V>
    requires(!(sizeof...(V) == 1 && (std::derived_from<V, shared_members> && ...)))
  explicit shared_members(V const&... initial) : all_(variables_of(values<S>(initial...))) {}

  /// A copy of all values, on the host.
  values<S> get_value() const {
    return std::apply([](auto const&... member) { return values<S>(member.get_value()...); }, all_);
  }
  /// Replaces all values by a kt::values, or by one value for each member.
  template <class... V>
  void set_value(V const&... given) {
    values<S> const converted(given...);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (std::get<I>(all_).set_value(std::get<I>(converted.all())), ...);
    }(typename core::members_of<S>::sequence{});
  }
  /// The extents of each member, as a std::tuple.
  auto shape() const {
    return std::apply([](auto const&... member) { return std::tuple(member.shape()...); }, all_);
  }
  /// As kt::values::save and kt::values::load.
  void save(std::string const& file) const { get_value().save(file); }
  void load(std::string const& file) {
    values<S> read;
    read.load(file);
    set_value(read);
  }

  /// The members' own shared variables.
  tuple const& all() const& { return all_; }
  tuple all() && { return std::move(all_); }

 private:
  static tuple variables_of(values<S> const& initial) {
    return std::apply(
        [](auto const&... value) {
          return [&]<class... M>(std::type_identity<std::tuple<M...>>) {
            return std::tuple<M...>(M(value)...);
          }(std::type_identity<tuple>{});
        },
        initial.all());
  }

  tuple all_;
};

}  // namespace functions

/// Shared variables for all members of a struct: `kt::shared<layer> weights(W_0, b_0);`. Copies
/// refer to the same values.
template <structured S>
class shared<S, -1> : public functions::shared_members<S, functions::shared_of_parameter> {
 public:
  using functions::shared_members<S, functions::shared_of_parameter>::shared_members;
};

/// A shared sparse matrix: `kt::shared<kt::csr<double>> a(array);`.
template <compound S>
class shared<S, -1> {
  using number = typename S::value_type;

 public:
  using value_type = functions::parameter_value_t<S>;
  using tuple = std::tuple<shared<number, 1>, shared<std::int32_t, 1>, shared<std::int32_t, 1>,
                           shared<std::int64_t, 0>>;

  /// From a kt::csr_array or kt::csc_array, or a matrix of Eigen.
  template <functions::sparse_argument A>
  explicit shared(A const& initial)
      : all_(std::apply([](auto const&... leaf) { return tuple(leaf...); },
                        functions::leaves_of_sparse<S>(initial))) {}

  /// A copy.
  value_type get_value() const {
    value_type value;
    std::apply([&](auto const&... leaf) { value.leaves() = std::tuple(leaf.get_value()...); },
               all_);
    return value;
  }
  /// Replaces the matrix; pattern and extents may change.
  template <functions::sparse_argument A>
  void set_value(A const& given) {
    auto const next = functions::leaves_of_sparse<S>(given);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (std::get<I>(all_).set_value(std::get<I>(next)), ...);
    }(std::make_index_sequence<4>{});
  }
  /// {rows, columns}.
  std::array<std::size_t, 2> shape() const { return get_value().shape(); }

  tuple const& all() const& { return all_; }
  tuple all() && { return std::move(all_); }

 private:
  tuple all_;
};

/// The shared variable of one member: `kt::get<&layer::W>(weights)`. It refers to the same value.
template <auto Which, structured S>
auto get(shared<S> const& s) {
  return std::get<functions::position_of_member<S, Which>::value>(s.all());
}

}  // namespace kroton

template <class S>
struct std::tuple_size<kroton::values<S>> : std::tuple_size<typename kroton::values<S>::tuple> {};
template <std::size_t I, class S>
struct std::tuple_element<I, kroton::values<S>>
    : std::tuple_element<I, typename kroton::values<S>::tuple> {};
