// SPDX-License-Identifier: Apache-2.0
// exactdot over MPI, for C++: exact sums, dots, norms, means and variances of data that are distributed over the
// processes of a communicator.
//
// Results have the bits of the same call on all data in one process (docs/mpi.md). Every function is collective; a
// failure of one process is thrown by all, with the sentence of the lowest failing rank. Over exactdot_mpi.h: the
// same messages, costs and errors. errc::communication: MPI reports a failure.
#pragma once

#include <exactdot/requirements.hpp>

#include <exactdot/exactdot.hpp>
#include <exactdot/mpi/calls.hpp>
#include <memory>
#include <ranges>
#include <utility>

namespace exactdot::inline v0_3::mpi {

/// Accumulators, or moments, that lie side by side: a std::vector, std::array or std::span of them.
template <class R>
concept state_range = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && requires {
  detail::state_traits<std::ranges::range_value_t<R>>::type;
};
/// The same, to be changed in place: no constants, and no temporary container.
template <class R>
concept changeable_states =
    state_range<R> && std::ranges::borrowed_range<R> && std::is_same_v < std::ranges::range_reference_t<R>,
        std::ranges::range_value_t<R>
& > ;

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
template <changeable_states R>
void allreduce(R&& sums, MPI_Comm comm, const options& chosen = {}) {
  mpi::allreduce(std::span<std::ranges::range_value_t<R>>(sums), comm, chosen);
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
template <changeable_states R>
void reduce(R&& sums, int root, MPI_Comm comm, const options& chosen = {}) {
  mpi::reduce(std::span<std::ranges::range_value_t<R>>(sums), root, comm, chosen);
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
template <changeable_states R>
[[nodiscard]] auto iallreduce(R&& sums, MPI_Comm comm) {
  return mpi::iallreduce(std::span<std::ranges::range_value_t<R>>(sums), comm);
}

/// out[i] = sums[i] over all processes, rounded once, on all of them. The short message: see xd_mpi_round. `out`
/// has as many elements as there are sums: errc::size_mismatch.
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
  void* results = nullptr;
  xd_status opened = detail::open_results(caller, out, sums.size(), &results);
  if (opened == XD_OK) {
    opened = xd_mpi_open_finish(caller, XD_SUM, source.type, 0, to, results, sums.size(), &call.finish);
  }
  xd_status ended = chosen.check ? xd_mpi_compare(caller, comm, source.k, source.type, XD_SUM, to) : XD_OK;
  if (ended == XD_OK) ended = xd_mpi_all_results(caller, &call.finish, &source, comm, opened);
  xd_mpi_close_finish(&call.finish);
  detail::require_ok(ended);
}
template <state_range R, result_range Out>
void round(const R& sums, Out&& out, MPI_Comm comm, const options& chosen = {}) {
  mpi::round(std::span<const std::ranges::range_value_t<R>>(sums), std::forward<Out>(out), comm, chosen);
}

/// Reductions of the elements of all processes: this process has those of x (of a and b). Result types as of the
/// functions of the same names in exactdot/reductions.hpp; all processes have the same element and result types.
template <class R = void, vector_view A, vector_view B>
[[nodiscard]] auto dot(const A& a, const B& b, MPI_Comm comm, const options& chosen = {}) {
  static_assert(type_of<element_of_view<A>> == type_of<element_of_view<B>>, "both vectors have the same element type");
  using result = exactdot::detail::result_or<R, sum_type<element_of_view<A>>>;
  return detail::reduce_vectors<result>(reduction::dot, comm, chosen, 0, a, b);
}
template <class R = void, vector_view X>
[[nodiscard]] auto sum(const X& x, MPI_Comm comm, const options& chosen = {}) {
  using result = exactdot::detail::result_or<R, sum_type<element_of_view<X>>>;
  return detail::reduce_vectors<result>(reduction::sum, comm, chosen, 0, x);
}
template <class R = void, vector_view X>
[[nodiscard]] auto asum(const X& x, MPI_Comm comm, const options& chosen = {}) {
  using result = exactdot::detail::result_or<R, sum_type<element_of_view<X>>>;
  return detail::reduce_vectors<result>(reduction::asum, comm, chosen, 0, x);
}
template <class R = void, vector_view X>
[[nodiscard]] auto sum_of_squares(const X& x, MPI_Comm comm, const options& chosen = {}) {
  using result = exactdot::detail::result_or<R, sum_type<element_of_view<X>>>;
  return detail::reduce_vectors<result>(reduction::sum_of_squares, comm, chosen, 0, x);
}
template <class R = void, vector_view X>
[[nodiscard]] auto nrm2(const X& x, MPI_Comm comm, const options& chosen = {}) {
  using result = exactdot::detail::result_or<R, mean_type<element_of_view<X>>>;
  return detail::reduce_vectors<result>(reduction::nrm2, comm, chosen, 0, x);
}
template <class R = void, vector_view X>
[[nodiscard]] auto mean(const X& x, MPI_Comm comm, const options& chosen = {}) {
  using result = exactdot::detail::result_or<R, mean_type<element_of_view<X>>>;
  return detail::reduce_vectors<result>(reduction::mean, comm, chosen, 0, x);
}
template <class R = void, vector_view X>
[[nodiscard]] auto variance(const X& x, MPI_Comm comm, ddof_number ddof, const options& chosen = {}) {
  using result = exactdot::detail::result_or<R, mean_type<element_of_view<X>>>;
  return detail::reduce_vectors<result>(reduction::variance, comm, chosen, ddof, x);
}
template <class R = void, vector_view X>
[[nodiscard]] auto variance(const X& x, MPI_Comm comm, const options& chosen = {}) {
  return mpi::variance<R>(x, comm, 0, chosen);
}
template <class R = void, vector_view X>
[[nodiscard]] auto stddev(const X& x, MPI_Comm comm, ddof_number ddof, const options& chosen = {}) {
  using result = exactdot::detail::result_or<R, mean_type<element_of_view<X>>>;
  return detail::reduce_vectors<result>(reduction::stddev, comm, chosen, ddof, x);
}
template <class R = void, vector_view X>
[[nodiscard]] auto stddev(const X& x, MPI_Comm comm, const options& chosen = {}) {
  return mpi::stddev<R>(x, comm, 0, chosen);
}
/// Other names of nrm2, variance and stddev.
template <class R = void, vector_view X>
[[nodiscard]] auto norm(const X& x, MPI_Comm comm, const options& chosen = {}) {
  return mpi::nrm2<R>(x, comm, chosen);
}
template <class R = void, vector_view X>
[[nodiscard]] auto var(const X& x, MPI_Comm comm, ddof_number ddof, const options& chosen = {}) {
  return mpi::variance<R>(x, comm, ddof, chosen);
}
template <class R = void, vector_view X>
[[nodiscard]] auto var(const X& x, MPI_Comm comm, const options& chosen = {}) {
  return mpi::variance<R>(x, comm, chosen);
}
template <class R = void, vector_view X>
[[nodiscard]] auto standard_deviation(const X& x, MPI_Comm comm, ddof_number ddof, const options& chosen = {}) {
  return mpi::stddev<R>(x, comm, ddof, chosen);
}
template <class R = void, vector_view X>
[[nodiscard]] auto standard_deviation(const X& x, MPI_Comm comm, const options& chosen = {}) {
  return mpi::stddev<R>(x, comm, chosen);
}

/// out[i] = a reduction of one vector over row (column, group) i of all processes: rows{…}, columns{…}, groups{…}.
/// All processes have the same number of results. See xd_mpi_reduce_rows and xd_mpi_reduce_groups. Not for dots.
template <many_vectors View, result_range Out>
void reduce(reduction what, const View& x, Out&& out, MPI_Comm comm, ddof_number ddof = 0,
            const options& chosen = {}) {
  detail::reduce_many("mpi::reduce", what, x, out, comm, chosen, ddof);
}
template <many_vectors View, result_range Out>
void sum(const View& x, Out&& out, MPI_Comm comm, const options& chosen = {}) {
  detail::reduce_many("mpi::sum", reduction::sum, x, out, comm, chosen, 0);
}
template <many_vectors View, result_range Out>
void mean(const View& x, Out&& out, MPI_Comm comm, const options& chosen = {}) {
  detail::reduce_many("mpi::mean", reduction::mean, x, out, comm, chosen, 0);
}
template <many_vectors View, result_range Out>
void nrm2(const View& x, Out&& out, MPI_Comm comm, const options& chosen = {}) {
  detail::reduce_many("mpi::nrm2", reduction::nrm2, x, out, comm, chosen, 0);
}
/// out[i] = the dot of row i of a and of b, over all processes.
template <exactdot::detail::matrix_view A, exactdot::detail::matrix_view B, result_range Out>
void dot(const A& a, const B& b, Out&& out, MPI_Comm comm, const options& chosen = {}) {
  constexpr auto caller = "mpi::dot";
  const detail::local_options given(chosen, 0);
  const xd_rows first = detail::to_c(exactdot::detail::to_lines(a)),
                second = detail::to_c(exactdot::detail::to_lines(b));
  void* results = nullptr;
  detail::require_ok(xd_mpi_check_communicator(caller, comm));
  const xd_status failed = detail::open_results(caller, out, first.rows, &results);
  detail::require_ok(xd_mpi_reduce_lines(caller, XD_DOT, &first, &second,
                                         static_cast<int>(type_of<std::ranges::range_value_t<Out>>), results,
                                         first.rows, comm, &given.all, nullptr, failed));
}

}  // namespace exactdot::inline v0_3::mpi
