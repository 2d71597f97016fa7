// Headers of .npy files as NumPy's own reader takes them, and those that it refuses.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"
#include "run/temporary_folder.hpp"

#include <kroton/npz.hpp>

#include <fstream>

using namespace reference;

namespace {

std::string npy(std::string const& header, std::string const& elements, int version = 1,
                int minor = 0) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += static_cast<char>(minor);
  for (std::size_t i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(header.size() >> 8 * i & 255);
  return bytes + header + elements;
}

/// What a file is refused with, or what it holds.
template <class T, int Rank>
std::string read(std::string const& bytes) {
  try {
    auto const x = kt::files::array_from_npy<T, Rank>(bytes, "x");
    std::string text;
    if constexpr (Rank == 0) text = std::to_string(x);
    else
      for (auto const& value : x) text += (text.empty() ? "" : " ") + std::to_string(value);
    return text;
  } catch (kt::file_error const& e) {
    return e.what();
  }
}
std::string const elements{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0};
std::string matrix(std::string const& header, int version = 1, int minor = 0) {
  return read<int, 2>(npy(header, elements, version, minor));
}
std::string typed(std::string const& type) {
  return matrix("{'descr': '" + type + "', 'fortran_order': False, 'shape': (2, 3), }");
}
std::string ordered(std::string const& order) {
  return matrix("{'descr': '<i2', 'fortran_order': " + order + ", 'shape': (2, 3), }");
}
std::string shaped(std::string const& shape, int version = 1) {
  return matrix("{'descr': '<i2', 'fortran_order': False, 'shape': " + shape + ", }", version);
}

std::string const rows = "1 2 3 4 5 6", columns = "1 3 5 2 4 6";
std::string const unreadable = "x has a header that cannot be read";
std::string const unreadable_shape = "x has a shape that cannot be read";

}  // namespace

TEST_CASE("quotes and spaces in the headers of .npy files are free") {
  CHECK(matrix(R"({"descr": "<i2", "fortran_order": False, "shape": (2, 3)})") == rows);
  CHECK(matrix(R"({"descr":'<i2','fortran_order':True,"shape":(2,3)})") == columns);
  CHECK(matrix("  { 'descr' :\t'<i2' , 'fortran_order'\n:False ,\n'shape' : ( 2 , 3 , ) , } \n") ==
        rows);
  CHECK(matrix("{'shape': (2, 3), 'descr': '<i2', 'fortran_order': False}", 2) == rows);
  CHECK(matrix("{'shape': (2, 3), 'descr': '<i2', 'fortran_order': False}", 3) == rows);
  CHECK(matrix("{'descr' '<i2', 'fortran_order': False, 'shape': (2, 3)}") == unreadable);
  CHECK(matrix("{'descr\": '<i2', 'fortran_order': False, 'shape': (2, 3)}") ==
        "x has an unknown key descr\":  in its header");
  CHECK(matrix("{'fortran_order': False, 'shape': (2, 3), 'descr': '<i2}") == unreadable);
  CHECK(matrix("{descr: '<i2', 'fortran_order': False, 'shape': (2, 3)}") == unreadable);
  CHECK(matrix("'descr': '<i2', 'fortran_order': False, 'shape': (2, 3)") == unreadable);
  CHECK(matrix("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3)") == unreadable);
  CHECK(matrix("{'descr': '<i2', 'fortran_order': False 'shape': (2, 3)}") == unreadable);
  CHECK(matrix("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3),,}") == unreadable);
  CHECK(matrix("{,'descr': '<i2', 'fortran_order': False, 'shape': (2, 3)}") == unreadable);
  CHECK(matrix("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3)} {}") == unreadable);
  std::string const good = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3)}";
  CHECK(matrix(good + std::string(1, '\0')) == unreadable);
  CHECK(matrix("") == unreadable);
}

TEST_CASE("each key stands once in the header of an .npy file") {
  CHECK(matrix("{'descr': '<i2', 'fortran_order': False}") == "x has no shape in its header");
  CHECK(matrix("{'fortran_order': False, 'shape': (2, 3)}") == "x has no descr in its header");
  CHECK(matrix("{'descr': '<i2', 'shape': (2, 3)}") == "x has no fortran_order in its header");
  CHECK(matrix("{}") == "x has no descr in its header");
  CHECK(matrix("{'descr': '<i2', 'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)}") ==
        "x has descr twice in its header");
  CHECK(matrix("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), 'more': 1}") ==
        "x has an unknown key more in its header");
  // The name of a key in another place is not a key.
  CHECK(matrix("{'x': 'descr', 'descr': '<i2', 'fortran_order': False, 'shape': (2, 3)}") ==
        "x has an unknown key x in its header");
}

TEST_CASE("element types of .npy files are NumPy's names") {
  for (char const* type : {"<i2", "=i2", "|i2", "i2", "int16"}) CHECK(typed(type) == rows);
  CHECK(typed(">i2") == "256 512 768 1024 1280 1536");
  for (std::string const type : {"Zf8", "Zi2", "<i02", "<<i2", " <i2", "<i2 ", "<int16", "<i", "<",
                                 "<i3", "<f16", "<c4", "O", "<M8[s]"})
    CHECK(typed(type) == "x has elements of type " + type + ", which Kroton does not support");
  CHECK(typed("") == "x has no element type");
  CHECK(typed("<i\\62") == unreadable);
  CHECK(matrix("{'descr': 7, 'fortran_order': False, 'shape': (2, 3)}") == unreadable);
  CHECK(matrix("{'descr': None, 'fortran_order': False, 'shape': (2, 3)}") == unreadable);
  CHECK(matrix("{'descr': [('a', '<i2')], 'fortran_order': False, 'shape': (2, 3)}") ==
        "x holds records, which Kroton does not support");
  CHECK(matrix("{'descr': ('<i2', (3,)), 'fortran_order': False, 'shape': (2,)}") ==
        "x holds records, which Kroton does not support");
}

