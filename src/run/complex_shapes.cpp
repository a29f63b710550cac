// Reductions of shapes of complex numbers, as reductions of shapes of reals (complex_factors.hpp).
//
// Sums and means: one more axis of results, the parts. Norms: one more axis of elements. A part of a product is one
// dot product of 2n reals, whose second vectors are copies. Segments of 2n reals have twice the offsets, groups each
// key twice. So every result has the bits of the call on its numbers alone (complex.cpp). Memory: of products a copy
// of the second array, and of the first one unless its numbers follow each other; of norms by segments and keys
// likewise; of groups but for sums and means 16 bytes a key.
#include <cpu/environment.hpp>
#include <exactdot/batches.hpp>
#include <exactdot/complex.hpp>
#include <plan/axes.hpp>
#include <plan/batch.hpp>
#include <plan/batch_checks.hpp>
#include <plan/gpu_engine.hpp>
#include <run/complex_call.hpp>

namespace exactdot::inline v0_3::detail {

using engine::after, engine::check_complex_types, engine::complex_call, engine::copied_numbers, engine::grid_in_pairs,
    engine::pairing, engine::part_of_grid, engine::part_size, engine::require_apart, engine::with_parts;

namespace {

/// Both parts of every result, along axes of their own.
struct results_in_parts {
  std::vector<axis> axes;
  any_results view;

  explicit results_in_parts(const complex_call& call) : view(call.part_of_results(0)) {
    axes = with_parts(call.out.axes, static_cast<std::ptrdiff_t>(size_of(view.type)));
    view.axes = axes;
  }
};

/// Part k of every number; of reals all of them.
any_vector part_of_vector(const any_vector& x, std::ptrdiff_t k) {
  if (!is_complex(x.type)) return x;
  return {after(x.data, k * part_size(x.type)), x.n, part_of(x.type), x.stride, x.swapped};
}

/// The parts of every number, of reals the number twice, along one more axis of results.
struct grid_in_parts {
  std::vector<axis> results;
  any_grid view;

  explicit grid_in_parts(const any_grid& x) : view(part_of_grid(x)) {
    results = with_parts(x.results, is_complex(x.type) ? part_size(x.type) : 0);
    view.results = results;
  }
};

/// Whether the numbers of a result follow each other along the innermost axis.
bool is_consecutive(const any_grid& x) {
  if (x.elements.empty()) return true;
  const axis innermost = x.elements.back();
  return innermost.n <= 1 || innermost.stride == 2 * part_size(x.type);
}

/// Runs `reduce`. If it fails, `check`, the same for the real parts alone, names what is wrong by the numbers of the
/// caller, not by those of their parts.
template <class Reduce, class Check>
void with_words_of(const Check& check, const Reduce& reduce) {
  try {
    reduce();
  } catch (const error&) {
    check();
    throw;
  }
}

/// Runs a batch of the real parts on the GPU that has them: for the error that only the data tell.
void run_on_gpu(const engine::batch& of) {
  if (of.each.on_gpu) engine::registered_gpu_engine.load(std::memory_order_acquire)->reduce_batch(of);
}

int gpu_of(const engine::batch& of) { return of.each.on_gpu ? of.each.gpu : -1; }

/// The two factors of a product of complex numbers, for each part of the results.
class factors {
 public:
  /// Numbers without gaps are read where they lie, unless the call needs them in one piece.
  factors(const complex_call& call, const any_grid& a, const any_grid& b, int gpu, bool in_one_piece)
      : call_(call), b_(b), gpu_(gpu), conjugates_(a.conjugated), in_one_piece_(in_one_piece) {
    first_ = is_consecutive(a) ? a : copy(kept_, pairing::none, a);
  }

  /// work(a, b) for the real part, then for the imaginary one: grids of complex numbers whose parts are multiplied.
  // (x − iy)(u + iv) = xu + yv + i(xv − yu); (x + iy)(u + iv) = xu − yv + i(xv + yu)
  template <class Work>
  void for_parts(const Work& work) {
    copied_numbers changed;
    const bool is_as_it_lies = conjugates_ && is_consecutive(b_);
    const pairing real = conjugates_ ? pairing::none : pairing::conjugate;
    work(first_, is_as_it_lies ? b_ : copy(changed, real, b_), std::size_t{0});
    work(first_, copy(changed, conjugates_ ? pairing::turned : pairing::exchanged, b_), std::size_t{1});
  }

 private:
  any_grid copy(copied_numbers& to, pairing how, const any_grid& x) {
    to = copied_numbers();  // before the next one takes memory
    to = copied_numbers(how, x, gpu_, call_.options, call_.caller, in_one_piece_);
    return to.view();
  }

