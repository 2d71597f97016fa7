// Stands in for NCCL's header in tests: the same functions, types and values as far as Kroton uses them, on the host's
// memory, by MPI. Reductions are done by and by, as those in a stream, and can be made to fail.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cmath>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#define NCCL_VERSION_CODE 21400
#define NCCL_UNIQUE_ID_BYTES 128
#define NCCL_CONFIG_UNDEF_INT INT_MIN

struct CUstream_st;
using cudaStream_t = CUstream_st*;

enum ncclResult_t {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7,
};
enum ncclRedOp_t { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4 };
enum ncclDataType_t {
  ncclInt8 = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
};
struct ncclUniqueId {
  char internal[NCCL_UNIQUE_ID_BYTES];
};
struct ncclConfig_t {
  int blocking = NCCL_CONFIG_UNDEF_INT;
};
#define NCCL_CONFIG_INITIALIZER {}

namespace nccl_stand_in {

/// What tests read and set.
struct state {
  int reductions = 0, launches = 0, aborted = 0, polls = 0;
  std::string fails;           // the call that fails on this rank from now on
  int group = 0, to_come = 0;  // groups that are open; polls that will find it in progress
  std::vector<MPI_Request> running;
  struct mean {
    double* of_doubles;
    float* of_floats;
    std::size_t count;
    int ranks;
  };
  std::vector<mean> means;
};
inline state& now() {
  static state all;
  return all;
}
inline bool fails(char const* call) { return now().fails == call; }

/// Numbers as NCCL compares them: NaN is passed over.
template <class T, bool Largest>
void pick(void* from, void* into, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    T const a = static_cast<T*>(from)[i];
    T& b = static_cast<T*>(into)[i];
    b = Largest ? std::fmax(a, b) : std::fmin(a, b);
  }
}
template <class T, bool Largest>
MPI_Op picking() {
  static MPI_Op const made = [] {
    MPI_Op op;
    MPI_Op_create(&pick<T, Largest>, 1, &op);
    return op;
  }();
  return made;
}
inline MPI_Datatype type_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8: return MPI_INT8_T;
    case ncclUint8: return MPI_UINT8_T;
    case ncclInt32: return MPI_INT32_T;
    case ncclUint32: return MPI_UINT32_T;
    case ncclInt64: return MPI_INT64_T;
    case ncclUint64: return MPI_UINT64_T;
    case ncclFloat32: return MPI_FLOAT;
    case ncclFloat64: return MPI_DOUBLE;
    default: return MPI_DATATYPE_NULL;
  }
}
inline MPI_Op op_of(ncclRedOp_t op, ncclDataType_t type) {
  bool const is_float = type == ncclFloat32, is_double = type == ncclFloat64;
  if (op == ncclMax) return is_float ? picking<float, true>() : is_double ? picking<double, true>() : MPI_MAX;
  if (op == ncclMin) return is_float ? picking<float, false>() : is_double ? picking<double, false>() : MPI_MIN;
  return op == ncclProd ? MPI_PROD : MPI_SUM;
}

/// The work of the stream moves on; whether all is done.
inline bool progress() {
  state& s = now();
  if (fails("silence")) return false;  // a rank, or a network, that says nothing any more
  int done = 1;
  if (!s.running.empty())
    MPI_Testall(static_cast<int>(s.running.size()), s.running.data(), &done, MPI_STATUSES_IGNORE);
  if (!done) return false;
  s.running.clear();
  for (state::mean const& m : s.means)
    for (std::size_t i = 0; i < m.count; ++i)
      if (m.of_doubles != nullptr) m.of_doubles[i] /= m.ranks;
      else m.of_floats[i] /= static_cast<float>(m.ranks);
  s.means.clear();
  return true;
}

}  // namespace nccl_stand_in

struct ncclComm {
  MPI_Comm ranks = MPI_COMM_NULL;
  int size = 0, rank = 0;
};
using ncclComm_t = ncclComm*;

