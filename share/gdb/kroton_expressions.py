"""Expressions in the memory of a program that gdb runs, as formulas in Kroton's notation."""
# SPDX-License-Identifier: BSD-3-Clause
import re
import struct

import gdb

ELEMENTS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
            "float32", "float64", "complex64", "complex128", "float16", "bfloat16"]
LETTERS = ["bool ", "b", "w", "i", "l", "uint8 ", "uint16 ", "uint32 ", "uint64 ", "f", "d", "c", "z",
           "float16 ", "bfloat16 "]
SHAPES = ["scalar", "vector", "matrix"] + ["tensor%d" % d for d in range(3, 9)]
CONTINUOUS = ELEMENTS.index("float32")
INFIX = {"add": (" + ", 1), "sub": (" - ", 1), "mul": (" * ", 2), "div": (" / ", 2),
         "lt": (" < ", 0), "le": (" <= ", 0), "gt": (" > ", 0), "ge": (" >= ", 0)}
REDUCTIONS = ("sum", "prod", "max", "min", "all", "any")
LONGEST = 2000  # characters of a formula; what is read twice is written twice
ATOM = 3        # the precedence of what needs no parentheses


def text_of(view):
    """A std::string_view of libstdc++ or libc++."""
    names = [field.name for field in view.type.strip_typedefs().fields()]
    data, size = ("_M_str", "_M_len") if "_M_str" in names else ("__data_", "__size_")
    size = int(view[size])
    return view[data].string(length=size) if size > 0 else ""


def items_of(table):
    """The entries of a kroton::core::list or kroton::core::items."""
    names = [field.name for field in table.type.strip_typedefs().fields()]
    data, size = ("data_", "size_") if "data_" in names else ("first", "count")
    return [table[data][i] for i in range(int(table[size]))]


class TensorType:
    def __init__(self, element, rank, broadcast=0):
        self.element, self.rank, self.broadcast = int(element), int(rank), int(broadcast)

    def __str__(self):
        shape = SHAPES[self.rank]
        if self.rank == 2:
            shape = {1: "row", 2: "col"}.get(self.broadcast, shape)
        return LETTERS[self.element] + shape


NAMES = ["bool", "signed char", "short", "int", "long", "unsigned char", "unsigned short",
         "unsigned int", "unsigned long", "float", "double", "std::complex<float>",
         "std::complex<double>", "kroton::half", "kroton::bfloat16"]  # of the element types in C++


def name_of_type(element, rank):
    return str(TensorType(NAMES.index(element), rank)) if element in NAMES else element


class Node:
    def __init__(self, op, type, inputs, attributes, name=""):
        self.op, self.type, self.inputs = op, type, inputs
        self.attributes, self.name = attributes, name


def number_text(bits, element):
    if element < CONTINUOUS:
        return ("true" if bits else "false") if element == 0 else str(bits)
    digits = repr(struct.unpack("d", struct.pack("q", bits))[0])
    return digits[:-2] if digits.endswith(".0") else digits


def op_text(name, attributes, type):
    """`sum{0}`, `dimshuffle{1,x,0}`, `cast{float64}`: an op with its attributes."""
    if name == "cast":
        return "cast{%s}" % ELEMENTS[type.element]
    if name in ("print", "assertion", "scan") or not attributes:
        return name
    if name in REDUCTIONS:
        axes = [str(d) for d in range(len(SHAPES)) if attributes[0] >> d & 1]
        return "%s{%s%s}" % (name, ",".join(axes), ",keepdims" if attributes[1:2] == [1] else "")
    if len(attributes) > 8 or any(abs(a) > 1 << 40 for a in attributes):
        return name + "{...}"
    if name == "dimshuffle":
        return "dimshuffle{%s}" % ",".join("x" if a < 0 else str(a) for a in attributes)
    return "%s{%s}" % (name, ",".join(map(str, attributes)))


def applied(op, name, operands):
    """The text of an op on operands, each a text and its precedence; and its own precedence."""
    if name in INFIX and len(operands) > 1:
        sign, rank = INFIX[name]
        parts = [t if r >= rank + (k > 0) else "(%s)" % t for k, (t, r) in enumerate(operands)]
        result = sign.join(parts), rank
    elif name == "neg":
        text, rank = operands[0]
        result = "-" + (text if rank >= ATOM else "(%s)" % text), 2
    else:
        result = "%s(%s)" % (op, ", ".join(t for t, _ in operands)), ATOM
    text, rank = result
    return (text, rank) if len(text) <= LONGEST else (text[:LONGEST] + "...", ATOM)


def formulas(nodes, parameter, needed):
    """Of each node that is needed its text and precedence; `parameter` gives those of inputs."""
    live, found = set(needed), {}
    for k in range(len(nodes) - 1, -1, -1):
        if k in live:
            live.update(nodes[k].inputs)
    for k in sorted(live):
        n = nodes[k]
        if n.op == "input":
            found[k] = parameter(n)
        elif n.op == "literal":
            text = number_text(n.attributes[0], n.type.element)
            found[k] = text, 2 if text.startswith("-") else ATOM
        else:
            found[k] = applied(op_text(n.op, n.attributes, n.type), n.op,
                               [found[i] for i in n.inputs])
    return found


