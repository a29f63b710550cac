// Measures all methods; see compare.hpp.
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

/// Pause before each measurement: idle threads of OpenBLAS spin for 2^26 cycles after a call.
constexpr std::chrono::milliseconds spin_time{50};

/// Elements of a file in native byte order: in place, or a copy if the file has the other byte order.
template <element T>
class native_elements {
 public:
  explicit native_elements(const io::vector_file& file) : data_(static_cast<const T*>(file.view().data)) {
    if (!file.swapped()) return;
    const std::size_t bytes = file.bytes().size();
    if (bytes > available_memory()) {
      io::fail(file.path(), fmt::format("--compare needs {} bytes of memory to convert the byte order, {} are free",
                                        bytes, available_memory()));
    }
    copy_.resize(file.n());
    const any_vector from = file.view();
    engine::copy_contiguous({from.data, from.stride, from.type, from.swapped, false, {}}, from.type, 0, from.n,
                            copy_.data());
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
      : a_(a), b_(b), n_(a.n()), type_(type), options_(options), progress_("comparing", program_monitor(), 0) {
    options_.monitor = nullptr;  // it counts the elements of one call; a signal ends the process instead
    sum_.add(a.view(), b.view(), options_);
  }

  std::vector<method_result> run() {
    measure("float loop", "float_loop", 1, [this] { return lab::float_loop(a_.data(), b_.data(), n_); });
    measure("double loop", "double_loop", 1, [this] { return lab::double_loop(a_.data(), b_.data(), n_); });
    measure("Dot2", "dot2", 1, [this] { return lab::dot2(a_.data(), b_.data(), n_); });
    measure_openblas();
    measure_exactdot("exactdot fast", "fast", mode::fast);
    measure_exactdot("exactdot exact", "exact", mode::exact);
    return std::move(results_);
  }

 private:
  template <class Function>
  void measure(std::string title, std::string name, int threads, Function&& function) {
    progress_.set_text("comparing: " + title);
    std::this_thread::sleep_for(spin_time);
    double value = 0;
    const auto call = [&] { value = static_cast<double>(function()); };
    method_result result{std::move(title), std::move(name), {}, {}, 0, median_seconds(call), threads};
    if (type_ == element_type::float32) value = static_cast<float>(value);
    result.result = {value, type_};
    result.ulps = lab::ulp_error(sum_, value, type_);
    results_.push_back(std::move(result));
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

  void measure_exactdot(std::string title, std::string name, mode mode) {
    exactdot::options options = options_;
    options.mode = mode;
    const auto call = [&] {
      return type_ == element_type::float32 ? static_cast<double>(dot<float, T>(a_.data(), b_.data(), n_, options))
                                            : dot<double, T>(a_.data(), b_.data(), n_, options);
    };
    if (options.device == device::cuda) title = name + " on " + device_text(options);
    measure(std::move(title), std::move(name), thread_count(n_, options), call);
  }

  immediate_exit immediate_exit_;
  native_elements<T> a_, b_;
  std::size_t n_;
  element_type type_;
  exactdot::options options_;
  progress progress_;
  accumulator<T> sum_;
  std::vector<method_result> results_;
};

}  // namespace

std::vector<method_result> compare(const io::vector_file& a, const io::vector_file& b, element_type type,
                                   const options& options) {
  return with_carrier(a.type(), [&](auto zero) { return comparer<decltype(zero)>(a, b, type, options).run(); });
}

}  // namespace exactdot::cli
