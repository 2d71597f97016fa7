// Several values in one .npz file, each under a name: a model, the streams that it draws from, and
// how far it has been trained.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/files/sparse.hpp>
#include <kroton/files/zip.hpp>
#include <kroton/function/structure.hpp>

#include <exception>
#include <string>
#include <tuple>
#include <type_traits>

namespace kroton {
namespace files {

template <class V>
struct named_entry {
  std::string name;
  V& value;
};

/// What is written of a variable or of a stream: its value, its state.
template <class V> concept with_state = requires(V const& v) { v.get_state(); };
template <class V> concept with_value = requires(V const& v) { v.get_value(); };
template <class V>
decltype(auto) stored(V const& value) {
  if constexpr (with_state<V>) return value.get_state();
  else if constexpr (with_value<V>) return value.get_value();
  else return (value);
}
template <class V>
using stored_t = std::remove_cvref_t<decltype(stored(std::declval<V const&>()))>;

/// The struct of variables whose values are several arrays; void for a single one.
template <class V>
struct struct_of {
  using type = void;
};
template <class S>
struct struct_of<values<S>> {
  using type = S;
};
template <class V>
  requires is_sparse_array<V>
struct struct_of<V> {
  using type = sparse_matrix<typename V::value_type, V::by_rows>;
};

/// What can be written, and what can be read: an array that takes any extents, or several.
template <class V>
constexpr bool is_storable() {
  using stored = stored_t<V>;
  if constexpr (!std::is_void_v<typename struct_of<stored>::type>) return true;
  else return requires { typename element_t<stored>; };
}
template <class V>
constexpr bool is_loadable() {
  using stored = stored_t<V>;
  if constexpr (std::is_const_v<V> || !is_storable<V>()) return false;
  else if constexpr (!std::is_void_v<typename struct_of<stored>::type>) return true;
  else if constexpr (static_rank_of<stored> < 0) return false;
  else return std::same_as<stored, container_t<element_t<stored>, static_rank_of<stored>>>;
}

/// Calls visit(name of the array, array) for the arrays of a value.
template <class V, class Visit>
void for_each_array(std::string const& name, V& value, Visit const& visit) {
  using S = typename struct_of<std::remove_const_t<V>>::type;
  if constexpr (std::is_void_v<S>) {
    visit(name, value);
  } else {
    std::size_t k = 0;
    auto const next = [&](auto& leaf) {
      visit(name + "." + std::string(member_names<S>::at(k++)), leaf);
    };
    std::apply([&](auto&... leaf) { (next(leaf), ...); }, leaf_references(value));
  }
}

template <class V>
stored_t<V> read_entry(zip_reader const& in, std::string const& file, named_entry<V> const& e) {
  stored_t<V> read{};
  for_each_array(e.name, read, [&]<class A>(std::string const& name, A& to) {
    to = array_from_npy<element_t<A>, static_rank_of<A>>(in.get(name), file + ": " + name);
  });
  check_read(read, file + ": " + e.name);
  return read;
}
template <class V>
void assign(V& to, stored_t<V> const& value) {
  if constexpr (with_state<V>) to.set_state(value);
  else if constexpr (with_value<V>) to.set_value(value);
  else to = value;
}
/// The state of a stream; nothing of other values. A stream refuses a state that is none of its
/// own, and is assigned first, so that only streams may have to be set back.
template <class V>
auto state_of([[maybe_unused]] V const& value) {
  if constexpr (with_state<V>) return value.get_state();
  else return std::tuple<>();
}
template <class V, class State>
void assign_state(V& to, [[maybe_unused]] State const& state) {
  if constexpr (with_state<V>) to.set_state(state);
}

}  // namespace files

/// A value and its name in an .npz file, for kt::save and kt::load: an array, a number, kt::values,
/// a kt::shared, a sparse matrix, or a stream of random numbers, whose state it stands for. Members
/// of a struct are `name.member`.
template <class V>
auto entry(std::string const& name, V&& value) {
  using stored = std::remove_reference_t<V>;
  constexpr bool is_storable = files::is_storable<stored>();
  static_assert(is_storable || is_accepted<met::type<stored>>,
                "kt::entry: a file holds arrays, numbers, kt::values, kt::shared, sparse matrices "
                "and the states of streams");
  return files::named_entry<stored>{name, value};
}

/// Writes values to one .npz file, which NumPy reads: `kt::save("run.npz", kt::entry("model", w),
/// kt::entry("stream", s))`. Throws kt::file_error. (numpy.savez)
template <class... V>
  requires(sizeof...(V) > 0)
void save(std::string const& file, files::named_entry<V> const&... entries) {
  if constexpr ((files::is_storable<V>() && ...)) {
    files::zip_writer out(file);
    auto const add = [&](std::string const& name, auto const& array) {
      out.add(name + ".npy", files::npy_of(array));
    };
    auto const write = [&](auto const& e) {
      auto const& value = files::stored(e.value);
      files::for_each_array(e.name, value, add);
    };
    (write(entries), ...);
    out.write();
  }
}
/// Reads what was written under these names. Throws kt::file_error, and kt::value_error for a state
/// that is none of its stream; then all values stay as they were.
template <class... V>
  requires(sizeof...(V) > 0)
void load(std::string const& file, files::named_entry<V> const&... entries) {
  constexpr bool are_loadable = (files::is_loadable<V>() && ...);
  static_assert(are_loadable || is_accepted<met::type<V>...>,
                "kt::load: values are read into numbers, xt::xtensor, kt::values, kt::shared, "
                "sparse matrices and streams that are not const");
  if constexpr (are_loadable) {
    files::zip_reader const in(file);
    std::tuple<files::stored_t<V>...> const read{files::read_entry(in, file, entries)...};
    std::tuple<decltype(files::state_of(entries.value))...> const before{
        files::state_of(entries.value)...};
    auto const for_all = [&](auto const& from, auto const& use) {
      std::apply([&](auto const&... value) { (use(entries.value, value), ...); }, from);
    };
    auto const assign_state = [](auto& to, auto const& value) { files::assign_state(to, value); };
    try {
      for_all(read, assign_state);
    } catch (...) {
      for_all(before, assign_state);
      throw;
    }
    for_all(read, [](auto& to, auto const& value) { files::assign(to, value); });
  }
}

}  // namespace kroton
