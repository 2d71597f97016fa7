// How much memory loops take beyond arguments and results. Every operator new of the program is counted here.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

// Where the compiler inlines only one of a pair, it takes them for a mismatch.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace {

long taken = 0, most_taken = 0;

/// What lies before each block.
struct header {
  void* block;
  std::size_t size;
};
void* counted_or_null(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept {
  std::size_t const room = std::max(alignment, sizeof(header));
  auto* const block = static_cast<std::byte*>(std::aligned_alloc(room, (size + 2 * room - 1) / room * room));
  if (block == nullptr) return nullptr;
  taken += static_cast<long>(size);
  most_taken = std::max(most_taken, taken);
  reinterpret_cast<header*>(block + room)[-1] = {block, size};
  return block + room;
}
void* counted(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
  if (void* const p = counted_or_null(size, alignment)) return p;
  throw std::bad_alloc();
}
void give_back(void* p) noexcept {
  if (p == nullptr) return;
  header const of = static_cast<header*>(p)[-1];
  taken -= static_cast<long>(of.size);
  std::free(of.block);
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, std::align_val_t alignment) { return counted(size, static_cast<std::size_t>(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return counted(size, static_cast<std::size_t>(alignment)); }
void* operator new(std::size_t size, std::nothrow_t const&) noexcept { return counted_or_null(size); }
void* operator new[](std::size_t size, std::nothrow_t const&) noexcept { return counted_or_null(size); }
void* operator new(std::size_t size, std::align_val_t alignment, std::nothrow_t const&) noexcept {
  return counted_or_null(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, std::nothrow_t const&) noexcept {
  return counted_or_null(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { give_back(p); }
void operator delete[](void* p) noexcept { give_back(p); }
void operator delete(void* p, std::size_t) noexcept { give_back(p); }
void operator delete[](void* p, std::size_t) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }

using namespace reference;

namespace {

constexpr std::size_t length = 20000;
vec<double> const start(std::array<std::size_t, 1>{length}, 0.1), weights(std::array<std::size_t, 1>{length}, 0.3);

/// The states that a first call takes beyond its arguments and so many arrays as results. None where the expression as written is
/// computed next to it.
template <class F>
double states_taken(F const& f, int results, std::int64_t steps) {
  long const before = taken;
  most_taken = taken;
  f(start, weights, steps);
  double const states = static_cast<double>(most_taken - before) / (sizeof(double) * length);
  return runs_once ? states - results : 0;
}

}  // namespace

TEST_CASE("memory: what is counted", "[loops]") {
  long const before = taken;
  most_taken = taken;
  { vec<double> const x = start + weights; }
  CHECK(taken == before);
  CHECK(most_taken == before + static_cast<long>(sizeof(double) * length));
}

TEST_CASE("memory: the last value of a state takes none", "[loops]") {
  auto const f = kt::function([](kt::dvector x, kt::dvector w, kt::lscalar n) {
    auto [y, total] = foldl([=](auto x, auto total) { return std::tuple(w * x * (1 - x), total + x); }, kt::outputs_info(x, x), kt::n_steps(n));
    return std::tuple(y, total);
  });
  CHECK(states_taken(f, 2, 100) < 0.2);
}

TEST_CASE("memory: a gradient with snapshots keeps these, and the states of a step", "[loops][gradients]") {
  auto const f = kt::function([](kt::dvector x, kt::dvector w, kt::lscalar n) {
    auto y = scan([=](auto x) { return x + 1e-3 * w * x * (1 - x); }, kt::outputs_info(x), kt::n_steps(n), kt::snapshots(6));
    auto [dx, dw] = grad(sum(y(-1)), x, w);
    return std::tuple(dx, dw);
  });
  CHECK(states_taken(f, 2, 100) <= 10);
  auto const g = kt::function([](kt::dvector x, kt::dvector w, kt::lscalar n) {
    auto y = scan([=](auto x) { return tanh(w * x) - 1e-4 * sin(x) * mean(x); }, kt::outputs_info(x), kt::n_steps(n), kt::snapshots(6));
    auto [dx, dw] = grad(sum(y(-1)), x, w);
    return std::tuple(dx, dw);
  });
  CHECK(states_taken(g, 2, 100) <= 10);
}
