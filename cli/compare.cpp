// Running every method; see compare.hpp.
#include <fmt/format.h>

#include <chrono>
#include <cli/available_memory.hpp>
#include <cli/compare.hpp>
#include <cli/dot_files.hpp>
#include <cli/interruption.hpp>
#include <cli/progress.hpp>
#include <cli/report.hpp>
#include <cli/stopwatch.hpp>
#include <exactdot/accumulator.hpp>
#include <exactdot/reductions.hpp>
#include <io/fault.hpp>
#include <lab/peers.hpp>
#include <lab/ulp_error.hpp>
#include <plan/staging.hpp>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace exactdot::cli {
namespace {

/// OpenBLAS's idle threads spin for 2^26 cycles after a call, which would disturb the next measurement.
constexpr std::chrono::milliseconds spin_time{50};

/// A file's elements in this machine's byte order: in place, or copied if the file has the other one.
template <element T>
class native_elements {
 public:
  explicit native_elements(const io::vector_file& file) : data_(static_cast<const T*>(file.view().data)) {
    if (!file.swapped()) return;
    const std::size_t bytes = file.bytes().size();
    if (bytes > available_memory()) {
      io::fail(file.path(), fmt::format("--compare needs {} bytes of memory to reverse its byte order, {} are free",
                                        bytes, available_memory()));
    }
    copy_.resize(file.n());
    const any_vector from = file.view();
    engine::copy_contiguous({from.data, from.stride, from.swapped, false, {}}, sizeof(T), from.n, copy_.data());
    data_ = copy_.data();
  }
  [[nodiscard]] const T* data() const { return data_; }

 private:
  std::vector<T> copy_;
  const T* data_;
};

template <element T>
class comparer {
 public:
  comparer(const io::vector_file& a, const io::vector_file& b, element_type type, const options& options)
      : a_(a), b_(b), n_(a.n()), type_(type), options_(options), shown_("comparing", program_monitor(), 0) {
    options_.monitor = nullptr;  // its count is of one call; a signal ends the process at once instead
    sum_.add(a.view(), b.view(), options_);
  }

  std::vector<method_result> run() {
    measure("float loop", "float_loop", 1, [this] { return lab::float_loop(a_.data(), b_.data(), n_); });
    measure("double loop", "double_loop", 1, [this] { return lab::double_loop(a_.data(), b_.data(), n_); });
    measure("Dot2", "dot2", 1, [this] { return lab::dot2(a_.data(), b_.data(), n_); });
    measure_openblas();
    measure_own("exactdot fast", "fast", mode::fast);
    measure_own("exactdot exact", "exact", mode::exact);
    return std::move(results_);
  }

 private:
  template <class Function>
  void measure(std::string method, std::string name, int threads, Function&& function) {
    shown_.say("comparing: " + method);
    std::this_thread::sleep_for(spin_time);
    double value = 0;
    const auto call = [&] { value = static_cast<double>(function()); };
    method_result row{std::move(method), std::move(name), {}, {}, 0, median_seconds(call), threads};
    if (type_ == element_type::float32) value = static_cast<float>(value);
    row.result = {value, type_};
    row.ulps = lab::ulp_error(sum_, value, type_);
    results_.push_back(std::move(row));
  }

  void measure_openblas() {
    const lab::openblas& peer = lab::openblas::instance();
    if (!peer.available()) {
      results_.push_back({"OpenBLAS", "openblas", peer.fault(), {}, 0, 0, 0});
      return;
    }
    const int threads = peer.set_threads(thread_count(n_, options_));
    measure(fmt::format("OpenBLAS ({})", peer.core_name()), "openblas", threads,
            [&] { return peer.dot(a_.data(), b_.data(), n_); });
  }

  void measure_own(std::string method, std::string name, mode mode) {
    exactdot::options own = options_;
    own.mode = mode;
    const auto call = [&] {
      return type_ == element_type::float32 ? static_cast<double>(dot<float, T>(a_.data(), b_.data(), n_, own))
                                            : dot<double, T>(a_.data(), b_.data(), n_, own);
    };
    if (own.device == device::cuda) method = name + " on " + device_text(own);
    measure(std::move(method), std::move(name), thread_count(n_, own), call);
  }

  end_at_once at_once_;
  native_elements<T> a_, b_;
  std::size_t n_;
  element_type type_;
  exactdot::options options_;
  progress shown_;
  accumulator<T> sum_;
  std::vector<method_result> results_;
};

}  // namespace

std::vector<method_result> compare(const io::vector_file& a, const io::vector_file& b, element_type type,
                                   const options& options) {
  return with_element(a.type(), [&](auto zero) { return comparer<decltype(zero)>(a, b, type, options).run(); });
}

}  // namespace exactdot::cli
