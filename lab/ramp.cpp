// Results on data ramp; see ramp.hpp.
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
std::vector<ramp_result> ramp_results(const ladder_request& request, executor& device,
                                      const std::vector<rung>& rungs) {
  std::vector<ramp_result> results;
  const std::unique_ptr<executor> host = open_executor(backend::host);
  executor& runner = device.target() == backend::cuda ? device : *host;
  for (const std::size_t n : {std::size_t{32} << 20, std::size_t{33} << 20}) {
    try {
      require_memory(request, runner, n);
    } catch (const std::runtime_error&) {
      continue;
    }
    io::data_request data_request = request.data;
    data_request.n = n;
    std::vector<T> a(n), b(n);
    io::data_source<T>(data_request).next(a, b);
    ramp_result result{n, ramp_integer(n), static_cast<double>(dot(a, b)), {}};
    const problem<T> data(runner, {a, b}, operation::max);  // its reference is not used; max is cheap to compute
    for (const rung& candidate : rungs) {
      if (candidate.target != runner.target() && candidate.target != backend::host) continue;
      if (request.on_progress) request.on_progress(candidate.info.name);
      runner.start_run(request.options.seed);
      rung_input<T> input = data.input_for(candidate, runner, request.options);
      input.op = operation::sum;
      const auto prepared = candidate.prepare(input);
      prepared->launch();
      result.rungs.emplace_back(candidate.info.name, static_cast<double>(prepared->result()));
    }
    results.push_back(std::move(result));
  }
  return results;
}

template std::vector<ramp_result> ramp_results<float>(const ladder_request&, executor&, const std::vector<rung>&);
template std::vector<ramp_result> ramp_results<double>(const ladder_request&, executor&, const std::vector<rung>&);

}  // namespace exactdot::lab
