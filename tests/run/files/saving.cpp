// Saving replaces a file by a whole one or leaves it: full disks, killed processes, targets that
// are not files.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"
#include "run/temporary_folder.hpp"

#include <boost/hana/define_struct.hpp>
#include <kroton/npz.hpp>
#include <kroton/runtime.hpp>

#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <functional>

using namespace reference;
namespace fs = std::filesystem;

namespace {

struct model : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(model, (kt::dmatrix, W), (kt::dvector, b));
};

/// Everything that writes files, with more than 4 kB each.
struct writer {
  char const* name;
  std::function<void(std::string const&)> save;
};
std::vector<writer> writers() {
  mat<double> const w = xt::ones<double>({40, 40});
  vec<double> const b = xt::ones<double>({1000});
  auto const deep = [](kt::dvector x) {
    for (int i = 0; i < 100; ++i) x = kt::dvector(sin(x));
    return x;
  };
  return {
      {"array", [=](std::string const& file) { kt::save(file, w); }},
      {"struct", [=](std::string const& file) { kt::values<model>(w, b).save(file); }},
      {"shared", [=](std::string const& file) { kt::shared<model>(w, b).save(file); }},
      {"picture", [=](std::string const& file) { kt::dotprint(kt::graph_of(deep), file); }},
  };
}

std::string contents(std::string const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void put(std::string const& file, std::string const& text) {
  std::ofstream(file, std::ios::binary) << text;
}

/// What is thrown, empty for nothing.
std::string error_of(std::function<void()> const& f) {
  try {
    f();
    return "";
  } catch (kt::file_error const& e) {
    return e.what();
  }
}

/// What a child process makes of f: the text of its kt::file_error, or "signal N".
std::string in_child(std::function<void()> const& f) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  pid_t const child = fork();
  if (child == 0) {
    std::string text;
    try {
      text = error_of(f);
    } catch (std::exception const& e) {
      text = std::string("another exception: ") + e.what();
    }
    (void)!write(ends[1], text.data(), text.size());
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[512];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : text;
}
void limit_files(std::size_t bytes) {
  rlimit const limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace

TEST_CASE("a disk that fills up leaves the old file, and nothing else") {
  for (writer const& w : writers()) {
    INFO(w.name);
    temporary_folder const folder;
    std::string const file = folder.path("x");
    put(file, "precious");
    std::string const text = in_child([&] {
      std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit fails as on a full disk
      limit_files(4096);
      w.save(file);
    });
    CHECK(text == file + " cannot be written: File too large");
    CHECK(contents(file) == "precious");
    CHECK(folder.count() == 1);
    CHECK(error_of([&] { w.save("/dev/full"); }) ==
          "/dev/full cannot be written: No space left on device");
    w.save(file);
    CHECK(contents(file).size() > 4096);
    CHECK(folder.count() == 1);
  }
}

TEST_CASE("a process that is killed while it saves leaves the old file") {
  for (writer const& w : writers()) {
    INFO(w.name);
    temporary_folder const folder;
    std::string const file = folder.path("x");
    put(file, "precious");
    CHECK(in_child([&] {
            limit_files(4096);
            w.save(file);
          }) == "signal " + std::to_string(SIGXFSZ));
    CHECK(contents(file) == "precious");
  }
  temporary_folder const folder;
  std::string const file = folder.path("x");
  put(file, "precious");
  CHECK(in_child([&] {
          kt::file_writer out(file);
          out.write("half");
          raise(SIGKILL);
          out.close();
        }) == "signal " + std::to_string(SIGKILL));
  CHECK(contents(file) == "precious");
}

TEST_CASE("directories, missing folders and folders without permission are refused") {
  for (writer const& w : writers()) {
    INFO(w.name);
    temporary_folder const folder;
    CHECK(error_of([&] { w.save(folder.path()); }) == folder.path() + " is a directory");
    std::string const missing = folder.path("no/x");
    CHECK(error_of([&] { w.save(missing); }) ==
          missing + " cannot be opened for writing: No such file or directory");
    CHECK(folder.count() == 0);
    // The permissions of root end where those of others begin.
    std::string const file = folder.path("x");
    put(file, "precious");
    std::string const refusal = file + " cannot be opened for writing: Permission denied";
    auto as_other = [&](std::function<void()> const& f) {
      if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
        throw std::runtime_error("cannot change the user");
      f();
    };
    fs::permissions(folder.path(), fs::perms(0555));
    fs::permissions(file, fs::perms(0666));
    CHECK(in_child([&] { as_other([&] { w.save(file); }); }) == refusal);
    fs::permissions(folder.path(), fs::perms(0777));
    fs::permissions(file, fs::perms(0444));
    CHECK(in_child([&] { as_other([&] { w.save(file); }); }) == refusal);
    CHECK(contents(file) == "precious");
    CHECK(folder.count() == 1);
  }
  CHECK(error_of([] { kt::load<double, 1>("/tmp"); }) == "/tmp is a directory");
}

TEST_CASE("a new file has the permissions of the old one, and symbolic links stay") {
  for (writer const& w : writers()) {
    INFO(w.name);
    temporary_folder const folder;
    std::string const file = folder.path("x");
    w.save(file);
    mode_t const mask = umask(0);
    umask(mask);
    CHECK(fs::status(file).permissions() == fs::perms(0666 & ~mask));
    std::string const saved = contents(file);

    put(file, "precious");
    fs::permissions(file, fs::perms(0640));
    fs::create_directory(folder.path("links"));
    fs::create_symlink("../x", folder.path("links/one"));
    fs::create_symlink(folder.path("links/one"), folder.path("links/two"));
    w.save(folder.path("links/two"));
    CHECK(fs::read_symlink(folder.path("links/one")) == "../x");
    CHECK(fs::is_symlink(folder.path("links/two")));
    CHECK(contents(file) == saved);
    CHECK(fs::status(file).permissions() == fs::perms(0640));

    // A link to what is not there yet.
    fs::create_symlink("new", folder.path("dangling"));
    w.save(folder.path("dangling"));
    CHECK(fs::is_symlink(folder.path("dangling")));
    CHECK(contents(folder.path("new")) == saved);
    fs::create_symlink("circle", folder.path("circle"));
    std::string const circle = folder.path("circle");
    CHECK(error_of([&] { w.save(circle); }) ==
          circle + " cannot be opened for writing: Too many levels of symbolic links");
    CHECK(folder.count() == 5);
  }
}

TEST_CASE("what a profile cannot be written to is an error") {
  auto const f = kt::function([](kt::dvector x) { return exp(x); }, kt::mode::profile);
  f(vec<double>{1, 2, 3});
  using write_to = std::function<void(std::ostream&)>;
  for (write_to const& write : {write_to([&](auto& out) { kt::profile(f, out); }),
                                write_to([&](auto& out) { kt::profile_json(f, out); }),
                                write_to([&](auto& out) { kt::profile_trace(f, out); })}) {
    std::ofstream full("/dev/full"), missing("no such folder/x");
    std::string const text = "kt::profile: the stream cannot be written";
    CHECK(error_of([&] { write(full); }) == text);
    CHECK(error_of([&] { write(missing); }) == text);
  }
}
