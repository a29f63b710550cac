// SPDX-License-Identifier: Apache-2.0
// exactdot over MPI, for C++: exact sums, dots, norms, means and variances of data that are distributed over the
// processes of a communicator.
//
// Results have the bits of the same call on all data in one process (docs/mpi.md). Every function is collective; a
// failure of one process is thrown by all, with the sentence of the lowest failing rank. Over exactdot_mpi.h: the
// same messages, costs and errors. errc::communication: MPI reports a failure.
#pragma once

#include <exactdot_mpi.h>

#include <algorithm>
#include <exactdot/accumulator.hpp>
#include <exactdot/reductions.hpp>
#include <exactdot/shapes.hpp>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace exactdot::mpi {

struct options {
  bool check =
      false;  ///< compare the number of results and the types over all processes first, by one more collective
  exactdot::device device =
      exactdot::device::automatic;  ///< these: of the local computation, as in exactdot::options
  int device_index = 0;
  int threads = 0;
};

namespace detail {

/// xd_status of a code: errc has the order of the constants of exactdot.h from XD_SIZE_MISMATCH on.
constexpr xd_status status_of(errc code) { return XD_SIZE_MISMATCH + static_cast<int>(code); }
static_assert(status_of(errc::communication) == XD_COMMUNICATION && status_of(errc::headroom) == XD_HEADROOM);

inline void require_ok(xd_status status) {
  if (status == XD_OK) return;
  if (status == XD_OUT_OF_MEMORY) throw std::bad_alloc();
  const bool is_known = status >= XD_SIZE_MISMATCH && status <= XD_COMMUNICATION;
  throw error(is_known ? static_cast<errc>(status - XD_SIZE_MISMATCH) : errc::communication, xd_message());
}

/// The status of work(), which may throw.
template <class Work>
xd_status guarded(Work work) noexcept {
  try {
    work();
    return XD_OK;
  } catch (const error& thrown) {
    return xd_fail(status_of(thrown.code()), thrown.what());
  } catch (const std::bad_alloc&) {
    return xd_fail(XD_OUT_OF_MEMORY, "exactdot: host memory is exhausted");
  }
}

template <class State>
struct state_traits;
template <element T>
struct state_traits<accumulator<T>> {
  static constexpr int type = static_cast<int>(type_of<T>), states = 1, counted = 0;
};
template <element T>
struct state_traits<moments<T>> {
  static constexpr int type = static_cast<int>(type_of<T>), states = 2, counted = 1;
};

/// Accumulators or moments as a source of words, and as the target of their sums.
template <class State>
xd_mpi_source source_of(std::span<State>& states) {
  using traits = state_traits<State>;
  xd_mpi_source source{&states,         states.size(), traits::type, traits::states,
                       traits::counted, nullptr,       nullptr,      nullptr};
  source.words = [](void* self, std::size_t i, std::int64_t* words) {
    return guarded([&] { std::ranges::copy((*static_cast<std::span<State>*>(self))[i].words(), words); });
  };
  source.take = [](void* self, std::size_t i, const std::int64_t* words) {
    return guarded([&] {
      (*static_cast<std::span<State>*>(self))[i] = State(std::span<const std::int64_t>(words, State::word_count));
    });
  };
  return source;
}

template <class State>
void merge(const char* caller, std::span<State> states, int root, MPI_Comm comm, const options& chosen) {
  require_ok(xd_mpi_check_communicator(caller, comm));
  const xd_mpi_source source = source_of(states);
  const xd_mpi_options given{chosen.check, nullptr};
  require_ok(xd_mpi_merge(caller, &source, root, comm, &given, XD_OK));
}

/// Accumulators, and the finish of their sums.
template <element T>
struct rounding {
  xd_mpi_finish finish{};
  std::span<const accumulator<T>> states;
};

struct local_options {
  explicit local_options(const options& chosen, std::int64_t ddof)
      : local{XD_EXACT, static_cast<int>(chosen.device), chosen.device_index, chosen.threads, ddof, nullptr},
        all{chosen.check, &local} {}
  local_options(const local_options&) = delete;
  xd_options local;
  xd_mpi_options all;
};

inline xd_vector to_c(const any_vector& x) {
  return {x.data, x.n, x.stride, static_cast<int>(x.type), x.swapped ? 1 : 0};
}
inline xd_rows to_c(const exactdot::detail::line_grid& x) {
  return {x.data, x.results.n, x.elements.n, x.results.stride, x.elements.stride, static_cast<int>(x.type), 0};
}

template <element R>
R reduce(reduction what, const any_vector& a, const any_vector* b, MPI_Comm comm, const options& chosen,
         std::int64_t ddof = 0) {
  const local_options given(chosen, ddof);
  const xd_vector first = to_c(a), second = b == nullptr ? xd_vector{} : to_c(*b);
  R result{};
  require_ok(xd_mpi_reduce_vector(static_cast<int>(what), &first, b == nullptr ? nullptr : &second,
                                  static_cast<int>(type_of<R>), &result, comm, &given.all));
  return result;
}

/// A null pointer, which every process is told of, if `out` does not have k results.
template <result_range Out>
void* results_of(Out&& out, std::size_t k) {
  return static_cast<std::size_t>(std::ranges::size(out)) == k ? std::ranges::data(out) : nullptr;
}

template <many_vectors View, result_range Out>
void reduce_many(reduction what, const View& x, Out&& out, MPI_Comm comm, const options& chosen,
                 std::int64_t ddof) {
  const local_options given(chosen, ddof);
  const int result = static_cast<int>(type_of<std::ranges::range_value_t<Out>>);
  static_assert(!exactdot::detail::is_segments<View>, "segments are not distributed: use groups");
  if constexpr (exactdot::detail::is_groups<View>) {
    const xd_vector a = to_c(to_any(x.x)), keys = to_c(to_any(x.keys));
    require_ok(xd_mpi_reduce_groups(static_cast<int>(what), &a, nullptr, &keys, x.count, x.skips_out_of_range,
                                    result, results_of(out, x.count), comm, &given.all));
  } else {
    const xd_rows a = to_c(exactdot::detail::to_lines(x));
    require_ok(
        xd_mpi_reduce_rows(static_cast<int>(what), &a, nullptr, result, results_of(out, a.rows), comm, &given.all));
  }
}

}  // namespace detail

