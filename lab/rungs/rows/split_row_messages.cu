// split_row_messages: several blocks share a row, and send their sums to the one that is last.
//
// Before: atomics add the blocks' sums in any order.
// Idea: each block draws a ticket of its row and stores its sum in a place of its own, in words that carry the
// number of the launch as a flag. Who draws the last ticket knows that all others have started: it waits for their
// words and adds them in a fixed order. No fence, no second launch, nothing to clear (src/cuda/core/exchange.cuh).
// Cost: a ticket a block, and a round trip to memory. The bits depend on grid and block only.
#include <cuda/core/exchange.cuh>
#include <lab/rows.cuh>

namespace exactdot::lab {
namespace {

using cuda_engine::wide_unsigned;

/// 32 bits of the sum in each word, beside the flag.
template <class T>
struct message {
  wide_unsigned word[sizeof(T) / 4];
};

template <class T>
__device__ void send(message<T>& to, unsigned flag, T value) {
  const auto bits = core::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(value);
  for (unsigned k = 0; k < sizeof(T) / 4; ++k)
    cuda_engine::store_word(&to.word[k], flag, static_cast<unsigned>(std::uint64_t{bits} >> 32 * k));
}

template <class T>
__device__ T receive(const message<T>& from, unsigned flag) {
  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t> bits = 0;
  for (unsigned k = 0; k < sizeof(T) / 4; ++k) {
    wide_unsigned word;
    do word = cuda_engine::load_word(&from.word[k]);
    while (!cuda_engine::has_flag(word, flag));
    bits |= static_cast<decltype(bits)>(std::uint64_t{static_cast<unsigned>(word)} << 32 * k);
  }
  return core::bit_cast<T>(bits);
}

template <class T>
__global__ void add_row_by_messages(matrix<T> in, unsigned blocks_a_row, wide_unsigned* tickets,
                                    message<T>* messages, T* sums) {
  __shared__ unsigned flag_of_last;
  for (std::size_t share = blockIdx.x; share < in.rows * blocks_a_row; share += gridDim.x) {
    const std::size_t row = share / blocks_a_row, start = share % blocks_a_row * blockDim.x + threadIdx.x;
    T value = 0;
    for (std::size_t i = in.first(row) + start; i < in.end(row); i += std::size_t{blocks_a_row} * blockDim.x)
      value += in.a[i];
    value = combine_block<sum>(value);
    if (threadIdx.x == 0) {
      const wide_unsigned ticket = cuda_engine::draw_ticket(tickets[row]);
      const auto flag = static_cast<unsigned>(ticket / blocks_a_row + 1);
      send(messages[share], flag, value);
      flag_of_last = ticket % blocks_a_row == blocks_a_row - 1 ? flag : 0;
    }
    __syncthreads();
    if (flag_of_last != 0) {
      value = 0;
      for (unsigned k = threadIdx.x; k < blocks_a_row; k += blockDim.x)
        value += receive(messages[row * blocks_a_row + k], flag_of_last);
      value = combine_block<sum>(value);
      if (threadIdx.x == 0) sums[row] = value;
    }
    __syncthreads();
  }
}

template <class T>
struct split_row_messages {
  explicit split_row_messages(const input<T>& given) : in(given) { tickets.fill_zero(), messages.fill_zero(); }

  const input<T>& in;
  unsigned blocks_a_row = blocks_of_row(in.grid, in.results);
  gpu::buffer<wide_unsigned> tickets{in.stream, in.results};
  gpu::buffer<message<T>> messages{in.stream, std::size_t{blocks_a_row} * in.results};
  gpu::buffer<T> sums{in.stream, in.results};

  void launch() {
    gpu::launch(add_row_by_messages<T>, in.grid, in.block, 0, in.stream, matrix_of(in), blocks_a_row,
                tickets.data(), messages.data(), sums.data());
  }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<split_row_messages> registration{
    {.number = 5,
     .name = "split_row_messages",
     .file = "split_row_messages.cu",
     .summary = "fills the GPU with few long rows, with the same bits in every run",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::many,
     .same_bits = determinism::fixed_grid,
     .roundings =
         [](const launch_config& config) {
           const std::uint64_t blocks = blocks_of_row(config);
           return chain_of_row(config, blocks * config.block) + blocks / config.block + 21;
         },
     .atomics = [](const launch_config& config) -> std::uint64_t {
       return rows_of(config.n, config.parts) * blocks_of_row(config);
     },
     .workload = "rows"}};

}  // namespace
}  // namespace exactdot::lab