  const complex_call& call_;
  any_grid first_, b_;
  int gpu_;
  bool conjugates_, in_one_piece_;
  copied_numbers kept_;
};

/// One factor is real: its product with the parts of the other. z: the complex one.
any_grid unconjugated(const complex_call& call, const any_grid& z, int gpu, copied_numbers& memory) {
  if (!z.conjugated) return z;
  memory = copied_numbers(pairing::conjugate, z, gpu, call.options, call.caller);
  return memory.view();
}

/// 2n reals, of n numbers that follow each other along one axis.
any_vector reals_of(const any_grid& x) {
  const axis along = x.elements[0];
  return {x.data, 2 * along.n, part_of(x.type), part_size(x.type), x.swapped};
}

bool are_both_complex(element_type a, element_type b) { return is_complex(a) && is_complex(b); }

complex_words multiply_on_gpu(bool conjugates, const any_vector& a, const any_vector& b, int gpu, element_type result,
                              const options& options, const char* caller) {
  const complex_call call{reduction::dot, {}, options, caller};
  any_vector left = a;
  left.conjugated = conjugates;
  const element_line of_a(left), of_b(b);
  std::uint64_t words[2];
  factors(call, of_a.view(), of_b.view(), gpu, true).for_parts([&](const any_grid& x, const any_grid& y, std::size_t k) {
    words[k] = reduce_to_bits(reduction::dot, reals_of(x), reals_of(y), result, options);
  });
  return {words[0], words[1]};
}

}  // namespace

void reduce_complex_grid(reduction what, const any_grid& a, const any_grid& b, const any_results& out,
                         const options& options, const char* caller) {
  const complex_call call{what, out, options, caller};
  check_complex_types(call, a, b);
  const cpu_engine::standard_arithmetic environment;
  const auto probe = [&] {
    return engine::make_grid_batch(call.of_part(), part_of_grid(a), part_of_grid(b), options);
  };
  const auto run = [&](const any_grid& first, const any_grid& second, const any_results& to) {
    reduce_grid(what, first, second, to, options, 0, caller);
  };
  const auto check = [&] { static_cast<void>(probe()); };
  if (!call.is_product()) {
    return with_words_of(check, [&] {
      if (!gives_complex(what)) {
        const grid_in_pairs x(a);
        return run(x.view, x.view, out);
      }
      const grid_in_parts x(a);
      run(x.view, x.view, results_in_parts(call).view);
    });
  }
  const engine::batch checked = probe();
  if (checked.count == 0) return;
  require_apart(call, a, b);
  if (are_both_complex(a.type, b.type)) {
    return factors(call, a, b, gpu_of(checked), false).for_parts([&](const any_grid& x, const any_grid& y, std::size_t k) {
      const grid_in_pairs first(x), second(y);
      run(first.view, second.view, call.part_of_results(k));
    });
  }
  copied_numbers memory;
  const any_grid x = unconjugated(call, a, gpu_of(checked), memory);
  const grid_in_parts first(x), second(b);
  run(first.view, second.view, results_in_parts(call).view);
}

namespace {

/// Offsets into 2n reals, of offsets into n numbers.
class doubled_offsets {
 public:
  doubled_offsets(const any_offsets& of, int gpu) : view_(of) {
    if (of.count == 0) return;
    if (gpu >= 0) {
      const engine::gpu_engine& on = *engine::registered_gpu_engine.load(std::memory_order_acquire);
      memory_ = on.copy_indices({of.data, of.type, of.stride, of.count + 1, true, gpu});
      view_.data = memory_.get();
    } else {
      offsets_.resize(of.count + 1);
      for (std::size_t i = 0; i <= of.count; ++i) offsets_[i] = 2 * engine::offset_at(of, i);
      view_.data = offsets_.data();
    }
    view_.type = element_type::uint64, view_.stride = sizeof(std::uint64_t), view_.swapped = false;
  }
  [[nodiscard]] const any_offsets& view() const { return view_; }

