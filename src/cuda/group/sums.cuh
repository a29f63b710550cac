// The launches of a call on groups, for an engine or a test that brings memory and a launcher.
//
// Everything that depends on the data stays on the device, but for the number of open groups: a caller that waits
// reads it and asks for as many passes; a call ordered by a stream enqueues all that could be needed, and passes
// without an open group return at once.
#pragma once

#include <cuda/group/exact.cuh>
#include <cuda/group/extremum.cuh>
#include <cuda/group/scatter.cuh>
#include <cuda/group/skewed.cuh>
#include <cuda/group/table.cuh>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// f(source) with the source of the call's elements.
template <class F>
void with_native_source(const group_job& job, const F& f) {
  const auto with_terms = [&]<class Element>(Element) {
    switch (job.in.terms) {
      case group_terms::value:
        return f(native_source<Element, group_terms::value>());
      case group_terms::square:
        return f(native_source<Element, group_terms::square>());
      case group_terms::product:
        return f(native_source<Element, group_terms::product>());
      default:
        return f(native_source<Element, group_terms::moments>());
    }
  };
  switch (job.in.a.type) {
    case element_type::float32:
      return with_terms(float{});
    case element_type::float64:
      return with_terms(double{});
    case element_type::float16:
      return with_terms(float16{});
    default:
      return with_terms(bfloat16{});
  }
}
template <class F>
void with_any_source(const group_job& job, const F& f) {
  if (job.in.terms == group_terms::moments) return f(any_source<2>());
  f(any_source<1>());
}

constexpr int log2_above(std::size_t n) {
  int bits = 0;
  while (n != 0) n >>= 1, ++bits;
  return bits;
}

/// Prepares tables of frequent groups before the records, if they fit: with room for a block's share of the
/// elements.
template <class Source>
void allow_skew(const Source&, group_scheme& scheme, std::size_t n, const group_limits& limits) {
  scheme.skewed_bytes = frequent_table_bytes +
                        4 * frequent_entries * static_cast<std::size_t>(skewed_words<Source>(scheme.has_counts));
  scheme.may_be_skewed =
      n >= std::max<std::size_t>(limits.min_skewed, 1) && scheme.skewed_bytes <= limits.shared_bytes;
  if (!scheme.may_be_skewed) return;
  const std::size_t per_multiprocessor = 2 * scheme.skewed_bytes <= limits.shared_bytes ? 2 : 1;
  const std::size_t blocks = (n + 4095) / 4096, most = limits.multiprocessors * per_multiprocessor;
  scheme.skewed_blocks = static_cast<unsigned>(std::clamp<std::size_t>(blocks, 1, most));
  const std::size_t packs = (n + group_pack - 1) / group_pack;
  const std::size_t share = (packs + scheme.skewed_blocks - 1) / scheme.skewed_blocks * group_pack;
  for (int stream = 0; stream < Source::streams; ++stream) {
    const int words = table_words<Source>(stream);
    scheme.bits[stream] = std::min(scheme.bits[stream], 32 * words - log2_above(share) - 1);
    if (!Source::has_quick_terms(stream)) continue;
    scheme.bits[stream] = std::min(scheme.bits[stream], max_quick_bits(Source::max_bits(stream), words));
  }
}

/// How the first look of a source adds. `room`: bits for the sum of n terms, and its sign.
template <class Source>
group_scheme scheme_of(const Source& source, const group_input& in, bool needs_counts, const group_limits& limits,
                       bool may_use_shared) {
  group_scheme made;
  // variances count; the bound of sums whose terms nearly always drop bits needs to know which groups are empty
  needs_counts = needs_counts || Source::streams == 2 || (Source::always_drops(0) && in.terms == group_terms::product);
  made.has_counts = needs_counts;
  const int room = log2_above(in.n) + 1;
  int words = needs_counts ? 1 : 0;
  for (int stream = 0; stream < Source::streams; ++stream) {
    made.words[stream] = table_words<Source>(stream);
    words += made.words[stream];
  }
  const std::size_t bytes = 4 * static_cast<std::size_t>(words), all = bytes * in.groups;
  made.in_shared = may_use_shared && all <= limits.shared_bytes;
  if (made.in_shared) {
    constexpr unsigned max_entries = 1024, max_copies = 32;
    while (made.copies < max_copies && made.copies * 2 * in.groups <= max_entries) made.copies *= 2;
    while (made.copies > 1 && all * made.copies > limits.shared_bytes) made.copies /= 2;
    made.shared_bytes = all * made.copies;
    const std::size_t elements_of_block = 4096;
    const std::size_t blocks = (in.n + elements_of_block - 1) / elements_of_block;
    made.blocks = static_cast<unsigned>(std::clamp<std::size_t>(blocks, 1, limits.multiprocessors));
    for (int stream = 0; stream < Source::streams; ++stream) {
      made.bits[stream] = 32 * made.words[stream] - room;
      if (!Source::has_quick_terms(stream)) continue;
      const int limit = max_quick_bits(Source::max_bits(stream), made.words[stream]);
      made.bits[stream] = std::min(made.bits[stream], limit);
    }
    return made;
  }
  made.words[0] = made.words[1] = 0;
  made.limb_bits = 63 - room;
  for (int stream = 0; stream < Source::streams; ++stream) {
    constexpr int max_bits =
        108;  // of a window: so that sums of usual terms have less than 127 (sum/second_level.cuh)
    made.limb_bits = std::min(made.limb_bits, max_bits / std::min(record_limbs<Source>(stream), 3));
  }
  made.threads = 256;
  const std::size_t blocks = (in.n + 4 * made.threads - 1) / (4 * made.threads);
  made.blocks = static_cast<unsigned>(std::clamp<std::size_t>(blocks, 1, limits.multiprocessors * std::size_t{16}));
  for (int stream = 0; stream < Source::streams; ++stream) {
    made.limbs[stream] = record_limbs<Source>(stream);
    made.bits[stream] = made.limbs[stream] * made.limb_bits;
    made.lanes[stream] = needs_counts ? record_words<Source, true>(stream) : record_words<Source, false>(stream);
  }
  allow_skew(source, made, in.n, limits);
  return made;
}

