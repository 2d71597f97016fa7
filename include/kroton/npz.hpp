// Arrays in files, in NumPy's formats .npy and .npz. No part of kroton.hpp; it needs zlib (-lz).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/files/entries.hpp>
#include <kroton/files/members.hpp>
#include <kroton/files/npy.hpp>
#include <kroton/files/sparse.hpp>
#include <kroton/files/zip.hpp>

#include <string>

namespace kroton {
namespace files {

template <class>
struct npz_header {};

}  // namespace files

/// Writes an array or a number to an .npy file: `kt::save("x.npy", x)`. Throws kt::file_error.
/// (numpy.save)
template <class A>
  requires requires { typename cpu::element_t<A>; }
void save(std::string const& file, A const& array) {
  core::write_file(file, files::npy_of(array));
}

/// Reads an .npy file: `auto x = kt::load<double, 2>("x.npy")`. Elements are converted where
/// nothing is lost; either order of bytes and of indices is read, the result is in row-major order.
/// Throws kt::file_error. (numpy.load)
template <class T, int Rank>
cpu::container_t<T, Rank> load(std::string const& file) {
  return files::array_from_npy<T, Rank>(core::read_file(file), file);
}
/// Reads one array of an .npz file: `kt::load<double, 2>("data.npz", "x")`.
template <class T, int Rank>
cpu::container_t<T, Rank> load(std::string const& file, std::string const& name) {
  return files::array_from_npy<T, Rank>(files::zip_reader(file).get(name), file + ": " + name);
}

namespace files {

template <class S>
struct values_file {
  static void save(std::string const& file, values<S> const& v) {
    zip_writer out(file);
    write_members(out, "", v);
    out.write();
  }
  static void load(std::string const& file, values<S>& v) {
    zip_reader const in(file);
    v = read_members<values<S>>(in, file, "");
  }
};

}  // namespace files
}  // namespace kroton