 private:
  any_offsets view_;
  std::vector<std::uint64_t> offsets_;
  std::shared_ptr<void> memory_;
};

}  // namespace

void reduce_complex_segments(reduction what, const any_vector& a, const any_vector& b, const any_offsets& offsets,
                             const any_results& out, const options& options, const char* caller) {
  const complex_call call{what, out, options, caller};
  const element_line of_a(a), of_b(b);
  any_grid first = of_a.view(), second = of_b.view();
  check_complex_types(call, first, second);
  const cpu_engine::standard_arithmetic environment;
  const auto run = [&](const any_vector& x, const any_vector& y, const any_offsets& of, std::size_t k) {
    reduce_segments(what, x, y, of, call.part_of_results(k), options, 0, caller);
  };
  const engine::batch checked =
      engine::make_segment_batch(call.of_part(), part_of_vector(a, 0), part_of_vector(b, 0), offsets, options);
  if (checked.count == 0) return;
  const int gpu = gpu_of(checked);
  const auto in_parts = [&](const any_vector& x, const any_vector& y) {
    for (std::ptrdiff_t k = 0; k < 2; ++k) run(part_of_vector(x, k), part_of_vector(y, k), offsets, static_cast<std::size_t>(k));
  };
  require_apart(call, first, second);
  engine::check_offsets(call.of_part(1), offsets, a.n, checked.each.on_gpu);
  if (!call.is_product() && gives_complex(what)) return in_parts(a, a);
  if (call.is_product() && !are_both_complex(a.type, b.type)) {
    copied_numbers memory;
    const any_grid x = unconjugated(call, first, gpu, memory);
    return in_parts({x.data, a.n, x.type, x.elements[0].stride, x.swapped}, b);
  }
  with_words_of([&] { run_on_gpu(checked); }, [&] {
    const doubled_offsets twice(offsets, gpu);
    if (call.is_product()) {
      return factors(call, first, second, gpu, true).for_parts([&](const any_grid& x, const any_grid& y, std::size_t k) {
        run(reals_of(x), reals_of(y), twice.view(), k);
      });
    }
    copied_numbers memory;
    if (!is_consecutive(first)) {
      memory = copied_numbers(pairing::none, first, gpu, options, caller, true);
      first = memory.view();
    }
    run(reals_of(first), reals_of(first), twice.view(), 0);
  });
}

namespace {

/// Each key twice, for 2n reals of n numbers.
class doubled_keys {
 public:
  doubled_keys(const any_keys& of, int gpu) : view_(of) {
    view_.n = 2 * of.n;
    if (of.n == 0) return;
    if (gpu >= 0) {
      const engine::gpu_engine& on = *engine::registered_gpu_engine.load(std::memory_order_acquire);
      memory_ = on.copy_indices({of.data, of.type, of.stride, of.n, false, gpu});
      view_.data = memory_.get();
    } else {
      keys_.resize(2 * of.n);
      const any_offsets from{of.data, of.n, of.type, of.stride, of.swapped};
      for (std::size_t i = 0; i < of.n; ++i) keys_[2 * i] = keys_[2 * i + 1] = engine::offset_at(from, i);
      view_.data = keys_.data();
    }
    // of signed types a key's sign is extended
    view_.type = is_signed(of.type) ? element_type::int64 : element_type::uint64;
    view_.stride = sizeof(std::uint64_t), view_.swapped = false;
  }
  [[nodiscard]] const any_keys& view() const { return view_; }

 private:
  any_keys view_;
  std::vector<std::uint64_t> keys_;
  std::shared_ptr<void> memory_;
};

/// 2n reals along one axis, of n numbers, whose memory follows each other.
struct reals_by_key {
  axis elements;
  any_grid view;

  explicit reals_by_key(const any_grid& x) {
    const any_vector reals = reals_of(x);
    elements = {reals.n, reals.stride};
    view = {x.data, reals.type, x.results, {&elements, 1}, x.swapped};
  }
};

}  // namespace

void reduce_complex_groups(reduction what, const any_grid& a, const any_grid& b, const any_keys& keys,
                           const any_results& out, const options& options, const char* caller) {
  const complex_call call{what, out, options, caller};
  check_complex_types(call, a, b);
  const cpu_engine::standard_arithmetic environment;
  const auto probe = [&] {
    return engine::make_group_batch(call.of_part(), part_of_grid(a), part_of_grid(b), keys, options);
  };
  const auto run = [&](const any_grid& first, const any_grid& second, const any_keys& of, const any_results& to) {
    reduce_groups(what, first, second, of, to, options, 0, caller);
  };
  if (!call.is_product() && gives_complex(what)) {
    return with_words_of([&] { static_cast<void>(probe()); }, [&] {
      const grid_in_parts x(a);
      run(x.view, x.view, keys, results_in_parts(call).view);
    });
  }
  const engine::batch checked = probe();
  require_apart(call, a, b);
  engine::check_keys(call.of_part(1), keys, engine::positions_of(out.axes).value_or(1), keys.n);
  const int gpu = gpu_of(checked);
  if (call.is_product() && !are_both_complex(a.type, b.type)) {
    copied_numbers memory;
    const grid_in_parts first(unconjugated(call, a, gpu, memory)), second(b);
    return run(first.view, second.view, keys, results_in_parts(call).view);
  }
  with_words_of([&] { run_on_gpu(checked); }, [&] {
    const doubled_keys twice(keys, gpu);
    if (call.is_product()) {
      return factors(call, a, b, gpu, true).for_parts([&](const any_grid& x, const any_grid& y, std::size_t k) {
        const reals_by_key first(x), second(y);
        run(first.view, second.view, twice.view(), call.part_of_results(k));
      });
    }
    copied_numbers memory;
    if (!is_consecutive(a)) memory = copied_numbers(pairing::none, a, gpu, options, caller, true);
    const reals_by_key x(is_consecutive(a) ? a : memory.view());
    run(x.view, x.view, twice.view(), out);
  });
}

}  // namespace exactdot::inline v0_3::detail

namespace exactdot::inline v0_3::engine {

detail::complex_words multiply_complex_on_gpu(bool conjugates, const any_vector& a, const any_vector& b, int gpu,
                                              element_type result, const options& options, const char* caller) {
  return detail::multiply_on_gpu(conjugates, a, b, gpu, result, options, caller);
}

}  // namespace exactdot::inline v0_3::engine
