// Arrays of nearly 2^31 elements: what the last threads of a grid do behind the last pack. Address
// space is reserved, but hardly any of it is touched; an access outside it ends the program.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/cuda/emulated.hpp>
#include <kroton/kroton.hpp>

#include <sys/mman.h>

namespace kt = kroton;
using kt::apply, kt::expression, kt::input, kt::with;

namespace {

constexpr std::int64_t count = 2147483600 + 7;

/// Pages with as many on both sides that nobody may touch.
class reserved_bytes {
 public:
  reserved_bytes() : all_(mmap(nullptr, 3 * room, PROT_NONE, how, -1, 0)) {
    REQUIRE(all_ != MAP_FAILED);
    REQUIRE(mprotect(data(), room, PROT_READ | PROT_WRITE) == 0);
  }
  reserved_bytes(reserved_bytes const&) = delete;
  reserved_bytes& operator=(reserved_bytes const&) = delete;
  ~reserved_bytes() { munmap(all_, 3 * room); }
  std::byte* data() const { return static_cast<std::byte*>(all_) + room; }

 private:
  static constexpr std::size_t room = std::size_t{1} << 31;
  static constexpr int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* all_;
};

}  // namespace

TEST_CASE("device arrays of nearly 2^31 elements: maps") {
  using map = kt::cuda::map_of<expression<input<std::int8_t, 0, 1>, apply<kt::op::add, 0, 0>>>;
  reserved_bytes const from, to;
  map::arguments a;
  a.space.rank = 1;
  a.space.extents[0] = a.count = count;
  a.space.strides[0][0] = a.space.strides[0][1] = 1;
  a.space.data[0] = from.data(), a.space.data[1] = to.data();
  REQUIRE(map::takes_packs(a));
  from.data()[count - 1] = std::byte{21};
  constexpr std::int64_t threads = 4096 * 256;
  for (std::int64_t const thread : {std::int64_t{0}, count % map::pack - 1, threads - 1})
    map::packed(a, {thread, threads});
  CHECK(to.data()[count - 1] == std::byte{42});
}

TEST_CASE("device arrays of nearly 2^31 elements: reductions") {
  using group = expression<input<std::int8_t, 0, 1>, apply<with<kt::op::max, 1>, 0>>;
  using thread = kt::cuda::reduction_of<group, 1, 0, false>;
  reserved_bytes const from;
  thread::arguments a;
  a.kept.rank = a.reduced.rank = 1;
  a.kept.extents[0] = 1;
  a.kept.strides[0][0] = a.kept.strides[0][1] = 0;
  a.reduced.extents[0] = count;
  a.reduced.strides[0][0] = 1, a.reduced.strides[0][1] = 0;
  a.kept.data[0] = a.reduced.data[0] = from.data();
  REQUIRE(thread::takes_packs(a));
  a.how = kt::cuda::taking::packs;
  a.shape = kt::cuda::choose_shape(1, count, true, thread::packs::size, {1024, 1056});
  from.data()[count - 1] = std::byte{42};
  int most = 0;
  for (int t = 0; t < a.shape.depth; ++t) {
    auto const p = kt::cuda::place_of(a.shape, a.shape.splits - 1, t);
    thread::sums found[1];
    thread::accumulate<kt::cuda::taking::packs>(found, a, a.kept.data,
                                                thread::rows_at(a, a.kept.data, 0), p);
    most = std::max<int>(most, std::get<0>(found[0]));
  }
  CHECK(most == 42);
}
