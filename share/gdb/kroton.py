"""gdb shows expressions: variables, graphs and functions in Kroton's notation, arrays as numbers.

    (gdb) source share/gdb/kroton.py
    (gdb) print f
    $1 = kt::function(x: dvector, s: dscalar) = exp(-(x * s))

Graphs are read from memory, node by node. Of a compiled function, the words that its constant
evaluation left are read; g++ keeps them in memory without optimization only, and not for
functions of numbers alone. Others are shown by their parameters.
"""
# SPDX-License-Identifier: BSD-3-Clause
import os
import re
import struct
import sys

import gdb
import gdb.printing

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kroton_expressions import Graph, Program, name_of_type, shown  # noqa: E402


class Printer:
    def __init__(self, value):
        self.value = value


class VariablePrinter(Printer):
    def to_string(self):
        term = self.value
        if int(term["of"]) == 0:
            return "a variable of no graph"
        graph, k = Graph(term["of"].dereference()), int(term["id"])
        if not 0 <= k < len(graph.nodes):
            return "a variable of no graph"
        return "%s : %s" % (graph.formula(k), graph.nodes[k].type)


class GraphPrinter(Printer):
    def to_string(self):
        graph = Graph(self.value)
        if graph.error:
            return "kt::graph with the error: " + graph.error
        return shown("kt::graph", graph.signature(), graph.results())


class FunctionPrinter(Printer):
    """The result of kt::function."""

    def to_string(self):
        try:
            program = Program(self.value["executor_"]["frame_"])
            return shown("kt::function", program.signature(), program.results())
        except (AttributeError, KeyError, RuntimeError, gdb.error):
            pass  # optimized out, interpreted, or of numbers alone
        parameters = self.value.type.strip_typedefs().template_argument(2).strip_typedefs()
        found = re.findall(r"kroton::variable<(.*?), (\d+)>", parameters.name)
        return "kt::function(%s)" % ", ".join(name_of_type(t, int(rank)) for t, rank in found)


class RuntimeFunctionPrinter(Printer):
    """A function of a run-time graph: its optimized graph."""

    def to_string(self):
        graph = Graph(self.value["program_"]["_M_ptr"].dereference()["graph_"])
        return shown("kt::runtime::function", graph.signature(), graph.results())


class SharedPrinter(Printer):
    def to_string(self):
        return "kt::shared"

    def children(self):
        yield "value", self.value["value_"]["_M_ptr"].dereference()


class ArrayPrinter(Printer):
    """An xtensor container: its extents and its first elements."""
    MOST = 20

    def to_string(self):
        storage = self.value["m_storage"]
        begin, end = storage["p_begin"], storage["p_end"]
        size = int(end - begin)
        numbers = [str(begin[i]) for i in range(min(size, self.MOST))]
        shape = self.value["m_shape"]["_M_elems"]
        rank = int(self.value.type.strip_typedefs().template_argument(1))
        extents = " x ".join(str(int(shape[d])) for d in range(rank))
        text = "{%s%s}" % (", ".join(numbers), ", ..." if size > self.MOST else "")
        return "%s: %s" % (extents, text) if rank > 0 else text


class ShortFloatPrinter(Printer):
    """kt::half and kt::bfloat16: numbers of 16 bits."""

    def to_string(self):
        bits = int(self.value["bits"])
        if self.value.type.strip_typedefs().name.endswith("bfloat16"):
            number, = struct.unpack("f", struct.pack("I", bits << 16))
        else:
            number, = struct.unpack("e", struct.pack("H", bits))
        return "%g" % number


class SparsePrinter(Printer):
    def to_string(self):
        by_rows = "csr" in self.value.type.strip_typedefs().name
        indptr = self.value["indptr_"]["m_storage"]
        lines, inner = int(indptr["p_end"] - indptr["p_begin"]) - 1, int(self.value["inner_"])
        return "kt::%s_array of %d x %d" % (("csr", lines, inner) if by_rows else
                                            ("csc", inner, lines))

    def children(self):
        for member in ("data", "indices", "indptr"):
            yield member, self.value[member + "_"]


def build_printers():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("kroton")
    for name, pattern, printer in (
            ("variable", r"^kroton::(term|variable<.*>)$", VariablePrinter),
            ("graph", r"^kroton::graph$", GraphPrinter),
            ("function", r"^kroton::compiled_function<.*>$", FunctionPrinter),
            ("runtime function", r"^kroton::runtime::function<.*>$", RuntimeFunctionPrinter),
            ("shared", r"^kroton::shared<.*, [0-9]+>$", SharedPrinter),
            ("sparse", r"^kroton::(csr|csc)_array<.*>$", SparsePrinter),
            ("short float", r"^kroton::(half|bfloat16)$", ShortFloatPrinter),
            ("array", r"^xt::xtensor_container<.*>$", ArrayPrinter)):
        printers.add_printer(name, pattern, printer)
    return printers


gdb.printing.register_pretty_printer(gdb.current_objfile(), build_printers(), replace=True)
