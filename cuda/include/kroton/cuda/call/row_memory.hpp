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
      // A value that another loop takes the place of is read by it.
      bool const is_own = info.where == plan::storage::buffer && !leaves[v];
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
    std::array<bool, count + 1> is_taken{};
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
          if (kinds[read] != copied || last_reader[read] != s || is_taken[read]) continue;
          is_taken[read] = true;
          place[v] = static_cast<int>(read);
        }
      }
    }
    return place;
  }();

  /// Those that are near or copied, and the number of each among them.
  struct listing {
    std::array<int, count + 1> values{}, numbers{};
    std::size_t size = 0;
  };
  static constexpr listing listed = [] {
    listing list;
    for (std::size_t v = 0; v < count; ++v) {
      if (kinds[v] == elsewhere) continue;
      list.numbers[v] = static_cast<int>(list.size);
      list.values[list.size++] = static_cast<int>(v);
    }
    return list;
  }();
};

/// Chooses at a call where they lie in the memory of a lane: find_copies for each step, find_room,
/// place for each step. Where a block has no room for them, they lie where the plan says.
template <class Program, int First, int Last>
class row_memory {
  using values = row_values<Program, First, Last>;

 public:
  row_memory(cpu::frame& f, int kept) {
    for (std::size_t n = 0; n < values::listed.size; ++n) {
      int const v = values::listed.values[n];
      if (values::of(v) != values::near) continue;
      core::array_ref const& a = f.value(v);
      entries_[n].bytes_of_element = entries_[n].bytes = a.bytes;
      for (int d = kept; d < a.rank; ++d) entries_[n].bytes *= a.extents[d];
    }
  }

  /// The first step that reads packs of an operand copies them, if a later one finds the same.
  template <class Step>
  void find_copies(typename Step::arguments const& a, cpu::step_view const& s) {
    for (int k = 0; k < s.info.operand_count; ++k) {
      if (values::of(s.operand(k)) != values::copied) continue;
      entry& e = entry_of(s.operand(k));
      if (e.copier >= 0) e.is_found = e.is_found || e.is_read_by(a.of_group, number_of(s), k);
      else if (can_copy<Step>(a.of_group, k))
        e.copy(a.of_group, number_of(s), k, Step::thread::packs::bytes(k));
    }
  }
  /// In so many bytes.
  void find_room(std::int64_t most) {
    copies_ = takes(true) <= most;
    keeps_near_ = copies_ || takes(false) <= most;
    if (!keeps_near_) bytes_ = 0;
  }
  std::uint32_t bytes_of_lane() const { return static_cast<std::uint32_t>(bytes_); }

  /// Lets a step find its arrays there.
  template <class Step>
  void place(typename Step::arguments& a, cpu::step_view const& s) const {
    for (int k = 0; k < s.info.operand_count; ++k) {
      int const v = s.operand(k);
      if (values::of(v) == values::near && keeps_near_) put_near(a, k, entry_of(v));
      if (values::of(v) != values::copied || !copies_ || !entry_of(v).is_found) continue;
      entry const& e = entry_of(v);
      if (e.copier == number_of(s) && e.operand == k) {
        a.copied |= moving_arrays{1} << k;
        a.copies[k] = static_cast<std::uint32_t>(e.offset);
      } else if (e.is_read_by(a.of_group, number_of(s), k)) {
        put_near(a, k, e);
      }
    }
    for (int k = 0; k < s.info.result_count; ++k)
      if (int const v = s.result(k); values::of(v) == values::near && keeps_near_)
        put_near(a, Step::outputs::operands + k, entry_of(v));
  }

 private:
  struct entry {
    std::int64_t offset = 0, bytes = 0;  // of a row
    int bytes_of_element = 0;
    // Of what is copied: by which operand of which step, and its rows. Whether others read them.
    int copier = -1, operand = 0, rank = 0;
    bool is_found = false;
    std::byte const* data = nullptr;
    std::int64_t row = 0;
    std::ptrdiff_t extents[core::max_rank]{}, strides[core::max_rank]{};

    template <class Group>
    void copy(Group const& group, int step, int k, int bytes_of_one) {
      copier = step;
      operand = k;
      data = group.kept.data[k];
      row = group.shape.reduced;
      rank = group.kept.rank;
      for (int d = 0; d < rank; ++d) {
        extents[d] = group.kept.extents[d];
        strides[d] = group.kept.strides[d][k];
      }
      bytes_of_element = bytes_of_one;
      bytes = row * bytes_of_one;
    }
    // By a later step: the one that copies has to read before it writes.
    template <class Group>
    bool is_read_by(Group const& group, int step, int k) const {
      bool is_same = step > copier && moves_in_packs(group, k) && group.kept.data[k] == data &&
                     group.shape.reduced == row && group.kept.rank == rank;
      for (int d = 0; is_same && d < rank; ++d)
        is_same = group.kept.extents[d] == extents[d] && group.kept.strides[d][k] == strides[d];
      return is_same;
    }
  };
  static int number_of(cpu::step_view const& s) { return static_cast<int>(s.number()); }
  static std::size_t place_of(int v) {
    return static_cast<std::size_t>(
        values::listed.numbers[static_cast<std::size_t>(values::root(v))]);
  }
  entry& entry_of(int v) { return entries_[place_of(v)]; }
  entry const& entry_of(int v) const { return entries_[place_of(v)]; }

  template <class Group>
  static bool moves_in_packs(Group const& group, int k) {
    return group.how == taking::packs && has_array(group.moving, k);
  }
  // What is the same for all rows is in a cache. Behind the last pack nothing is copied.
  template <class Step, class Group>
  static bool can_copy(Group const& group, int k) {
    bool differs = false;
    for (int d = 0; d < group.kept.rank; ++d) differs = differs || group.kept.strides[d][k] != 0;
    return differs && moves_in_packs(group, k) &&
           group.shape.reduced % Step::thread::packs::size == 0;
  }
  // Finds a place for each row; how many bytes they take.
  std::int64_t takes(bool copies) {
    bytes_ = 0;
    auto const put = [&](entry& e) {
      e.offset = bytes_;
      bytes_ += (e.bytes + 15) / 16 * 16;
    };
    auto const each = [&](auto kind, auto const& one) {
      for (std::size_t n = 0; n < values::listed.size; ++n)
        if (int const v = values::listed.values[n]; values::of(v) == kind) one(v, entries_[n]);
    };
    if (copies)
      each(values::copied, [&](int, entry& e) {
        if (e.is_found) put(e);
      });
    each(values::near, [&](int v, entry& e) {
      int const of = values::places[static_cast<std::size_t>(v)];
      bool const takes_place = copies && of >= 0 && entry_of(of).is_found &&
                               entry_of(of).bytes == e.bytes &&
                               entry_of(of).bytes_of_element == e.bytes_of_element;
      if (takes_place) e.offset = entry_of(of).offset;
      else put(e);
    });
    return bytes_;
  }
  template <class Arguments>
  static void put_near(Arguments& a, int k, entry const& e) {
    auto& kept = a.of_group.kept;
    a.near |= moving_arrays{1} << k;
    kept.data[k] = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(e.offset));
    for (int d = 0; d < kept.rank; ++d) kept.strides[d][k] = 0;
  }

  std::array<entry, values::listed.size + 1> entries_{};
  std::int64_t bytes_ = 0;
  bool keeps_near_ = false, copies_ = false;
};

}  // namespace kroton::cuda