inline char const* ncclGetErrorString(ncclResult_t status) {
  switch (status) {
    case ncclSuccess: return "no error";
    case ncclUnhandledCudaError: return "unhandled cuda error";
    case ncclSystemError: return "unhandled system error";
    case ncclInvalidUsage: return "invalid usage";
    case ncclRemoteError: return "remote process exited or there was a network error";
    default: return "internal error";
  }
}
inline char const* ncclGetLastError(ncclComm_t) { return ""; }

/// The rank that makes it, in the world: the others write to it, and hear who they are.
inline ncclResult_t ncclGetUniqueId(ncclUniqueId* made) {
  if (nccl_stand_in::fails("ncclGetUniqueId")) return ncclSystemError;
  int world = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  *made = {};
  made->internal[0] = static_cast<char>(world);
  return ncclSuccess;
}
inline ncclResult_t ncclCommInitRankConfig(ncclComm_t* made, int size, ncclUniqueId number, int rank,
                                           ncclConfig_t* config) {
  if (nccl_stand_in::fails("ncclCommInitRankConfig")) return ncclInvalidUsage;
  if (config->blocking != 0) return ncclInvalidArgument;
  constexpr int arrival = 7001, members = 7002, meeting = 7003;
  int const root = number.internal[0];
  int world = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  std::vector<int> who(static_cast<std::size_t>(size));
  if (rank == 0) {
    who[0] = world;
    for (int k = 1; k < size; ++k) {
      int told[2];
      MPI_Recv(told, 2, MPI_INT, MPI_ANY_SOURCE, arrival, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      who[static_cast<std::size_t>(told[0])] = told[1];
    }
    for (int k = 1; k < size; ++k)
      MPI_Send(who.data(), size, MPI_INT, who[static_cast<std::size_t>(k)], members, MPI_COMM_WORLD);
  } else {
    int const told[2] = {rank, world};
    MPI_Send(told, 2, MPI_INT, root, arrival, MPI_COMM_WORLD);
    MPI_Recv(who.data(), size, MPI_INT, root, members, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Group all, some;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, size, who.data(), &some);
  *made = new ncclComm{MPI_COMM_NULL, size, rank};
  MPI_Comm_create_group(MPI_COMM_WORLD, some, meeting, &(*made)->ranks);
  nccl_stand_in::now().to_come = 3;
  return ncclInProgress;
}
inline ncclResult_t ncclCommAbort(ncclComm_t ranks) {
  ++nccl_stand_in::now().aborted;
  delete ranks;
  return ncclSuccess;
}
inline ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* found) {
  auto& s = nccl_stand_in::now();
  ++s.polls;
  *found = nccl_stand_in::fails("async") ? ncclRemoteError : s.to_come > 0 ? ncclInProgress : ncclSuccess;
  s.to_come -= s.to_come > 0;
  return ncclSuccess;
}
inline ncclResult_t ncclGroupStart() {
  ++nccl_stand_in::now().group;
  return ncclSuccess;
}
inline ncclResult_t ncclAllReduce(void const* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                                  ncclComm_t ranks, cudaStream_t) {
  auto& s = nccl_stand_in::now();
  if (nccl_stand_in::fails("ncclAllReduce")) return ncclUnhandledCudaError;
  if (s.group == 0) return ncclInvalidUsage;  // several at once are one launch
  ++s.reductions;
  s.running.emplace_back();
  MPI_Iallreduce(from == to ? MPI_IN_PLACE : from, to, static_cast<int>(count), nccl_stand_in::type_of(type),
                 nccl_stand_in::op_of(op, type), ranks->ranks, &s.running.back());
  if (op == ncclAvg)
    s.means.push_back({type == ncclFloat64 ? static_cast<double*>(to) : nullptr,
                       type == ncclFloat32 ? static_cast<float*>(to) : nullptr, count, ranks->size});
  return ncclInProgress;
}
inline ncclResult_t ncclGroupEnd() {
  auto& s = nccl_stand_in::now();
  --s.group;
  ++s.launches;
  s.to_come = 2;
  return ncclInProgress;
}
