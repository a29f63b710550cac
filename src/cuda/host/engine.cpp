// The GPU engine behind exactdot's functions: which calls it computes, on which GPU, and how.
//
// Vectors that the GPU can read in place are one launch; others pass through the staging pipeline, whose chunks add
// to one exact state on the device, or are nodes of order v1's tree. Either way the bits are the CPU's.
#include <algorithm>
#include <cstring>
#include <cuda/host/engines.hpp>
#include <cuda/host/launch.hpp>
#include <cuda/host/resources.hpp>
#include <cuda/host/staging_pipeline.hpp>
#include <cuda/work/extremum_rank.hpp>
#include <exactdot/order_v1.hpp>
#include <plan/gpu_engine.hpp>
#include <run/run.hpp>
#include <string>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using engine::plan;

std::string name_of_gpu(int gpu) { return "cuda:" + std::to_string(gpu); }

/// The GPU whose memory holds an input, else the one demanded, else the one that knows of an input, or the first.
int gpu_for(const plan& plan, const options& options) {
  int gpu = plan.gpu_demanded ? options.device_index : -1;
  const auto join = [&](const location& where, const char* name) {
    if (where.kind != memory_kind::device || where.gpu == gpu) return;
    if (gpu >= 0) {
      engine::throw_error(
          errc::bad_option, plan.caller,
          std::string(name) + " lies on " + name_of_gpu(where.gpu) + " and " +
              (plan.gpu_demanded
                   ? "the option device_index is " + std::to_string(gpu) + "; use the vector's GPU, or copy it"
                   : "a on " + name_of_gpu(gpu) + "; copy one of them with cudaMemcpyPeer"));
    }
    gpu = where.gpu;
  };
  join(plan.a.where, "a");
  join(plan.b.where, "b");
  return gpu >= 0 || plan.gpu_demanded ? gpu : std::max({plan.a.where.gpu, plan.b.where.gpu, 0});
}

/// Page-locked vectors that the GPU fetches sooner than so few CPU threads read them; not for a GPU whose context
/// would have to be created. Vectors in pageable memory never are: to copy them costs the CPU more than their
/// reduction (docs/algorithms.md has the measurement).
bool gpu_is_faster(const plan& plan) {
  constexpr std::size_t min_bytes = std::size_t{1} << 22;
  constexpr int max_threads = 2;
  const location &a = plan.a.where, &b = plan.b.where;
  return a.kind == memory_kind::pinned && b.kind == memory_kind::pinned && plan.contiguous &&
         plan.n * size_of(plan.a.type) >= min_bytes && plan.threads <= max_threads &&
         context_is_active(std::max({a.gpu, b.gpu, 0}));
}

/// Throws for an input in device memory that the CPU was told to read.
void refuse_device_memory(const plan& plan) {
  const bool is_a = plan.a.where.kind == memory_kind::device;
  const location& where = is_a ? plan.a.where : plan.b.where;
  if (where.kind != memory_kind::device) return;
  engine::throw_error(errc::bad_option, plan.caller,
                      std::string(is_a ? "a" : "b") + " lies in the memory of " + name_of_gpu(where.gpu) +
                          ", which the CPU cannot read; use the device automatic, or copy it with cudaMemcpy");
}

/// An input that a kernel reads in place has to be aligned to its elements.
void require_alignment(const plan& plan, const engine::operand& input, const char* name) {
  const auto bytes = static_cast<std::ptrdiff_t>(size_of(input.type));
  if (!input.where.on_gpu() || plan.n == 0) return;
  const bool strides_fit = plan.n == 1 || input.stride % bytes == 0;
  if (reinterpret_cast<std::uintptr_t>(input.data) % static_cast<std::uintptr_t>(bytes) == 0 && strides_fit) return;
  engine::throw_error(errc::bad_option, plan.caller,
                      std::string(name) + " is not aligned to its elements of " + std::to_string(bytes) +
                          " bytes, as a GPU needs it");
}

void choose(plan& plan, const options& options) {
  if (!plan.gpu_demanded && !driver_is_loaded()) return;
  if (plan.n != 0) plan.a.where = locate(plan.a.data), plan.b.where = locate(plan.b.data);
  const bool in_device_memory =
      plan.a.where.kind == memory_kind::device || plan.b.where.kind == memory_kind::device;
  if (options.device == device::cpu) return refuse_device_memory(plan);
  const bool in_place = plan.a.where.on_gpu() && plan.b.where.on_gpu();
  plan.on_gpu = plan.gpu_demanded || in_device_memory || in_place || gpu_is_faster(plan);
  if (!plan.on_gpu) return;
  plan.gpu = gpu_for(plan, options);
  require_alignment(plan, plan.a, "a");
  require_alignment(plan, plan.b, "b");
}

