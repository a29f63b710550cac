// Mode fast of lines and segments: the launches of each term, which are compiled apart (launch_fast_lines.cu), and
// the choice among them.
#pragma once

#include <cuda/launch.hpp>
#include <exactdot/core/term.hpp>
#include <tuple>

namespace exactdot::inline v0_3::cuda {

template <class T, class Term>
void launch_fast_lines_of(const workspace::storage& storage, const cuda_engine::line_operands<T>& in,
                          const cuda_engine::line_results& out);
template <class T, class Term>
void launch_fast_any_lines_of(const workspace::storage& storage,
                              const cuda_engine::line_operands<T, cuda_engine::input_layout::any>& in,
                              const cuda_engine::line_results& out);
template <class T, cuda_engine::input_layout loads, class Term>
void launch_fast_segments_of(const workspace::storage& storage, const cuda_engine::operands<T, loads>& vector,
                             const cuda_engine::segment_spans& in, const cuda_engine::line_results& out);

/// Enqueues the results of lines in mode fast, by the index of their term. Elements are floating-point numbers;
/// there is at least one line.
template <class T>
void launch_fast_lines(const workspace::storage& storage, std::size_t term, const cuda_engine::line_operands<T>& in,
                       const cuda_engine::line_results& out) {
  const auto call_if = [&]<class Term>(Term) {
    if (term == core::term_index<Term>) launch_fast_lines_of<T, Term>(storage, in, out);
  };
  std::apply([&](auto... each) { (call_if(each), ...); }, core::term_types());
}
/// The same of elements that are converted.
template <class T>
void launch_fast_any_lines(const workspace::storage& storage, std::size_t term,
                           const cuda_engine::line_operands<T, cuda_engine::input_layout::any>& in,
                           const cuda_engine::line_results& out) {
  const auto call_if = [&]<class Term>(Term) {
    if (term == core::term_index<Term>) launch_fast_any_lines_of<T, Term>(storage, in, out);
  };
  std::apply([&](auto... each) { (call_if(each), ...); }, core::term_types());
}
/// The same of segments of a vector.
template <class T, cuda_engine::input_layout loads>
void launch_fast_segments(const workspace::storage& storage, std::size_t term,
                          const cuda_engine::operands<T, loads>& vector, const cuda_engine::segment_spans& in,
                          const cuda_engine::line_results& out) {
  const auto call_if = [&]<class Term>(Term) {
    if (term == core::term_index<Term>) launch_fast_segments_of<T, loads, Term>(storage, vector, in, out);
  };
  std::apply([&](auto... each) { (call_if(each), ...); }, core::term_types());
}

}  // namespace exactdot::inline v0_3::cuda
