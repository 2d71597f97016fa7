// Statistics of samples, and those that leave NaN out.
// SPDX-License-Identifier: BSD-3-Clause
#include "library_calls.hpp"

// Of what has no NaN, and of what has some.
#define NUMBERS_REDUCED(name)                         \
  REDUCED(#name, "n", 1, 2, kt::name(x, options...)), \
      REDUCED(#name, "r", 1, 2, kt::name(sqrt(x), options...))
#define NUMBERS_ALONG(name) \
  ALONG(#name, "n", 1, 2, kt::name(x, axis)), ALONG(#name, "r", 1, 2, kt::name(sqrt(x), axis))

namespace fuzz {

void add_samples(std::vector<library_function>& to) {
  std::vector<library_function> const all{
      REDUCED("median", "n", 1, 3, kt::median(x, options...)),
      REDUCED("quantile", "n", 1, 3, kt::quantile(x, 0.3, options...)),
      REDUCED("quantile", "n", 1, 3, kt::percentile(x, 75., options...)),
      REDUCED("quantile", "n", 1, 2, kt::quantile(x, kt::constant({0., 0.6, 1.}), options...)),
      REDUCED("ptp", "n", 1, 3, kt::ptp(x, options...)),
      REDUCED("average", "n", 1, 3, kt::average(x, sigmoid(x), options...)),
      REDUCED("count_nonzero", "n", 1, 3, kt::count_nonzero(x, options...)),
      ALONG("partition", "n", 1, 3, kt::partition(x, 1, axis)),
      ALONG("partition", "n", 1, 3, kt::argpartition(x, 0, axis)),
      ALONG("partition", "n", 1, 3, kt::partition(x, -1, axis)),
      OF_TWO("histogram", 1, 2, kt::histogram(x, kt::sort(kt::flatten(y)))),
      OF_TWO("digitize", 1, 2, kt::digitize(x, kt::sort(kt::flatten(y)))),
      OF_TWO("digitize", 1, 2, kt::digitize(x, kt::sort(kt::flatten(y)), kt::side::right)),
      OF_ONE("bincount", "n", 1, 2,
             kt::bincount(abs(kt::flatten(kt::cast<std::int64_t>(x))) % 5, 5)),
      OF_TWO("interp", 1, 2, kt::interp(x, kt::sort(kt::flatten(y)), sin(kt::flatten(y)))),
      OF_ONE("cov", "n", 2, 2, kt::cov(x)),
      OF_ONE("cov", "r", 2, 2, kt::cov(x, 0)),
      OF_ONE("cov", "r", 2, 2, kt::corrcoef(x)),
      OF_TWO("isclose", 1, 2, kt::isclose(x, y)),
      OF_TWO("isclose", 1, 1, kt::allclose(x, y)),
      OF_ONE("nan_to_num", "n", 0, 3, kt::nan_to_num(x)),
      OF_ONE("nan_to_num", "r", 0, 3, kt::nan_to_num(log(x), 2.)),
      NUMBERS_REDUCED(nansum),
      NUMBERS_REDUCED(nanprod),
      NUMBERS_REDUCED(nanmax),
      NUMBERS_REDUCED(nanmin),
      NUMBERS_REDUCED(nanmean),
      NUMBERS_REDUCED(nanvar),
      NUMBERS_REDUCED(nanstd),
      NUMBERS_REDUCED(nanmedian),
      NUMBERS_REDUCED(nanargmax),
      NUMBERS_REDUCED(nanargmin),
      REDUCED("nanquantile", "r", 1, 2, kt::nanquantile(sqrt(x), 0.7, options...)),
      NUMBERS_ALONG(nancumsum),
      NUMBERS_ALONG(nancumprod),
  };
  to.insert(to.end(), all.begin(), all.end());
}

}  // namespace fuzz
