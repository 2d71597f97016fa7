// Ranks that compute together: they agree on what comes next before they exchange data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/distributed/patience.hpp>
#include <kroton/distributed/request.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kroton::distributed {

/// A group of ranks. Each exchange of data is preceded by an agreement, one small reduction in
/// which every rank says what it asks for, or that it has failed: so ranks that differ end with an
/// error on all of them, and in step.
class group {
 public:
  /// Every rank of `ranks` makes one; messages are kept apart from those of the program.
  explicit group(MPI_Comm ranks) {
    if (ranks == MPI_COMM_NULL)
      throw value_error(
          "kt::distributed::communicator: MPI_COMM_NULL has no ranks: only those of a communicator "
          "make one");
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

  /// Whether sums may begin before all values of a reduction are there: the same on all ranks.
  bool overlaps() const { return size_ > 1 && overlaps_ && process::allows_threads(); }
  void overlap(bool is_allowed) { overlaps_ = is_allowed; }

  /// Returns when every rank asks for the same. Throws on every rank kt::shape_error if they differ
  /// in extents, otherwise kt::distributed::error, which names the ranks.
  void agree(request const& mine, haste how = haste::great) {
    everyone_knows_ = mine.is_of_a_call();  // as soon as this throws
    take_part({.hash = mine.hash(), .opposite = -mine.hash()}, mine.function(), how);
    complete(mine.function(), how);
    if (agreement_.most.failed > 0)
      throw error(text_of(agreement_.most.failed, left, mine.function()));
    if (agreement_.most.hash != -agreement_.most.opposite) refuse_different(mine);
    everyone_knows_ = false;
  }
  /// After an agreement: until what the ranks do together without MPI is done. Throws what another
  /// rank has told of it by `lose`.
  template <class Done, class GiveUp>
  void wait(Done const& is_done, std::string_view what, GiveUp const& give_up) {
    try {
      patience_.until(is_done, what, haste::great, give_up);
    } catch (error const& e) {
      break_off(e.what());
      throw;
    }
  }
  /// This rank cannot exchange data any more: tells the others, who may wait for it, and throws.
  [[noreturn]] void lose(std::string const& why) {
    break_off(why);
    patience_.tell(why);
    throw error(why);
  }
  /// Takes part in the next agreement as one that has failed, unless the others know; they throw
  /// there. Waits for them no longer than a moment, unless it has yet to hear of its last failure.
  void fail() noexcept {
    if (!everyone_knows_) leave(state::failed);
    everyone_knows_ = false;
  }
  /// The same as one that asks for nothing any more. What the others say last it hears first,
  /// however long that takes.
  void end() noexcept {
    patience_.limit(patience::seconds(std::numeric_limits<double>::infinity()));
    leave(state::ended);
  }
  /// After `end`: until all others know it. They take part in nothing after that.
  void await_end() noexcept {
    try {
      complete("the end of the program");
    } catch (error const&) {  // nobody is left to tell
    }
  }

 private:
  enum class state { failed, ended };
  /// What a rank says, and the largest that any has said. A rank that has failed or ended is
  /// size - rank, so that the first one counts; that none has is 0.
  struct statement {
    std::int64_t failed = 0, ended = 0;
    std::int64_t hash = std::numeric_limits<std::int64_t>::lowest(), opposite = hash;
  };
  struct agreement {
    statement mine, most;
    MPI_Request pending = MPI_REQUEST_NULL;
  };
  static constexpr std::string_view left = "has left a call by an error",
                                    gone = "has ended its program";

  void take_part(statement const& mine, std::string_view what, haste how = haste::great) {
    if (!broken_.empty()) throw error(broken_);
    complete(what, how);
    agreement_.mine = mine;
    check(MPI_Iallreduce(&agreement_.mine, &agreement_.most,
                         static_cast<int>(sizeof(statement) / sizeof(std::int64_t)), MPI_INT64_T,
                         MPI_MAX, ranks_, &agreement_.pending),
          "MPI_Iallreduce");
  }
  void leave(state s) noexcept {
    try {
      std::int64_t const who = size_ - rank_;
      take_part(s == state::failed ? statement{.failed = who} : statement{.ended = who},
                "kt::all_reduce");
      if (s == state::failed) patience::linger(agreement_.pending);
    } catch (error const&) {  // the others have been told, or cannot be
    }
  }
  /// Ends the agreement that is under way. Where a rank does not come or has ended, there is none
  /// any more; that holds also for ranks that asked for nothing themselves.
  void complete(std::string_view what, haste how = haste::great) {
    if (agreement_.pending == MPI_REQUEST_NULL) return;
    try {
      patience_.wait(agreement_.pending, what, how);
    } catch (error const& e) {
      break_off(e.what());
      throw;
    }
    if (agreement_.most.ended == 0) return;
    broken_ = text_of(agreement_.most.ended, gone, what);
    throw error(broken_);
  }
  void break_off(std::string why) {
    has_missing_ = true;
    broken_ = std::move(why);
  }
  std::string text_of(std::int64_t who, std::string_view fault, std::string_view function) const {
    return core::message({function, ": rank ", size_ - static_cast<int>(who), " ", fault, "; rank ",
                          rank_, " of ", size_, " waits for it"});
  }
  [[noreturn]] void refuse_different(request const& mine) const {
    std::vector<request> const all = everyones(mine);
    auto const other =
        std::find_if(all.begin(), all.end(), [&](request const& r) { return !(r == all.front()); });
    request const &first = all.front(), &second = *other;  // their hashes differ
    auto const who = other - all.begin();
    if (!first.is_alike(second))
      throw error(core::message({mine.function(), ": rank 0 asks for ", first.text(), ", but rank ",
                                 who, " for ", second.text()}));
    if (first.by() != second.by())
      throw error(core::message({mine.function(), ": rank 0 reduces ", first.place(),
                                 ", but rank ", who, " ", second.place()}));
    for (std::int64_t const value : first.positions()) {
      std::string const here = first.extents(value), there = second.extents(value);
      if (there.empty() || here == there) continue;
      std::string const which =
          first.values() == 1 ? "the value" : core::message({"value ", value + 1});
      throw shape_error(core::message({mine.function(), ": ", which, " has the extents ", here,
                                       " on rank 0, but ", there, " on rank ", who}));
    }
    throw error(core::message({mine.function(), ": rank 0 and rank ", who,
                               " do not begin the same values early: see "
                               "kt::distributed::communicator::overlap"}));
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
  bool overlaps_ = true;
};

}  // namespace kroton::distributed
