// Rounds of calls, their truths, and what is said of those that are wrong.
// SPDX-License-Identifier: BSD-3-Clause
#include "trial.hpp"

#include "../check.hpp"
#include "../print.hpp"
#include "extents.hpp"

#include <algorithm>
#include <cstdio>

namespace fuzz {

namespace {

constexpr char const* layout_names[] = {"dense", "transposed", "with gaps", "reversed"};
constexpr char const* target_names[] = {"returned", "into empty", "into fitting", "into strided",
                                        "into an argument", "arguments given away"};
constexpr char const* path_names[] = {"scalar call", "direct call", "frame, of a direct program",
                                      "frame", "device"};
constexpr path all_paths[] = {path::scalar, path::direct, path::frame_of_direct, path::frame,
                              path::device};

template <class E>
constexpr std::size_t at(E e) {
  return static_cast<std::size_t>(e);
}

}  // namespace

void tally::print() const {
  std::printf(
      "%ld programs, %ld calls (%ld refused as they have to be), %ld elements compared, %zu "
      "failures\n",
      programs, calls, refused, elements, failures.size());
  auto count = [](std::map<path, long> const& of, path p) { return of.contains(p) ? of.at(p) : 0; };
  for (path p : all_paths)
    std::printf("%-28s %8ld calls of %ld programs\n", path_names[at(p)], count(paths, p),
                count(programs_by_path, p));
  std::printf("%-28s %10s %10s %10s %10s %10s\n", "", "scalar", "direct", "in frame", "frame only",
              "device");
  for (auto const& [name, by] : manners) {
    std::printf("%-28s", name.c_str());
    for (path p : all_paths) std::printf(" %10ld", count(by, p));
    std::printf("\n");
  }
}

trial::trial(subject s, tally& to) : subject_(std::move(s)), tally_(to) {
  program const& p = subject_.program;
  add("as generated", p);
  bool const has_arrays = std::any_of(p.arguments.begin(), p.arguments.end(),
                                      [](argument const& a) { return !a.shape.empty(); });
  if (has_arrays) {
    std::uint64_t const random = subject_.seed * 0x9e3779b97f4a7c15u >> 32;
    constexpr long from[] = {3, 2, 4, 5, 3, 17}, to_extent[] = {4, 3, 1, 7, 0, 2};
    program other = with_extent(p, from[random % 6], to_extent[random % 6]);
    if (other == p) other = with_extent(p, 3, 6);
    if (other == p) other = with_extent(p, 2, 9);
    add("other extents", other);
    add("as generated, again", p);
    if (random / 6 % 4 == 0)
      if (auto const longer = with_long_axis(p)) add("a long axis", *longer, true);
  }
}

void trial::add(std::string name, program p, bool is_long) {
  rounds_.push_back({std::move(name), std::move(p), is_long});
}

/// Finds what the round has to give, and whether that can be said.
bool trial::start() {
  round_of_calls& r = rounds_[now_];
  if (!r.known && now_ == 2) r.known = rounds_[0].known;
  if (r.known) return true;
  auto known = std::make_shared<truth>(r.program);
  if (known->is_unknown()) return false;
  long compared = 0;
  if (known->set_written(run_as_written(known->graph(), r.program.arguments), compared) ||
      known->is_refused())
    return false;
  r.known = std::move(known);
  return true;
}

bool trial::next_round() {
  for (now_ = begun_ ? now_ + 1 : 0, begun_ = true; now_ < rounds_.size(); ++now_)
    if (start()) return true;
  ++tally_.programs;
  for (auto const& [p, seen] : seen_) ++tally_.programs_by_path[p];
  return false;
}

std::vector<std::vector<long>> trial::shapes() const {
  return round().known->has_values() ? round().known->shapes() : std::vector<std::vector<long>>{};
}

void trial::judge(outcome const& o, path p, layout l, target t, std::string const& which) {
  ++tally_.calls;
  if (!o.exception.empty()) {
    ++tally_.refused;
  } else {
    ++tally_.paths[p];
    seen_[p] = true;
    for (std::string const& name :
         {std::string(target_names[at(t)]), std::string(layout_names[at(l)]),
          "round: " + round().name,
          std::string(subject_.updated.empty() ? "no updates" : "updates"),
          std::string(subject_.ieee ? "mode ieee" : "mode fast_run")})
      ++tally_.manners[name][p];
  }
  if (auto const found = round().known->fault_of(o, subject_.ieee, tally_.elements))
    fail(which + path_names[at(p)] + ": " + found->kind + ": " + found->text, l, t);
}

void trial::fail(std::string const& what, layout l, target t) {
  std::string text = "seed " + std::to_string(subject_.seed) + ": compiled, " +
                     (subject_.ieee ? "ieee" : "fast_run") + ", " + round().name + ", " +
                     layout_names[at(l)] + ", " + target_names[at(t)] + ", " + what + "\n";
  text += as_function(subject_);
  if (!round().is_long) text += as_cpp(round().program);
  tally_.failures.push_back(text);
}

void trial::continue_with(std::vector<tensor> const& values) {
  if (continued_) return;
  continued_ = true;
  program next = round().program;
  for (std::size_t k = 0; k < values.size(); ++k) {
    argument& a = next.arguments[static_cast<std::size_t>(subject_.updated[k])];
    a.shape = values[k].shape;
    a.data = values[k].data;
  }
  add("after an update", next);
}

listed::listed(std::uint64_t s, void (*r)(trial&)) : seed(s), run(r) { all().push_back(*this); }
std::vector<listed>& listed::all() {
  static std::vector<listed> programs;
  return programs;
}

}  // namespace fuzz
