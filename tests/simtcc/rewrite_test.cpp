// The tokenizer and the rewriting of simtcc, on texts as a preprocessor leaves them.
#include "cc/rewrite.hpp"

#include <gtest/gtest.h>

#include <string>

#include "cc/tokens.hpp"

namespace {
using namespace exactdot::simtcc;

std::string tokens_of(const std::string& text) {
  std::string joined;
  for (const token& t : read_tokens(text, "a.cu").tokens) joined += std::string(t.text) + "|";
  return joined;
}

/// The entries of variables are left out; they have a test of their own.
rewritten rewrite_text(const std::string& text, const rewriting& how = {host_compiler::gnu}) {
  rewritten result = rewrite(text, "a.cu", how);
  const std::string begin = " static const ::exactdot::simt::detail::program_variable ";
  for (std::size_t at; (at = result.text.find(begin)) != std::string::npos;)
    result.text.erase(at, result.text.find("};", at) + 2 - at);
  return result;
}

/// The names and keywords of the variables that a text lists for the program.
std::string listed_in(const std::string& text) {
  const std::string rewritten = rewrite(text, "a.cu", {host_compiler::gnu}).text;
  std::string list;
  for (std::size_t at = 0; (at = rewritten.find(", \"", at)) != std::string::npos; at = rewritten.find('}', at))
    list += rewritten.substr(at + 2, rewritten.find('}', at) - at - 2) + ";";
  return list;
}

/// A launch with this configuration and call, as it must be rewritten.
std::string launch(const std::string& configuration, const std::string& call) {
  return "(::exactdot::simt::detail::configure(" + configuration + "), " + call + ")";
}

TEST(simtcc_tokens, comments_and_literals_are_skipped_or_single) {
  EXPECT_EQ(tokens_of("a<<<b>>>(c)"), "a|<<<|b|>>>|(|c|)||");
  EXPECT_EQ(tokens_of("a /* <<< */ b // >>>\nc"), "a|b|c||");
  EXPECT_EQ(tokens_of(R"(s = "<<<\"" "x";)"), R"(s|=|"<<<\""|"x"|;||)");
  EXPECT_EQ(tokens_of("R\"q(a)\" <<<)q\" x"), "R\"q(a)\" <<<)q\"|x||");
  EXPECT_EQ(tokens_of("u8R\"(<<<)\" LR\"(a)\" uR x"), "u8R\"(<<<)\"|LR\"(a)\"|uR|x||");
  EXPECT_EQ(tokens_of("'\\'' L'<' 1'000'000 0x1p-3 .5e+1f a'"), "'\\''|L'<'|1'000'000|0x1p-3|.5e+1f|a|'||");
  EXPECT_EQ(tokens_of("a >> b >>> c->d >= e <=> f"), "a|>>|b|>>>|c|->|d|>=|e|<=>|f||");
}

TEST(simtcc_tokens, line_markers_set_file_and_line) {
  const token_list list = read_tokens("x\n# 7 \"b.h\" 1 3\ny\nz\n# 2 \"a.cu\" 2\n#pragma once\nw", "a.cu");
  ASSERT_EQ(list.tokens.size(), 6U);
  EXPECT_EQ(list.tokens[2].line, 8);
  EXPECT_EQ(list.files[list.tokens[2].file].name, "b.h");
  EXPECT_TRUE(list.files[list.tokens[2].file].system);
  EXPECT_EQ(list.tokens[3].kind, token_kind::directive);
  EXPECT_EQ(list.tokens[4].line, 3);
  EXPECT_EQ(list.files[list.tokens[4].file].name, "a.cu");
}

TEST(simtcc_rewrite, launches_become_calls) {
  const struct {
    const char *before, *after_configuration, *after_call;
  } cases[] = {
      {"k<<<1, 2>>>(x)", "1, 2", "k(x)"},
      {"k << <1, 2 >> >(x)", "1, 2 ", "k (x)"},
      {"a::b<c, d<e>>::k<(f > g)><<<n >> 2, m>>>(x, y)", "n >> 2, m", "a::b<c, d<e>>::k<(f > g)>(x, y)"},
      {"::k<vector<vector<int>>><<<dim3(1, 2), f<3>(x), 0>>>()", "dim3(1, 2), f<3>(x), 0",
       "::k<vector<vector<int>>>()"},
      {"p[i].q->k<<<a, {b, c}>>>(x)", "a, {b, c}", "p[i].q->k(x)"},
      {"(*k)<<<a, b>>>(x)", "a, b", "(*k)(x)"},
      {"t.template k<int><<<a, b>>>(f(x), (y))", "a, b", "t.template k<int>(f(x), (y))"},
  };
  for (const auto& [before, configuration, call] : cases) {
    const rewritten result = rewrite_text("void f() { return " + std::string(before) + "; }");
    EXPECT_EQ(result.text, "void f() { return " + launch(configuration, call) + "; }");
    EXPECT_TRUE(result.problems.empty());
  }
  EXPECT_EQ(rewrite_text("void f() { if (a) k<<<1, 1>>>(); else k<<<2, 1>>>(); }").text,
            "void f() { if (a) " + launch("1, 1", "k()") + "; else " + launch("2, 1", "k()") + "; }");
  for (const char* const other : {"stream & operator<<<char>(int);", "x = \"k<<<1, 1>>>()\";", "a << b < c;"})
    EXPECT_EQ(rewrite_text(other).text, other);
}

TEST(simtcc_rewrite, lines_stay) {
  const rewritten result = rewrite_text("void f() {\n  k<int>\n  <<<1,\n  2>>>\n  (x,\n   y);\n  z;\n}");
  EXPECT_EQ(read_tokens(result.text, "a.cu").tokens.back().line, 8);
  for (const token& t : read_tokens(result.text, "a.cu").tokens) {
    if (t.is("z")) {
      EXPECT_EQ(t.line, 7);
    }
  }
}

TEST(simtcc_rewrite, bodies_of_kernels_become_lambdas) {
  const std::string head = "__attribute__((noipa, patchable_function_entry(1))) void k(int n = f({1}))";
  EXPECT_EQ(rewrite_text("__simtcc_global__ void k(int n = f({1})) { if (n) { return; } }").text,
            head +
                " { ::exactdot::simt::detail::kernel_body([=]() mutable __attribute__((always_inline)) { if (n) { "
                "return; } }, {\"n\", {::exactdot::simt::detail::pointer_of(n)}});}");
  EXPECT_EQ(rewrite_text("__simtcc_global__ void k(int n = f({1}));").text, head + ";");
}

TEST(simtcc_rewrite, names_of_parameters) {
  const auto names_of = [](const std::string& parameters) {
    const std::string text = rewrite_text("__simtcc_global__ void k(" + parameters + ") {}").text;
    const std::size_t first = text.find("{\""), end = text.find('"', first + 2);
    return first == std::string::npos ? "" : text.substr(first + 2, end - first - 2);
  };
  EXPECT_EQ(names_of("const float* __restrict__ x, float* const y, int n"), "x,y,n");
  EXPECT_EQ(names_of("std::pair<int, int> p, T<a, b>* q, unsigned i, int rows[]"), "p,q,i,rows");
  EXPECT_EQ(names_of("float*, const T, T, int, unsigned, const volatile T*, float* __restrict__"), "")
      << "types alone";
  EXPECT_EQ(names_of("float (*f)(int), int last"), "last") << "pointers to functions are left out";
  EXPECT_EQ(names_of("Pack... packs"), "");
  EXPECT_EQ(names_of("T const x, dim3 y = dim3(1, 2), int z = a < b"), "x,y,z");
  EXPECT_EQ(names_of(""), "");
}

TEST(simtcc_rewrite, variables_of_namespaces_are_listed) {
  EXPECT_EQ(listed_in("int x;"), "\"x\", \"\";");
  EXPECT_EQ(listed_in("__simtcc_device__ int x = 1, *y, z[2][3];"),
            "\"x\", \"__device__\";\"y\", \"__device__\";\"z\", \"__device__\";");
  EXPECT_EQ(listed_in("namespace n { static __simtcc_constant__ alignas(8) float x[] = {1, 2}; }"),
            "\"x\", \"__constant__\";");
  EXPECT_EQ(listed_in("extern \"C\" { std::vector<int> x{1}; ::size_t y; }"), "\"x\", \"\";\"y\", \"\";");
  EXPECT_EQ(listed_in("std::vector<int> x(3), y; dim3 z(4, 4);"), "\"x\", \"\";\"y\", \"\";\"z\", \"\";");
  EXPECT_EQ(
      rewrite("int x;", "a.cu", {host_compiler::gnu}).text,
      "int x; static const ::exactdot::simt::detail::program_variable exactdot_variable_1 "
      "__attribute__((used, section(\"exactdot_variables\"))) = {__builtin_addressof(x), sizeof x, \"x\", \"\"};");
  for (const char* const other :
       {"const int x = 1;", "constexpr int x = 1;", "extern int x;", "int& x = y;", "int C::x = 1;",
        "int f(int x);", "int (*f)(int) = g;", "auto x = [](int y) { return y; };", "template <class T> T x;",
        "struct s { int x; };", "texture<float, 2> x;", "thread_local int x;", "using x = int;",
        "void f() { int x; static int y; }", "enum { x, y };", "__simtcc_managed__ int x;", "typedef int x;",
        "extern \"C\" int x;"})
    EXPECT_EQ(listed_in(other), "") << other;
}

TEST(simtcc_rewrite, variables_of_the_host_in_device_code) {
  const auto is_refused = [](const std::string& body) {
    const auto problems =
        rewrite("int x; __simtcc_global__ void k(T p, int n) {" + body + "}", "a.cu", {host_compiler::gnu})
            .problems;
    return !problems.empty();
  };
  for (const char* const body :
       {"p[x] = 1;", "n = n * x;", "return p.i * x;", "f(::x);", "int y = n + x, z;", "*p = x;", "f(n, x);",
        "if (n < x) return;", "for (int i = 0; i < x; ++i);", "p[i].x + x;"})
    EXPECT_TRUE(is_refused(body)) << body;
  for (const char* const body : {"int x; p[x] = 1;",
                                 "int y, x; x = 1;",
                                 "T* x = p; *x = 1;",
                                 "p.x = p->x;",
                                 "n::x = 1;",
                                 "sizeof(x);",
                                 "sizeof(a[x]);",
                                 "auto [y, x] = p; x = 1;",
                                 "for (int y = 0, x = n; y < x;);",
                                 "x: n = 1;",
                                 "T<n>& x = p; x;",
                                 "[](int x) { return x; };",
                                 "[x = 1] { return x; };",
                                 "enum { x = 4 }; p[x] = 1;",
                                 "enum class e : int { y, x }; p[x] = 1;",
                                 "int (*x)(int) = f; (*x)(1);",
                                 "[](auto... x) { return f(x...); };",
                                 "struct s { int x; int f() { return x; } };",
                                 "x(n);",
                                 "decltype(x) y;"})
    EXPECT_FALSE(is_refused(body)) << body;
}

TEST(simtcc_rewrite, linkage_of_device_code) {
  const std::string internal = "static __attribute__((unused)) ";
  EXPECT_EQ(rewrite_text("__simtcc_device__ int x;").text, internal + " int x;");
  EXPECT_EQ(rewrite_text("__simtcc_device__ int (*f)(int) = g;").text, internal + " int (*f)(int) = g;");
  EXPECT_EQ(rewrite_text("__simtcc_device__ alignas(8) [[x]] int y[2];").text,
            " alignas(8) [[x]] " + internal + " int y[2];");
  EXPECT_EQ(rewrite_text("__simtcc_device__ int x;", {host_compiler::gnu, true}).text, " int x;");
  for (const char* const kept :
       {"extern __simtcc_device__ int x;", "static __simtcc_device__ int x;",
        "inline __simtcc_device__ int f() { return 1; }", "__simtcc_device__ int f(int x) { return x; }",
        "__simtcc_device__ [[nodiscard]] int f(int x);", "template <class T> __simtcc_device__ T f(T x);",
        "struct s { __simtcc_device__ s(); };", "__simtcc_device__ void s::f() {}",
        "__simtcc_host__ __simtcc_device__ int f();"}) {
    EXPECT_EQ(rewrite_text(kept).text.find("unused"), std::string::npos) << kept;
  }
}

TEST(simtcc_rewrite, functions_of_the_host) {
  const auto problem_of = [](const std::string& text) {
    const auto problems = rewrite_text(text).problems;
    return problems.empty() ? "" : problems[0].text;
  };
  EXPECT_EQ(problem_of("int f(int x); __simtcc_device__ int g() { return f(1); }"),
            "calling a __host__ function (\"f\") from a __device__ function (\"g\") is not allowed");
  EXPECT_EQ(problem_of("int f(int x); __simtcc_host__ __simtcc_device__ int g() { return f(1); }"), "");
  EXPECT_EQ(problem_of("int f(int x); __simtcc_device__ int g(s f) { return f(1); }"), "");
  EXPECT_EQ(problem_of("int f(int x); __simtcc_device__ int s::g() { return f(1); }"), "");
  EXPECT_EQ(problem_of("int f(int x); struct s { __simtcc_device__ int g() { return f(1); } };"),
            "calling a __host__ function (\"f\") from a __device__ function (\"g\") is not allowed");
  EXPECT_EQ(problem_of("int f(int x); struct s { __simtcc_device__ int g() { return f(1); } int f(int); };"), "");
  EXPECT_EQ(problem_of("int f(int x); struct s : t { __simtcc_device__ int g() { return f(1); } };"), "");
  EXPECT_EQ(problem_of("int f(int x); void g() { n::h([] __simtcc_device__ () { return f(1); }); }"),
            "calling a __host__ function (\"f\") from a __device__ function is not allowed");
  EXPECT_EQ(problem_of("void f(); void g(void (*f)(int)) { f<<<1, 1>>>(1); }"), "");
  EXPECT_EQ(problem_of("constexpr int f(int x); __simtcc_device__ int g() { return f(1); }"), "");
  EXPECT_EQ(problem_of("void f(int x); void g() { f<<<1, 1>>>(1); }"),
            "a host function call (\"f\") cannot be configured; expected a function with __global__");
  EXPECT_EQ(
      problem_of("template <class T, int n = 1> __simtcc_global__ void f(T x); void g() { f<int><<<1, 1>>>(1); }"),
      "");
}

TEST(simtcc_rewrite, shared_variables) {
  EXPECT_EQ(rewrite_text("void f() { __simtcc_shared__ int a[2], b; }").text,
            "void f() { __constinit thread_local int a[2], b; static_assert(sizeof a + sizeof b <= 0xc000, "
            "\"static shared memory above 48 KB\"); }");
  EXPECT_EQ(
      rewrite("void f() { __simtcc_shared__ T a[2]; }", "a.cu", {host_compiler::clang}).text,
      "void f() { thread_local T a[2]; static_assert(sizeof a <= 0xc000, \"static shared memory above 48 KB\"); }");
  EXPECT_EQ(rewrite_text("void f() { extern __simtcc_shared__ T a[], b[][3]; }").text,
            "void f() {   T (&a)[] = ::exactdot::simt::detail::dynamic_array(), (&b)[][3] = "
            "::exactdot::simt::detail::dynamic_array(); }");
  for (const char* const scope : {"namespace n {", "namespace {", "extern \"C\" {", "inline namespace n {"}) {
    EXPECT_EQ(
        rewrite_text(std::string(scope) + " extern __simtcc_shared__ T a[]; }").text,
        std::string(scope) + " extern __constinit thread_local T a[] __asm__(\"exactdot_dynamic_shared\"); }");
  }
  EXPECT_EQ(rewrite_text("void f() { __simtcc_shared__ alignas(16) int a[2]; }").text,
            "void f() {  alignas(16) __constinit thread_local int a[2]; static_assert(sizeof a <= 0xc000, \"static "
            "shared "
            "memory above 48 KB\"); }");
  const std::string section = "__attribute__((section(\"exactdot_constant\")))";
  EXPECT_EQ(rewrite_text("static __simtcc_constant__ float a[2];").text, "static " + section + " float a[2];");
  EXPECT_EQ(rewrite_text("__simtcc_constant__ alignas(16) int a = 1;").text,
            " alignas(16) static __attribute__((unused)) " + section + " int a = 1;");
  EXPECT_EQ(rewrite_text("__simtcc_constant__ const int a = 1;").text, " const int a = 1;");
  EXPECT_EQ(rewrite_text("void f(__simtcc_shared__ int* p);").text, "void f( int* p);");
}

TEST(simtcc_rewrite, keywords) {
  EXPECT_EQ(rewrite_text("__simtcc_device__ __simtcc_forceinline__ int f();").text, " inline int f();");
  EXPECT_EQ(rewrite_text("inline __simtcc_forceinline__ int f();").text, "inline  int f();");
  EXPECT_EQ(rewrite_text("__simtcc_noinline__ int f();").text, "__attribute__((noinline)) int f();");
  EXPECT_EQ(rewrite_text("__attribute__((__simtcc_noinline__)) int f();").text,
            "__attribute__((__noinline__)) int f();");
}

TEST(simtcc_rewrite, casts_of_kernels_are_dropped) {
  for (const char* const cast : {"(void*)", "(const void*)", "(void const*)", "reinterpret_cast<const void*>"}) {
    EXPECT_EQ(
        rewrite_text("f = cudaLaunchCooperativeKernel(" + std::string(cast) + "(k<int>), g);").text.find("void"),
        std::string::npos);
  }
  EXPECT_NE(rewrite_text("f = g((void*)k);").text.find("void"), std::string::npos);
}

TEST(simtcc_rewrite, special_registers_are_read_by_calls) {
  EXPECT_EQ(rewrite_text("void f() { asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(x)); }").text,
            "void f() { (x) = ::exactdot::simt::detail::special_register_laneid(); }");
  EXPECT_TRUE(rewrite_text("extern int f() asm(\"name\");").problems.empty());
  const rewritten refused = rewrite_text("void f() {\n asm(\"bar.sync 0;\");\n}");
  ASSERT_EQ(refused.problems.size(), 1U);
  EXPECT_EQ(refused.problems[0].line, 2);
}

TEST(simtcc_rewrite, headers_of_the_system_are_not_refused) {
  EXPECT_TRUE(rewrite_text("# 1 \"s.h\" 1 3\nvoid f() { asm(\"nop\"); tex3D(); }\n").problems.empty());
  EXPECT_EQ(rewrite_text("# 1 \"s.h\" 1\nvoid f() { asm(\"nop\"); tex3D(); }\n").problems.size(), 2U);
}

}  // namespace