TEST_CASE("fortran_order is True or False") {
  CHECK(ordered("True") == columns);
  CHECK(ordered("False") == rows);
  for (char const* order : {"Maybe", "true", "1", "0", "'True'", "None", "()", ""})
    CHECK(ordered(order) == "x has a fortran_order that is neither True nor False");
  for (char const* order : {"Truely", "True False", "False()"}) CHECK(ordered(order) == unreadable);
}

TEST_CASE("shapes of .npy files are tuples of extents that an array can have") {
  for (char const* shape : {"(2,3)", "( 2, 3 )", "(2, 3,)", "(2L, 3L)"})
    CHECK(shaped(shape) == rows);
  CHECK(shaped("(2L, 3)", 3) == unreadable_shape);
  for (char const* shape : {"(,)", "(2,,3)", "(2, 3,,)", "(, 2, 3)", "(2 3)", "[2, 3]", "(6)", "6",
                            "(-2, 3)", "(+2, 3)", "(2., 3)", "(02, 3)", "(0x2, 3)", "('2', 3)",
                            "(2, (3,))", "(2, 99999999999999999999)", "None"})
    CHECK(shaped(shape) == unreadable_shape);
  CHECK(shaped("(6,)") == "x has rank 1, but an array of rank 2 is required");
  CHECK(shaped("(2, 4)") == "x is truncated: it holds fewer elements than its shape says");
  std::string const too_large = "x has a shape that exceeds the address space";
  for (char const* shape : {"(0, 18446744073709551615)", "(18446744073709551615, 0)",
                            "(4294967296, 4294967296)", "(4611686018427387904, 2)",
                            "(0, 4294967296, 4294967296)"})
    CHECK(shaped(shape) == too_large);
  CHECK(shaped("(0, 4611686018427387903)") == "");
  std::string const scalar = "{'descr': '<f8', 'fortran_order': False, 'shape': ()}";
  CHECK(read<double, 0>(npy(scalar, std::string(8, '\0'))) == "0.000000");
}

TEST_CASE("versions and lengths of the headers of .npy files") {
  std::string const good = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3)}";
  CHECK(matrix(good, 1, 1) == "x has version 1.1 of NumPy's format, which is not supported");
  CHECK(matrix(good, 4) == "x has version 4 of NumPy's format, which is not supported");
  CHECK(matrix(good, 255) == "x has version -1 of NumPy's format, which is not supported");
  CHECK(matrix(good + std::string(60'000, ' ')) == rows);
  CHECK(matrix(good + std::string(100'000, ' '), 2) == rows);
  for (int version : {1, 2, 3}) {
    std::string bytes = npy(good, elements, version);
    for (std::size_t i = 8; i < (version == 1 ? 10u : 12u); ++i) bytes[i] = '\xff';
    CHECK(read<int, 2>(bytes) == "x is truncated in its header");
  }
}

// Every file has a value or a kt::file_error, whatever is done to it.
TEST_CASE("damaged .npy and .npz files are refused, or read as what they hold") {
  temporary_folder const folder;
  std::string const header = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
  std::string const good = npy(header, elements);
  std::string const file = folder.path("damaged.npz");
  {
    kt::files::zip_writer out(file);
    out.add("a.npy", good);
    out.add("b.npy", npy("{'descr': '>i4', 'fortran_order': True, 'shape': (1, 3), }", elements));
    out.write();
  }
  std::string const zipped = kt::core::read_file(file);
  std::uint64_t random = 20;
  auto draw = [&](std::size_t n) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(random >> 33) % n;
  };
  constexpr char bytes_of_formats[] = "{}()[],:'\"0189 <>=|fic\n\\-+LTF\0\xff\x93PK\x06";
  std::string const symbols(bytes_of_formats, sizeof bytes_of_formats - 1);
  auto mutate = [&](std::string bytes) {
    for (std::size_t k = draw(4) + 1; k > 0; --k) {
      std::size_t const at = draw(bytes.size());
      switch (draw(5)) {
        case 0: bytes[at] = symbols[draw(symbols.size())]; break;
        case 1: bytes[at] = static_cast<char>(draw(256)); break;
        case 2: bytes.erase(at, draw(8) + 1); break;
        case 3: bytes.insert(at, 1, symbols[draw(symbols.size())]); break;
        default: bytes.insert(at, bytes.substr(draw(bytes.size()), draw(12)));
      }
      if (bytes.empty()) bytes = "x";
    }
    return bytes;
  };
  int values = 0, refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string const text = read<int, 2>(mutate(good));
    ++(text.starts_with("x ") ? refused : values);
    std::ofstream(file, std::ios::binary) << mutate(zipped);
    for (char const* name : {"a", "b"}) {
      try {
        auto const x = kt::load<int, 2>(file, name);
        // The checksum holds, so the elements are those that were written.
        CHECK(x.size() == (*name == 'a' ? 6 : 3));
      } catch (kt::file_error const&) {
      }
    }
  }
  CHECK(values > 100);
  CHECK(refused > 1000);
}