/// Each accumulator, or each moments, becomes its sum over all processes, on all of them. See xd_mpi_allreduce.
template <element T>
void allreduce(std::span<accumulator<T>> sums, MPI_Comm comm, const options& chosen = {}) {
  detail::merge("mpi::allreduce", sums, -1, comm, chosen);
}
template <element T>
void allreduce(accumulator<T>& sum, MPI_Comm comm, const options& chosen = {}) {
  detail::merge("mpi::allreduce", std::span(&sum, 1), -1, comm, chosen);
}
template <element T>
void allreduce(std::span<moments<T>> sums, MPI_Comm comm, const options& chosen = {}) {
  detail::merge("mpi::allreduce", sums, -1, comm, chosen);
}
template <element T>
void allreduce(moments<T>& sum, MPI_Comm comm, const options& chosen = {}) {
  detail::merge("mpi::allreduce", std::span(&sum, 1), -1, comm, chosen);
}

/// The same at rank `root`; other processes keep theirs.
template <element T>
void reduce(std::span<accumulator<T>> sums, int root, MPI_Comm comm, const options& chosen = {}) {
  if (root < 0) throw error(errc::bad_option, "mpi::reduce: the root is no rank of the communicator");
  detail::merge("mpi::reduce", sums, root, comm, chosen);
}
template <element T>
void reduce(accumulator<T>& sum, int root, MPI_Comm comm, const options& chosen = {}) {
  mpi::reduce(std::span(&sum, 1), root, comm, chosen);
}

