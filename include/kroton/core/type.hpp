// The type of a symbolic tensor: element type, rank, and which dimensions broadcast.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/element.hpp>

#include <cstdint>
#include <string_view>

namespace kroton {
namespace core {

/// The maximum number of dimensions of a tensor.
inline constexpr int max_rank = 8;

/// The error for a tensor with more dimensions.
constexpr std::string_view rank_error(int rank) {
  constexpr std::string_view said[] = {
      "kt: a tensor has at most 8 dimensions, but an expression has 9",
      "kt: a tensor has at most 8 dimensions, but an expression has 10",
      "kt: a tensor has at most 8 dimensions, but an expression has 11",
      "kt: a tensor has at most 8 dimensions, but an expression has 12",
      "kt: a tensor has at most 8 dimensions, but an expression has 13",
      "kt: a tensor has at most 8 dimensions, but an expression has 14",
      "kt: a tensor has at most 8 dimensions, but an expression has 15",
      "kt: a tensor has at most 8 dimensions, but an expression has 16",
      "kt: a tensor has at most 8 dimensions, but an expression has more than 16"};
  return said[rank < 17 ? rank - 9 : 8];
}

}  // namespace core

/// Element type, rank and broadcast flags. Bit d of `broadcast` says that dimension d has extent 1
/// and broadcasts; a dimension without the flag never does, whatever its extent at run time (as in
/// Theano).
struct tensor_type {
  kroton::element element;
  std::uint8_t rank;
  std::uint32_t broadcast;

  constexpr bool operator==(tensor_type const&) const = default;
  /// True when dimension d broadcasts.
  constexpr bool broadcasts(int d) const { return (broadcast >> d & 1u) != 0; }
  /// Position in this type of dimension d of a result of rank `rank_of_result`, or negative when it
  /// is missing.
  constexpr int aligned(int d, int rank_of_result) const { return d - (rank_of_result - rank); }
  /// True when this type, right-aligned in a result of the given rank, spans dimension d.
  constexpr bool spans(int d, int rank_of_result) const {
    int const own = aligned(d, rank_of_result);
    return own >= 0 && !broadcasts(own);
  }
};

namespace core {

/// Theano's name of a type, in two parts: `d` and `matrix`, `bool ` and `vector`.
[[gnu::cold]] constexpr std::string_view letter_of(element e) {
  constexpr std::string_view letters[] = {"bool ",  "b",       "w",       "i",        "l",
                                          "uint8 ", "uint16 ", "uint32 ", "uint64 ",  "f",
                                          "d",      "c",       "z",       "float16 ", "bfloat16 "};
  return letters[static_cast<int>(e)];
}
[[gnu::cold]] constexpr std::string_view shape_name(tensor_type const& t) {
  constexpr std::string_view shapes[] = {"scalar",  "vector",  "matrix",  "tensor3", "tensor4",
                                         "tensor5", "tensor6", "tensor7", "tensor8"};
  return t.rank != 2        ? shapes[t.rank]
         : t.broadcast == 1 ? "row"
         : t.broadcast == 2 ? "col"
                            : "matrix";
}

}  // namespace core
}  // namespace kroton
