// What a value is in an .npz file: an array under its name, or several, of the members of a struct
// or of a sparse matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/files/sparse.hpp>
#include <kroton/files/zip.hpp>
#include <kroton/function/values.hpp>

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace kroton::files {

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
template <class V>
inline constexpr bool has_members = !std::is_void_v<typename struct_of<V>::type>;

/// `model.W`; of a struct that has a file of its own, `W`.
inline std::string member_of(std::string const& name, std::string_view member) {
  return (name.empty() ? "" : name + ".").append(member);
}
/// Calls visit(name, member) for each member.
template <class V, class Visit>
void for_each_member(std::string const& name, V& value, Visit const& visit) {
  auto const visit_all = [&]<class... M>(std::type_identity<M>...) {
    auto const on = [&](auto&... member) { (visit(member_of(name, M::name()), member), ...); };
    if constexpr (is_sparse_array<std::remove_const_t<V>>) std::apply(on, value.leaves());
    else std::apply(on, value.all());
  };
  core::with_members<typename struct_of<std::remove_const_t<V>>::type>(visit_all);
}

template <class V>
void write_members(zip_writer& out, std::string const& name, V const& value) {
  if constexpr (has_members<V>)
    for_each_member(name, value, [&](std::string const& member, auto const& part) {
      write_members(out, member, part);
    });
  else out.add(name + ".npy", npy_of(value));
  if constexpr (is_sparse_array<V>)
    out.add(member_of(name, "format") + ".npy", npy_of_text(format_of<V>));
}

/// Throws kt::file_error, also for arrays that are no sparse matrix.
template <class V>
V read_members(zip_reader const& in, std::string const& file, std::string const& name) {
  if constexpr (!has_members<V>) {
    return array_from_npy<element_t<V>, static_rank_of<V>>(in.get(name), file + ": " + name);
  } else {
    if constexpr (is_sparse_array<V>) check_format<V>(in, file, member_of(name, "format"));
    V read;
    for_each_member(name, read, [&]<class M>(std::string const& member, M& part) {
      part = read_members<M>(in, file, member);
    });
    if constexpr (is_sparse_array<V>) return checked(read, file + ": " + name);
    else return read;
  }
}

}  // namespace kroton::files