/// Sets the scheme, and what of the results depends on it.
inline void choose_scheme(group_job& job, bool needs_counts, const group_limits& limits,
                          bool may_use_shared = true) {
  job.multiprocessors = limits.multiprocessors, job.shared_bytes = limits.shared_bytes;
  const auto choose = [&]<class Source>(Source source) {
    job.scheme = scheme_of(source, job.in, needs_counts, limits, may_use_shared);
    for (int stream = 0; stream < Source::streams; ++stream) {
      job.out.always_drops[stream] = Source::always_drops(stream);
    }
  };
  if (job.is_native) return with_native_source(job, choose);
  with_any_source(job, choose);
}

inline unsigned blocks_for_items(const group_job& job, std::size_t items, unsigned threads,
                                 unsigned per_multiprocessor = 16) {
  const std::size_t blocks = (items + threads - 1) / threads, most = job.multiprocessors * per_multiprocessor;
  return static_cast<unsigned>(std::clamp<std::size_t>(blocks, 1, most));
}

/// Enqueues the search for frequent groups.
template <class Launch>
void enqueue_frequencies(const group_job& job, const Launch& launch) {
  launch(group_frequency_kernel, 1U, frequency_threads, frequency_shared_bytes, job.in, job.to);
}

/// Enqueues the first look: results that are certain are stored. launch(kernel, blocks, threads, shared bytes,
/// arguments…). `cleared`: bytes of memory, see place_memory. `layout`: of an exact state.
template <class Launch>
void enqueue_first_look(const group_job& given, std::size_t cleared, const core::state_layout& layout,
                        const Launch& launch) {
  group_job job = given;
  // terms have factors whose last bits are at least those of the carrier
  const bool is_product = factors_of(job.in.terms, 0) == 2;
  job.scheme.lowest[0] = is_product ? layout.lowest_exponent : layout.lowest_exponent / 2;
  job.scheme.lowest[1] = layout.lowest_exponent;
  launch(group_clear_kernel, blocks_for_items(job, cleared / 8, 256), 256U, std::size_t{0},
         reinterpret_cast<wide_unsigned*>(job.to.status), cleared / 8);
  const std::size_t sampled = std::clamp<std::size_t>(job.in.n, 1, sampled_terms);
  launch(group_window_kernel, static_cast<unsigned>((sampled + window_threads - 1) / window_threads),
         window_threads, std::size_t{0}, job.in, job.to.status);
  if (job.scheme.may_be_skewed) enqueue_frequencies(job, launch);
  const auto add = [&]<class Source>(Source) {
    const group_scheme& scheme = job.scheme;
    const auto add_to_records = [&]<bool counts>(std::bool_constant<counts>) {
      launch(group_scatter_kernel<Source, counts>, scheme.blocks, scheme.threads, std::size_t{0}, job.in, scheme,
             job.to);
      if (!scheme.may_be_skewed) return;
      launch(group_skewed_kernel<Source, counts>, scheme.skewed_blocks, scheme.skewed_threads, scheme.skewed_bytes,
             job.in, scheme, job.to);
    };
    if (scheme.in_shared) {
      launch(group_table_kernel<Source>, scheme.blocks, scheme.threads, scheme.shared_bytes, job.in, scheme,
             job.to);
    } else if (always_has_count_word<Source> || scheme.has_counts) {
      add_to_records(std::true_type());
    } else if constexpr (!always_has_count_word<Source>) {
      add_to_records(std::false_type());
    }
  };
  if (job.is_native) {
    with_native_source(job, add);
  } else {
    with_any_source(job, add);
  }
  launch(group_finish_kernel, blocks_for_items(job, job.in.groups, 128), 128U, std::size_t{0}, job.in, job.scheme,
         job.out, job.to);
}

