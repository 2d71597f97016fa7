// The requirements of files: a separate header, and the element type and rank for reading.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/refusal.hpp>
#include <kroton/ops/sparse/matrix.hpp>

#include <type_traits>

namespace kroton {
namespace files {

/// Defined in kroton/npz.hpp.
template <class>
struct npz_header;

/// Defined in kroton/files/entries.hpp.
template <class V>
struct named_entry;
template <class N>
inline constexpr bool is_entry = false;
template <class V>
inline constexpr bool is_entry<named_entry<V>> = true;

template <class T> concept has_npz_header = requires { sizeof(npz_header<T>); };

}  // namespace files

/// Rejects reading without kroton/npz.hpp, and without the element type and the rank.
template <class T = void, int Rank = -1, class File, class... Name>
  requires(!files::has_npz_header<File> ||
           ((std::is_void_v<T> || Rank < 0) && !sparse<T> && !(files::is_entry<Name> || ...)))
core::refused_value load(File const&, Name const&...) {
  if constexpr (!files::has_npz_header<File>)
    static_assert(is_accepted<File>,
                  "kt::load: to read NumPy's files #include <kroton/npz.hpp>, and link zlib (-lz)");
  else
    static_assert(
        is_accepted<T, wanted::rank<Rank>>,
        "kt::load: name the element type and the rank, as in kt::load<double, 2>(\"x.npy\")");
  return {};
}
/// Rejects writing without kroton/npz.hpp.
template <class File, class... A>
  requires(!files::has_npz_header<File>)
void save(File const&, A const&...) {
  static_assert(is_accepted<File>,
                "kt::save: to write NumPy's files #include <kroton/npz.hpp>, and link zlib (-lz)");
}

}  // namespace kroton
