// Sums by key of a table whose rows lie on two machines. Each sums its shard into states, as int64 words in a file;
// a third adds the words and rounds. The result has the bits of one machine with the whole table, in any order of
// the rows; sums of rounded sums do not.
//
// Sums of float take 16 words a key in the compact form. The same words go through MPI_SUM or a database's SUM.
#include <cstdint>
#include <cstdio>
#include <exactdot/states.hpp>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using exactdot::groups;
using words = std::vector<std::int64_t>;

struct table {
  std::vector<std::int32_t> keys;
  std::vector<float> amounts;
};

constexpr std::size_t keys = 3;
constexpr exactdot::state_format format{exactdot::reduction::sum, exactdot::element_type::float32,
                                        exactdot::state_form::compact};

/// One machine: the states of its rows.
void write_states(const table& shard, const std::string& file) {
  words states(keys * format.words());
  exactdot::sum_into(groups{shard.amounts, shard.keys, keys}, states, format.form);
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(states.data()),
             static_cast<std::streamsize>(states.size() * sizeof(states[0])));
}

words read_states(const std::string& file) {
  words states(keys * format.words());
  std::ifstream from(file, std::ios::binary);
  from.read(reinterpret_cast<char*>(states.data()),
            static_cast<std::streamsize>(states.size() * sizeof(states[0])));
  if (!from) throw std::runtime_error("cannot read " + file);
  return states;
}

std::vector<float> rounded(const words& states) {
  std::vector<float> sums(keys);
  exactdot::round_states(format, states, sums);
  return sums;
}

table joined(table first, const table& second) {
  first.keys.insert(first.keys.end(), second.keys.begin(), second.keys.end());
  first.amounts.insert(first.amounts.end(), second.amounts.begin(), second.amounts.end());
  return first;
}

void print(const char* what, const std::vector<float>& sums) {
  std::printf("%s %g %g %g\n", what, sums[0], sums[1], sums[2]);
}

}  // namespace

int main() {
  const table here{{0, 1, 0, 2, 1}, {1e8F, 0.25F, 3, 7, 1e30F}}, there{{1, 0, 2, 0}, {-1e30F, -1e8F, -2, 4}};
  write_states(here, "states_of_shard_1");
  write_states(there, "states_of_shard_2");

  words states = read_states("states_of_shard_2");
  exactdot::merge_states(format, read_states("states_of_shard_1"), states);
  print("two machines:     ", rounded(states));

  std::vector<float> sums(keys), others(keys);
  const table whole = joined(here, there);
  exactdot::sum(groups{whole.amounts, whole.keys, keys}, sums);
  print("one machine:      ", sums);

  exactdot::sum(groups{here.amounts, here.keys, keys}, sums);
  exactdot::sum(groups{there.amounts, there.keys, keys}, others);
  for (std::size_t i = 0; i < keys; ++i) sums[i] += others[i];
  print("rounded too early:", sums);
}
