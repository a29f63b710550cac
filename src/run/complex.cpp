// Reductions of complex numbers (exactdot/complex.hpp), as reductions of twice as many reals.
//
// Sums of the parts are two columns, norms one vector of 2n reals. A part of a product is one dot product of 2n
// reals, whose second vector has its pairs conjugated, exchanged or both: of short vectors on the stack, of others
// chunk by chunk in the staging of the threads (plan/staging.hpp). Only the factors of long products whose numbers
// lie apart are copied as a whole.
#include <cpu/environment.hpp>
#include <cstring>
#include <exactdot/batches.hpp>
#include <exactdot/complex.hpp>
#include <memory>
#include <new>
#include <plan/axes.hpp>
#include <plan/batch_checks.hpp>
#include <plan/staging.hpp>
#include <run/run.hpp>
#include <string>

namespace exactdot::inline v0_3::detail {
namespace {

using engine::pairing;

/// Numbers up to which parts are moved on the stack: a plan takes longer than the reduction.
constexpr std::size_t longest_on_stack = 512;

std::ptrdiff_t part_size(const any_complex& x) { return static_cast<std::ptrdiff_t>(size_of(x.part)); }

bool is_consecutive(const any_complex& x) { return x.n <= 1 || x.stride == 2 * part_size(x); }

void check(const any_complex& x, const char* caller) {
  if (x.part != element_type::float32 && x.part != element_type::float64) {
    engine::throw_error(errc::bad_option, caller,
                        "the parts of complex numbers are " +
                            std::string(is_known(x.part) ? name_of(x.part) : "of an unknown type") +
                            "; use float32 or float64");
  }
  if (x.n != 0 && x.data == nullptr) {
    engine::throw_error(errc::null_pointer, caller,
                        "a null pointer for a vector of " + std::to_string(x.n) + " complex numbers");
  }
  const axis numbers{x.n, x.stride}, parts{2, part_size(x)};
  const bool fits = x.n <= static_cast<std::size_t>(PTRDIFF_MAX) / 2 &&
                    (x.n == 0 || engine::extent_of(x.data, {&numbers, 1}, {&parts, 1}, size_of(x.part)));
  if (!fits) {
    engine::throw_error(errc::bad_option, caller,
                        std::to_string(x.n) + " complex numbers with a stride of " + std::to_string(x.stride) +
                            " bytes exceed the address space");
  }
}

/// Whether a call may read the numbers at once.
bool is_short(const any_complex& a, const any_complex& b, const options& options) {
  return a.n <= longest_on_stack && !a.swapped && !b.swapped && engine::is_short_call(a.data, b.data, a.n, options);
}

/// Copies n numbers at a step in bytes, changed, one after the other. Constant steps where they follow each other,
/// so that the compiler uses vector registers.
template <class T, pairing how>
void copy_changed(const char* from, std::ptrdiff_t step, std::size_t n, T* to) {
  using bits = typename unsigned_of<sizeof(T)>::type;
  constexpr bool exchanges = how == pairing::exchanged || how == pairing::turned;
  constexpr bool negates = how == pairing::conjugate || how == pairing::turned;
  constexpr bits sign = negates ? bits{1} << (8 * sizeof(T) - 1) : 0;
  for (std::size_t i = 0; i < n; ++i) {
    bits first, second;
    const char* const at = from + static_cast<std::ptrdiff_t>(i) * step;
    std::memcpy(&first, at + (exchanges ? sizeof(T) : 0), sizeof first);
    std::memcpy(&second, at + (exchanges ? 0 : sizeof(T)), sizeof second);
    to[2 * i] = std::bit_cast<T>(first), to[2 * i + 1] = std::bit_cast<T>(static_cast<bits>(second ^ sign));
  }
}
template <class T, pairing how>
void copy_changed(const any_complex& x, T* to) {
  const char* const from = static_cast<const char*>(x.data);
  if (is_consecutive(x)) return copy_changed<T, how>(from, 2 * sizeof(T), x.n, to);
  copy_changed<T, how>(from, x.stride, x.n, to);
}
template <class T>
void copy_changed(pairing how, const any_complex& x, T* to) {
  if (how == pairing::conjugate) return copy_changed<T, pairing::conjugate>(x, to);
  if (how == pairing::exchanged) return copy_changed<T, pairing::exchanged>(x, to);
  if (how == pairing::turned) return copy_changed<T, pairing::turned>(x, to);
  copy_changed<T, pairing::none>(x, to);
}

/// The real parts of short vectors, then the imaginary ones.
template <class T>
complex_words of_parts_on_stack(reduction what, const any_complex& x, element_type result, const options& options) {
  T real[longest_on_stack], imaginary[longest_on_stack];
  for (std::size_t i = 0; i < x.n; ++i) {
    T pair[2];
    std::memcpy(pair, static_cast<const char*>(x.data) + static_cast<std::ptrdiff_t>(i) * x.stride, sizeof pair);
    real[i] = pair[0], imaginary[i] = pair[1];
  }
  return {reduce_to_bits(what, to_any(real, x.n), result, options),
          reduce_to_bits(what, to_any(imaginary, x.n), result, options)};
}

complex_words of_parts(reduction what, const any_complex& x, element_type result, const options& options,
                       const char* caller) {
  if (is_short(x, x, options) && is_known(result) && !is_integer(result)) {
    if (x.part == element_type::float32) return of_parts_on_stack<float>(what, x, result, options);
    return of_parts_on_stack<double>(what, x, result, options);
  }
  complex_words found;
  const axis parts{2, part_size(x)}, numbers{x.n, x.stride}, places{2, sizeof(std::uint64_t)};
  const any_grid columns{x.data, x.part, {&parts, 1}, {&numbers, 1}, x.swapped};
  reduce_grid(what, columns, columns, {&found, result, {&places, 1}}, options, 0, caller);
  return found;
}

complex_words of_pairs(reduction what, const any_complex& x, element_type result, const options& options,
                       const char* caller) {
  complex_words found;
  if (is_consecutive(x)) {
    const any_vector reals{x.data, 2 * x.n, x.part, part_size(x), x.swapped};
    found.real = reduce_to_bits(what, reals, result, options);
    return found;
  }
  const axis axes[] = {{x.n, x.stride}, {2, part_size(x)}};
  const any_grid reals{x.data, x.part, {}, axes, x.swapped};
  reduce_grid(what, reals, reals, {&found.real, result, {}}, options, 0, caller);
  return found;
}

template <class T>
complex_words multiply_on_stack(pairing real, pairing imaginary, const any_complex& a, const any_complex& b,
                                element_type result, const options& options) {
  T first[2 * longest_on_stack], changed[2 * longest_on_stack];
  const std::size_t n = 2 * a.n;
  const void* left = a.data;
  if (!is_consecutive(a)) copy_changed(pairing::none, a, first), left = first;
  const auto part = [&](pairing how) {
    if (how == pairing::none && is_consecutive(b)) return dot(a.part, result, left, b.data, n, options);
    copy_changed(how, b, changed);
    return dot(a.part, result, left, changed, n, options);
  };
  return {part(real), part(imaginary)};
}

/// Two vectors whose numbers follow each other: as they lie, or copies in one piece of memory, which takes fewer
/// pages from the system than two. Throws std::bad_alloc.
class consecutive_vectors {
 public:
  consecutive_vectors(const any_complex& a, const any_complex& b) : first(a), second(b) {
    if (a.data == nullptr || b.data == nullptr) return;  // which the plan refuses
    const std::size_t of_a = bytes_of_copy(a), of_b = bytes_of_copy(b);
    if (of_a + of_b == 0) return;
    memory_ = std::make_unique_for_overwrite<std::byte[]>(of_a + of_b);
    if (of_a != 0) copy(first, memory_.get());
    if (of_b != 0) copy(second, memory_.get() + of_a);
  }

