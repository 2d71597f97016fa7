// The machine, and the program's place on it.
// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include "python.hpp"

#include <cblas.h>
#include <sched.h>
#include <unistd.h>
#include <kroton/core/config.hpp>
#include <xsimd/config/xsimd_config.hpp>
#include <xtensor/xtensor_config.hpp>

#include <cstdlib>
#include <cstring>
#include <fstream>

#if defined(BENCH_EIGEN)
#include <Eigen/src/Core/util/Macros.h>
#endif
#if defined(BENCH_ARMADILLO)
#include <armadillo_bits/arma_version.hpp>
#endif
#if defined(BENCH_CERES)
#include <ceres/version.h>
#endif

namespace bench {

namespace {

std::string version(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::string first_line(std::string const& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string caches() {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    std::string const folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    std::string const level = first_line(folder + "level"), type = first_line(folder + "type");
    if (level.empty() || type == "Instruction") continue;
    text += (text.empty() ? "L" : ", L") + level + " " + first_line(folder + "size");
  }
  return text;
}

}  // namespace

void with_one_thread(char** argv) {
  char const* const done = std::getenv("OPENBLAS_NUM_THREADS");
  if (done && std::strcmp(done, "1") == 0) return;
  for (char const* name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMEXPR_MAX_THREADS"})
    setenv(name, "1", 1);
  execv("/proc/self/exe", argv);
}

int keep_to(int processor) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return -1;
  for (int i = CPU_SETSIZE - 1; processor < 0 && i >= 0; --i)
    if (CPU_ISSET(i, &set)) processor = i;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0 ? processor : -1;
}

std::vector<std::pair<std::string, std::string>> machine() {
#if defined(__clang__)
  std::string const compiler = "clang " __clang_version__;
#else
  std::string const compiler = "g++ " __VERSION__;
#endif
  return {{"processor", processor() + ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " logical"},
          {"caches", caches()},
          {"compiler", compiler},
          {"flags", BENCH_FLAGS}};
}

std::vector<std::pair<std::string, std::string>> peers() {
  std::vector<std::pair<std::string, std::string>> all{
      {"Kroton", KROTON_VERSION},
      {"xtensor", version(XTENSOR_VERSION_MAJOR, XTENSOR_VERSION_MINOR, XTENSOR_VERSION_PATCH)},
      {"xsimd", version(XSIMD_VERSION_MAJOR, XSIMD_VERSION_MINOR, XSIMD_VERSION_PATCH)}};
#if defined(OPENBLAS_VERSION)
  all.emplace_back("OpenBLAS", std::string(openblas_get_config()).substr(9, 7) + "(" + openblas_get_corename() + ")");
#endif
#if defined(BENCH_EIGEN)
  all.emplace_back("Eigen", version(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION));
#endif
#if defined(BENCH_ARMADILLO)
  all.emplace_back("Armadillo", version(ARMA_VERSION_MAJOR, ARMA_VERSION_MINOR, ARMA_VERSION_PATCH));
#endif
#if defined(BENCH_CERES)
  all.emplace_back("Ceres", CERES_VERSION_STRING);
#endif
  for (auto const& [module, version] : python::versions()) all.emplace_back(module, version);
  return all;
}

}  // namespace bench
