// Sparse matrices in SciPy's files: what SciPy 1.10 wrote and reads, and files that hold none.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/files/refused.hpp"
#include "run/reference.hpp"
#include "run/temporary_folder.hpp"

#include <kroton/npz.hpp>

#include <cstdlib>

using namespace reference;
using testing::refused;

namespace {

// A = sp.random(5, 4, density=0.5, random_state=7, format='csr'); A.data = np.round(A.data * 8 - 3)
// / 2; A.eliminate_zeros(): csr.npz, of float32 as csc.npz, and coo.npz.
mat<double> const a{
    {1, 2, 0, 0}, {2, -0.5, -1.5, 0}, {0.5, 0, 0, -0.5}, {0, 0, 0.5, 2.5}, {0, 0, 0, 2}};
std::string data(char const* name) { return std::string(KROTON_TEST_DATA) + "/" + name; }

}  // namespace

TEST_CASE("sparse matrices that SciPy wrote, as either kind", "[sparse]") {
  for (char const* name : {"csr.npz", "csc.npz"}) {
    auto const rows = kt::load<kt::csr<double>>(data(name));
    auto const columns = kt::load<kt::csc<std::complex<double>>>(data(name));
    CHECK(rows.size() == 10);
    CHECK((rows.to_dense() == a));
    CHECK(mismatch(columns.to_dense(), [](auto i, auto j) { return a(i, j); }) == "");
  }
  CHECK(refused([] { kt::load<kt::csr<double>>(data("coo.npz")); }) ==
        data("coo.npz") +
            " holds a matrix in SciPy's format 'coo', but csr or csc is required: a.tocsr()");
  CHECK(refused([] { kt::load<kt::csr<float>>(data("csr.npz")); }) ==
        data("csr.npz") + ": data has elements of type float64, which would be narrowed to float32");
  CHECK(refused([] { kt::load<kt::csr<double>>(data("plain.npz")); }).find("no array format") !=
        std::string::npos);
}

TEST_CASE("files without a sparse matrix, and what SciPy reads", "[sparse]") {
  temporary_folder const folder;
  auto const file = folder.path("a.npz");
  auto const write_as = [&](std::string const& code, char const* format,
                            std::vector<std::int64_t> const& shape, std::vector<int> const& indices) {
    kt::files::zip_writer out(file);
    out.add("format.npy", kt::files::npy_file(code, "", format));
    out.add("shape.npy", kt::files::npy_of(shape));
    out.add("indices.npy", kt::files::npy_of(indices));
    out.add("indptr.npy", kt::files::npy_of(std::vector{0, 1}));
    out.add("data.npy", kt::files::npy_of(std::vector{0.5}));
    out.write();
    return refused([&] { kt::load<kt::csr<double>>(file); });
  };
  auto const write = [&](std::vector<std::int64_t> const& shape, std::vector<int> const& indices) {
    return write_as("|S3", "csr", shape, indices);
  };
  CHECK(write({1, 3}, {2}) == "");
  CHECK(write({1, 3}, {3}) == file +
                                  " holds no sparse matrix: kt::csr_array: index 3 at position 0 "
                                  "is out of range: there are 3 columns");
  CHECK(write({2, 3}, {2}).find("indptr has 2 elements, but there are 2 rows") !=
        std::string::npos);
  CHECK(write({1, -3}, {2}) == file + ": shape is not that of a matrix");
  CHECK(write({1}, {2}) == file + ": shape is not that of a matrix");

  auto const write_columns = [&](std::string const& code, std::vector<std::int64_t> const& shape,
                                 std::vector<int> const& indices) {
    return write_as(code, "csc", shape, indices);
  };
  CHECK(write_columns("|S3", {3, 1}, {2}) == "");
  CHECK(write_columns("|S3", {3, 1}, {3}) ==
        file + " holds no sparse matrix: kt::csc_array: index 3 at position 0 is out of range: "
               "there are 3 rows");
  for (std::int64_t rows : {std::int64_t{1} << 62, (std::int64_t{1} << 31) + 5})
    CHECK(write_columns("|S3", {rows, 1}, {2}) ==
          file + " has an extent of " + std::to_string(rows) +
              ", too large to be converted from csc");
  CHECK(write_columns("|S0", {3, 1}, {2}).find("SciPy's format '', but") != std::string::npos);
  for (char const* type : {"|S99999999999999999999999", "|S", "|S3x", "<U3"})
    CHECK(write_columns(type, {3, 1}, {2}) == file + ": format is no text");

  kt::save(file, kt::load<kt::csc<double>>(data("csr.npz")));
  CHECK((kt::load<kt::csr<double>>(file).to_dense() == a));
  if (std::system("/usr/bin/python3 -c 'import scipy.sparse' > /dev/null 2>&1") != 0) {
    WARN("no SciPy here");
    return;
  }
  std::string const compared = "/usr/bin/python3 -c 'import scipy.sparse as sp\n"
                               "a = sp.load_npz(\"" + file + "\")\n"
                               "b = sp.load_npz(\"" + data("csr.npz") + "\")\n"
                               "assert a.format == \"csc\" and a.shape == b.shape\n"
                               "assert abs(a - b).nnz == 0 and a.has_canonical_format'";
  CHECK(std::system(compared.c_str()) == 0);
}
