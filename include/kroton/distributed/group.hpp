// Ranks that compute together: they agree on what comes next before they exchange data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/distributed/patience.hpp>
#include <kroton/distributed/request.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

namespace kroton::distributed {

/// A group of ranks. Each exchange of data is preceded by an agreement, one small reduction in
/// which every rank says what it asks for, or that it has failed: so ranks that differ end with an
/// error on all of them, and in step.
class group {
 public:
  /// Every rank of `ranks` makes one; messages are kept apart from those of the program.
  explicit group(MPI_Comm ranks) {
    check(MPI_Comm_dup(ranks, &ranks_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &size_);
    patience_ = patience(ranks_, rank_, size_);
  }
  group(group const&) = delete;
  group& operator=(group const&) = delete;

  MPI_Comm ranks() const { return ranks_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  patience& waiting() { return patience_; }
  /// Whether some rank may never end by itself.
  bool has_missing() const { return has_missing_; }

  /// Returns when every rank asks for the same. Throws on every rank kt::shape_error if they differ
  /// in extents, otherwise kt::distributed::error, which names the ranks.
  void agree(request const& mine) {
    everyone_knows_ = mine.is_of_a_call();  // as soon as this throws
    take_part(state::asks, mine.hash(), mine.function());
    complete(mine.function());
    if (agreement_.most[0] > 0) refuse_failed(mine.function());
    if (agreement_.most[1] != -agreement_.most[2]) refuse_different(mine);
    everyone_knows_ = false;
  }
  /// Takes part in the next agreement as one that has failed, unless the others know; they throw
  /// there. Waits for them no longer than a moment.
  void fail() noexcept {
    if (!everyone_knows_) leave(state::failed);
    everyone_knows_ = false;
  }
  /// The same as one that asks for nothing any more.
  void end() noexcept { leave(state::ended); }
  /// After `end`: until all others have ended, too, however long that takes.
  void await_end() noexcept {
    patience_.limit(patience::seconds(std::numeric_limits<double>::infinity()));
    try {
      complete("the end of the program");
    } catch (error const&) {  // there is no one left to tell
    }
  }

 private:
  enum class state { asks, failed, ended };
  /// The largest over all ranks of: how a rank has failed, and which, the first one counting most;
  /// the hash of a request, and its opposite.
  struct agreement {
    std::array<std::int64_t, 3> mine{}, most{};
    MPI_Request pending = MPI_REQUEST_NULL;
  };

  void take_part(state s, std::int64_t hash, std::string_view what) {
    if (!broken_.empty()) throw error(broken_);
    complete(what);
    std::int64_t const lowest = std::numeric_limits<std::int64_t>::lowest();
    if (s == state::asks) agreement_.mine = {0, hash, -hash};
    else agreement_.mine = {2 * (size_ - rank_) + (s == state::ended), lowest, lowest};
    check(MPI_Iallreduce(agreement_.mine.data(), agreement_.most.data(),
                         static_cast<int>(agreement_.mine.size()), MPI_INT64_T, MPI_MAX, ranks_,
                         &agreement_.pending),
          "MPI_Iallreduce");
  }
  void leave(state s) noexcept {
    try {
      take_part(s, 0, "kt::all_reduce");
      if (s == state::failed) patience::linger(agreement_.pending);
    } catch (error const&) {  // the others have been told, or cannot be
    }
  }
  /// Ends the agreement that is under way. Where a rank does not come, there is none any more.
  void complete(std::string_view what) {
    if (agreement_.pending == MPI_REQUEST_NULL) return;
    try {
      patience_.wait(agreement_.pending, what);
    } catch (error const& e) {
      has_missing_ = true;
      broken_ = e.what();
      throw;
    }
  }
  [[noreturn]] void refuse_failed(std::string_view function) {
    int const who = size_ - static_cast<int>(agreement_.most[0] / 2);
    bool const has_ended = agreement_.most[0] % 2 != 0;
    std::string const text =
        core::message({function, ": rank ", who,
                       has_ended ? " has ended its program" : " has left a call by an error",
                       "; rank ", rank_, " of ", size_, " waits for it"});
    if (has_ended) broken_ = text;
    throw error(text);
  }
  [[noreturn]] void refuse_different(request const& mine) const {
    std::vector<request> const all = everyones(mine);
    auto const other =
        std::find_if(all.begin(), all.end(), [&](request const& r) { return !(r == all.front()); });
    request const &first = all.front(), &second = other == all.end() ? all.front() : *other;
    auto const who = other - all.begin();
    if (!first.differs_in_extents_only(second))
      throw error(core::message({mine.function(), ": rank 0 asks for ", first.text(), ", but rank ",
                                 who, " for ", second.text()}));
    int value = 0;
    while (value + 1 < first.values() && first.extents(value) == second.extents(value)) ++value;
    std::string const which =
        first.values() == 1 ? "the value" : core::message({"value ", value + 1});
    throw shape_error(
        core::message({mine.function(), ": ", which, " has the extents ", first.extents(value),
                       " on rank 0, but ", second.extents(value), " on rank ", who}));
  }
  /// The requests of all ranks, in their order.
  std::vector<request> everyones(request const& mine) const {
    auto const ranks = static_cast<std::size_t>(size_);
    std::vector<int> counts(ranks), begins(ranks + 1);
    int const count = static_cast<int>(mine.words().size());
    check(MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, ranks_), "MPI_Allgather");
    for (std::size_t r = 0; r < ranks; ++r) begins[r + 1] = begins[r] + counts[r];
    std::vector<std::int64_t> words(static_cast<std::size_t>(begins.back()));
    check(MPI_Allgatherv(mine.words().data(), count, MPI_INT64_T, words.data(), counts.data(),
                         begins.data(), MPI_INT64_T, ranks_),
          "MPI_Allgatherv");
    std::vector<request> all;
    for (std::size_t r = 0; r < ranks; ++r)
      all.emplace_back(
          std::vector<std::int64_t>(words.begin() + begins[r], words.begin() + begins[r + 1]));
    return all;
  }

  MPI_Comm ranks_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  patience patience_{MPI_COMM_NULL, 0, 1};
  agreement agreement_;
  std::string broken_;           // why there can be no agreement any more
  bool everyone_knows_ = false;  // that the call under way fails
  bool has_missing_ = false;
};

}  // namespace kroton::distributed
