// Measures all methods; see compare.hpp.
#include <fmt/format.h>

#include <chrono>
#include <cli/available_memory.hpp>
#include <cli/compare.hpp>
#include <cli/interruption.hpp>
#include <cli/progress.hpp>
#include <cli/stopwatch.hpp>
#include <cmath>
#include <exactdot/accumulator.hpp>
#include <exactdot/core/finish.hpp>
#include <exactdot/reductions.hpp>
#include <io/fault.hpp>
#include <lab/magnitudes.hpp>
#include <lab/peers.hpp>
#include <lab/ulp_error.hpp>
#include <optional>
#include <plan/staging.hpp>
#include <thread>
#include <utility>
#include <vector>

namespace exactdot::cli {
namespace {

/// Pause before each measurement: idle threads of OpenBLAS spin for 2^26 cycles after a call.
constexpr std::chrono::milliseconds spin_time{50};

/// Elements of a file as T in native byte order: in place, or a converted copy.
template <element T>
class native_elements {
 public:
  explicit native_elements(const io::vector_file& file) : data_(static_cast<const T*>(file.view().data)) {
    const any_vector from = file.view();
    if (from.type == type_of<T> && !from.swapped) return;
    const std::size_t bytes = file.n() * sizeof(T);
    if (bytes > available_memory()) {
      io::fail(file.path(), fmt::format("--compare needs {} bytes of memory to convert the elements, {} are free",
                                        bytes, available_memory()));
    }
    copy_.resize(file.n());
    engine::copy_contiguous({from.data, from.stride, from.type, from.swapped, false, {}}, type_of<T>, 0, from.n,
                            copy_.data());
    data_ = copy_.data();
  }
  [[nodiscard]] const T* data() const { return data_; }

 private:
  std::vector<T> copy_;
  const T* data_;
};

/// What a loop adds.
lab::term term_of(reduction what) {
  if (what == reduction::asum) return lab::term::magnitude;
  return what == reduction::sum || what == reduction::mean ? lab::term::value : lab::term::product;
}

/// Measures every method of one reduction on elements converted to T. Reductions of one vector set b = a.
template <element T>
class comparer {
 public:
  comparer(reduction what, const operands& files, element_type type, const options& options)
      : what_(what),
        files_(files),
        type_(type),
        options_(options),
        progress_("comparing", program_monitor(), 0),
        a_(files.a()) {
    options_.monitor = nullptr;  // it counts the elements of one call; a signal ends the process instead
    if (files.count() == 2) b_.emplace(files.b());
    add_terms();
  }

  std::vector<method_result> run() {
    measure_narrow_loop();
    measure_loop<double>("double");
    const bool products = term_of(what_) == lab::term::product;
    measure(products ? "Dot2" : "Sum2", products ? "dot2" : "sum2", 1,
            [this] { return finished(lab::compensated_loop(term_of(what_), a(), b(), files_.n())); });
    if (what_ != reduction::sum && what_ != reduction::mean) measure_openblas();
    measure_exactdot("exactdot fast", "fast", mode::fast);
    measure_exactdot("exactdot exact", "exact", mode::exact);
    return std::move(results_);
  }

 private:
  [[nodiscard]] const T* a() const { return a_.data(); }
  [[nodiscard]] const T* b() const { return b_ ? b_->data() : a(); }

  /// Adds the terms to the exact sum that errors are measured with.
  void add_terms() {
    const any_vector x(a(), files_.n(), type_of<T>), y(b(), files_.n(), type_of<T>);
    if (term_of(what_) == lab::term::product) return sum_.add(x, y, options_);
    if (term_of(what_) == lab::term::value) return sum_.add(x, options_);
    lab::add_magnitudes(sum_, a(), files_.n(), options_);
  }

  /// The root or the quotient in the type of the sum.
  template <class Sum>
  [[nodiscard]] double finished(Sum sum) const {
    auto value = static_cast<double>(sum);
    if (what_ == reduction::nrm2) value = std::sqrt(value);
    if (what_ == reduction::mean) value /= static_cast<double>(files_.n());
    if constexpr (sizeof(Sum) == sizeof(double)) return value;
    return static_cast<double>(static_cast<Sum>(static_cast<float>(value)));
  }

  /// Measures a function that returns a double.
  template <class Function>
  void measure(std::string title, std::string name, int threads, Function&& function) {
    measure_scalar(std::move(title), std::move(name), threads, [&]() -> any_scalar {
      const core::result_rule rule(core::finish::round, core::format_of(type_));
      return {type_, core::converted_word(rule, function())};
    });
  }

  /// Measures a function that returns a result of the right type.
  template <class Function>
  void measure_scalar(std::string title, std::string name, int threads, Function&& function) {
    progress_.set_text("comparing: " + title);
    std::this_thread::sleep_for(spin_time);
    method_result result{std::move(title), std::move(name), {}, {}, 0, 0, threads};
    result.seconds = median_seconds([&] { result.result = function(); });
    result.ulps = lab::ulp_error(what_, sum_, files_.n(), result.result.to_double(), type_);
    results_.push_back(std::move(result));
  }

  template <class Sum>
  void measure_loop(const std::string& type) {
    measure(type + " loop", type + "_loop", 1,
            [this] { return finished(lab::plain_loop<Sum>(term_of(what_), a(), b(), files_.n())); });
  }

  /// The loop in the element type; of doubles, in float.
  void measure_narrow_loop() {
    const element_type type = default_result_type(what_, files_.a().type(), files_.b().type());
    if constexpr (std::is_same_v<T, float>) {
      if (type == element_type::float16) return measure_loop<float16>("float16");
      if (type == element_type::bfloat16) return measure_loop<bfloat16>("bfloat16");
    }
    measure_loop<float>("float");
  }

  void measure_openblas() {
    const lab::openblas& peer = lab::openblas::instance();
    if (!peer.available()) {
      results_.push_back({"OpenBLAS", "openblas", peer.fault(), {}, 0, 0, 0});
      return;
    }
    const std::size_t n = files_.n();
    const int threads = peer.set_threads(thread_count(n, options_));
    measure(fmt::format("OpenBLAS ({})", peer.core_name()), "openblas", threads, [&]() -> double {
      if (what_ == reduction::asum) return peer.asum(a(), n);
      return what_ == reduction::nrm2 ? peer.nrm2(a(), n) : peer.dot(a(), b(), n);
    });
  }

  void measure_exactdot(std::string title, std::string name, mode mode) {
    exactdot::options options = options_;
    options.mode = mode;
    if (options.device == device::cuda) title = name + " on " + device_text(options);
    measure_scalar(std::move(title), std::move(name), thread_count(files_.n(), options),
                   [&] { return reduce_files(what_, files_, type_, options, 0).real; });
  }

  immediate_exit immediate_exit_;
  reduction what_;
  const operands& files_;
  element_type type_;
  exactdot::options options_;
  progress progress_;
  native_elements<T> a_;
  std::optional<native_elements<T>> b_;  // of a reduction of two inputs
  accumulator<T> sum_;
  std::vector<method_result> results_;
};

}  // namespace

std::vector<method_result> compare(reduction what, const operands& files, element_type type,
                                   const options& options) {
  const element_type carrier = core::wider(core::carrier_of(files.a().type()), core::carrier_of(files.b().type()));
  return with_carrier(carrier, [&]<class T>(T) { return comparer<T>(what, files, type, options).run(); });
}

}  // namespace exactdot::cli