class Graph:
    """A kroton::graph in memory."""

    def __init__(self, value):
        names = {int(e["node"]): text_of(e["name"]) for e in items_of(value["names_"])}
        edges = [int(e) for e in items_of(value["edges_"])]
        attributes = [int(a) for a in items_of(value["attributes_"])]
        self.nodes = []
        for k, n in enumerate(items_of(value["nodes_"])):
            first, at = int(n["first_input"]), int(n["first_attribute"])
            kind = n["type"]
            self.nodes.append(Node(text_of(n["op"].dereference()["name"]),
                                   TensorType(kind["element"], kind["rank"], kind["broadcast"]),
                                   edges[first:first + int(n["input_count"])],
                                   attributes[at:at + int(n["attribute_count"])],
                                   names.get(k, "")))
        self.parameters = [int(k) for k in items_of(value["inputs_"])]
        self.outputs = [int(k) for k in items_of(value["outputs_"])]
        self.updates = [(int(u["parameter"]), int(u["value"])) for u in items_of(value["updates_"])]
        self.error = text_of(value["error_"])

    def parameter(self, node):
        return node.name or "x%d" % (node.attributes[0] + 1), ATOM

    def formula(self, k):
        return formulas(self.nodes, self.parameter, [k])[k][0]

    def signature(self):
        return [(self.parameter(self.nodes[k])[0], self.nodes[k].type) for k in self.parameters]

    def results(self):
        """The outputs as formulas, and the new values of parameters."""
        found = formulas(self.nodes, self.parameter, self.outputs + [v for _, v in self.updates])
        new = [(self.parameter(self.nodes[self.parameters[p]])[0], found[v][0])
               for p, v in self.updates]
        return [found[k][0] for k in self.outputs], new


class Program:
    """A compiled program: the steps of its plan, and the words of the bodies of its loops."""

    def __init__(self, frame):
        self.tables = frame["tables_"].dereference()
        # Two lambdas of a function may have one name for gdb; symbols tell them apart.
        symbol = gdb.execute("info symbol %d" % int(self.tables["values"]["first"]), to_string=True)
        self.source = re.match(r"kroton::freeze::placed_tables<(.*) >::", symbol).group(1)
        types = {}
        for base in frame.type.strip_typedefs().template_argument(0).strip_typedefs().fields():
            types.update((f.name, f.type) for f in base.type.strip_typedefs().fields())
        code = self.static("%s::value" % self.source).cast(types["value"].pointer()).dereference()
        self.words = [int(code["words"][i]) for i in range(int(code["word_count"]) - 1)]
        self.ops = [text_of(code["ops"][i].dereference()["name"])
                    for i in range(int(code["op_count"]))]
        outputs = self.static("kroton::freeze::placed_tables<%s >::outputs" % self.source)
        outputs = outputs.cast(types["outputs"].target().pointer().pointer()).dereference()
        count = int(types["outputs"].target().strip_typedefs().template_argument(1))
        self.outputs = [int(outputs["_M_elems"][i]) for i in range(count)]
        self.names, self.types = [], []
        for k, p in enumerate(items_of(self.tables["parameters"])):
            self.names.append(text_of(p["name"]) or "x%d" % (k + 1))
            self.types.append(TensorType(*(p["type"][f] for f in ("element", "rank", "broadcast"))))
        self.pool = [int(x) for x in items_of(self.tables["pool"])]
        self.compute()

    @staticmethod
    def static(name):
        return gdb.parse_and_eval("&'%s'" % name)

    def compute(self):
        self.values = [self.given(v) for v in items_of(self.tables["values"])]
        for step in items_of(self.tables["steps"]):
            first, operands = int(step["first"]), int(step["operand_count"])
            read = [self.values[v] for v in self.pool[first:first + operands]]
            first += operands
            written = self.pool[first:first + int(step["result_count"])]
            first += len(written) + int(step["space_rank"])
            attributes = self.pool[first:first + int(step["attribute_count"])]
            if int(step["kind"]) == 0:
                results = self.loop(int(step["body"]), read)
            else:
                name = self.ops[int(step["op"])]
                one = applied(op_text(name, attributes, TensorType(0, 0)), name, read)
                results = [one] + [("%s[%d]" % (one[0], k), ATOM) for k in range(1, len(written))]
            for v, text in zip(written, results):
                self.values[v] = text

    def given(self, value):
        where, detail = str(value["where"]).split("::")[-1], int(value["detail"])
        if where == "parameter":
            return self.names[detail], ATOM
        if where == "literal":
            text = number_text(detail, int(value["type"]))
            return text, 2 if text.startswith("-") else ATOM
        return "extent" if where == "extent" else "?", ATOM

    def loop(self, at, read):
        w, count = self.words, self.words[at]
        nodes, end = [], at + 1 + count
        for k in range(count):
            p = w[at + 1 + k]
            inputs, attributes = p + 6, p + 6 + w[p + 4]
            end = attributes + w[p + 5]
            nodes.append(Node(self.ops[w[p]], TensorType(*w[p + 1:p + 4]), w[inputs:attributes],
                              w[attributes:end]))
        outputs = w[end + 1:end + 1 + w[end]] or [count - 1]
        found = formulas(nodes, lambda n: read[n.attributes[0]], outputs)
        return [found[k] for k in outputs]

    def results(self):
        new = [(self.names[int(u["parameter"])], self.values[int(u["value"])][0])
               for u in items_of(self.tables["updates"])]
        return [self.values[v][0] for v in self.outputs], new

    def signature(self):
        return list(zip(self.names, self.types))


def shown(kind, signature, results):
    outputs, new = results
    text = "%s(%s) = %s" % (kind, ", ".join("%s: %s" % p for p in signature),
                            outputs[0] if len(outputs) == 1 else "{%s}" % ", ".join(outputs))
    return text + "".join("; new %s = %s" % update for update in new)
