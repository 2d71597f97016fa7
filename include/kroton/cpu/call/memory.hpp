// Memory that is kept between calls, and the errors if there is not enough of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/capacity.hpp>
#include <kroton/core/config.hpp>
#include <kroton/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>

#if defined(__linux__)
#include <sys/sysinfo.h>
#endif

namespace kroton::cpu {

/// The bytes of memory of the machine, including swap, or PTRDIFF_MAX if the system does not report
/// it. A system that grants more would end the program as soon as it writes to it.
inline std::size_t memory_of_machine() {
#if defined(__linux__)
  static std::size_t const bytes = [] {
    struct sysinfo info;
    if (sysinfo(&info) != 0) return static_cast<std::size_t>(PTRDIFF_MAX);
    return (static_cast<std::size_t>(info.totalram) + static_cast<std::size_t>(info.totalswap)) *
           info.mem_unit;
  }();
  return bytes;
#else
  return static_cast<std::size_t>(PTRDIFF_MAX);
#endif
}

[[noreturn, gnu::cold]] inline void refuse_memory(std::size_t bytes) {
  throw error(message({"out of memory: ", bytes, " bytes are needed at the same time"}));
}

/// `(10, 1000)`
[[gnu::cold]] inline std::string shape_text(std::ptrdiff_t const* extents, int rank) {
  std::string text;
  for (int d = 0; d < rank; ++d) text += message({d == 0 ? "" : ", ", extents[d]});
  return message({"(", text, ")"});
}
[[gnu::cold]] inline std::string shape_text(array_ref const& a) {
  return shape_text(a.extents, a.rank);
}

/// Throws kt::shape_error for extents that no array can have, however much memory there is.
inline void require_count(std::ptrdiff_t const* extents, int rank, int bytes) {
  element_count count;
  count.multiply(bytes);
  for (int d = 0; d < rank; ++d) count.multiply(extents[d]);
  if (!count.fits())
    throw shape_error(message({"a value of shape ", shape_text(extents, rank),
                               " has more elements than an array can have"}));
}
/// The bytes of an array to be created. Throws kt::error if there is not enough memory.
inline std::size_t bytes_that_fit(array_ref const& a, std::size_t memory = memory_of_machine()) {
  require_count(a.extents, a.rank, a.bytes);
  std::size_t const bytes = static_cast<std::size_t>(a.size()) * static_cast<std::size_t>(a.bytes);
  if (bytes > memory)
    throw error(
        message({"out of memory: an array of shape ", shape_text(a), " takes ", bytes, " bytes"}));
  return bytes;
}

/// Converts a call's std::bad_alloc, wherever it comes from, to a kt::error.
template <class Call>
KROTON_INLINE void with_memory_errors(Call const& call) {
  try {
    call();
  } catch (std::bad_alloc const&) {
    throw error("out of memory: the call needs more memory than is available");
  }
}

/// Aligned memory that grows and then loses its contents. Throws kt::error if there is not enough.
class memory_block {
 public:
  std::byte* room(std::size_t bytes) {
    if (bytes > size_) grow(bytes);
    return memory_.get();
  }
  std::byte* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct aligned_delete {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  [[gnu::noinline]] void grow(std::size_t bytes) {
    memory_.reset();
    size_ = 0;
    if (bytes <= memory_of_machine())
      memory_.reset(
          static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{64}, std::nothrow)));
    if (!memory_) refuse_memory(bytes);
    size_ = bytes;
  }

  std::unique_ptr<std::byte[], aligned_delete> memory_;
  std::size_t size_ = 0;
};

}  // namespace kroton::cpu