/// One or two exact states on the device, and the host memory to which they are copied.
struct state_buffers {
  static constexpr std::size_t bytes = 2 * core::max_state_words * sizeof(std::int64_t);
  device_bytes device = try_device_memory(bytes);
  pinned_bytes host = pinned_memory(bytes);
};

/// words += what `enqueue` adds to the states on the device that it is given, on a stream.
template <class Enqueue>
void add_through_device(const plan& plan, int states, cudaStream_t stream, std::int64_t* words, Enqueue enqueue) {
  auto buffers = pool<state_buffers>::instance().acquire(plan.gpu);
  if (buffers == nullptr) buffers = std::make_unique<state_buffers>();
  if (buffers->device == nullptr) cuda::check(cudaErrorMemoryAllocation, "allocating an exact state");
  auto* const on_device = reinterpret_cast<std::int64_t*>(buffers->device.get());
  auto* const on_host = reinterpret_cast<std::int64_t*>(buffers->host.get());
  const core::state_layout layout = plan.layout();
  const std::size_t bytes = static_cast<std::size_t>(states * layout.words()) * sizeof(std::int64_t);
  cuda::check(cudaMemsetAsync(on_device, 0, bytes, stream), "clearing an exact state");
  enqueue(on_device);
  cuda::check(cudaMemcpyAsync(on_host, on_device, bytes, cudaMemcpyDeviceToHost, stream), "fetching the sum");
  cuda::check(cudaStreamSynchronize(stream), "waiting for the sum");
  for (int i = 0; i < states; ++i) {
    std::int64_t* const sum = words + i * layout.words();
    core::normalise(layout, on_host + i * layout.words());
    core::merge(layout, sum, on_host + i * layout.words());
    core::normalise(layout, sum);
  }
  pool<state_buffers>::instance().release(plan.gpu, std::move(buffers));
}

/// Calls work(workspace) with one of the default stream: so it follows what the caller has put into that stream, or
/// into any that waits for it.
template <class Work>
void in_one_launch(const plan& plan, Work work) {
  engine::throw_if_cancelled(plan);
  auto workspace = pool<cuda::workspace>::instance().acquire(plan.gpu);
  if (workspace == nullptr) workspace = std::make_unique<cuda::workspace>();
  cuda::require_device(workspace->library_storage());
  work(*workspace);
  pool<cuda::workspace>::instance().release(plan.gpu, std::move(workspace));
  if (plan.monitor != nullptr) plan.monitor->done += plan.n;
}

/// Calls work(pipeline) with a pipeline whose chunks suit the plan.
template <class Work>
auto with_pipeline(const plan& plan, Work work) {
  const std::size_t bytes = plan.n * size_of(plan.carrier), wanted = staging_pipeline::wanted_chunk(bytes, {});
  auto pipeline = pool<staging_pipeline>::instance().acquire(plan.gpu);
  if (pipeline != nullptr && pipeline->chunk() < wanted) pipeline.reset();
  if (pipeline == nullptr) pipeline = std::make_unique<staging_pipeline>(bytes);
  struct finally {
    decltype(pipeline)& object;
    int gpu;
    bool completed = false;
    ~finally() {
      if (completed) pool<staging_pipeline>::instance().release(gpu, std::move(object));
    }
  } releases{pipeline, plan.gpu};
  const auto result = work(*pipeline);
  releases.completed = true;
  return result;
}

bool in_place(const plan& plan) { return plan.a.where.on_gpu() && plan.b.where.on_gpu(); }

/// What on_gpu returns; or, if the GPU was only the faster choice and is short of memory, what on_cpu returns.
template <class OnGpu, class OnCpu>
auto with_cpu_fallback(const plan& plan, OnGpu on_gpu, OnCpu on_cpu) {
  try {
    const current_gpu current(plan.gpu);
    return on_gpu();
  } catch (const cuda::out_of_memory&) {
    const bool in_device_memory =
        plan.a.where.kind == memory_kind::device || plan.b.where.kind == memory_kind::device;
    if (plan.gpu_demanded || in_device_memory) throw;
  }
  return on_cpu(engine::for_cpu(plan));
}

std::uint64_t reduce_on_gpu(const plan& plan) {
  if (plan.n == 0) return engine::result_of_nothing(plan);
  if (in_place(plan)) {
    std::uint64_t result = 0;
    in_one_launch(plan, [&](cuda::workspace& workspace) { result = cuda::run(workspace, plan); });
    return result;
  }
  return with_pipeline(plan, [&](staging_pipeline& pipeline) { return reduce_staged(plan, pipeline); });
}

