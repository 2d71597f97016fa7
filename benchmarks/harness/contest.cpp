// Checking and timing the contestants of a case.
// SPDX-License-Identifier: BSD-3-Clause
#include "contest.hpp"

#include <time.h>

#include <cmath>

namespace bench {

namespace {

double now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double seconds_of(repeated const& run, std::size_t n, clockid_t clock) {
  double const start = now(clock);
  run(n);
  return now(clock) - start;
}

double largest_difference(std::vector<double> const& a, std::vector<double> const& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double const difference = std::abs(a[i] - b[i]) / (1 + std::abs(b[i]));
    // A NaN is worse than anything.
    if (!(difference <= worst)) worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }
  return worst;
}

}  // namespace

void contest::add_repeated(std::string name, repeated run, std::function<std::vector<double>()> values,
                           std::function<void()> spoil) {
  if (active_) contestants_.push_back({std::move(name), std::move(run), std::move(values), std::move(spoil)});
}

void contest::check() {
  std::vector<double> right;
  for (contestant& c : contestants_) {
    entry e{c.name};
    if (c.spoil) c.spoil();
    c.run(runs_before_check_);
    if (c.values) {
      auto const got = c.values();
      if (right.empty()) right = got;
      e.error = largest_difference(got, right);
      e.wrong = !(e.error <= tolerance_);
    }
    column_.entries.push_back(e);
  }
}

void contest::calibrate() {
  double const least = program_.options().sample_seconds;
  clockid_t const clock = program_.clock();
  for (contestant& c : contestants_) {
    double took = seconds_of(c.run, c.repeat, clock);
    while (took < least / 4 && c.repeat < (std::size_t{1} << 40)) {
      c.repeat *= 2;
      took = seconds_of(c.run, c.repeat, clock);
    }
    c.repeat = std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(c.repeat) * least / took));
  }
}

// Among several that are named as the baseline the fastest is it.
std::size_t contest::baseline() const {
  std::size_t best = contestants_.size();
  for (std::size_t i = 0; i < contestants_.size(); ++i)
    if (!column_.entries[i].wrong && contestants_[i].name.starts_with(program_.options().baseline) &&
        (best == contestants_.size() || column_.entries[i].seconds.median < column_.entries[best].seconds.median))
      best = i;
  return best == contestants_.size() ? 0 : best;
}

void contest::measure() {
  if (!active_ || contestants_.empty()) return;
  std::string const where = title_ + ", " + column_.label;
  program_.progress(where + ": checking");
  check();
  calibrate();
  std::size_t const n = contestants_.size();
  int const rounds = program_.options().rounds;
  clockid_t const clock = program_.clock();
  for (int r = 0; r < rounds; ++r) {
    program_.progress(where + ": round " + std::to_string(r + 1) + " of " + std::to_string(rounds));
    for (std::size_t k = 0; k < n; ++k) {
      contestant& c = contestants_[(k + static_cast<std::size_t>(r)) % n];
      c.samples.push_back(seconds_of(c.run, c.repeat, clock) / static_cast<double>(c.repeat));
    }
  }
  for (std::size_t i = 0; i < n; ++i) column_.entries[i].seconds = quartiles_of(contestants_[i].samples);
  std::vector<double> const& base = contestants_[baseline()].samples;
  column_.baseline = contestants_[baseline()].name;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> ratios(base.size());
    for (std::size_t r = 0; r < base.size(); ++r) ratios[r] = base[r] / contestants_[i].samples[r];
    column_.entries[i].speed = quartiles_of(std::move(ratios));
  }
  program_.record(title_, unit_, std::move(column_));
}

}  // namespace bench
