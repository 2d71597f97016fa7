// What ranks ask each other for: a reduction or a broadcast, of which values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/element.hpp>
#include <kroton/core/message.hpp>
#include <kroton/core/text.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kroton::distributed {

/// What a rank takes part in.
enum class collective : std::int64_t { sum, mean, max, min, first_rank, broadcast };

/// How ranks exchange data after an agreement.
enum class way : std::int64_t { mpi, nccl };

/// A request in words of 64 bits: what, the element type, its number in the function, how many
/// values the function asks for, and the way; and of those that are meant the position, rank and
/// extents.
class request {
 public:
  static constexpr int values_from = 5;

  request(collective what, element type, long long number, int values, way by = way::mpi)
      : words_{static_cast<std::int64_t>(what), static_cast<std::int64_t>(type), number, values,
               static_cast<std::int64_t>(by)} {}
  explicit request(std::vector<std::int64_t> words) : words_(std::move(words)) {}
  void add(int position, core::array_ref const& value) {
    words_.push_back(position);
    words_.push_back(value.rank);
    words_.insert(words_.end(), value.extents, value.extents + value.rank);
  }

  /// Equal where requests are; not negative, so that -hash exists.
  std::int64_t hash() const {
    std::uint64_t hash = 0;
    for (std::int64_t word : words_) hash = core::mix(hash, static_cast<std::uint64_t>(word));
    return static_cast<std::int64_t>(hash >> 1);
  }
  bool operator==(request const&) const = default;
  /// Whether both ask for the same of values of the same type, though not of the same extents, or
  /// not by the same way.
  bool is_alike(request const& other) const {
    return std::equal(words_.begin(), words_.begin() + values_from - 1, other.words_.begin());
  }

  std::vector<std::int64_t> const& words() const { return words_; }
  collective what() const { return static_cast<collective>(words_[0]); }
  element type() const { return static_cast<element>(words_[1]); }
  int values() const { return static_cast<int>(words_[3]); }
  way by() const { return static_cast<way>(words_[values_from - 1]); }

  /// Whether it is made in a call of a compiled function.
  bool is_of_a_call() const { return what() != collective::broadcast; }
  /// The function that a user has called.
  std::string_view function() const {
    return is_of_a_call() ? "kt::all_reduce" : "kt::distributed::communicator::broadcast";
  }
  /// "the sum of 2 values of float64 (number 1 of its function)"
  std::string text() const {
    static constexpr std::string_view names[] = {"sum", "mean",       "max",
                                                 "min", "first rank", "broadcast"};
    std::string const count = values() == 1 ? "a value" : core::message({values(), " values"});
    std::string const number = what() == collective::broadcast
                                   ? ""
                                   : core::message({" (number ", words_[2], " of its function)"});
    return core::message(
        {"the ", names[words_[0]], " of ", count, " of ", core::name_of(type()), number});
  }
  /// "on the host, by MPI"
  std::string_view place() const {
    return by() == way::mpi ? "on the host, by MPI" : "on a device, by NCCL";
  }
  /// The positions of the values that are meant.
  std::vector<std::int64_t> positions() const {
    std::vector<std::int64_t> all;
    for (std::size_t at = values_from; at < words_.size(); at = next(at)) all.push_back(words_[at]);
    return all;
  }
  /// The extents of the value at a position: "(3, 4)"; empty if it is not meant.
  std::string extents(std::int64_t position) const {
    std::size_t at = values_from;
    while (at < words_.size() && words_[at] != position) at = next(at);
    if (at == words_.size()) return {};
    std::string text = "(";
    for (std::size_t d = at + 2; d < next(at); ++d)
      text += (d > at + 2 ? ", " : "") + std::to_string(words_[d]);
    return text + ")";
  }

 private:
  std::size_t next(std::size_t at) const {
    return at + 2 + static_cast<std::size_t>(words_[at + 1]);
  }

  std::vector<std::int64_t> words_;
};

}  // namespace kroton::distributed
