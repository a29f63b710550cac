// Host rungs; see host_rung.hpp.
#include <lab/host_rung.hpp>
#include <utility>

namespace exactdot::lab {
namespace {

template <class T>
class prepared_host_rung final : public prepared_rung<T> {
 public:
  prepared_host_rung(host_dot<T> dot, const rung_input<T>& input) : dot_(std::move(dot)), input_(input) {}
  void launch() override { value_ = dot_(input_.a, input_.b, input_.config.n); }
  T result() override { return value_; }

 private:
  host_dot<T> dot_;
  rung_input<T> input_;
  T value_ = 0;
};

template <class T>
rung_factory<T> factory_of(host_dot<T> dot) {
  return [dot = std::move(dot)](const rung_input<T>& input) {
    return std::make_unique<prepared_host_rung<T>>(dot, input);
  };
}

}  // namespace

rung make_host_rung(const rung_info& info, host_dot<float> of_floats, host_dot<double> of_doubles) {
  return {info, backend::host, factory_of<float>(std::move(of_floats)), factory_of<double>(std::move(of_doubles))};
}

register_host_rung::register_host_rung(const rung_info& info, host_dot<float> of_floats,
                                       host_dot<double> of_doubles) {
  add_rung(make_host_rung(info, std::move(of_floats), std::move(of_doubles)));
}

}  // namespace exactdot::lab
