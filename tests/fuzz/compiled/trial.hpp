// One compiled program's calls: what they are given, and what they have to give.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../truth.hpp"
#include "subject.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fuzz {

/// How arrays lie in memory. All but the first are for arrays of any strides.
enum class layout { dense, transposed, gaps, reversed };
/// Where outputs go: a new value, an empty or a fitting container, memory of any strides, an
/// argument; or a new value that may take over the memory of one.
enum class target { returned, empty, fitting, strided, argument, given };
/// What ran a call. Programs of which small calls go past the frame may need it for others.
/// A device is only there where it has been asked for.
enum class path { scalar, direct, frame_of_direct, frame, device };

/// What has been tried, in numbers, and what was wrong.
struct tally {
  long programs = 0, calls = 0, refused = 0, elements = 0;
  std::map<path, long> paths, programs_by_path;
  std::map<std::string, std::map<path, long>> manners;
  std::vector<std::string> failures;

  void print() const;
  bool has_every_path(bool and_device) const { return paths.size() == (and_device ? 5 : 4); }
};

/// The rounds of a program's calls: as generated, with other extents, with a long axis, after an
/// update.
class trial {
 public:
  trial(subject s, tally& to);

  std::vector<argument> const& arguments() const { return round().program.arguments; }
  /// What the outputs of this round look like; none where it has to throw.
  std::vector<std::vector<long>> shapes() const;
  std::vector<int> const& updated() const { return subject_.updated; }

  /// A call's outputs, and then its new values of shared variables.
  void judge(outcome const& o, path p, layout l, target t, std::string const& which);
  void fail(std::string const& what, layout l, target t);
  /// A later round with these new values of what is updated.
  void continue_with(std::vector<tensor> const& values);
  /// To be asked before the first round, too.
  bool next_round();

 private:
  struct round_of_calls {
    std::string name;
    fuzz::program program;
    bool is_long = false;
    std::shared_ptr<truth> known{};
  };
  round_of_calls const& round() const { return rounds_[now_]; }
  void add(std::string name, program p, bool is_long = false);
  bool start();

  subject subject_;
  tally& tally_;
  std::vector<round_of_calls> rounds_;
  std::size_t now_ = 0;
  bool begun_ = false;
  bool continued_ = false;
  std::map<path, bool> seen_;
};

/// A program of a batch.
struct listed {
  listed(std::uint64_t seed, void (*run)(trial&));
  std::uint64_t seed;
  void (*run)(trial&);
  static std::vector<listed>& all();
};

}  // namespace fuzz