/// An allreduce on its way. wait() stores the sums; the destructor waits too, and then drops an error.
template <element T>
class request {
 public:
  request(std::span<accumulator<T>> sums, MPI_Comm comm)
      : sums_(std::make_unique<std::span<accumulator<T>>>(sums)) {
    detail::require_ok(xd_mpi_check_communicator("mpi::iallreduce", comm));
    const xd_mpi_source source = detail::source_of(*sums_);
    detail::require_ok(xd_mpi_start("mpi::iallreduce", &source, comm, XD_OK, &request_));
  }
  request(request&& other) noexcept
      : sums_(std::move(other.sums_)), request_(std::exchange(other.request_, nullptr)) {}
  request& operator=(request&&) = delete;
  ~request() {
    if (request_ != nullptr) (void)xd_mpi_wait(&request_);
  }
  /// Throws the failure of any process; errc::null_pointer after the first call.
  void wait() { detail::require_ok(xd_mpi_wait(&request_)); }
  /// Whether the sums have arrived; then they are stored.
  [[nodiscard]] bool test() {
    int done = 0;
    detail::require_ok(xd_mpi_test(&request_, &done));
    return done != 0;
  }

 private:
  std::unique_ptr<std::span<accumulator<T>>> sums_;  // at an address that moves do not change
  xd_mpi_request* request_ = nullptr;
};

/// Starts an allreduce. Do not change the accumulators before request::wait. See xd_mpi_iallreduce.
template <element T>
[[nodiscard]] request<T> iallreduce(std::span<accumulator<T>> sums, MPI_Comm comm) {
  return request<T>(sums, comm);
}
template <element T>
[[nodiscard]] request<T> iallreduce(accumulator<T>& sum, MPI_Comm comm) {
  return request<T>(std::span(&sum, 1), comm);
}

/// out[i] = sums[i] over all processes, rounded once, on all of them. The short message: see xd_mpi_round. `out`
/// has as many elements as there are sums: errc::null_pointer.
template <element T, result_range Out>
void round(std::span<const accumulator<T>> sums, Out&& out, MPI_Comm comm, const options& chosen = {}) {
  constexpr auto caller = "mpi::round";
  constexpr int to = static_cast<int>(type_of<std::ranges::range_value_t<Out>>);
  detail::require_ok(xd_mpi_check_communicator(caller, comm));
  detail::rounding<T> call{{}, sums};
  xd_mpi_source source{&call, sums.size(), static_cast<int>(type_of<T>), 1, 0, nullptr, nullptr, nullptr};
  source.words = [](void* self, std::size_t i, std::int64_t* words) {
    return detail::guarded(
        [&] { std::ranges::copy(static_cast<detail::rounding<T>*>(self)->states[i].words(), words); });
  };
  source.bound = [](void* self, std::size_t first, std::size_t n, xd_bounded* bounds, xd_bounded*, std::uint64_t*) {
    const auto states = static_cast<detail::rounding<T>*>(self)->states.subspan(first, n);
    xd_status status = XD_OK;
    for (std::size_t i = 0; i < n && status == XD_OK; ++i) {
      status = detail::guarded([&] {
        const auto words = states[i].words();
        detail::require_ok(xd_bound_words(static_cast<int>(type_of<T>), words.data(), words.size(), &bounds[i]));
      });
    }
    return status;
  };
  source.take = [](void* self, std::size_t i, const std::int64_t* words) {
    return xd_mpi_round_words(&static_cast<detail::rounding<T>*>(self)->finish, i, words);
  };
  const xd_status opened = xd_mpi_open_finish(caller, XD_SUM, source.type, 0, to,
                                              detail::results_of(out, sums.size()), sums.size(), &call.finish);
  xd_status ended = chosen.check ? xd_mpi_compare(caller, comm, source.k, source.type, XD_SUM, to) : XD_OK;
  if (ended == XD_OK) ended = xd_mpi_all_results(caller, &call.finish, &source, comm, opened);
  xd_mpi_close_finish(&call.finish);
  detail::require_ok(ended);
}

