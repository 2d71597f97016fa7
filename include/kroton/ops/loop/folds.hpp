// map, reduce, foldl and foldr: loops of the usual forms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/scan.hpp>

namespace kroton {

/// Applies f to the elements of sequences: a scan without states. (theano.map)
template <class F, class... A>
  requires scan_takes_named_arguments<A...>
constexpr auto map(F const& f, A const&... arguments) {
  if constexpr ((ops::is_kind<ops::output_arguments, A> || ...))
    return ops::refuse_scan<ops::scan_fault_at<ops::scan_fault::states_of_map>, F>(arguments...);
  else return scan(f, arguments...);
}

/// Goes through sequences from the first element on and gives the final states, or their starts
/// where there is nothing to go through. Of outputs without a start it gives all values.
/// (theano.foldl)
template <class F, class... A>
  requires scan_takes_named_arguments<A...>
constexpr auto foldl(F const& f, A const&... arguments) {
  return scan(f, arguments..., ops::last_values{});
}
/// `foldl` from the last element on. (theano.foldr)
template <class F, class... A>
  requires scan_takes_named_arguments<A...>
constexpr auto foldr(F const& f, A const&... arguments) {
  return scan(f, arguments..., go_backwards, ops::last_values{});
}
/// Another name of `foldl`. (theano.reduce)
template <class F, class... A>
  requires scan_takes_named_arguments<A...>
constexpr auto reduce(F const& f, A const&... arguments) {
  return foldl(f, arguments...);
}

namespace ops {

// Found by the types of their arguments, as scan is.
using kroton::foldl;
using kroton::foldr;
using kroton::map;
using kroton::reduce;

}  // namespace ops
}  // namespace kroton
