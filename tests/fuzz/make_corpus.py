#!/usr/bin/env python3
"""Write the seed corpus of both fuzz targets: one file per kind of header and per kind of accumulator program. Run it
again after a change of the input format of a target; the files are committed."""
import pathlib
import struct

corpus = pathlib.Path(__file__).parent / "corpus"


def npy(name, header, version=(1, 0), data=b"", length=None, magic=b"\x93NUMPY"):
    text = header.encode("latin-1")
    size = len(text) if length is None else length
    counted = struct.pack("<H" if version[0] == 1 else "<I", size)
    (corpus / "npy").mkdir(parents=True, exist_ok=True)
    (corpus / "npy" / name).write_bytes(magic + bytes(version) + counted + text + data)


def dictionary(descr="'<f8'", order="False", shape="(2,)"):
    return "{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n" % (descr, order, shape)


def write_npy():
    for descr in ("<f4", ">f4", "<f8", ">f8", "<f2", ">u2", "|i1", "<i4", ">i8", "<V2", "<c8", ">c16"):
        item = int(descr[2:])
        order = {"<": "little_", ">": "big_", "|": "byte_"}[descr[0]]
        npy("ok_" + order + descr[1:], dictionary(repr(descr)), data=bytes(2 * item))
    for version in ((1, 0), (2, 0), (3, 0), (1, 1), (4, 0), (0, 0)):
        npy("version_%d_%d" % version, dictionary(), version, bytes(16))
    npy("fortran", dictionary(order="True"), data=bytes(16))
    npy("empty_vector", dictionary(shape="(0,)"))
    npy("python_2_long", dictionary(shape="(2L,)"), data=bytes(16))
    npy("trailing_bytes", dictionary(), data=bytes(99))
    npy("no_final_comma", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", data=bytes(16))
    npy("double_quotes", '{"descr": "<f8", "fortran_order": False, "shape": (2,)}', data=bytes(16))
    npy("truncated_data", dictionary(), data=bytes(15))
    npy("header_past_end", dictionary(), length=60000)
    npy("scalar", dictionary(shape="()"), data=bytes(8))
    npy("matrix", dictionary(shape="(2, 3)"), data=bytes(48))
    npy("not_a_tuple", dictionary(shape="(2)"), data=bytes(16))
    npy("negative_length", dictionary(shape="(-2,)"), data=bytes(16))
    npy("length_overflow", dictionary(shape="(2305843009213693952,)"))
    npy("length_beyond_64_bits", dictionary(shape="(99999999999999999999,)"))
    for name, descr in (("int", "'<i8'"), ("bool", "'|b1'"), ("complex", "'<c16'"), ("object", "'|O'"),
                        ("string", "'<U5'"), ("structured", "[('x', '<f8'), ('y', '<f4')]")):
        npy("dtype_" + name, dictionary(descr), data=bytes(64))
    npy("unknown_key", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'more': 1}")
    npy("missing_key", "{'descr': '<f8', 'shape': (2,)}")
    npy("key_twice", "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}")
    npy("not_a_dict", "['descr', '<f8']")
    npy("escapes", "{'de\\x73cr': '<f8\\n', 'fortran_order': False, 'shape': (2,)}")
    npy("control_characters", "{'\x1b[2J\n': 1}")
    npy("nested", "{'descr': [[[[((((", data=bytes(8))
    npy("no_magic", dictionary(), magic=b"\x93NUMPX")
    (corpus / "npy" / "nothing").write_bytes(b"")
    (corpus / "npy" / "only_magic").write_bytes(b"\x93NUMPY")


def program(name, kind, *steps):
    (corpus / "accumulator").mkdir(parents=True, exist_ok=True)
    (corpus / "accumulator" / f"{name}_{kind}").write_bytes(bytes([0 if kind == "float" else 1]) + b"".join(steps))


def write_accumulator(kind):
    letter, largest, smallest = ("f", 3.4028234663852886e38, 2.0**-149) if kind == "float" else (
        "d", 1.7976931348623157e308, 5e-324)
    huge = 1e30 if kind == "float" else 1e200
    number = lambda x: struct.pack("<" + letter, x)
    step = lambda operation, one=0, other=0: bytes([operation + 7 * one + 21 * other])
    product = lambda a, b, one=0: step(0, one) + number(a) + number(b)
    plain = lambda x, one=0: step(1, one) + number(x)
    span = lambda n, values, one=0: step(2, one) + bytes([n, len(values) - 1]) + b"".join(map(number, values))

    program("cancel", kind, product(huge, huge), product(huge, -huge), product(1, 1))
    program("tiny", kind, product(smallest, 0.5), product(smallest, 0.5), product(-smallest, smallest))
    program("borrow", kind, product(largest, largest), product(-smallest, smallest), step(4), product(-largest, largest))
    program("special", kind, plain(float("inf")), plain(1.0), product(float("-inf"), 2), plain(float("nan")), step(6))
    program("zero_times_infinity", kind, product(0.0, float("inf")))
    program("merge", kind, plain(1.5), plain(-2.5, 1), step(3, 0, 1), step(5, 1, 0), step(3, 2, 2), step(3, 0, 0))
    program("doubling", kind, product(largest, largest), *[step(3, 0, 0)] * 70)
    program("doubling_words", kind, product(-largest, largest), *[step(5, 0, 0)] * 70)
    program("span", kind, span(255, [1.0, -1.0, huge]), span(100, [smallest, 0.75, 3.0], 1), step(3, 0, 1))
    program("tie", kind, plain(1.0), product(2.0**-12, 2.0**-12), plain(2.0**-53), product(smallest, 1.0))


write_npy()
for each in ("float", "double"):
    write_accumulator(each)
