// Python in this process.
// SPDX-License-Identifier: BSD-3-Clause
#if defined(BENCH_PYTHON)
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#endif

#include "python.hpp"

#include <cstdlib>
#include <sstream>

namespace bench {

#if defined(BENCH_PYTHON)

namespace {

PyObject* checked(PyObject* object) {
  if (!object) {
    PyErr_Print();
    std::exit(2);
  }
  return object;
}

void start() {
  if (Py_IsInitialized()) return;
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  // Python looks for its modules next to this program, which need not be the first of that name in the PATH.
  PyConfig_SetBytesString(&config, &config.program_name, BENCH_PYTHON);
  PyStatus const status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status)) Py_ExitStatusException(status);
}

PyObject* globals(void* names) { return static_cast<PyObject*>(names); }

std::string indented(std::string const& statements) {
  std::istringstream lines(statements);
  std::string text;
  for (std::string line; std::getline(lines, line);) text += "        " + line + "\n";
  return text;
}

}  // namespace

bool python::available(std::string const& module) {
  start();
  PyObject* const m = PyImport_ImportModule(module.c_str());
  PyErr_Clear();
  Py_XDECREF(m);
  return m != nullptr;
}

std::vector<std::pair<std::string, std::string>> python::versions() {
  std::vector<std::pair<std::string, std::string>> all;
  for (auto const& [module, name] : {std::pair("numpy", "NumPy"), std::pair("numexpr", "numexpr"), std::pair("torch", "PyTorch")}) {
    if (!available(module)) continue;
    PyObject* const m = checked(PyImport_ImportModule(module));
    PyObject* const v = checked(PyObject_GetAttrString(m, "__version__"));
    all.emplace_back(name, PyUnicode_AsUTF8(v));
    Py_DECREF(v);
    Py_DECREF(m);
  }
  return all;
}

python::python() {
  start();
  names_ = checked(PyDict_New());
  PyDict_SetItemString(globals(names_), "__builtins__", PyEval_GetBuiltins());
  if (available()) run("import numpy as np");
  if (available("numexpr")) run("import numexpr\nnumexpr.set_num_threads(1)");
}
python::~python() { Py_XDECREF(globals(names_)); }

void python::run(std::string const& code) {
  Py_DECREF(checked(PyRun_String(code.c_str(), Py_file_input, globals(names_), globals(names_))));
}

void python::array(std::string const& name, void const* data, std::vector<std::size_t> const& shape, std::string const& dtype) {
  // NumPy says how long an element is; the view spans the whole memory.
  std::size_t bytes = static_cast<std::size_t>(std::atoi(dtype.c_str() + dtype.find_first_of("0123456789"))) / 8;
  std::string extents;
  for (std::size_t n : shape) {
    bytes *= n;
    extents += std::to_string(n) + ",";
  }
  PyObject* const view = checked(
      PyMemoryView_FromMemory(static_cast<char*>(const_cast<void*>(data)), static_cast<Py_ssize_t>(bytes), PyBUF_WRITE));
  PyDict_SetItemString(globals(names_), "_memory", view);
  Py_DECREF(view);
  run(name + " = np.frombuffer(_memory, dtype='" + dtype + "').reshape((" + extents + "))");
}

repeated python::loop(std::string const& statements) {
  run("def _loop(n):\n    for _ in range(n):\n" + indented(statements));
  PyObject* const function = checked(PyDict_GetItemString(globals(names_), "_loop"));
  Py_INCREF(function);
  // Held until the interpreter ends, as contests may be copied.
  return [function](std::size_t n) { Py_DECREF(checked(PyObject_CallFunction(function, "n", static_cast<Py_ssize_t>(n)))); };
}

std::vector<double> python::values(std::string const& expression) {
  run("_values = np.concatenate([np.ravel(v) for v in [" + expression + "]]).astype('float64').tobytes()");
  PyObject* const bytes = checked(PyDict_GetItemString(globals(names_), "_values"));
  auto const* const begin = reinterpret_cast<double const*>(PyBytes_AsString(bytes));
  return {begin, begin + PyBytes_Size(bytes) / static_cast<Py_ssize_t>(sizeof(double))};
}

#else

bool python::available(std::string const&) { return false; }
std::vector<std::pair<std::string, std::string>> python::versions() { return {}; }
python::python() {}
python::~python() {}
void python::run(std::string const&) {}
void python::array(std::string const&, void const*, std::vector<std::size_t> const&, std::string const&) {}
repeated python::loop(std::string const&) { return {}; }
std::vector<double> python::values(std::string const&) { return {}; }

#endif

}  // namespace bench