  any_complex first, second;

 private:
  static std::size_t bytes_of_copy(const any_complex& x) {
    const std::size_t bytes = 2 * size_of(x.part);
    if (is_consecutive(x)) return 0;
    if (x.n > PTRDIFF_MAX / (2 * bytes)) throw std::bad_alloc();  // a stride of 0 allows any number
    return x.n * bytes;
  }
  static void copy(any_complex& x, std::byte* to) {
    if (x.part == element_type::float32) {
      copy_changed(pairing::none, x, reinterpret_cast<float*>(to));
    } else {
      copy_changed(pairing::none, x, reinterpret_cast<double*>(to));
    }
    x.data = to, x.stride = 2 * part_size(x);
  }

  std::unique_ptr<std::byte[]> memory_;
};

/// A dot product of 2n reals, whose second vector is changed chunk by chunk.
std::uint64_t multiply_in_chunks(pairing how, const any_complex& a, const any_complex& b, element_type result,
                                 const options& options, const char* caller) {
  const auto reals = [](const any_complex& x) {
    return any_vector{x.data, 2 * x.n, x.part, part_size(x), x.swapped};
  };
  engine::plan made = engine::make_plan({caller, reduction::dot, reals(a), reals(b), result, 0, false}, options);
  made.b.pairs = how;
  if (how != pairing::none) made.b.contiguous = made.contiguous = false;
  return engine::run(made);
}

}  // namespace

complex_words reduce_complex(reduction what, const any_complex& x, element_type result, const options& options,
                             const char* caller) {
  if (caller == nullptr) caller = name_of(what);
  check(x, caller);
  if (is_known(what) && core::info_of(what).takes_complex() && inputs_of(what) == 1) {
    return (gives_complex(what) ? of_parts : of_pairs)(what, x, result, options, caller);
  }
  engine::throw_error(
      errc::bad_option, caller,
      "complex numbers have sum, mean, asum, sum_of_squares, nrm2 and dot, not " + std::string(name_of(what)));
}

complex_words multiply_complex(bool conjugates, const any_complex& a, const any_complex& b, element_type result,
                               const options& options, const char* caller) {
  if (caller == nullptr) caller = conjugates ? "vdot" : "dot";
  check(a, caller), check(b, caller);
  if (a.n != b.n) {
    engine::throw_error(
        errc::size_mismatch, caller,
        "the vectors differ in length (" + std::to_string(a.n) + " and " + std::to_string(b.n) + " elements)");
  }
  // (x − iy)(u + iv) = xu + yv + i(xv − yu); (x + iy)(u + iv) = xu − yv + i(xv + yu)
  const pairing real = conjugates ? pairing::none : pairing::conjugate;
  const pairing imaginary = conjugates ? pairing::turned : pairing::exchanged;
  if (a.part == b.part && is_known(result) && !is_integer(result) && is_short(a, b, options)) {
    if (a.part == element_type::float32) return multiply_on_stack<float>(real, imaginary, a, b, result, options);
    return multiply_on_stack<double>(real, imaginary, a, b, result, options);
  }
  const auto grid = [](const any_complex& x) { return any_grid{x.data, x.part, {}, {}, x.swapped}; };
  const engine::batch_request asked{caller, reduction::dot, {nullptr, result, {}}};
  engine::check_options(asked, options);
  if (a.n != 0 && is_known(result)) {
    engine::keep_on_host(asked, grid(a), grid(b), options, "products of complex numbers are computed");
  }
  exactdot::options on_cpu = options;
  if (a.n != 0) on_cpu.device = device::cpu;
  const cpu_engine::standard_arithmetic environment;
  const consecutive_vectors both(a, b);
  return {multiply_in_chunks(real, both.first, both.second, result, on_cpu, caller),
          multiply_in_chunks(imaginary, both.first, both.second, result, on_cpu, caller)};
}

}  // namespace exactdot::inline v0_3::detail
