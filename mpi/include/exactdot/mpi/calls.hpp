// SPDX-License-Identifier: Apache-2.0
// What the functions of exactdot/mpi.hpp share: options, statuses as exceptions and back, views as the structs of
// C.
//
// Between the check of the communicator and the exchange nothing may leave a function: whatever is thrown there
// becomes the status that the process brings to the exchange.
#pragma once

#include <exactdot_mpi.h>

#include <algorithm>
#include <exactdot/moments.hpp>
#include <exactdot/reductions.hpp>
#include <exactdot/shapes.hpp>
#include <span>
#include <stdexcept>
#include <string>

namespace exactdot::inline v0_3::mpi {

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
  if (status == XD_INTERNAL) throw std::runtime_error(xd_message());
  const bool is_known = status >= XD_SIZE_MISMATCH && status <= XD_COMMUNICATION;
  throw error(is_known ? static_cast<errc>(status - XD_SIZE_MISMATCH) : errc::communication, xd_message());
}

/// The status of work(), which may throw anything: a process that left here would let the others wait.
template <class Work>
xd_status guarded(Work work) noexcept {
  try {
    work();
    return XD_OK;
  } catch (const error& thrown) {
    return xd_fail(status_of(thrown.code()), thrown.what());
  } catch (const std::bad_alloc&) {
    return xd_fail(XD_OUT_OF_MEMORY, "exactdot: host memory is exhausted");
  } catch (const std::exception& thrown) {
    return xd_fail(XD_INTERNAL, thrown.what());
  } catch (...) {
    return xd_fail(XD_INTERNAL, "exactdot: an exception of an unknown type");
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
      : local{XD_EXACT, static_cast<int>(chosen.device), chosen.device_index, chosen.threads, ddof, nullptr, nullptr, 0},
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

/// The function of exactdot::mpi, for sentences.
constexpr const char* caller_of(reduction what) {
  constexpr const char* names[] = {"mpi::dot",  "mpi::sum",  "mpi::asum",     "mpi::sum_of_squares",
                                   "mpi::nrm2", "mpi::mean", "mpi::variance", "mpi::stddev"};
  const auto index = static_cast<std::size_t>(what);
  return index < std::size(names) ? names[index] : "mpi::reduce";
}

/// A reduction of one vector, or of two for a dot. Whatever a view throws is a failure of this process.
template <element R, class... Views>
R reduce_vectors(reduction what, MPI_Comm comm, const options& chosen, std::int64_t ddof, const Views&... views) {
  const local_options given(chosen, ddof);
  require_ok(xd_mpi_check_communicator(caller_of(what), comm));
  xd_vector vectors[] = {xd_vector{nullptr, 0, 0, static_cast<int>(type_of<element_of_view<Views>>), 0}...};
  const xd_status failed = guarded([&] {
    xd_vector* next = vectors;
    ((*next++ = to_c(to_any(views))), ...);
  });
  R result{};
  require_ok(xd_mpi_call_vector(caller_of(what), static_cast<int>(what), vectors,
                                sizeof...(Views) == 2 ? vectors + sizeof...(Views) - 1 : nullptr,
                                static_cast<int>(type_of<R>), &result, comm, &given.all, failed));
  return result;
}

/// *data = the memory of `out`, which must have k results. A failure that every process is told of.
template <result_range Out>
xd_status open_results(const char* caller, Out& out, std::size_t k, void** data) noexcept {
  return guarded([&] {
    const auto n = static_cast<std::size_t>(std::ranges::size(out));
    if (n != k) {
      throw error(errc::size_mismatch, std::string(caller) + ": out has " + std::to_string(n) + " elements for " +
                                           std::to_string(k) + " results");
    }
    *data = std::ranges::data(out);
  });
}

template <many_vectors View, result_range Out>
void reduce_many(const char* caller, reduction what, const View& x, Out& out, MPI_Comm comm, const options& chosen,
                 std::int64_t ddof) {
  const local_options given(chosen, ddof);
  const int result = static_cast<int>(type_of<std::ranges::range_value_t<Out>>);
  void* results = nullptr;
  static_assert(!exactdot::detail::is_segments<View>, "segments are not distributed: use groups");
  require_ok(xd_mpi_check_communicator(caller, comm));
  if constexpr (exactdot::detail::is_groups<View>) {
    const xd_vector a = to_c(to_any(x.x)), keys = to_c(to_any(x.keys));
    const xd_status failed = open_results(caller, out, x.count, &results);
    require_ok(xd_mpi_call_groups(caller, static_cast<int>(what), &a, nullptr, &keys, x.count, x.skips_out_of_range,
                                  result, results, comm, &given.all, failed));
  } else {
    const xd_rows a = to_c(exactdot::detail::to_lines(x));
    const xd_status failed = open_results(caller, out, a.rows, &results);
    require_ok(xd_mpi_reduce_lines(caller, static_cast<int>(what), &a, nullptr, result, results, a.rows, comm,
                                   &given.all, nullptr, failed));
  }
}

}  // namespace detail

}  // namespace exactdot::inline v0_3::mpi
