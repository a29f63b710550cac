#!/usr/bin/env python3
"""What compilers say about calls that cannot be compiled: one error, whose sentence names the reason.

usage: compiler_errors.py SOURCE COMPILER…

Each case is compiled with every compiler, for its messages only. A case that compiles, prints another error or more than
one, or more lines than a screen has, is a fault; so is a good case that does not compile.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HEADERS = """#include <exactdot/exactdot.hpp>
#include <complex>
#include <list>
#include <string>
#include <vector>
"""
PROLOGUE = """int main() {
  std::vector<double> x = {1, 2}; std::vector<int> z = {1, 2}; std::vector<long long> wide = {1, 2};
  double array[3] = {}; exactdot::accumulator<float> narrow; exactdot::accumulator<double> sum;
  double r = 0; (void)r; (void)array;
"""
FRACTION = "ddof is an integer, and a fraction would be cut"
# a statement, and a part of its one error; empty: it compiles
CASES = [
    ("r = exactdot::sum(x) + exactdot::dot(wide, z) + static_cast<double>(sum);", ""),
    ("r = exactdot::sum(std::vector<bool>{true});", "bool is no element type; count with std::ranges::count"),
    ("r = exactdot::sum(std::vector<long double>{1});", "long double has another format on each machine; use double"),
    ("r = exactdot::sum(std::vector<std::byte>(1));", "std::byte is no number"),
    ('r = exactdot::sum(std::string("a"));', "char is text"),
    ("r = exactdot::sum(std::vector<void*>(1));", "no element type: use float, double"),
    ("r = exactdot::sum(std::list<double>{1});", "the range is not contiguous"),
    ("r = exactdot::sum(3.0);", "no vector: pass a contiguous range"),
    ("r = exactdot::sum(x.data());", "a pointer alone has no length"),
    ("r = exactdot::sum(exactdot::to_any(x));", "known at run time: call reduce"),
    ("bool flags[2] = {}; r = exactdot::sum(flags, 2);", "bool is no element type"),
    ("r = exactdot::variance(x, true) + exactdot::variance(x, '\\1') + exactdot::variance(x, ~0ULL);", ""),
    ("r = exactdot::variance(array, 3);", "ddof or length?"),
    ("r = exactdot::variance(x, 1.5);", FRACTION),
    ("r = exactdot::stddev(x, 1.0f, {.threads = 1});", FRACTION),
    ("r = exactdot::variance(x.data(), 2, 1.5);", FRACTION),
    ("r = exactdot::variance<float>(z, exactdot::float16(1));", FRACTION),
    ("r = exactdot::var(x, 1.5L) + exactdot::variance(x, 1U);", FRACTION),
    ("r = exactdot::standard_deviation(x.data(), 2, 1.5);", FRACTION),
    ("exactdot::variance(exactdot::rows{array, 1, 3}, x, 0.5);", FRACTION),
    ("exactdot::stddev(exactdot::groups{x, z, 2}, x, 0.5);", FRACTION),
    ("exactdot::var(exactdot::segments{x, z}, x, 0.5);", FRACTION),
    ("r = exactdot::moments<double>().variance<double>(1.5);", FRACTION),
    ("r = exactdot::moments<double>().standard_deviation<double>(1.5);", FRACTION),
    ("(void)exactdot::reduce(exactdot::reduction::variance, exactdot::to_any(x), exactdot::element_type::float64, {}, 1.5);",
     FRACTION),
    ("exactdot::round_states({exactdot::reduction::variance, exactdot::element_type::float64}, {}, x, 1.5);", FRACTION),
    ("r = exactdot::variance(x, 1) + exactdot::var(x, 1ULL) + exactdot::variance(x, {.threads = 1}) +"
     " exactdot::variance(x, x.size(), {.threads = 1}) + exactdot::variance(x, std::integral_constant<int, 1>());", ""),
    ("r = exactdot::dot(x, z);", "one vector holds integers, the other floating-point numbers; convert one"),
    ("r = exactdot::dot(wide.data(), x.data(), 2);", "one vector holds integers, the other floating-point numbers"),
    ("r = exactdot::sum<int>(z);", "integers are summed to, and indices are, 64-bit integers"),
    ("r = exactdot::sum<long long>(x);", "integers are results of sums of integers only"),
    ("r = exactdot::mean<long long>(z);", "integers are results of sums of integers only"),
    ("exactdot::sum(exactdot::rows{array, 1, 3}, wide);", "integers are results of sums of integers only"),
    ("exactdot::min(exactdot::rows{array, 1, 3}, wide);", "the result of min and max has the element type"),
    ("exactdot::dot(exactdot::rows{array, 1, 2}, exactdot::repeated{z.data(), 2}, x);", "one vector holds integers"),
    ("narrow += 0.1;", "this accumulator does not hold such elements exactly"),
    ("narrow.add(x);", "this accumulator does not hold such elements exactly"),
    ("narrow.merge(sum);", "this accumulator does not hold such elements exactly"),
    ("sum += 1.0L;", "long double has another format"),
    ("sum.add(x, z);", "one vector holds integers, the other floating-point numbers"),
    ("(void)sum.round<std::int64_t>();", "integers are results of sums of integers only"),
    ("r = exactdot::sum(exactdot::where(x, std::vector<bool>{true, false}));", "a mask is a contiguous range of bytes"),
    ("r = exactdot::sum(exactdot::where(x, x));", "a mask holds bool, std::uint8_t or std::int8_t"),
    ("r = exactdot::dot(x, exactdot::skip_nan(x));", "go around the one input, or the first of two"),
    ("(void)exactdot::minmax(exactdot::skip_nan(x));", "go around the one input, or the first of two"),
    ("r = exactdot::sum(exactdot::skip_nan(exactdot::rows{array, 1, 3}));", "the results of shapes go to a range"),
    ("exactdot::cumsum(exactdot::segments{x, z}, x);", "windows move along vectors, rows and columns"),
    ("exactdot::rolling_mean(x, 2, wide);", "integers are results of sums of integers only"),
    ("(void)exactdot::max(std::vector<std::complex<double>>(2));", "complex numbers have sums, means, norms and dot products"),
    ("(void)exactdot::sum<float>(std::vector<std::complex<double>>(2));", "are std::complex of float or double"),
    ("std::vector<std::complex<double>> c(2); r = exactdot::nrm2(exactdot::skip_nan(c)) + exactdot::vdot(exactdot::where(c, "
     "std::vector<signed char>(2)), c).real() + exactdot::sum<std::complex<float>>(exactdot::skip_nan(c)).imag();", ""),
    ("(void)exactdot::variance(exactdot::skip_nan(std::vector<std::complex<double>>(2)));", "complex numbers have sums, means, norms"),
    ("(void)exactdot::sum<float>(exactdot::skip_nan(std::vector<std::complex<double>>(2)));", "are std::complex of float or double"),
    ("exactdot::max(exactdot::skip_nan(exactdot::rows{std::vector<std::complex<double>>(2).data(), 1, 2}), x);",
     "complex numbers have sums, means, norms"),
    ("(void)exactdot::with_initial(std::vector<std::complex<double>>(2), 1.0);", "with_initial is for min and max, which complex"),
    ("(void)exactdot::dot(exactdot::skip_nan(std::vector<std::complex<double>>(2)), x);", "two vectors of complex numbers have one type"),
    ("exactdot::cumsum(exactdot::skip_nan(std::vector<std::complex<double>>(2)), x);", "no element type"),
]
MAX_LINES = 50


def output_of(compiler, standard, source, text, *options):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "case.cpp")
        file.write_text(text)
        done = subprocess.run([compiler, f"-std={standard}", "-fsyntax-only", "-Wall", f"-I{source}/include", *options, file],
                              capture_output=True, text=True)
        return done.returncode, done.stderr


def precompiled(compiler, source, folder):
    """The options that give a call the headers, which are compiled once: a case takes a third of the time."""
    header = pathlib.Path(folder, "headers.hpp")
    header.write_text(HEADERS)
    is_clang = "clang" in pathlib.Path(compiler).name
    binary = header.with_suffix(".pch") if is_clang else pathlib.Path(f"{header}.gch")
    subprocess.run([compiler, "-std=c++20", "-Wall", f"-I{source}/include", "-x", "c++-header", header, "-o", binary],
                   check=True)
    return ("-include-pch", binary) if is_clang else ("-include", header, "-Winvalid-pch")


def fault_of(compiler, source, options, statement, sentence):
    code, output = output_of(compiler, "c++20", source, PROLOGUE + statement + "\n}\n", *options)
    errors = [line for line in output.splitlines() if re.search(r"\berror: ", line)]
    if not sentence:
        return f"does not compile: {output}" if code or output else ""
    if code == 0:
        return "compiles"
    if len(errors) != 1 or sentence not in errors[0]:
        return f"{len(errors)} errors instead of one with '{sentence}':\n{output}"
    lines = output.count("\n")
    return f"{lines} lines:\n{output}" if lines > MAX_LINES else ""


def faults_of_standard(compiler, source):
    """Every public header under an older standard: a sentence and few lines."""
    headers = [*sorted(pathlib.Path(source, "include/exactdot").glob("*.hpp")),
               *sorted(pathlib.Path(source, "include/exactdot/cuda").glob("*.hpp"))]
    for header in headers:
        name = header.relative_to(pathlib.Path(source, "include"))
        code, output = output_of(compiler, "c++17", source, f"#include <{name}>\n")
        if code == 0 or "exactdot needs C++20: compile with -std=c++20" not in output or output.count("\n") > 10:
            yield f"{name}: {output.count(chr(10))} lines:\n{output}"


def main(source, *compilers):
    found = 0
    for compiler in compilers:
        with tempfile.TemporaryDirectory() as folder:
            options = precompiled(compiler, source, folder)
            for statement, sentence in CASES:
                fault = fault_of(compiler, source, options, statement, sentence)
                if fault:
                    found += 1
                    print(f"{compiler}: {statement}: {fault}")
        for fault in faults_of_standard(compiler, source):
            found += 1
            print(f"{compiler}, C++17: {fault}")
    sys.exit(1 if found or not compilers else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
