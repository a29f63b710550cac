// exactdot::dot on a GPU: which calls it takes, on which GPU, and by which road.
//
// Vectors that all lie on the GPU are one launch; others pass through the conveyor, whose chunks add to one exact
// state on the device, or are nodes of order v1's tree. Either way the bits are the CPU's.
#include <algorithm>
#include <bit>
#include <core/order_v1.hpp>
#include <core/state.hpp>
#include <cpu/engine.hpp>
#include <cpu/offload.hpp>
#include <cuda/conveyor.hpp>
#include <cuda/kept.hpp>
#include <string>

namespace exactdot::cuda_engine {
namespace {

std::string name_of(int gpu) { return "cuda:" + std::to_string(gpu); }

template <class T>
struct job {
  operand<T> a, b;
  std::size_t n;
  const options& how;
  int gpu;

  [[nodiscard]] bool in_place() const { return a.where.on_gpu() && b.where.on_gpu(); }
};

/// The GPU whose memory holds a vector, else the one asked for, else the one that knows of a vector, or the first.
int gpu_of(const place& a, const place& b, const options& how) {
  const bool asked = how.device == device::cuda;
  int gpu = asked ? how.device_index : -1;
  const auto join = [&](const place& one, const char* name) {
    if (one.kind != memory::device || one.gpu == gpu) return;
    if (gpu >= 0) {
      throw error(
          errc::bad_option,
          std::string("dot: ") + name + " lies on " + name_of(one.gpu) + " and " +
              (asked ? "options.device_index is " + std::to_string(gpu) + "; use the vector's GPU, or copy it"
                     : "a on " + name_of(gpu) + "; copy one of them with cudaMemcpyPeer"));
    }
    gpu = one.gpu;
  };
  join(a, "a");
  join(b, "b");
  return gpu >= 0 || asked ? gpu : std::max({a.gpu, b.gpu, 0});
}

template <class T>
job<T> make_job(const T* a, const T* b, std::size_t n, const options& how) {
  const place none{};
  const place x = n == 0 ? none : place_of(a), y = n == 0 ? none : place_of(b);
  return {{a, x}, {b, y}, n, how, gpu_of(x, y, how)};
}

/// A conveyor whose chunks hold a vector of so many bytes, or are as large as they get.
std::unique_ptr<conveyor> conveyor_for(int gpu, std::size_t bytes) {
  constexpr std::size_t a_tile = 512 * 16;
  const std::size_t chunk = std::clamp(std::bit_ceil(bytes), a_tile, limits.largest_chunk);
  auto found = kept<conveyor>::all().take(gpu);
  const bool fits = found != nullptr && found->chunk() >= chunk && found->chunk() <= limits.largest_chunk;
  if (fits) return found;
  found.reset();
  return std::make_unique<conveyor>(chunk);
}

/// An exact state on the device, and where it is fetched to.
struct state_room {
  static constexpr std::size_t bytes = core::layout<double>::words * sizeof(std::int64_t);
  device_bytes there = try_device_memory(bytes);
  pinned_bytes here = pinned_memory(bytes);
};

/// words += what `enqueue` adds to the state that it is handed, on a stream.
template <class T, class Enqueue>
void add_through_device(int gpu, cudaStream_t on, std::int64_t* words, Enqueue enqueue) {
  auto room = kept<state_room>::all().take(gpu);
  if (room == nullptr) room = std::make_unique<state_room>();
  if (room->there == nullptr) cuda::check(cudaErrorMemoryAllocation, "allocating an exact state");
  auto* const there = reinterpret_cast<std::int64_t*>(room->there.get());
  auto* const here = reinterpret_cast<std::int64_t*>(room->here.get());
  constexpr std::size_t bytes = core::layout<T>::words * sizeof(std::int64_t);
  cuda::check(cudaMemsetAsync(there, 0, bytes, on), "clearing an exact state");
  enqueue(there);
  cuda::check(cudaMemcpyAsync(here, there, bytes, cudaMemcpyDeviceToHost, on), "fetching the sum");
  cuda::check(cudaStreamSynchronize(on), "waiting for the sum");
  core::normalise(core::limbs_of<T>(here));
  core::merge<T>(words, here);
  core::normalise(core::limbs_of<T>(words));
  kept<state_room>::all().give(gpu, std::move(room));
}

template <class T>
void add_by_chunks(const job<T>& one, std::int64_t* words) {
  auto belt = conveyor_for(one.gpu, one.n * sizeof(T));
  cuda::workspace& space = belt->workspace();
  add_through_device<T>(one.gpu, space.stream(), words, [&](std::int64_t* sum) {
    belt->run(
        one.a, one.b, one.n, one.how,
        [&](std::size_t, const T* x, const T* y, std::size_t count) { cuda::dot_into(space, x, y, count, sum); },
        [](std::size_t) {});
  });
  kept<conveyor>::all().give(one.gpu, std::move(belt));
}

template <class T>
T fast_by_chunks(const job<T>& one) {
  auto belt = conveyor_for(one.gpu, one.n * sizeof(T));
  core::tile_tree<T> tree;
  belt->run(
      one.a, one.b, one.n, one.how,
      [&](std::size_t slot, const T* x, const T* y, std::size_t count) {
        cuda::dot(belt->workspace(), x, y, count, belt->template result<T>(slot), {.mode = mode::fast});
      },
      [&](std::size_t slot) { tree.push(*static_cast<const volatile T*>(belt->template result<T>(slot))); });
  kept<conveyor>::all().give(one.gpu, std::move(belt));
  return tree.root();
}

/// What `launch` does with a workspace of the default stream: so it comes after what the caller has put into that
/// stream, or into any that waits for it.
template <class T, class Launch>
void in_one_launch(const job<T>& one, Launch launch) {
  cpu_engine::throw_if_cancelled(one.how);
  auto space = kept<cuda::workspace>::all().take(one.gpu);
  if (space == nullptr) space = std::make_unique<cuda::workspace>();
  launch(*space);
  kept<cuda::workspace>::all().give(one.gpu, std::move(space));
  if (one.how.monitor != nullptr) one.how.monitor->done += one.n;
}

template <class R, class T>
R dot_there(const job<T>& one) {
  const current_gpu current(one.gpu);
  if (one.n == 0) return R{0};
  if (one.in_place()) {
    R result{};
    in_one_launch(
        one, [&](cuda::workspace& space) { result = cuda::dot<R>(space, one.a.at, one.b.at, one.n, one.how); });
    return result;
  }
  if (one.how.mode == mode::fast) {
    const T sum = fast_by_chunks(one);
    return sum != sum ? core::canonical_nan<R>() : static_cast<R>(sum);
  }
  std::int64_t words[core::layout<T>::words] = {};
  add_by_chunks(one, words);
  return core::round_state<R, T>(words);
}

template <class T>
void add_state_there(const job<T>& one, std::int64_t* words) {
  const current_gpu current(one.gpu);
  if (one.n == 0) return;
  if (!one.in_place()) return add_by_chunks(one, words);
  in_one_launch(one, [&](cuda::workspace& space) {
    add_through_device<T>(one.gpu, space.stream(), words,
                          [&](std::int64_t* sum) { cuda::dot_into(space, one.a.at, one.b.at, one.n, sum); });
  });
}

/// What `there` does; or, where the GPU was only the faster choice and has no memory for it, what `here` does.
template <class T, class There, class Here>
auto where_there_is_room(const job<T>& one, There there, Here here) {
  try {
    return there();
  } catch (const cuda::out_of_memory&) {
    const bool on_gpu = one.a.where.kind == memory::device || one.b.where.kind == memory::device;
    if (one.how.device == device::cuda || on_gpu) throw;
  }
  options on_cpu = one.how;
  on_cpu.device = device::cpu;
  return here(on_cpu);
}

template <class R, class T>
R dot(const T* a, const T* b, std::size_t n, const options& how) {
  const job<T> one = make_job(a, b, n, how);
  return where_there_is_room(
      one, [&] { return dot_there<R>(one); },
      [&](const options& on_cpu) { return exactdot::dot<R>(a, b, n, on_cpu); });
}

template <class T>
void add_state(const T* a, const T* b, std::size_t n, const options& how, std::int64_t* words) {
  const job<T> one = make_job(a, b, n, how);
  where_there_is_room(
      one, [&] { add_state_there(one, words); },
      [&](const options& on_cpu) { cpu_engine::exact_state(a, b, n, on_cpu, words); });
}

/// Page-locked vectors that the GPU fetches sooner than so few threads of the CPU read them; not for a GPU that
/// would have to be started first. Vectors in other host memory never pay: to copy them costs the CPU more than
/// their dot (docs/algorithms.md has the measurement).
bool pays(const place& a, const place& b, std::size_t n, std::size_t element_bytes, const options& how) {
  constexpr std::size_t least_bytes = std::size_t{1} << 22;
  constexpr int most_threads = 2;
  return a.kind == memory::pinned && b.kind == memory::pinned && n * element_bytes >= least_bytes &&
         cpu_engine::threads_that_pay(n, how) <= most_threads && gpu_is_awake(std::max({a.gpu, b.gpu, 0}));
}

bool takes(const void* a, const void* b, std::size_t n, std::size_t element_bytes, const options& how) {
  const bool on_cpu = how.device == device::cpu;
  if (!driver_is_loaded()) return false;
  const place x = place_of(a), y = place_of(b);
  const bool out_of_reach = x.kind == memory::device || y.kind == memory::device;
  if (on_cpu && out_of_reach) {
    const bool is_a = x.kind == memory::device;
    throw error(errc::bad_option, std::string("dot: ") + (is_a ? "a" : "b") + " lies in the memory of " +
                                      name_of((is_a ? x : y).gpu) +
                                      ", which the CPU cannot read; use "
                                      "device::automatic, or copy it with cudaMemcpy");
  }
  if (on_cpu || out_of_reach) return out_of_reach;
  return (x.on_gpu() && y.on_gpu()) || pays(x, y, n, element_bytes, how);
}

constexpr cpu_engine::gpu_engine table = {
    takes,
    {dot<float, float>, dot<double, float>, dot<float, double>, dot<double, double>},
    {add_state<float>, add_state<double>},
};

bool enlist() {
  if (machine_has_device_files()) cpu_engine::gpu_possible.store(true);
  cpu_engine::linked_gpu_engine.store(&table, std::memory_order_release);
  return true;
}

}  // namespace
}  // namespace exactdot::cuda_engine

/// The linker is told to look for this name, lest it leave this file in the archive (src/CMakeLists.txt).
extern "C" {
extern const bool exactdot_cuda_engine;
const bool exactdot_cuda_engine = exactdot::cuda_engine::enlist();
}
