// Arrays in NumPy's files: round trips, what NumPy writes and reads, and files that are wrong.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <boost/hana/define_struct.hpp>
#include <kroton/npz.hpp>

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace reference;

namespace {

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, W), (kt::fvector, b));
};
struct model : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(model, (layer, hidden), (kt::lscalar, steps), (kt::vector<bool>, mask));
};

kt::values<model> const written(kt::values<layer>(mat<double>{{0.5, 1.5, 2.5}, {3.5, 4.5, 5.5}}, vec<float>{1, -2, 3}), -7, vec<bool>{true, false});

bool same(kt::values<model> const& a, kt::values<model> const& b) {
  return kt::get<&layer::W>(kt::get<0>(a)) == kt::get<&layer::W>(kt::get<0>(b)) &&
         kt::get<&layer::b>(kt::get<0>(a)) == kt::get<&layer::b>(kt::get<0>(b)) && kt::get<1>(a) == kt::get<1>(b) && kt::get<2>(a) == kt::get<2>(b);
}

// A file that goes with the test.
struct temporary {
  std::string name;
  explicit temporary(std::string const& n) : name("kroton_test_" + n) {}
  ~temporary() { std::remove(name.c_str()); }
  operator std::string const&() const { return name; }
  void write(std::string const& bytes) const { std::ofstream(name, std::ios::binary) << bytes; }
};

