// MPI in this process: it begins with the first communicator, and ends with the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The C++ interface of old MPI headers, which needs a library of its own
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <kroton/core/error.hpp>

#include <string>

namespace kroton::distributed {

/// A rank that has failed, ended or does not come; ranks that ask for different things; an error
/// of MPI.
class error : public kroton::error {
  using kroton::error::error;
};

/// Throws the text of an error that a function of MPI has returned.
inline void check(int code, char const* function) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw error(std::string(function) + ": " + std::string(text, static_cast<std::size_t>(length)));
}

/// MPI itself, for one thread at a time. What the program has begun by MPI_Init it has to end.
class process {
 public:
  process() {
    int begun = 0;
    MPI_Initialized(&begun);
    if (begun) return;
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
    is_owner_ = true;
  }
  process(process const&) = delete;
  process& operator=(process const&) = delete;

  /// Whether ranks can still exchange messages.
  static bool is_running() {
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    return begun && !ended;
  }
  /// Whether threads may take turns in calling MPI.
  static bool allows_threads() {
    static bool const allows = [] {
      int level = MPI_THREAD_SINGLE;
      check(MPI_Query_thread(&level), "MPI_Query_thread");
      return level >= MPI_THREAD_SERIALIZED;
    }();
    return allows;
  }
  /// Ends MPI, if it was begun here. Where a rank is stuck, all are ended: MPI_Finalize would wait
  /// for it.
  void end(bool any_rank_is_stuck) const {
    if (!is_owner_ || !is_running()) return;
    if (any_rank_is_stuck) MPI_Abort(MPI_COMM_WORLD, 1);
    else MPI_Finalize();
  }

 private:
  bool is_owner_ = false;
};

}  // namespace kroton::distributed