void add_on_gpu(const plan& plan, std::int64_t* words) {
  if (plan.n == 0) return;
  if (!in_place(plan)) {
    with_pipeline(plan, [&](staging_pipeline& pipeline) { return add_staged(plan, pipeline, words), true; });
    return;
  }
  in_one_launch(plan, [&](cuda::workspace& workspace) {
    add_through_device(plan, 1, workspace.stream(), words,
                       [&](std::int64_t* sum) { cuda::add(workspace.library_storage(), plan, sum); });
  });
}

std::uint64_t reduce(const plan& plan) {
  return with_cpu_fallback(
      plan, [&] { return reduce_on_gpu(plan); }, [](const engine::plan& on_cpu) { return engine::run(on_cpu); });
}

void add(const plan& plan, std::int64_t* words) {
  with_cpu_fallback(
      plan, [&] { return add_on_gpu(plan, words), true; },
      [&](const engine::plan& on_cpu) { return engine::add(on_cpu, words), true; });
}

template <class T>
std::uint64_t fast_staged(const plan& plan, staging_pipeline& pipeline) {
  tile_tree<T> tree;
  pipeline.run(
      plan,
      [&](std::size_t slot, const engine::plan& chunk) {
        engine::plan node = chunk;  // a sum, as it is
        node.what = core::sum_of_term(plan.info().term);
        node.result_type = plan.carrier;
        node.result = {core::finish::round, core::format_of(plan.carrier)};
        cuda::run(pipeline.workspace().library_storage(), node, pipeline.result(slot));
      },
      [&](std::size_t slot) { tree.push(*static_cast<const volatile T*>(pipeline.result(slot))); });
  return engine::fast_result(plan, tree.root());
}

/// The extreme element of host vectors: the best of the chunks, of which the earliest counts.
std::uint64_t extremum_staged(const plan& plan, staging_pipeline& pipeline) {
  const cuda::workspace::storage& storage = pipeline.workspace().library_storage();
  using candidate = extremum_candidate<std::uint64_t>;
  candidate best = no_candidate<std::uint64_t>();
  std::size_t first = 0;
  const std::size_t length = pipeline.chunk_elements(plan);
  pipeline.run(
      plan,
      [&](std::size_t slot, const engine::plan& chunk) {
        cuda::launch_extremum(storage, chunk, {});
        cuda::check(cudaMemcpyAsync(pipeline.result(slot), &storage.extremum->best, sizeof best,
                                    cudaMemcpyDeviceToHost, pipeline.workspace().stream()),
                    "fetching an extreme element");
      },
      [&](std::size_t slot) {
        candidate found;
        std::memcpy(&found, pipeline.result(slot), sizeof found);
        if (first == 0 || found.rank > best.rank) best = {found.rank, found.index + first};
        first += length;
      });
  if (gives_index(plan.what)) return best.index;
  return element_of_rank(rank_rule_of(plan.carrier, selects_greatest(plan.what)), best.rank);
}

/// words += the states of the plan's sums, through the pipeline.
void add_states_staged(const plan& plan, int states, staging_pipeline& pipeline, std::int64_t* words) {
  cuda::workspace& workspace = pipeline.workspace();
  cuda::require_device(workspace.library_storage());
  add_through_device(plan, states, workspace.stream(), words, [&](std::int64_t* sum) {
    pipeline.run(
        plan,
        [&](std::size_t, const engine::plan& chunk) { cuda::add_states(workspace.library_storage(), chunk, sum); },
        [](std::size_t) {});
  });
}

constexpr engine::gpu_engine table = {choose, reduce, add, choose_batch, reduce_batch, normalise,
                                      copy_numbers, copy_indices};

bool register_gpu_engine() {
  if (machine_has_device_files()) engine::gpu_may_exist.store(true);
  engine::registered_gpu_engine.store(&table, std::memory_order_release);
  return true;
}

}  // namespace

std::uint64_t reduce_staged(const plan& plan, staging_pipeline& pipeline) {
  cuda::require_device(pipeline.workspace().library_storage());
  if (plan.info().is_extremum) return extremum_staged(plan, pipeline);
  if (plan.mode == mode::fast) {
    return with_carrier(plan.carrier, [&]<class T>(T) { return fast_staged<T>(plan, pipeline); });
  }
  std::int64_t words[2 * core::max_state_words] = {};
  add_states_staged(plan, engine::states_of(plan), pipeline, words);
  return engine::exact_result(plan, words);
}

void add_staged(const plan& plan, staging_pipeline& pipeline, std::int64_t* words) {
  add_states_staged(plan, 1, pipeline, words);
}

}  // namespace exactdot::inline v0_3::cuda_engine

/// The linker is told to look for this name, so that it does not drop this file from the archive
/// (src/CMakeLists.txt).
extern "C" {
extern const bool exactdot_cuda_engine;
const bool exactdot_cuda_engine = exactdot::cuda_engine::register_gpu_engine();
}
