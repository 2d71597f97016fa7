// Sparse matrices in files, in SciPy's format: an .npz file with the arrays of one matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/files/zip.hpp>
#include <kroton/function/sparse_array.hpp>
#include <kroton/function/values.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace kroton {
namespace files {

/// A matrix of compressed lines, from its arrays. Throws kt::file_error if they are none.
template <class A, class D, class I>
A sparse_from_file(std::string const& file, D const& data, I const& indices, I const& indptr,
                   std::array<std::size_t, 2> const& shape) {
  if (indptr.size() == 0) throw file_error(file + " holds no sparse matrix: indptr is empty");
  try {
    return {data, indices, indptr, shape};
  } catch (error const& e) { throw file_error(file + " holds no sparse matrix: " + e.what()); }
}
/// SciPy's name for a matrix by rows or by columns.
template <class A>
inline constexpr char const* format_of = A::by_rows ? "csr" : "csc";
/// Refuses a matrix by columns that would be read as one by rows, its transpose. Files of kt::entry
/// that say nothing are taken to fit.
template <class A>
void check_format(zip_reader const& in, std::string const& file, std::string const& name) {
  std::string const where = file + ": " + name;
  if (!in.contains(name)) return;
  std::string const format = text_from_npy(in.get(name), where);
  if (format != format_of<A>)
    throw file_error(where + " is " + format + ", but " + format_of<A> + " is required");
}
/// A matrix whose arrays have been read.
template <class A>
A checked(A const& read, std::string const& file) {
  auto const& [data, indices, indptr, extent] = read.leaves();
  if (extent < 0)
    throw file_error(file + " holds no sparse matrix: its extent is " + std::to_string(extent));
  return sparse_from_file<A>(file, data, indices, indptr, read.shape());
}
/// The matrix in a file of SciPy's.
template <class T, bool ByRows>
sparse_array_t<T, std::int32_t, ByRows> sparse_from_npz(zip_reader const& in,
                                                        std::string const& file,
                                                        std::array<std::size_t, 2> const& shape) {
  auto const at = [&](std::string const& name) { return file + ": " + name; };
  auto const data = array_from_npy<T, 1>(in.get("data"), at("data"));
  auto const indices = array_from_npy<std::int64_t, 1>(in.get("indices"), at("indices")),
             indptr = array_from_npy<std::int64_t, 1>(in.get("indptr"), at("indptr"));
  using result = sparse_array_t<T, std::int32_t, ByRows>;
  return sparse_from_file<result>(file, data, indices, indptr, shape);
}

}  // namespace files

/// Writes a sparse matrix to an .npz file. Throws kt::file_error. (scipy.sparse.save_npz)
template <class A>
  requires functions::is_sparse_array<A>
void save(std::string const& file, A const& a) {
  files::zip_writer out(file);
  std::array<std::int64_t, 2> const shape{static_cast<std::int64_t>(a.shape(0)),
                                          static_cast<std::int64_t>(a.shape(1))};
  out.add("indices.npy", files::npy_of(a.indices()));
  out.add("indptr.npy", files::npy_of(a.indptr()));
  out.add("format.npy", files::npy_of_text(files::format_of<A>));
  out.add("shape.npy", files::npy_of(shape));
  out.add("data.npy", files::npy_of(a.data()));
  out.write();
}

/// Reads a sparse matrix of SciPy's format csr or csc, either of which is converted to the one that
/// is asked for: `kt::load<kt::csr<double>>("a.npz")` is a kt::csr_array<double>. Elements are
/// converted where nothing is lost. Throws kt::file_error, also if the indices are not those of a
/// matrix. (scipy.sparse.load_npz)
template <sparse P>
auto load(std::string const& file) {
  using T = typename P::value_type;
  files::zip_reader const in(file);
  std::string const format = files::text_from_npy(in.get("format"), file + ": format");
  if (format != "csr" && format != "csc")
    throw file_error(file + " holds a matrix in SciPy's format '" + format +
                     "', but csr or csc is required: a.tocsr()");
  auto const given = files::array_from_npy<std::int64_t, 1>(in.get("shape"), file + ": shape");
  if (given.size() != 2 || given(0) < 0 || given(1) < 0)
    throw file_error(file + ": shape is not that of a matrix");
  std::array const shape{static_cast<std::size_t>(given(0)), static_cast<std::size_t>(given(1))};
  if ((format == "csr") == P::by_rows)
    return files::sparse_from_npz<T, P::by_rows>(in, file, shape);
  // What is short by columns may be long by rows, and the other way round.
  for (std::size_t extent : shape)
    if (!std::in_range<std::int32_t>(extent))
      throw file_error(file + " has an extent of " + std::to_string(extent) +
                       ", too large to be converted from " + format);
  auto const other = files::sparse_from_npz<T, !P::by_rows>(in, file, shape);
  return functions::turned<T, P::by_rows>(other.data(), other.indices(), other.indptr(),
                                          other.shape(P::by_rows ? 1 : 0),
                                          other.shape(P::by_rows ? 0 : 1));
}

}  // namespace kroton