// An .npy file as NumPy writes it.
std::string npy(std::string const& dictionary, std::string const& elements, char version = 1) {
  std::string header = dictionary + "\n";
  std::string bytes = std::string("\x93NUMPY") + version + '\0' + static_cast<char>(header.size());
  bytes.append(version == 1 ? 1 : 3, '\0');
  return bytes + header + elements;
}

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (kt::file_error const& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("arrays of every type and rank come back from .npy files") {
  temporary const file("array.npy");
  kt::save(file, mat<double>{{1, not_a_number}, {-infinity, 1e-300}});
  auto const m = kt::load<double, 2>(file);
  CHECK(m.shape() == std::array<std::size_t, 2>{2, 2});
  CHECK((m(0, 0) == 1 && std::isnan(m(0, 1)) && m(1, 0) == -infinity && m(1, 1) == 1e-300));
  kt::save(file, 2.5f);
  CHECK(kt::load<float, 0>(file) == 2.5f);
  CHECK(kt::load<double, 0>(file) == 2.5);
  kt::save(file, std::vector<std::uint8_t>{1, 255});
  CHECK((kt::load<std::int64_t, 1>(file) == vec<std::int64_t>{1, 255}));
  // A view is written in row-major order, whatever its strides.
  mat<double> const a{{1, 2, 3}, {4, 5, 6}};
  kt::save(file, xt::transpose(a));
  CHECK((kt::load<double, 2>(file) == mat<double>{{1, 4}, {2, 5}, {3, 6}}));
  kt::save(file, xt::view(a, xt::all(), xt::range(0, 3, 2)));
  CHECK((kt::load<double, 2>(file) == mat<double>{{1, 3}, {4, 6}}));
  xt::xarray<std::complex<double>> complex = xt::zeros<std::complex<double>>({1, 2});
  complex(0, 1) = {3, 4};
  kt::save(file, complex);
  CHECK(kt::load<std::complex<double>, 2>(file)(0, 1) == std::complex<double>(3, 4));
  kt::save(file, xt::xtensor<std::int16_t, 3>(std::array<std::size_t, 3>{2, 0, 3}));
  CHECK((kt::load<std::int32_t, 3>(file).shape() == std::array<std::size_t, 3>{2, 0, 3}));
}

TEST_CASE("structs come back from .npz files, also into shared variables") {
  temporary const file("model.npz");
  written.save(file);
  kt::values<model> read;
  read.load(file);
  CHECK(same(read, written));
  kt::shared<model> weights(kt::values<layer>(mat<double>{{0}}, vec<float>{}), 0, vec<bool>{});
  weights.load(file);
  CHECK(same(weights.get_value(), written));
  weights.save(file);
  CHECK((kt::load<double, 2>(file, "hidden.W") == kt::get<&layer::W>(kt::get<0>(written))));
  CHECK(kt::load<std::int64_t, 0>(file, "steps") == -7);
}

TEST_CASE("both orders of bytes and of indices, all versions of the header, keys in any order") {
  temporary const file("orders.npy");
  std::string const big{0, 1, 0, 2, 0, 3, 1, 0, 1, 1, 1, 2};  // 1, 2, 3, 256, 257, 258
  file.write(npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3), }", big));
  CHECK((kt::load<std::int16_t, 2>(file) == mat<std::int16_t>{{1, 2, 3}, {256, 257, 258}}));
  file.write(npy("{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3), }", big, 2));
  CHECK((kt::load<double, 2>(file) == mat<double>{{1, 3, 257}, {2, 256, 258}}));
  file.write(npy("{'shape':(3,2),'fortran_order':True,'descr':'>i2'}", big, 3));
  CHECK((kt::load<int, 2>(file) == mat<int>{{1, 256}, {2, 257}, {3, 258}}));
  file.write(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", {0, 1, 2}));
  CHECK((kt::load<bool, 1>(file) == vec<bool>{false, true, true}));
  file.write(npy("{'descr': '>c8', 'fortran_order': False, 'shape': (), }", {0x3f, char(0x80), 0, 0, 0x40, 0, 0, 0}));
  CHECK(kt::load<std::complex<float>, 0>(file) == std::complex<float>(1, 2));
  // A header longer than 127 bytes.
  file.write(npy("{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }" + std::string(180, ' '), {5}));
  CHECK((kt::load<std::int8_t, 1>(file) == vec<std::int8_t>{5}));
}

TEST_CASE("wrong .npy files are errors in words") {
  temporary const file("wrong.npy");
  auto load = [&](std::string const& bytes) {
    file.write(bytes);
    return error_of([&] { kt::load<float, 1>(file); });
  };
  std::string const name = "kroton_test_wrong.npy ";
  auto dictionary = [](std::string const& type, std::string const& shape) {
    return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  };
  CHECK(error_of([] { kt::load<float, 1>("no such file.npy"); }) == "no such file.npy cannot be opened: No such file or directory");
  CHECK(error_of([] { kt::save("no such folder/x.npy", 1.); }) == "no such folder/x.npy cannot be opened for writing: No such file or directory");
  CHECK(load("hello") == name + "is not an array in NumPy's format");
  CHECK(load("") == name + "is not an array in NumPy's format");
  CHECK(load(std::string("\x93NUMPY\x01", 7)) == name + "is truncated in its header");
  CHECK(load(std::string("\x93NUMPY\x01\x00\xff\x00{'descr'", 18)) == name + "is truncated in its header");
  CHECK(load(npy(dictionary("<f4", "(1,)"), "1234", 9)) == name + "has version 9 of NumPy's format, which is not supported");
  CHECK(load(npy(dictionary("<f4", "(2, 1)"), "12345678")) == name + "has rank 2, but an array of rank 1 is required");
  CHECK(load(npy(dictionary("<f8", "(1,)"), "12345678")) == name + "has elements of type float64, which would be narrowed to float32");
  CHECK(load(npy(dictionary("<i4", "(1,)"), "1234")) == name + "has elements of type int32, which would be narrowed to float32");
  CHECK(load(npy(dictionary("<f3", "(1,)"), "123")) == name + "has elements of type <f3, which Kroton does not support");
  CHECK(load(npy(dictionary("<U5", "(1,)"), "12")) == name + "has elements of type <U5, which Kroton does not support");
  CHECK(load(npy(dictionary("", "(1,)"), "12")) == name + "has no element type");
  CHECK(load(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234")) == name + "holds records, which Kroton does not support");
  CHECK(load(npy("{'descr': '<f4', 'shape': (1,), }", "1234")) == name + "has no fortran_order in its header");
  std::string const short_of = name + "is truncated: it holds fewer elements than its shape says";
  CHECK(load(npy(dictionary("<f4", "(2,)"), "1234567")) == short_of);
  CHECK(load(npy(dictionary("<f4", "(2305843009213693951,)"), "1234")) == short_of);
  file.write(npy(dictionary("<f4", "()"), "123"));
  CHECK(error_of([&] { kt::load<float, 0>(file); }) == short_of);
  CHECK(load(npy(dictionary("<f4", "(99999999999999999999,)"), "1234")) == name + "has a shape that cannot be read");
  CHECK(load(npy(dictionary("<f4", "(1x,)"), "1234")) == name + "has a shape that cannot be read");
  CHECK(load(npy(dictionary("<f4", "(1,"), "1234")) == name + "has a shape that cannot be read");
}

TEST_CASE("wrong .npz files are errors in words, and leave the values as they were") {
  temporary const file("wrong.npz");
  written.save(file);
  std::string const good = kt::core::read_file(file);
  kt::values<model> v = written;
  kt::get<1>(v) = 1;
  auto load = [&](std::string const& bytes) {
    file.write(bytes);
    return error_of([&] { v.load(file); });
  };
  std::string const name = "kroton_test_wrong.npz";
  CHECK(load(good) == "");
  CHECK(load("hello") == name + " is not a .npz file");
  // Every way to cut it off is found.
  bool all_found = true;
  for (std::size_t n = 0; n < good.size(); ++n) all_found = all_found && !load(good.substr(0, n)).empty();
  CHECK(all_found);
  // Every byte that is turned is found, or does not matter.
  int found = 0;
  bool all_well = true;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(~bad[i]);
    if (load(bad).empty()) all_well = all_well && same(v, written);
    else ++found;
  }
  CHECK(all_well);
  CHECK(found > 500);
  std::string damaged = good;
  damaged[good.find("NUMPY") + 130] ^= 1;
  CHECK(load(damaged) == name + " is damaged at hidden.W.npy");

  struct other : kt::structure {
    BOOST_HANA_DEFINE_STRUCT(other, (kt::dmatrix, W));
  };
  struct typed : kt::structure {
    BOOST_HANA_DEFINE_STRUCT(typed, (kt::iscalar, steps));
  };
  struct ranked : kt::structure {
    BOOST_HANA_DEFINE_STRUCT(ranked, (kt::lvector, steps));
  };
  file.write(good);
  CHECK(error_of([&] { kt::values<other>().load(file); }) == name + " has no array W; it has hidden.W, hidden.b, steps, mask");
  CHECK(error_of([&] { kt::values<typed>().load(file); }) == name + ": steps has elements of type int64, which would be narrowed to int32");
  CHECK(error_of([&] { kt::values<ranked>().load(file); }) == name + ": steps has rank 0, but an array of rank 1 is required");
}

TEST_CASE("files of numpy.savez and numpy.savez_compressed") {
  for (char const* file : {"plain.npz", "compressed.npz"}) {
    kt::values<model> v;
    v.load(std::string(KROTON_TEST_DATA) + "/" + file);
    CHECK(same(v, written));
  }
}

TEST_CASE("NumPy reads what is saved") {
  std::string python;
  for (char const* name : {"/usr/bin/python3", "python3"})
    if (std::system((std::string(name) + " -c 'import numpy' > /dev/null 2>&1").c_str()) == 0) python = name;
  if (python.empty()) {
    WARN("no NumPy here");
    return;
  }
  temporary const npz("numpy.npz"), npy("numpy.npy");
  written.save(npz);
  kt::save(npy, xt::xtensor<std::uint16_t, 3>{{{1, 2}, {3, 4}, {5, 600}}});
  std::ostringstream command;
  command << python << " -c '"
             "import numpy as np\n"
             "z = np.load(\"" << npz.name << "\")\n"
             "assert sorted(z.files) == [\"hidden.W\", \"hidden.b\", \"mask\", \"steps\"]\n"
             "assert (z[\"hidden.W\"] == [[.5, 1.5, 2.5], [3.5, 4.5, 5.5]]).all() and z[\"hidden.W\"].dtype == np.float64\n"
             "assert (z[\"hidden.b\"] == [1, -2, 3]).all() and z[\"hidden.b\"].dtype == np.float32\n"
             "assert z[\"steps\"] == -7 and z[\"steps\"].shape == () and z[\"steps\"].dtype == np.int64\n"
             "assert (z[\"mask\"] == [True, False]).all() and z[\"mask\"].dtype == bool\n"
             "a = np.load(\"" << npy.name << "\")\n"
             "assert (a == [[[1, 2], [3, 4], [5, 600]]]).all() and a.dtype == np.uint16\n"
             "import zipfile\n"
             "assert zipfile.ZipFile(\"" << npz.name << "\").testzip() is None'";
  CHECK(std::system(command.str().c_str()) == 0);
}