/// Reductions of the elements of all processes: this process has those of x (of a and b). Result types as of the
/// functions of the same names in exactdot/reductions.hpp; all processes have the same element and result types.
template <class R = void, vector_view A, vector_view B>
[[nodiscard]] auto dot(const A& a, const B& b, MPI_Comm comm, const options& chosen = {}) {
  static_assert(std::is_same_v<element_of_view<A>, element_of_view<B>>, "both vectors have the same element type");
  using result = exactdot::detail::result_or<R, sum_type<element_of_view<A>>>;
  const any_vector second = to_any(b);
  return detail::reduce<result>(reduction::dot, to_any(a), &second, comm, chosen);
}
template <class R = void, vector_view X>
[[nodiscard]] auto sum(const X& x, MPI_Comm comm, const options& chosen = {}) {
  using result = exactdot::detail::result_or<R, sum_type<element_of_view<X>>>;
  return detail::reduce<result>(reduction::sum, to_any(x), nullptr, comm, chosen);
}
template <class R = void, vector_view X>
[[nodiscard]] auto asum(const X& x, MPI_Comm comm, const options& chosen = {}) {
  using result = exactdot::detail::result_or<R, sum_type<element_of_view<X>>>;
  return detail::reduce<result>(reduction::asum, to_any(x), nullptr, comm, chosen);
}
template <class R = void, vector_view X>
[[nodiscard]] auto sum_of_squares(const X& x, MPI_Comm comm, const options& chosen = {}) {
  using result = exactdot::detail::result_or<R, sum_type<element_of_view<X>>>;
  return detail::reduce<result>(reduction::sum_of_squares, to_any(x), nullptr, comm, chosen);
}
template <class R = void, vector_view X>
[[nodiscard]] auto nrm2(const X& x, MPI_Comm comm, const options& chosen = {}) {
  using result = exactdot::detail::result_or<R, mean_type<element_of_view<X>>>;
  return detail::reduce<result>(reduction::nrm2, to_any(x), nullptr, comm, chosen);
}
template <class R = void, vector_view X>
[[nodiscard]] auto mean(const X& x, MPI_Comm comm, const options& chosen = {}) {
  using result = exactdot::detail::result_or<R, mean_type<element_of_view<X>>>;
  return detail::reduce<result>(reduction::mean, to_any(x), nullptr, comm, chosen);
}
template <class R = void, vector_view X>
[[nodiscard]] auto variance(const X& x, MPI_Comm comm, std::int64_t ddof = 0, const options& chosen = {}) {
  using result = exactdot::detail::result_or<R, mean_type<element_of_view<X>>>;
  return detail::reduce<result>(reduction::variance, to_any(x), nullptr, comm, chosen, ddof);
}
template <class R = void, vector_view X>
[[nodiscard]] auto stddev(const X& x, MPI_Comm comm, std::int64_t ddof = 0, const options& chosen = {}) {
  using result = exactdot::detail::result_or<R, mean_type<element_of_view<X>>>;
  return detail::reduce<result>(reduction::stddev, to_any(x), nullptr, comm, chosen, ddof);
}

/// out[i] = a reduction of one vector over row (column, group) i of all processes: rows{…}, columns{…}, groups{…}.
/// All processes have the same number of results. See xd_mpi_reduce_rows and xd_mpi_reduce_groups. Not for dots.
template <many_vectors View, result_range Out>
void reduce(reduction what, const View& x, Out&& out, MPI_Comm comm, std::int64_t ddof = 0,
            const options& chosen = {}) {
  detail::reduce_many(what, x, out, comm, chosen, ddof);
}
template <many_vectors View, result_range Out>
void sum(const View& x, Out&& out, MPI_Comm comm, const options& chosen = {}) {
  detail::reduce_many(reduction::sum, x, out, comm, chosen, 0);
}
template <many_vectors View, result_range Out>
void mean(const View& x, Out&& out, MPI_Comm comm, const options& chosen = {}) {
  detail::reduce_many(reduction::mean, x, out, comm, chosen, 0);
}
template <many_vectors View, result_range Out>
void nrm2(const View& x, Out&& out, MPI_Comm comm, const options& chosen = {}) {
  detail::reduce_many(reduction::nrm2, x, out, comm, chosen, 0);
}
/// out[i] = the dot of row i of a and of b, over all processes.
template <exactdot::detail::matrix_view A, exactdot::detail::matrix_view B, result_range Out>
void dot(const A& a, const B& b, Out&& out, MPI_Comm comm, const options& chosen = {}) {
  const detail::local_options given(chosen, 0);
  const xd_rows first = detail::to_c(exactdot::detail::to_lines(a)),
                second = detail::to_c(exactdot::detail::to_lines(b));
  detail::require_ok(xd_mpi_reduce_rows(XD_DOT, &first, &second,
                                        static_cast<int>(type_of<std::ranges::range_value_t<Out>>),
                                        detail::results_of(out, first.rows), comm, &given.all));
}

}  // namespace exactdot::mpi
