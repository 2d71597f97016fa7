// The code of interpreted loops: building it from a body, and running it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/reduce.hpp>
#include <kroton/cpu/loop/row.hpp>
#include <kroton/runtime/loop.hpp>
#include <kroton/runtime/observer.hpp>
#include <kroton/runtime/visit.hpp>

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

namespace kroton::runtime {

namespace detail {

/// Fills a block with copies of one element.
inline void fill(std::byte* to, std::byte const* from, int bytes, std::ptrdiff_t n) {
  auto fill_words = [&]<class Word>(Word word) {
    std::memcpy(&word, from, sizeof(word));
    std::fill_n(reinterpret_cast<Word*>(to), n, word);
  };
  if (bytes == 16) fill_words(std::complex<double>{});
  else if (bytes == 8) fill_words(std::uint64_t{});
  else if (bytes == 4) fill_words(std::uint32_t{});
  else if (bytes == 2) fill_words(std::uint16_t{});
  else fill_words(std::uint8_t{});
}

/// Makes the longest axis the last one if rows would be so short that the cost per row would
/// dominate.
inline void lengthen_rows(interpreted_space& s) {
  constexpr std::ptrdiff_t is_short = 64, is_longer = 4;
  if (s.empty()) return;
  s.merge_axes();
  int const last = s.rank - 1;
  int longest = last;
  for (int d = 0; d < last; ++d)
    if (s.extents[d] > s.extents[longest]) longest = d;
  if (s.extents[last] >= is_short || s.extents[longest] < is_longer * s.extents[last]) return;
  std::swap(s.extents[longest], s.extents[last]);
  for (int k = 0; k < s.count; ++k) std::swap(s.strides[longest][k], s.strides[last][k]);
}

/// Memory of the thread, kept for its next loop.
inline std::byte* block_memory(std::size_t bytes) {
  struct alignas(64) line {
    std::byte bytes[64];
  };
  static thread_local std::vector<line> kept;
  if (kept.size() * sizeof(line) < bytes) kept.resize((bytes + sizeof(line) - 1) / sizeof(line));
  return kept.data()->bytes;
}

}  // namespace detail

KROTON_RUNTIME_INLINE loop_code::loop_code(kroton::graph const& body,
                                           kernel_library const& kernels) {
  std::vector<int> register_of(static_cast<std::size_t>(body.size()), -1);
  auto at = [&](int id) -> int& { return register_of[static_cast<std::size_t>(id)]; };
  operands_ = body.parameters().size();
  types_.resize(static_cast<std::size_t>(operands_));
  for (int id : body.parameters()) {
    at(id) = static_cast<int>(body.attribute(id, 0));
    types_[static_cast<std::size_t>(at(id))] = body.type(id).element;
  }
  std::vector<int> literals;
  for (int id = 0; id < body.size(); ++id)
    if (body.is_literal(id)) {
      at(id) = static_cast<int>(types_.size());
      types_.push_back(body.type(id).element);
      literals.push_back(id);
    }
  literals_ = static_cast<int>(literals.size());
  for (int id = 0; id < body.size(); ++id) {
    if (at(id) >= 0) continue;
    core::node const& n = body[id];
    if (n.op->reduction) {
      at(id) = at(body.input_of(id, 0));
      continue;
    }
    if (n.input_count > 3)
      throw value_error(std::string(n.op->name) +
                        ": an elementwise op of more than three operands");
    block_instruction i;
    i.op = n.op;
    i.to = n.type.element;
    i.in_count = n.input_count;
    for (int k = 0; k < n.input_count; ++k) i.in[k] = at(body.input_of(id, k));
    i.from = body.type(body.input_of(id, n.input_count - 1)).element;
    i.kernel = core::is_op<op::cast>(n.op) ? kernels.conversion(i.from, i.to)
                                           : kernels.block(*n.op, i.from);
    if (i.kernel == nullptr)
      throw value_error(std::string(n.op->name) +
                        ": the interpreter has no kernel for elements of type " +
                        std::string(core::name_of(i.from)));
    i.out = at(id) = static_cast<int>(types_.size());
    types_.push_back(i.to);
    code_.push_back(i);
  }
  find_results(body, kernels, register_of);
  allocate();
  for (int id : literals) {
    element const e = body.type(id).element;
    auto& block = constants_.emplace_back(static_cast<std::size_t>(block_ * width_ / 8));
    visit_element(e, [&]<class T>(std::type_identity<T>) {
      T value;
      if constexpr (core::is_continuous(core::element_of<T>()))
        value = core::converted<T>(body.literal_value(id));
      else value = static_cast<T>(body.literal_bits(id));
      detail::fill(reinterpret_cast<std::byte*>(block.data()),
                   reinterpret_cast<std::byte const*>(&value), static_cast<int>(sizeof(T)), block_);
    });
  }
}

KROTON_RUNTIME_INLINE void loop_code::find_results(kroton::graph const& body,
                                                   kernel_library const& kernels,
                                                   std::vector<int> const& register_of) {
  for (int id : body.results()) {
    block_result r;
    r.from = register_of[static_cast<std::size_t>(id)];
    core::node const& n = body[id];
    r.bytes = core::bytes_of(n.type.element);
    cpu::result_fact& fact = facts_.emplace_back();
    if (n.op->reduction) {
      r.reduction = kernels.reduction(n.op->key, n.type.element);
      if (r.reduction == nullptr)
        throw value_error(std::string(n.op->name) +
                          ": the interpreter has no kernel for elements of type " +
                          std::string(core::name_of(n.type.element)));
      r.op = n.op;
      fact = r.reduction->fact;
      fact.axes = body.attribute(id, 0);
    } else {
      r.computed = r.from >= operands_ + literals_;
      for (auto const& other : results_)
        r.computed = r.computed && (other.reduction != nullptr || other.from != r.from);
    }
    results_.push_back(r);
  }
  for (std::size_t k = 0; k < code_.size(); ++k)
    for (int a = 0; a < code_[k].in_count; ++a)
      if (code_[k].in[a] < operands_) operands_end_ = static_cast<int>(k);
  // Operands that are results themselves are read at the end of the block.
  for (auto const& r : results_)
    if (r.from < operands_) operands_end_ = static_cast<int>(code_.size());
}

// Registers share slots if their values are not needed at the same time. Operands and results keep
// theirs.
KROTON_RUNTIME_INLINE void loop_code::allocate() {
  std::size_t const count = types_.size();
  std::vector<int> last_read(count, -1);
  for (std::size_t k = 0; k < code_.size(); ++k)
    for (int a = 0; a < code_[k].in_count; ++a)
      last_read[static_cast<std::size_t>(code_[k].in[a])] = static_cast<int>(k);
  for (auto const& r : results_)
    last_read[static_cast<std::size_t>(r.from)] = static_cast<int>(code_.size());
  slots_.assign(count, -1);
  slot_count_ = 0;
  for (int k = 0; k < operands_; ++k) slots_[static_cast<std::size_t>(k)] = slot_count_++;
  // The first of the slots that are free; those that become so behind each instruction are chains.
  std::priority_queue<int, std::vector<int>, std::greater<>> free;
  std::vector<int> freed(code_.size() + 1, -1), next(static_cast<std::size_t>(slot_count_), -1);
  for (std::size_t k = 0; k < code_.size(); ++k) {
    auto const out = static_cast<std::size_t>(code_[k].out);
    int chosen = slot_count_;
    if (free.empty()) {
      ++slot_count_;
      next.push_back(-1);
    } else {
      chosen = free.top();
      free.pop();
    }
    slots_[out] = chosen;
    auto const end = std::max(static_cast<std::size_t>(std::max(last_read[out], 0)), k);
    next[static_cast<std::size_t>(chosen)] = std::exchange(freed[end], chosen);
    for (int s = freed[k]; s >= 0; s = next[static_cast<std::size_t>(s)]) free.push(s);
  }
  for (element e : types_) width_ = std::max(width_, core::bytes_of(e));
  // All blocks fit in three quarters of a first-level cache of 32 KiB, but are not so short that
  // calls cost more than arithmetic.
  std::ptrdiff_t const live =
      std::max<std::ptrdiff_t>(1, slot_count_ + literals_ + static_cast<int>(results_.size()));
  block_ = std::clamp<std::ptrdiff_t>(24 * 1024 / width_ / live / 64 * 64, 256, 2048);
}

KROTON_RUNTIME_INLINE interpreted_space loop_code::space_of(cpu::step_view const& s) const {
  interpreted_space space;
  space.operands = s.info.operand_count;
  space.results = s.info.result_count;
  space.count = space.operands + space.results;
  space.code = this;
  space.may_share = observer::current() == nullptr;  // which sees only what its own thread computes
  space.rank = s.info.space_rank;
  for (int d = 0; d <= space.rank; ++d) space.fit(space.strides[d], space.count);
  space.fit(space.data, space.count);
  space.fit(space.bytes, space.count);
  for (int d = 0; d < space.rank; ++d) space.extents[d] = s.f.extent(s.space(d));
  for (int k = 0; k < space.operands; ++k) space.add(k, s.f.value(s.operand(k)), space.rank);
  for (int k = 0; k < space.results; ++k)
    space.add_result(space.operands + k, s.f.value(s.result(k)),
                     facts_[static_cast<std::size_t>(k)]);
  if (space.rank == 0) {  // a scalar is a row of one element
    space.rank = 1;
    space.extents[0] = 1;
    std::fill_n(space.strides[0].data(), space.count, 0);
  }
  return space;
}

KROTON_RUNTIME_INLINE void loop_code::run(cpu::step_view const& s) const {
  interpreted_space space = space_of(s);
  detail::lengthen_rows(space);
  cpu::run_space(space, facts(), &row);
  if (observer::current() == nullptr) return;
  for (int k = 0; k < static_cast<int>(results_.size()); ++k) {
    block_result const& r = results_[static_cast<std::size_t>(k)];
    element const e = types_[static_cast<std::size_t>(r.from)];
    bool const constant = r.from >= operands_ && r.from < operands_ + literals_;
    if (r.reduction != nullptr && !constant)
      observer::current()->see_whole({r.op, e, s.f.value(s.result(k)), nullptr, 0, k});
  }
}

KROTON_RUNTIME_INLINE void loop_code::row(interpreted_space const& s, std::byte* const* at,
                                          std::ptrdiff_t) {
  s.code->run_row(s, at);
}

KROTON_RUNTIME_INLINE void loop_code::run_row(interpreted_space const& s,
                                              std::byte* const* at) const {
  std::ptrdiff_t const n = s.extents[s.rank - 1];
  std::ptrdiff_t const* const strides = s.strides[s.rank - 1];
  std::size_t const block_bytes = static_cast<std::size_t>(block_ * width_);
  std::size_t const count = types_.size();
  // The addresses of the registers, the facts about results, then the blocks.
  std::size_t const addresses = count * sizeof(std::byte*);
  std::size_t const head = (addresses + results_.size() * sizeof(bool) + 63) / 64 * 64;
  std::byte* const memory =
      detail::block_memory(head + static_cast<std::size_t>(slot_count_) * block_bytes);
  auto** const registers = reinterpret_cast<std::byte**>(memory);
  std::byte* const blocks = memory + head;
  auto slot = [&](std::size_t r) {
    return blocks + static_cast<std::size_t>(slots_[r]) * block_bytes;
  };

  auto dense = [&](int k) { return strides[k] == 1 || n == 1; };
  for (int k = 0; k < operands_; ++k) {
    auto const r = static_cast<std::size_t>(k);
    registers[r] = dense(k) ? at[k] : slot(r);
    if (!dense(k) && strides[k] == 0) detail::fill(slot(r), at[k], s.bytes[k], std::min(n, block_));
  }
  for (int k = 0; k < literals_; ++k)
    registers[operands_ + k] = const_cast<std::byte*>(
        reinterpret_cast<std::byte const*>(constants_[static_cast<std::size_t>(k)].data()));
  for (auto const& i : code_) registers[i.out] = slot(static_cast<std::size_t>(i.out));

  // The results that their instructions write directly: those of dense rows that do not overlap an
  // operand that is read later, including by an observer.
  bool const observed = observer::current() != nullptr;
  bool* const direct = reinterpret_cast<bool*>(memory + addresses);
  for (int k = 0; k < s.results; ++k) {
    block_result const& r = results_[static_cast<std::size_t>(k)];
    direct[k] = r.computed && r.reduction == nullptr && dense(s.operands + k) && !observed;
    if (!direct[k] || r.from - operands_ - literals_ >= operands_end_) continue;
    std::byte const* const begin = at[s.operands + k];
    std::byte const* const end = begin + n * r.bytes;
    for (int o = 0; direct[k] && o < operands_; ++o) {
      std::ptrdiff_t const span = (n - 1) * strides[o] * s.bytes[o];
      std::byte const* const low = at[o] + std::min<std::ptrdiff_t>(span, 0);
      std::byte const* const high = at[o] + std::max<std::ptrdiff_t>(span, 0) + s.bytes[o];
      direct[k] = end <= low || high <= begin;
    }
  }

  for (std::ptrdiff_t begin = 0; begin < n; begin += block_) {
    std::ptrdiff_t const size = std::min(block_, n - begin);
    for (int k = 0; k < operands_; ++k) {
      if (dense(k)) registers[k] = at[k] + begin * s.bytes[k];
      else if (strides[k] != 0)
        cpu::gather(registers[k], at[k] + begin * strides[k] * s.bytes[k], strides[k], s.bytes[k],
                    size, size);
    }
    for (int k = 0; k < s.results; ++k)
      if (direct[k])
        registers[results_[static_cast<std::size_t>(k)].from] =
            at[s.operands + k] + begin * s.bytes[s.operands + k];
    run_block(registers, size);
    // Results may reuse the memory of operands. So an operand that is a result itself is copied to
    // its block before anything is stored, and reductions come before other results.
    for (int k = 0; k < s.results; ++k) {
      block_result const& r = results_[static_cast<std::size_t>(k)];
      if (r.from >= operands_ || !dense(r.from)) continue;
      if (!observed && (r.reduction != nullptr || s.results == 1)) continue;
      registers[r.from] = slot(static_cast<std::size_t>(r.from));
      std::memcpy(registers[r.from], at[r.from] + begin * s.bytes[r.from],
                  static_cast<std::size_t>(size * s.bytes[r.from]));
    }
    for (bool const reductions : {true, false})
      for (int k = 0; k < s.results; ++k) {
        block_result const& r = results_[static_cast<std::size_t>(k)];
        if (direct[k] || (r.reduction != nullptr) != reductions) continue;
        int const array = s.operands + k;
        std::byte* const to = at[array] + begin * strides[array] * s.bytes[array];
        std::byte* const from = registers[r.from];
        bool const constant = r.from >= operands_ && r.from < operands_ + literals_;
        if (observed && r.reduction != nullptr && !constant) {
          element const e = types_[static_cast<std::size_t>(r.from)];
          observer::current()->see({r.op, e, e, from, nullptr, 0, size, k});
        }
        if (r.reduction == nullptr) {
          if (dense(array)) std::memcpy(to, from, static_cast<std::size_t>(size * r.bytes));
          else cpu::scatter(to, from, strides[array], s.bytes[array], size);
        } else if (strides[array] == 0) {
          r.reduction->fold(to, from, size);
        } else if (strides[array] == 1) {
          r.reduction->accumulate(to, from, size);
        } else {
          for (std::ptrdiff_t i = 0; i < size; ++i)
            r.reduction->accumulate(to + i * strides[array] * s.bytes[array], from + i * r.bytes,
                                    1);
        }
      }
  }
}

KROTON_RUNTIME_INLINE void loop_code::run_block(std::byte* const* registers,
                                                std::ptrdiff_t n) const {
  observer* const watcher = observer::current();
  for (block_instruction const& i : code_) {
    std::byte const* const in[3] = {registers[i.in[0]], registers[i.in[1]], registers[i.in[2]]};
    i.kernel(registers[i.out], in, n);
    if (watcher != nullptr) watcher->see({i.op, i.to, i.from, registers[i.out], in, i.in_count, n});
  }
}

}  // namespace kroton::runtime
