// Several values in one .npz file, each under a name: a model, the streams that it draws from, and
// how far it has been trained.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/files/members.hpp>
#include <kroton/files/zip.hpp>

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

/// What can be written, and what can be read: an array that takes any extents, or several.
template <class V>
constexpr bool is_storable() {
  using stored = stored_t<V>;
  if constexpr (has_members<stored>) return true;
  else return requires { typename element_t<stored>; };
}
template <class V>
constexpr bool is_loadable() {
  using stored = stored_t<V>;
  if constexpr (std::is_const_v<V> || !is_storable<V>()) return false;
  else if constexpr (has_members<stored>) return true;
  else if constexpr (static_rank_of<stored> < 0) return false;
  else return std::same_as<stored, container_t<element_t<stored>, static_rank_of<stored>>>;
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
/// of a struct are `name.member`. A value that nothing else refers to can be written only.
template <class V>
auto entry(std::string const& name, V&& value) {
  using given = std::remove_reference_t<V>;
  constexpr bool lasts = std::is_lvalue_reference_v<V> || files::with_value<given>;
  using stored = std::conditional_t<lasts, given, given const>;
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
    (files::write_members(out, entries.name, files::stored(entries.value)), ...);
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
                "sparse matrices and streams that are neither const nor temporary");
  if constexpr (are_loadable) {
    files::zip_reader const in(file);
    std::tuple<files::stored_t<V>...> const read{
        files::read_members<files::stored_t<V>>(in, file, entries.name)...};
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
