// Waiting for other ranks, and no longer than is agreed: who does not come is named.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/message.hpp>
#include <kroton/distributed/process.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace kroton::distributed {

/// Whether a wait keeps a core busy at first, or leaves it to the computation of its rank.
enum class haste { great, none };

/// A rank that waits answers others that ask whether it does. One whose patience ends asks all, and
/// tells them who has not answered: so all of them throw, also those that come later, although
/// their collective is complete then.
class patience {
 public:
  using clock = std::chrono::steady_clock;
  using seconds = std::chrono::duration<double>;

  patience(MPI_Comm ranks, int rank, int size) : ranks_(ranks), rank_(rank), size_(size) {}

  void limit(seconds most) { most_ = most; }
  long long milliseconds() const { return static_cast<long long>(most_.count() * 1000); }

  /// Until a collective is complete. Throws kt::distributed::error when time is up; the text says
  /// what the rank waits for.
  void wait(MPI_Request& pending, std::string_view what, haste how = haste::great) {
    until([&] { return is_complete(pending); }, what, how, [&] { give_up(pending, what); });
  }
  /// The same until something else is done; when time is up, gives up by a function.
  template <class Done, class GiveUp>
  void until(Done const& is_done, std::string_view what, haste how, GiveUp const& give_up) {
    auto const begin = clock::now();
    for (int tries = 0;; ++tries) {
      if (is_done()) return answer(what);
      if (tries < spins) continue;
      auto const waited = clock::now() - begin;
      if (how == haste::great && waited < soon) {
        std::this_thread::yield();
        continue;
      }
      answer(what);
      if (waited > most_) return give_up();
      std::this_thread::sleep_for(nap);  // others may need the core
    }
  }

  /// Until a collective is complete that all ranks have begun, with naps.
  static void wait_calmly(MPI_Request& pending) {
    while (!is_complete(pending)) std::this_thread::sleep_for(nap);
  }

  /// Tells the others why this rank cannot go on, in a short message, for which MPI need not wait.
  void tell(std::string const& why) const {
    std::string_view const told = std::string_view(why).substr(0, most_letters);
    std::vector<int> const letters(told.begin(), told.end());
    for (int r = 0; r < size_; ++r)
      if (r != rank_) send(r, lost, letters);
  }

  /// The same for a moment only, so that others that wait already need not wait for this rank's
  /// next one. The collective is still to be waited for.
  static void linger(MPI_Request pending) {
    int done = 0;
    for (auto const begin = clock::now(); !done && clock::now() - begin < moment;
         std::this_thread::yield())
      check(MPI_Request_get_status(pending, &done, MPI_STATUS_IGNORE), "MPI_Request_get_status");
  }

 private:
  enum tag { asks, waits, missing, lost };
  static constexpr std::size_t most_letters = 400;
  static constexpr int spins = 100;
  static constexpr std::chrono::milliseconds soon{2};
  static constexpr std::chrono::microseconds nap{20};
  static constexpr std::chrono::milliseconds moment{100};
  static constexpr seconds grace{1};

  static bool is_complete(MPI_Request& pending) {
    int done = 0;
    check(MPI_Test(&pending, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }

  /// The next message of another rank, if there is one.
  bool receive(int& from, int& kind, std::vector<int>& words) const {
    int any = 0, count = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ranks_, &any, &status), "MPI_Iprobe");
    if (!any) return false;
    MPI_Get_count(&status, MPI_INT, &count);
    words.resize(static_cast<std::size_t>(count));
    from = status.MPI_SOURCE, kind = status.MPI_TAG;
    check(MPI_Recv(words.data(), count, MPI_INT, from, kind, ranks_, MPI_STATUS_IGNORE),
          "MPI_Recv");
    return true;
  }
  void send(int to, tag kind, std::vector<int> const& words = {}) const {
    check(MPI_Send(words.data(), static_cast<int>(words.size()), MPI_INT, to, kind, ranks_),
          "MPI_Send");
  }
  void answer(std::string_view what, std::vector<bool>* here = nullptr) const {
    int from = 0, kind = 0;
    for (std::vector<int> words; receive(from, kind, words);) {
      if (here != nullptr) (*here)[static_cast<std::size_t>(from)] = true;
      if (kind == asks) send(from, waits);
      if (kind == missing) refuse(what, words);
      if (kind == lost) throw error(std::string(words.begin(), words.end()));
    }
  }
  /// Returns if the others come while it asks.
  void give_up(MPI_Request& pending, std::string_view what) const {
    std::vector<bool> here(static_cast<std::size_t>(size_));
    here[static_cast<std::size_t>(rank_)] = true;
    for (int r = 0; r < size_; ++r)
      if (r != rank_) send(r, asks);
    for (auto const begin = clock::now(); clock::now() - begin < grace;) {
      answer(what, &here);
      if (is_complete(pending)) return;
      std::this_thread::sleep_for(nap);
    }
    std::vector<int> absent;
    for (int r = 0; r < size_; ++r)
      if (!here[static_cast<std::size_t>(r)]) absent.push_back(r);
    // To those that are absent a short message, for which MPI need not wait.
    for (int r = 0; r < size_; ++r)
      if (r != rank_) send(r, missing, here[static_cast<std::size_t>(r)] ? absent : std::vector{r});
    refuse(what, absent);
  }
  [[noreturn]] void refuse(std::string_view what, std::vector<int> const& absent) const {
    if (std::find(absent.begin(), absent.end(), rank_) != absent.end())
      throw error(core::message({what, ": rank ", rank_, " of ", size_,
                                 " has come too late: others have waited for it, and given up"}));
    std::string who = absent.size() == 1 ? "rank" : absent.empty() ? "no rank" : "ranks";
    for (std::size_t k = 0; k < absent.size(); ++k)
      who += (k == 0 ? " " : ", ") + std::to_string(absent[k]);
    throw error(core::message({what, ": rank ", rank_, " has waited for ",
                               milliseconds(), " ms; ", who, " of ",
                               size_, " did not come"}));
  }

  MPI_Comm ranks_;
  int rank_, size_;
  seconds most_{300};
};

}  // namespace kroton::distributed
