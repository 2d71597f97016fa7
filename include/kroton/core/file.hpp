// Reading and writing whole files: a new file replaces an old one only once it is complete.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace kroton {

/// A file that cannot be read or written, or that does not hold what was requested; the text names
/// the file and the array.
class file_error : public error {
  using error::error;
};

/// Writes a file that replaces an older one of the same name in `close`, once it is complete and on
/// disk. Until then, and whenever something fails, the older file stays unchanged: the new one is a
/// hidden file in the same folder, which is removed if the writer is destroyed before `close`. The
/// new file has the permissions of the old one; a symbolic link stays, and its target is replaced;
/// devices and pipes are written to directly. Throws kt::file_error.
class file_writer {
 public:
  explicit file_writer(std::string const& file) : file_(file) {
    struct stat old;
    bool const exists = ::stat(file.c_str(), &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) throw file_error(file + " is a directory");
    if (exists && !S_ISREG(old.st_mode)) {
      descriptor_ = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
      if (descriptor_ < 0) fail("cannot be opened for writing");
      return;
    }
    target_ = target_of_links(file);
    // A file that may not be changed is not replaced either.
    if (exists && ::access(target_.c_str(), W_OK) != 0) fail("cannot be opened for writing");
    std::string const folder = folder_of(target_) + ".kroton-" + std::to_string(::getpid()) + '-';
    static std::atomic<unsigned> count{0};
    do {
      part_ = folder + std::to_string(count++);
      descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) {
      part_.clear();
      fail("cannot be opened for writing");
    }
    if (exists && (old.st_uid != ::geteuid() || old.st_gid != ::getegid()))
      (void)!::fchown(descriptor_, old.st_uid, old.st_gid);  // only root can change owners
    if (exists && !takes_mode(old.st_mode)) abandon("cannot be opened for writing");
  }
  file_writer(file_writer const&) = delete;
  file_writer& operator=(file_writer const&) = delete;
  ~file_writer() { discard(); }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t const count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
      else if (count == 0 || errno != EINTR) abandon("cannot be written");
    }
  }
  /// Puts the new file in place. Without this call nothing changes.
  void close() {
    bool const direct = part_.empty();
    // Devices, pipes and some file systems have nothing to flush.
    if (!direct && ::fsync(descriptor_) != 0 && errno != EINVAL) abandon("cannot be written");
    if (::close(std::exchange(descriptor_, -1)) != 0) abandon("cannot be written");
    if (direct) return;
    if (::rename(part_.c_str(), target_.c_str()) != 0) abandon("cannot be replaced");
    part_.clear();
    flush_folder();
  }

 private:
  [[noreturn]] void fail(char const* what) const {
    throw file_error(file_ + " " + what + ": " + std::strerror(errno));
  }
  [[noreturn]] void abandon(char const* what) {
    int const reason = errno;
    discard();
    errno = reason;
    fail(what);
  }
  void discard() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!part_.empty()) ::unlink(part_.c_str());
    descriptor_ = -1;
    part_.clear();
  }
  // Some file systems have the same permissions for all files, which cannot be changed.
  bool takes_mode(::mode_t mode) const {
    if (::fchmod(descriptor_, mode & 07777) == 0) return true;
    int const reason = errno;
    struct stat now;
    bool const same = ::fstat(descriptor_, &now) == 0 && now.st_mode == mode;
    errno = reason;
    return same;
  }
  // Makes the new name survive a power failure; some file systems have no such call.
  void flush_folder() const {
    std::string const folder = folder_of(target_);
    char const* const path = folder.empty() ? "." : folder.c_str();
    int const descriptor = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
  }
  static std::string folder_of(std::string const& path) {
    return path.substr(0, path.rfind('/') + 1);
  }
  std::string target_of_links(std::string path) const {
    char to[PATH_MAX];
    for (int depth = 0; depth < 40; ++depth) {
      ssize_t const length = ::readlink(path.c_str(), to, sizeof to);
      if (length < 0) return path;
      std::string_view const next(to, static_cast<std::size_t>(length));
      path = (next.starts_with('/') ? std::string() : folder_of(path)) + std::string(next);
    }
    errno = ELOOP;
    fail("cannot be opened for writing");
  }

  std::string file_, target_, part_;
  int descriptor_ = -1;
};

namespace core {

inline void write_file(std::string const& file, std::string_view bytes) {
  file_writer out(file);
  out.write(bytes);
  out.close();
}

/// The bytes of a file. Throws kt::file_error.
inline std::string read_file(std::string const& file) {
  auto fail = [&](std::string const& what) { throw file_error(file + " " + what); };
  int const descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(std::string("cannot be opened: ") + std::strerror(errno));
  struct closing {
    int descriptor;
    ~closing() { ::close(descriptor); }
  } const closed{descriptor};
  struct stat info;
  if (::fstat(descriptor, &info) != 0) fail(std::string("cannot be read: ") + std::strerror(errno));
  if (S_ISDIR(info.st_mode)) fail("is a directory");
  std::string bytes;
  try {
    if (info.st_size > 0) bytes.resize(static_cast<std::size_t>(info.st_size) + 1);
    for (std::size_t size = 0;;) {
      // Pipes and devices do not report their size.
      if (size == bytes.size()) bytes.resize(2 * size + 65536);
      ssize_t const count = ::read(descriptor, bytes.data() + size, bytes.size() - size);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(std::string("cannot be read: ") + std::strerror(errno));
      size += static_cast<std::size_t>(count);
      if (count == 0) return bytes.resize(size), bytes;
    }
  } catch (std::bad_alloc const&) {
    fail("does not fit into memory");
  } catch (std::length_error const&) {
    fail("does not fit into memory");
  }
  return bytes;
}

}  // namespace core
}  // namespace kroton
