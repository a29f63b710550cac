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
#include <run/complex_factors.hpp>
#include <run/run.hpp>
#include <string>

namespace exactdot::inline v0_3::detail {

using engine::after, engine::copy_changed, engine::multiply_complex_on_gpu, engine::pairing, engine::require_complex_reduction;

namespace {

/// Numbers up to which parts are moved on the stack: a plan takes longer than the reduction.
constexpr std::size_t longest_on_stack = 512;

std::ptrdiff_t part_size(const any_vector& x) { return static_cast<std::ptrdiff_t>(size_of(part_of(x.type))); }

bool is_consecutive(const any_vector& x) { return x.n <= 1 || x.stride == 2 * part_size(x); }

void check(const any_vector& x, const char* caller) {
  if (!is_complex(x.type)) {
    engine::throw_error(errc::bad_option, caller,
                        std::string(is_known(x.type) ? name_of(x.type) : "an unknown type") +
                            " is no type of complex numbers; use complex64 or complex128");
  }
  if (x.n != 0 && x.data == nullptr) {
    engine::throw_error(errc::null_pointer, caller,
                        "a null pointer for a vector of " + std::to_string(x.n) + " complex numbers");
  }
  const axis numbers{x.n, x.stride}, parts{2, part_size(x)};
  const bool fits = x.n <= static_cast<std::size_t>(PTRDIFF_MAX) / 2 &&
                    (x.n == 0 || engine::extent_of(x.data, {&numbers, 1}, {&parts, 1}, size_of(part_of(x.type))));
  if (!fits) {
    engine::throw_error(errc::bad_option, caller,
                        std::to_string(x.n) + " complex numbers with a stride of " + std::to_string(x.stride) +
                            " bytes exceed the address space");
  }
}

/// Whether a call may read the numbers at once.
bool is_short(const any_vector& a, const any_vector& b, const options& options) {
  return a.n <= longest_on_stack && !a.swapped && !b.swapped && engine::is_short_call(a.data, b.data, a.n, options);
}

/// The real parts of short vectors, then the imaginary ones.
template <class T>
complex_words of_parts_on_stack(reduction what, const any_vector& x, element_type result, const options& options) {
  T real[longest_on_stack], imaginary[longest_on_stack];
  for (std::size_t i = 0; i < x.n; ++i) {
    T pair[2];
    std::memcpy(pair, static_cast<const char*>(x.data) + static_cast<std::ptrdiff_t>(i) * x.stride, sizeof pair);
    real[i] = pair[0], imaginary[i] = pair[1];
  }
  return {reduce_to_bits(what, to_any(real, x.n), result, options),
          reduce_to_bits(what, to_any(imaginary, x.n), result, options)};
}

any_vector real_parts(const any_vector& x) { return {x.data, x.n, part_of(x.type), x.stride, x.swapped}; }

/// The GPU whose memory holds the inputs, or -1. Throws for what no engine reads, and for a GPU that is demanded of
/// vectors in host memory.
int gpu_of(const engine::request& of_real_parts, const options& options) {
  if (options.device == device::cpu || (options.device == device::automatic && !engine::gpu_may_exist)) return -1;
  const engine::plan probe = engine::make_plan(of_real_parts, options);
  if (probe.on_gpu && probe.a.where.on_gpu()) return probe.gpu;
  if (!probe.gpu_demanded) return -1;
  engine::throw_error(errc::bad_option, of_real_parts.caller,
                      "complex vectors in host memory are reduced by the CPU: use the device automatic, or copy them "
                      "to the GPU");
}

complex_words of_parts(reduction what, const any_vector& x, element_type result, const options& options,
                       const char* caller) {
  if (is_short(x, x, options) && is_known(result) && !is_integer(result)) {
    if (x.type == element_type::complex64) return of_parts_on_stack<float>(what, x, result, options);
    return of_parts_on_stack<double>(what, x, result, options);
  }
  complex_words found;
  const any_vector real = real_parts(x);
  if (gpu_of({caller, what, real, real, result, 0, false}, options) >= 0) {
    const any_vector imaginary{after(x.data, part_size(x)), x.n, real.type, x.stride, x.swapped};
    return {reduce_to_bits(what, real, result, options), reduce_to_bits(what, imaginary, result, options)};
  }
  const axis parts{2, part_size(x)}, numbers{x.n, x.stride}, places{2, sizeof(std::uint64_t)};
  const any_grid columns{x.data, part_of(x.type), {&parts, 1}, {&numbers, 1}, x.swapped};
  reduce_grid(what, columns, columns, {&found, result, {&places, 1}}, options, 0, caller);
  return found;
}

complex_words of_pairs(reduction what, const any_vector& x, element_type result, const options& options,
                       const char* caller) {
  complex_words found;
  if (is_consecutive(x)) {
    const any_vector reals{x.data, 2 * x.n, part_of(x.type), part_size(x), x.swapped};
    found.real = reduce_to_bits(what, reals, result, options);
    return found;
  }
  const axis axes[] = {{x.n, x.stride}, {2, part_size(x)}};
  const any_grid reals{x.data, part_of(x.type), {}, axes, x.swapped};
  reduce_grid(what, reals, reals, {&found.real, result, {}}, options, 0, caller);
  return found;
}

template <class T>
complex_words multiply_on_stack(pairing real, pairing imaginary, const any_vector& a, const any_vector& b,
                                element_type result, const options& options) {
  T first[2 * longest_on_stack], changed[2 * longest_on_stack];
  const std::size_t n = 2 * a.n;
  const void* left = a.data;
  if (!is_consecutive(a)) copy_changed(pairing::none, part_of(a.type), false, a.data, a.stride, a.n, first), left = first;
  const auto part = [&](pairing how) {
    if (how == pairing::none && is_consecutive(b)) return dot(part_of(a.type), result, left, b.data, n, options);
    copy_changed(how, part_of(b.type), false, b.data, b.stride, b.n, changed);
    return dot(part_of(a.type), result, left, changed, n, options);
  };
  return {part(real), part(imaginary)};
}

/// Two vectors whose numbers follow each other: as they lie, or copies in one piece of memory, which takes fewer
/// pages from the system than two. Throws std::bad_alloc.
class consecutive_vectors {
 public:
  consecutive_vectors(const any_vector& a, const any_vector& b) : first(a), second(b) {
    if (a.data == nullptr || b.data == nullptr) return;  // which the plan refuses
    const std::size_t of_a = bytes_of_copy(a), of_b = bytes_of_copy(b);
    if (of_a + of_b == 0) return;
    memory_ = std::make_unique_for_overwrite<std::byte[]>(of_a + of_b);
    if (of_a != 0) copy(first, memory_.get());
    if (of_b != 0) copy(second, memory_.get() + of_a);
  }