/// Enqueues a second look at up to `open` groups, `room` of them at a time.
template <class Launch>
void enqueue_second_look(const group_job& job, const core::state_layout& layout, std::size_t open, std::size_t room,
                         const Launch& launch) {
  constexpr unsigned few = 4;  // blocks of a multiprocessor: launches without an open group end sooner
  group_pass pass;
  pass.layout = layout, pass.streams = streams_of(job.in.terms);
  pass.words = words_of_open_group(layout, pass.streams);
  const std::size_t bytes = 4 * pass.shared_words();  // of a group in shared memory
  const std::size_t shared = std::min(job.shared_bytes / bytes, std::min(room, open)) * bytes;
  const auto in_shared = static_cast<unsigned>(shared / bytes);
  for (std::size_t first = 0; first < open; first += room) {
    pass.first = static_cast<unsigned>(first), pass.count = static_cast<unsigned>(std::min(room, open - first));
    launch(group_clear_states_kernel, blocks_for_items(job, pass.count * pass.words, 256, few), 256U,
           std::size_t{0}, pass, job.to);
    // later passes, of which most have no group, have one kernel less
    pass.in_shared = first == 0 || pass.count <= in_shared ? in_shared : 0;
    if (pass.in_shared != 0) {
      const unsigned blocks = blocks_for_items(job, job.in.n, 4096);
      launch(group_exact_table_kernel, std::min(blocks, job.multiprocessors), 512U, shared, job.in, pass, job.to);
    }
    constexpr std::size_t limit = core::additions_between_normalisations;
    for (std::size_t begin = 0; begin < job.in.n && pass.count > pass.in_shared; begin += limit) {
      const std::size_t end = begin + std::min(limit, job.in.n - begin);
      launch(group_exact_kernel, blocks_for_items(job, end - begin, 256, few), 256U, std::size_t{0}, job.in, pass,
             job.to, begin, end);
      if (end == job.in.n) break;
      launch(group_carry_kernel, blocks_for_items(job, pass.count, 128, few), 128U, std::size_t{0}, pass, job.to);
    }
    launch(group_exact_finish_kernel, blocks_for_items(job, pass.count, 128, few), 128U, std::size_t{0}, pass,
           job.scheme, job.out, job.to);
  }
}

/// Sets the scheme of extrema (8 bytes a group) or counts (4). Those in global memory have tables of frequent
/// groups.
inline void choose_table_of_words(group_job& job, std::size_t bytes, const group_limits& limits,
                                  bool may_use_shared = true) {
  job.multiprocessors = limits.multiprocessors;
  group_scheme made;
  made.lanes[0] = 1;
  const std::size_t all = bytes * job.in.groups;
  made.in_shared = may_use_shared && all <= limits.shared_bytes;
  if (made.in_shared) {
    made.words[0] = 1;
    constexpr unsigned max_entries = 1024, max_copies = 32;
    while (bytes == 4 && made.copies < max_copies && made.copies * 2 * job.in.groups <= max_entries)
      made.copies *= 2;
    made.shared_bytes = all * made.copies;
  } else {
    made.skewed_bytes = frequent_table_bytes + bytes * frequent_entries;
    made.may_be_skewed =
        job.in.n >= std::max<std::size_t>(limits.min_skewed, 1) && made.skewed_bytes <= limits.shared_bytes;
    if (made.may_be_skewed) made.shared_bytes = made.skewed_bytes;
  }
  const std::size_t blocks = (job.in.n + 4095) / 4096;
  made.blocks = static_cast<unsigned>(
      std::clamp<std::size_t>(blocks, 1, limits.multiprocessors * std::size_t{made.in_shared ? 1U : 2U}));
  job.scheme = made;
}

/// Enqueues extrema.
template <class Launch>
void enqueue_extrema(const group_job& job, std::size_t cleared, const rank_rule& rule, const Launch& launch) {
  const unsigned blocks = blocks_for_items(job, job.in.groups, 256);
  group_results out = job.out;
  out.of_empty = is_integer(job.in.a.type) ? 0 : rule.of_nan;
  launch(group_clear_kernel, blocks_for_items(job, cleared / 8, 256), 256U, std::size_t{0},
         reinterpret_cast<wide_unsigned*>(job.to.status), cleared / 8);
  if (job.scheme.may_be_skewed) enqueue_frequencies(job, launch);
  launch(group_extremum_kernel, job.scheme.blocks, job.scheme.threads, job.scheme.shared_bytes, job.in, job.scheme,
         rule, job.to);
  launch(group_empty_kernel, blocks, 256U, std::size_t{0}, job.in, job.to);
  launch(group_extremum_finish_kernel, blocks, 256U, std::size_t{0}, job.in, rule, out, job.to);
}

/// Enqueues counts.
template <class Launch>
void enqueue_counts(const group_job& job, std::size_t cleared, const Launch& launch) {
  launch(group_clear_kernel, blocks_for_items(job, cleared / 8, 256), 256U, std::size_t{0},
         reinterpret_cast<wide_unsigned*>(job.to.status), cleared / 8);
  if (job.scheme.may_be_skewed) enqueue_frequencies(job, launch);
  launch(group_count_kernel, job.scheme.blocks, job.scheme.threads, job.scheme.shared_bytes, job.in, job.scheme,
         job.to);
  launch(group_count_finish_kernel, blocks_for_items(job, job.in.groups, 256), 256U, std::size_t{0}, job.in,
         job.out, job.to);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
