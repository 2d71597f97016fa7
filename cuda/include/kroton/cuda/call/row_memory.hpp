// What blocks keep of the rows that they are at: values that only the loops of a run need, and
// copies of operands that several of them read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/call/rows.hpp>

namespace kroton::cuda {

/// The loops among the steps from `First` to `Last`.
template <class Program, int First, int Last>
struct loops_of_run {
  static constexpr int count = [] {
    int n = 0;
    for (int s = First; s <= Last; ++s) n += row_finder<Program>::fact(s).is_loop ? 1 : 0;
    return n;
  }();
  static constexpr auto numbers = [] {
    std::array<int, static_cast<std::size_t>(count)> found{};
    std::size_t n = 0;
    for (int s = First; s <= Last; ++s)
      if (row_finder<Program>::fact(s).is_loop) found[n++] = s;
    return found;
  }();
};

/// Which values those are. A view is what it shows.
template <class Program, int First, int Last>
class row_values {
  static constexpr auto count = Program::values.size();
  static constexpr plan::step_info const& step(int s) {
    return Program::steps[static_cast<std::size_t>(s)];
  }
  static constexpr std::size_t operand(plan::step_info const& s, int k) {
    return static_cast<std::size_t>(Program::pool[static_cast<std::size_t>(s.first + k)]);
  }

 public:
  static constexpr auto roots = [] {
    std::array<int, count + 1> root{};
    for (std::size_t v = 0; v < count; ++v) root[v] = static_cast<int>(v);
    for (plan::step_info const& s : Program::steps)
      if (core::is_view(s.kind)) root[operand(s, s.operand_count)] = root[operand(s, 0)];
    return root;
  }();
  static constexpr int root(int v) { return roots[static_cast<std::size_t>(v)]; }

  enum kind : unsigned char { elsewhere, near, copied };
  static constexpr auto kinds = [] {
    std::array<kind, count + 1> found{};
    std::array<int, count + 1> readers{};
    std::array<bool, count + 1> is_result{}, leaves{};
    for (int s = 0; s < static_cast<int>(Program::steps.size()); ++s) {
      plan::step_info const& info = step(s);
      bool const is_inside = First <= s && s <= Last, is_loop = info.kind == core::step_kind::loop;
      for (int k = 0; k < info.operand_count; ++k) {
        auto const v = static_cast<std::size_t>(roots[operand(info, k)]);
        if (!is_inside) leaves[v] = true;
        else if (is_loop) ++readers[v];
      }
      for (int k = 0; is_inside && is_loop && k < info.result_count; ++k)
        is_result[operand(info, info.operand_count + k)] = true;
    }
    for (int const v : Program::outputs)
      leaves[static_cast<std::size_t>(roots[static_cast<std::size_t>(v)])] = true;
    for (auto const& u : Program::updates)
      leaves[static_cast<std::size_t>(roots[static_cast<std::size_t>(u.value)])] = true;
    for (std::size_t v = 0; v < count; ++v) {
      plan::value_info const& info = Program::values[v];
      if (info.rank == 0) continue;
      // A value that another loop takes the place of is read by it; a part of a join is not.
      bool const is_own = info.where == plan::storage::buffer && info.joined < 0 && !leaves[v];
      if (is_result[v]) found[v] = is_own ? near : elsewhere;
      else if (readers[v] > 1 && placement_of<Program>.values[v] == side::device) found[v] = copied;
    }
    return found;
  }();
  static constexpr kind of(int v) { return kinds[static_cast<std::size_t>(root(v))]; }
  /// Of a value that is near, an operand that is copied and that the loop which computes the value
  /// is the last to read: the value can take its place. -1 where there is none.
  static constexpr auto places = [] {
    std::array<int, count + 1> place{}, last_reader{};
    place.fill(-1);
    for (int s = First; s <= Last; ++s)
      for (int k = 0; k < step(s).operand_count; ++k)
        last_reader[static_cast<std::size_t>(roots[operand(step(s), k)])] = s;
    for (int s = First; s <= Last; ++s) {
      if (step(s).kind != core::step_kind::loop) continue;
      for (int r = 0, next = 0; r < step(s).result_count; ++r) {
        auto const v = operand(step(s), step(s).operand_count + r);
        if (kinds[v] != near) continue;
        for (; next < step(s).operand_count && place[v] < 0; ++next) {
          auto const read = static_cast<std::size_t>(roots[operand(step(s), next)]);
          if (kinds[read] == copied && last_reader[read] == s) place[v] = static_cast<int>(read);
        }
      }
    }
    return place;
  }();
};

/// Chooses at a call where they lie in the memory of a lane. Where a block has no room for them,
/// they lie where the plan says.
template <class Program, int First, int Last>
class row_memory {
  using values = row_values<Program, First, Last>;
  // Of which a multiprocessor has room for two.
  static constexpr std::int64_t most_bytes = 100'000;

