// Rungs of the host; see host_rung.hpp.
#include <lab/host_rung.hpp>
#include <utility>

namespace exactdot::lab {
namespace {

template <class T>
class host_attempt final : public attempt<T> {
 public:
  host_attempt(host_dot<T> dot, const task<T>& what) : dot_(std::move(dot)), what_(what) {}
  void launch() override { value_ = dot_(what_.a, what_.b, what_.size.n); }
  T result() override { return value_; }

 private:
  host_dot<T> dot_;
  task<T> what_;
  T value_ = 0;
};

template <class T>
starter<T> starter_of(host_dot<T> dot) {
  return [dot = std::move(dot)](const task<T>& what) { return std::make_unique<host_attempt<T>>(dot, what); };
}

}  // namespace

rung make_host_rung(const rung_info& info, host_dot<float> of_floats, host_dot<double> of_doubles) {
  return {info, world::host, starter_of<float>(std::move(of_floats)), starter_of<double>(std::move(of_doubles))};
}

enlist_host_rung::enlist_host_rung(const rung_info& info, host_dot<float> of_floats, host_dot<double> of_doubles) {
  add_rung(make_host_rung(info, std::move(of_floats), std::move(of_doubles)));
}

}  // namespace exactdot::lab
