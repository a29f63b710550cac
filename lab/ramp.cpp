// The ramp's truth; see ramp.hpp.
#include <algorithm>
#include <lab/ladder.hpp>
#include <lab/ramp.hpp>
#include <stdexcept>

namespace exactdot::lab {

std::string ramp_integer(std::size_t n) {
  __extension__ using wide = unsigned __int128;
  wide value = n == 0 ? 0 : wide{n} * (n - 1) * (2 * wide{n} - 1) / 3;
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::ranges::reverse(digits);
  return digits;
}

template <element T>
std::vector<ramp_truth> ramp_truths(const ladder_request& request, bench& on, const std::vector<rung>& rungs) {
  std::vector<ramp_truth> truths;
  const std::unique_ptr<bench> host = open_bench(world::host);
  bench& where = on.where() == world::cuda ? on : *host;
  for (const std::size_t n : {std::size_t{32} << 20, std::size_t{33} << 20}) {
    try {
      require_memory(request, where, n);
    } catch (const std::runtime_error&) {
      continue;
    }
    io::data_request wanted = request.data;
    wanted.n = n;
    std::vector<T> a(n), b(n);
    io::data_source<T>(wanted).next(a, b);
    ramp_truth truth{n, ramp_integer(n), static_cast<double>(dot(a, b)), {}};
    const problem<T> data(where, a, b, operation::max);  // any that costs little: the truth is known
    for (const rung& one : rungs) {
      if (one.where != where.where() && one.where != world::host) continue;
      if (request.say) request.say(one.info.name);
      where.begin(request.how.seed);
      task<T> what = data.task_for(one, where, request.how);
      what.op = operation::sum;
      const auto attempt = one.start(what);
      attempt->launch();
      truth.rungs.emplace_back(one.info.name, static_cast<double>(attempt->result()));
    }
    truths.push_back(std::move(truth));
  }
  return truths;
}

template std::vector<ramp_truth> ramp_truths<float>(const ladder_request&, bench&, const std::vector<rung>&);
template std::vector<ramp_truth> ramp_truths<double>(const ladder_request&, bench&, const std::vector<rung>&);

}  // namespace exactdot::lab