  any_vector first, second;

 private:
  static std::size_t bytes_of_copy(const any_vector& x) {
    const std::size_t bytes = 2 * size_of(part_of(x.type));
    if (is_consecutive(x)) return 0;
    if (x.n > PTRDIFF_MAX / (2 * bytes)) throw std::bad_alloc();  // a stride of 0 allows any number
    return x.n * bytes;
  }
  static void copy(any_vector& x, std::byte* to) {
    copy_changed(pairing::none, part_of(x.type), false, x.data, x.stride, x.n, to);
    x.data = to, x.stride = 2 * part_size(x);
  }

  std::unique_ptr<std::byte[]> memory_;
};

/// A dot product of 2n reals, whose second vector is changed chunk by chunk.
std::uint64_t multiply_in_chunks(pairing how, const any_vector& a, const any_vector& b, element_type result,
                                 const options& options, const char* caller) {
  const auto reals = [](const any_vector& x) {
    return any_vector{x.data, 2 * x.n, part_of(x.type), part_size(x), x.swapped};
  };
  engine::plan made = engine::make_plan({caller, reduction::dot, reals(a), reals(b), result, 0, false}, options);
  made.b.pairs = how;
  if (how != pairing::none) made.b.contiguous = made.contiguous = false;
  return engine::run(made);
}

}  // namespace

complex_words reduce_complex(reduction what, const any_vector& x, element_type result, const options& options,
                             const char* caller) {
  if (caller == nullptr) caller = name_of(what);
  check(x, caller);
  if (is_known(what) && core::info_of(what).takes_complex() && inputs_of(what) == 1) {
    return (gives_complex(what) ? of_parts : of_pairs)(what, x, result, options, caller);
  }
  require_complex_reduction(what, caller);
  engine::throw_error(errc::bad_option, caller, std::string(name_of(what)) + " takes two vectors");
}

complex_words multiply_complex(bool conjugates, const any_vector& a, const any_vector& b, element_type result,
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
  if (a.type == b.type && is_known(result) && !is_integer(result) && is_short(a, b, options)) {
    if (a.type == element_type::complex64) return multiply_on_stack<float>(real, imaginary, a, b, result, options);
    return multiply_on_stack<double>(real, imaginary, a, b, result, options);
  }
  if (const int gpu = gpu_of({caller, reduction::dot, real_parts(a), real_parts(b), result, 0, false}, options); gpu >= 0) {
    return multiply_complex_on_gpu(conjugates, a, b, gpu, result, options, caller);
  }
  exactdot::options on_cpu = options;
  if (a.n != 0) on_cpu.device = device::cpu;
  const cpu_engine::standard_arithmetic environment;
  const consecutive_vectors both(a, b);
  return {multiply_in_chunks(real, both.first, both.second, result, on_cpu, caller),
          multiply_in_chunks(imaginary, both.first, both.second, result, on_cpu, caller)};
}

complex_words reduce_complex_vectors(reduction what, const any_vector& a, const any_vector& b, element_type result,
                                     const options& options, const char* caller) {
  const element_type part = part_of(result);
  const bool fits =
      is_known(what) && core::info_of(what).takes_complex() && gives_complex(what) == is_complex(result);
  if (fits && inputs_of(what) == 1 && is_complex(a.type) && !a.conjugated) {
    return reduce_complex(what, a, part, options, caller);
  }
  if (fits && inputs_of(what) == 2 && is_complex(a.type) && is_complex(b.type) && !b.conjugated) {
    return multiply_complex(a.conjugated, a, b, part, options, caller);
  }
  // of one real factor, which a grid multiplies by both parts; or refused there
  const element_line of_a(a), of_b(b);
  std::byte number[2 * sizeof(std::uint64_t)] = {};
  reduce_grid(what, of_a.view(), of_b.view(), {number, result, {}}, options, 0, caller);
  complex_words found;
  std::memcpy(&found.real, number, size_of(part));
  if (is_complex(result)) std::memcpy(&found.imaginary, number + size_of(part), size_of(part));
  return found;
}

}  // namespace exactdot::inline v0_3::detail
