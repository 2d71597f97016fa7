// Communicators: which ranks compute together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/run.hpp>
#include <kroton/distributed/group.hpp>
#include <kroton/distributed/streams.hpp>
#include <kroton/function/shared.hpp>
#include <kroton/function/structure.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace kroton::distributed {

/// The groups of a program, of which the first consists of all ranks. Before MPI ends, whoever ends
/// it, a rank tells the others that it asks for nothing any more, and waits for them.
class all_groups {
 public:
  static all_groups& get() {
    static all_groups all;
    return all;
  }
  ~all_groups() {
    if (!process::is_running()) return;
    MPI_Comm_delete_attr(MPI_COMM_SELF, end_);
    mpi_.end(any_is_missing_);
  }

  std::shared_ptr<group> world() const { return groups_.front(); }
  std::shared_ptr<group> add(MPI_Comm ranks) {
    groups_.push_back(std::make_shared<group>(ranks));
    return groups_.back();
  }
  /// The group whose ranks kt::all_reduce is about; null: all ranks.
  static group*& scoped() {
    thread_local group* current = nullptr;
    return current;
  }
  static group& current() { return scoped() != nullptr ? *scoped() : *get().world(); }
  /// A call of this thread has failed. It does not begin MPI: the others hear of it when this rank
  /// does.
  static void fail() {
    if (!has_begun_) ++failed_before_;
    else current().fail();
  }

 private:
  all_groups() {
    add(MPI_COMM_WORLD);
    // MPI deletes the attributes of MPI_COMM_SELF first when it ends.
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &end_all, &end_, nullptr),
          "MPI_Comm_create_keyval");
    check(MPI_Comm_set_attr(MPI_COMM_SELF, end_, this), "MPI_Comm_set_attr");
    has_begun_ = true;
    for (; failed_before_ > 0; --failed_before_) world()->fail();
  }
  static int end_all(MPI_Comm, int, void* groups, void*) {
    auto& all = *static_cast<all_groups*>(groups);
    for (auto const& g : all.groups_) g->end();
    for (auto const& g : all.groups_) all.any_is_missing_ |= g->has_missing();
    for (auto const& g : all.groups_)
      if (!all.any_is_missing_) g->await_end();
    return MPI_SUCCESS;
  }

  inline static bool has_begun_ = false;
  inline static int failed_before_ = 0;
  process mpi_;
  int end_ = MPI_KEYVAL_INVALID;
  bool any_is_missing_ = false;
  std::vector<std::shared_ptr<group>> groups_;
};

/// Ranks that compute together. The first one begins MPI, if the program has not, and the end of
/// the program ends it. Copies are the same communicator. Used by one thread at a time.
class communicator {
 public:
  /// All ranks of the program: MPI_COMM_WORLD.
  communicator() : group_(all_groups::get().world()) {}
  /// Those of a communicator of MPI, which stays its owner's; each of its ranks makes one. It is
  /// kept until the program ends: make it once. Throws kt::value_error for MPI_COMM_NULL.
  explicit communicator(MPI_Comm ranks) : group_(all_groups::get().add(ranks)) {}

  /// The number of this process, from 0.
  int rank() const { return group_->rank(); }
  /// How many there are.
  int size() const { return group_->size(); }

  /// How long a rank waits for the others before kt::all_reduce and `broadcast` throw
  /// kt::distributed::error, which names those that did not come; five minutes unless set.
  void timeout(std::chrono::duration<double> longest) const { group_->waiting().limit(longest); }

  /// Whether kt::all_reduce of several values sums those that are ready, in a thread of its own,
  /// while the function computes the others: so unless this says otherwise, the same on all ranks.
  void overlap(bool is_allowed) const { group_->overlap(is_allowed); }

  /// Gives shared variables, also those of structs, the values and extents that they have on rank
  /// 0. All ranks call it with the same variables, otherwise kt::distributed::error.
  template <class... S>
  void broadcast(S const&... shared) const {
    auto const one = [&](auto const&... leaf) { (broadcast_leaf(leaf), ...); };
    (std::apply(one, functions::leaves_of_shared(shared)), ...);
  }

  /// Moves a stream of random numbers that begins alike on all ranks to numbers of this rank alone,
  /// see distributed/streams.hpp.
  template <class Stream>
  void split(Stream& stream) const {
    split_stream(stream, static_cast<std::uint32_t>(rank()));
  }

 private:
  friend class scope;

  template <class T, int Rank>
  void broadcast_leaf(shared<T, Rank> const& variable) const {
    core::array_ref value = cpu::shared_ref(variable), any = value;
    std::fill(any.extents, any.extents + any.rank, std::ptrdiff_t{-1});
    request mine(collective::broadcast, core::element_of<T>(), 0, 1);
    mine.add(0, any);
    group_->agree(mine);
    check(MPI_Bcast(value.extents, core::max_rank * static_cast<int>(sizeof(std::ptrdiff_t)),
                    MPI_BYTE, 0, group_->ranks()),
          "MPI_Bcast");
    if constexpr (Rank > 0)
      cpu::shape_target(variable.storage(), value.extents, static_cast<std::size_t>(Rank));
    value = cpu::shared_ref(variable);
    constexpr std::ptrdiff_t most = 1 << 30;
    std::ptrdiff_t const bytes = value.size() * static_cast<std::ptrdiff_t>(sizeof(T));
    for (std::ptrdiff_t at = 0; at < bytes; at += most)
      check(MPI_Bcast(value.data + at, static_cast<int>(std::min(most, bytes - at)), MPI_BYTE, 0,
                      group_->ranks()),
            "MPI_Bcast");
  }

  std::shared_ptr<group> group_;
};

/// As long as it lives, kt::all_reduce in calls of this thread is about the ranks of a
/// communicator: `kt::distributed::scope const within(half); f(x);`
class scope {
 public:
  explicit scope(communicator const& ranks)
      : group_(ranks.group_), before_(std::exchange(all_groups::scoped(), group_.get())) {}
  scope(scope const&) = delete;
  scope& operator=(scope const&) = delete;
  ~scope() { all_groups::scoped() = before_; }

 private:
  std::shared_ptr<group> group_;
  group* before_;
};

}  // namespace kroton::distributed
