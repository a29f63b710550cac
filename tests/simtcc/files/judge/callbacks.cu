// Host functions of a stream run without the runtime's lock: they may wait for a thread that calls the runtime.
// options: -Xcompiler -pthread
// seconds: 10
// prints: ^2 3$
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
std::mutex mutex;
std::condition_variable begun;
bool waits = false;
int called = 0;
void wait_for_thread() {
  std::thread other([] {
    void* memory;
    std::unique_lock<std::mutex> held(mutex);
    waits = true;
    begun.notify_one();
    cudaMalloc(&memory, 4);
    cudaFree(memory);
  });
  std::unique_lock<std::mutex> held(mutex);
  begun.wait(held, [] { return waits; });
  waits = false;
  held.unlock();
  other.join();
  ++called;
}
void CUDART_CB function(void* count) {
  wait_for_thread();
  ++*(int*)count;
}
void CUDART_CB callback(cudaStream_t, cudaError_t, void* count) {
  wait_for_thread();
  ++*(int*)count;
}
int main() {
  int count = 0;
  cudaLaunchHostFunc(0, function, &count);
  cudaStreamAddCallback(0, callback, &count, 0);
  printf("%d ", count);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaLaunchHostFunc(stream, function, &count);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  printf("%d\n", called);
}