 public:
  row_memory(cpu::frame& f, int kept, int lanes, bool may_copy) {
    auto const row_of = [&](std::size_t v) {
      core::array_ref const& a = f.value(static_cast<int>(v));
      std::int64_t row = a.bytes;
      for (int d = kept; d < a.rank; ++d) row *= a.extents[d];
      return (row + 15) / 16 * 16;
    };
    auto const find_room = [&](bool copies) {
      bytes_ = 0;
      auto const take = [&](std::size_t v) {
        at_[v].offset = bytes_;
        bytes_ += row_of(v);
      };
      for (std::size_t v = 0; copies && v < at_.size(); ++v)
        if (values::kinds[v] == values::copied) take(v);
      for (std::size_t v = 0; v < at_.size(); ++v) {
        if (values::kinds[v] != values::near) continue;
        auto const of = static_cast<std::size_t>(values::places[v]);
        bool const takes_place =
            copies && values::places[v] >= 0 &&
            f.value(static_cast<int>(of)).bytes == f.value(static_cast<int>(v)).bytes &&
            row_of(of) == row_of(v);
        if (takes_place) at_[v].offset = at_[of].offset;
        else take(v);
      }
      return bytes_ * lanes <= most_bytes;
    };
    copies_ = may_copy && find_room(true);
    keeps_near_ = copies_ || find_room(false);
    if (!keeps_near_) bytes_ = 0;
  }
  std::uint32_t bytes_of_lane() const { return static_cast<std::uint32_t>(bytes_); }

  /// Lets a step find its arrays there.
  template <class Step>
  void place(typename Step::arguments& a, cpu::step_view const& s) {
    for (int k = 0; k < s.info.operand_count; ++k) {
      int const v = s.operand(k);
      if (values::of(v) == values::near && keeps_near_) put_near(a, k, entry(v).offset);
      if (values::of(v) == values::copied && copies_) copy_or_find<Step>(a, k, entry(v));
    }
    for (int k = 0; k < s.info.result_count; ++k)
      if (int const v = s.result(k); v >= 0 && values::of(v) == values::near && keeps_near_)
        put_near(a, Step::outputs::operands + k, entry(v).offset);
  }

 private:
  struct place_of_value {
    std::int64_t offset = 0;
    // Of what has been copied: the array, and from where to where its rows lie.
    std::byte const* copied = nullptr;
    int rank = 0;
    std::ptrdiff_t strides[core::max_rank]{};
  };
  place_of_value& entry(int v) { return at_[static_cast<std::size_t>(values::root(v))]; }

  template <class Arguments>
  static void put_near(Arguments& a, int k, std::int64_t offset) {
    auto& kept = a.of_group.kept;
    a.near |= moving_arrays{1} << k;
    kept.data[k] = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(offset));
    for (int d = 0; d < kept.rank; ++d) kept.strides[d][k] = 0;
  }
  template <class Step>
  void copy_or_find(typename Step::arguments& a, int k, place_of_value& at) {
    auto const& group = a.of_group;
    if (group.how != taking::packs || (group.moving >> k & 1) == 0) return;
    if (at.copied == nullptr) {
      if (group.shape.reduced % Step::thread::packs::size != 0) return;
      at.copied = group.kept.data[k];
      at.rank = group.kept.rank;
      for (int d = 0; d < at.rank; ++d) at.strides[d] = group.kept.strides[d][k];
      a.copied |= moving_arrays{1} << k;
      a.copies[k] = static_cast<std::uint32_t>(at.offset);
      return;
    }
    bool is_same = at.copied == group.kept.data[k] && at.rank == group.kept.rank;
    for (int d = 0; is_same && d < at.rank; ++d)
      is_same = at.strides[d] == group.kept.strides[d][k];
    if (is_same) put_near(a, k, at.offset);
  }

  std::array<place_of_value, Program::values.size() + 1> at_{};
  std::int64_t bytes_ = 0;
  bool keeps_near_ = false, copies_ = false;
};

}  // namespace kroton::cuda
