// Statistics of samples, and those that leave NaN out.
// SPDX-License-Identifier: BSD-3-Clause
#include "library_calls.hpp"

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
      REDUCED("nansum", "n", 1, 2, kt::nansum(x, options...)),
      REDUCED("nansum", "r", 1, 2, kt::nansum(sqrt(x), options...)),
      REDUCED("nanprod", "n", 1, 2, kt::nanprod(x, options...)),
      REDUCED("nanprod", "r", 1, 2, kt::nanprod(sqrt(x), options...)),
      REDUCED("nanmax", "n", 1, 2, kt::nanmax(x, options...)),
      REDUCED("nanmax", "r", 1, 2, kt::nanmax(sqrt(x), options...)),
      REDUCED("nanmin", "n", 1, 2, kt::nanmin(x, options...)),
      REDUCED("nanmin", "r", 1, 2, kt::nanmin(sqrt(x), options...)),
      REDUCED("nanmean", "n", 1, 2, kt::nanmean(x, options...)),
      REDUCED("nanmean", "r", 1, 2, kt::nanmean(sqrt(x), options...)),
      REDUCED("nanvar", "n", 1, 2, kt::nanvar(x, options...)),
      REDUCED("nanvar", "r", 1, 2, kt::nanvar(sqrt(x), options...)),
      REDUCED("nanstd", "n", 1, 2, kt::nanstd(x, options...)),
      REDUCED("nanstd", "r", 1, 2, kt::nanstd(sqrt(x), options...)),
      REDUCED("nanmedian", "n", 1, 2, kt::nanmedian(x, options...)),
      REDUCED("nanmedian", "r", 1, 2, kt::nanmedian(sqrt(x), options...)),
      REDUCED("nanargmax", "n", 1, 2, kt::nanargmax(x, options...)),
      REDUCED("nanargmax", "r", 1, 2, kt::nanargmax(sqrt(x), options...)),
      REDUCED("nanargmin", "n", 1, 2, kt::nanargmin(x, options...)),
      REDUCED("nanargmin", "r", 1, 2, kt::nanargmin(sqrt(x), options...)),
      REDUCED("nanquantile", "r", 1, 2, kt::nanquantile(sqrt(x), 0.7, options...)),
      ALONG("nancumsum", "n", 1, 2, kt::nancumsum(x, axis)),
      ALONG("nancumsum", "r", 1, 2, kt::nancumsum(sqrt(x), axis)),
      ALONG("nancumprod", "n", 1, 2, kt::nancumprod(x, axis)),
      ALONG("nancumprod", "r", 1, 2, kt::nancumprod(sqrt(x), axis)),
  };
  to.insert(to.end(), all.begin(), all.end());
}

}  // namespace fuzz
