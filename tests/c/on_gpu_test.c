/* Stream-ordered calls of the C interface, and xd_reduce of vectors in a GPU's memory. Skipped without a GPU. */
#include <cuda_runtime_api.h>
#include <exactdot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 100000, skipped = 77 };

static int failures = 0;

#define CHECK(condition) check((condition) != 0, #condition, __LINE__)
#define CHECK_ERROR(call, status, phrase) \
  check((call) == (status) && strstr(xd_message(), (phrase)) != NULL, #call " is " #status ": " phrase, __LINE__)

static void check(int holds, const char* condition, int line) {
  if (holds) return;
  printf("line %d: %s does not hold; the last message is: %s\n", line, condition, xd_message());
  ++failures;
}

static void* device_copy(const void* data, size_t bytes) {
  void* copy = NULL;
  if (cudaMalloc(&copy, bytes) != cudaSuccess ||
      cudaMemcpy(copy, data, bytes, cudaMemcpyHostToDevice) != cudaSuccess) {
    printf("cannot copy %lu bytes to the GPU\n", (unsigned long)bytes);
    exit(1);
  }
  return copy;
}

static void test_results(xd_workspace* workspace, cudaStream_t stream, const double* host, double* device,
                         double* slot) {
  const xd_vector here = xd_contiguous(host, n, XD_FLOAT64), there = xd_contiguous(device, n, XD_FLOAT64);
  for (int what = XD_DOT; what <= XD_ARGMAX; ++what) {
    const int type = what < XD_ARGMIN ? XD_FLOAT64 : XD_INT64;
    const int two = what == XD_DOT;
    unsigned char expected[8], found[8], direct[8];
    CHECK(xd_reduce(what, &here, two ? &here : NULL, type, expected, NULL) == XD_OK);
    CHECK(xd_reduce(what, &there, two ? &there : NULL, type, direct, NULL) == XD_OK);
    CHECK(memcmp(expected, direct, sizeof expected) == 0);
    CHECK(xd_enqueue(workspace, what, &there, two ? &there : NULL, type, slot, NULL) == XD_OK);
    CHECK(cudaMemcpyAsync(found, slot, sizeof found, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
    CHECK(xd_workspace_check(workspace) == XD_OK);
    CHECK(memcmp(expected, found, sizeof expected) == 0);
  }
}

static void test_words(xd_workspace* workspace, const double* host, const double* device) {
  const xd_vector here = xd_contiguous(host, n, XD_FLOAT64), there = xd_contiguous(device, n, XD_FLOAT64);
  int64_t words[138] = {0}, expected[138];
  int64_t* const device_words = device_copy(words, sizeof words);
  xd_accumulator *sum = NULL, *loaded = NULL;
  CHECK(xd_enqueue_add(workspace, XD_DOT, &there, &there, device_words) == XD_OK);
  CHECK(xd_enqueue_add(workspace, XD_SUM, &there, NULL, device_words) == XD_OK);
  CHECK(xd_enqueue_add(workspace, XD_SUM_OF_SQUARES, &there, NULL, device_words) == XD_OK);
  CHECK(xd_workspace_check(workspace) == XD_OK);
  CHECK(cudaMemcpy(words, device_words, sizeof words, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(xd_accumulator_create(XD_FLOAT64, &loaded) == XD_OK && xd_accumulator_load(loaded, words, 138) == XD_OK);
  CHECK(xd_accumulator_create(XD_FLOAT64, &sum) == XD_OK && xd_accumulator_add(sum, &here, NULL) == XD_OK);
  CHECK(xd_accumulator_add_products(sum, &there, &there, NULL) == XD_OK);
  CHECK(xd_accumulator_add_squares(sum, &here, NULL) == XD_OK);
  CHECK(xd_accumulator_words(loaded, words, 138) == XD_OK && xd_accumulator_words(sum, expected, 138) == XD_OK);
  CHECK(memcmp(words, expected, sizeof words) == 0);
  CHECK_ERROR(xd_enqueue_add(workspace, XD_ASUM, &there, NULL, device_words), XD_BAD_OPTION, "XD_SUM_OF_SQUARES");
  CHECK_ERROR(xd_enqueue_add(workspace, XD_SUM, &there, NULL, NULL), XD_NULL_POINTER, "device_words");
  CHECK_ERROR(xd_enqueue_add(workspace, XD_SUM, &there, NULL, words), XD_BAD_OPTION, "cannot reach");
  xd_accumulator_destroy(sum);
  xd_accumulator_destroy(loaded);
  cudaFree(device_words);
}

/* Words of two parts, merged and rounded on the GPU: the bits of one call on all elements. */
static void test_states(xd_workspace* workspace, const double* host, const double* device, double* slot) {
  const xd_vector here = xd_contiguous(host, n, XD_FLOAT64);
  const xd_vector low = xd_contiguous(device, 999, XD_FLOAT64),
                  high = xd_contiguous(device + 999, n - 999, XD_FLOAT64);
  static const int64_t zero[2 * 277];
  int64_t* const words = device_copy(zero, sizeof zero);
  const xd_state_format of_moments = {XD_VARIANCE, XD_FLOAT64, XD_FULL}, of_sums = {XD_SUM, XD_FLOAT64, XD_FULL};
  const xd_states first = {of_moments, words, 1, 0}, second = {of_moments, words + 277, 1, 0};
  const int results[] = {XD_SUM, XD_SUM_OF_SQUARES, XD_NRM2, XD_MEAN, XD_VARIANCE, XD_STDDEV};
  xd_options options = {0};
  options.ddof = 1;
  CHECK(xd_moments_word_count(XD_FLOAT64) == 277);
  CHECK(xd_enqueue_add_moments(workspace, &low, words) == XD_OK);
  CHECK(xd_enqueue_add_moments(workspace, &high, words + 277) == XD_OK);
  CHECK(xd_enqueue_merge(workspace, &first, &second) == XD_OK);
  CHECK(xd_enqueue_merge(workspace, &second, NULL) == XD_OK);
  for (size_t i = 0; i < sizeof results / sizeof *results; ++i) {
    double expected = 0, found = 0;
    CHECK(xd_reduce(results[i], &here, NULL, XD_FLOAT64, &expected, &options) == XD_OK);
    CHECK(xd_enqueue_round(workspace, results[i], &first, XD_FLOAT64, slot, 0, &options) == XD_OK);
    CHECK(xd_workspace_check(workspace) == XD_OK);
    CHECK(cudaMemcpy(&found, slot, sizeof found, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(memcmp(&expected, &found, sizeof found) == 0);
  }
  CHECK_ERROR(xd_enqueue_round(workspace, XD_DOT, &first, XD_FLOAT64, slot, 0, NULL), XD_BAD_OPTION, "give no dot");
  CHECK_ERROR(xd_enqueue_round(workspace, XD_MAX, &first, XD_FLOAT64, slot, 0, NULL), XD_BAD_OPTION, "max");
  CHECK_ERROR(xd_enqueue_round(workspace, XD_SUM, &first, XD_INT64, slot, 0, NULL), XD_BAD_OPTION, "int64");
  CHECK_ERROR(xd_enqueue_round(workspace, XD_SUM, NULL, XD_FLOAT64, slot, 0, NULL), XD_NULL_POINTER, "states");
  CHECK_ERROR(xd_enqueue_round(workspace, XD_SUM, &first, XD_FLOAT64, words + 5, 0, NULL), XD_BAD_OPTION,
              "overlap");
  CHECK_ERROR(xd_enqueue_add_moments(workspace, &low, NULL), XD_NULL_POINTER, "device_words");
  {
    const xd_states plain = {of_sums, words, 1, 0}, sum = {of_sums, words + 1, 1, 0};
    const xd_states bad = {of_sums, words + 2, 1, 0};
    const xd_states unknown = {{XD_SUM, XD_FLOAT64, 7}, words, 1, 0},
                    extremum = {{XD_MAX, XD_FLOAT64, 0}, words, 1, 0};
    CHECK_ERROR(xd_enqueue_merge(workspace, &unknown, NULL), XD_BAD_OPTION, "unknown form 7");
    CHECK_ERROR(xd_enqueue_merge(workspace, &extremum, NULL), XD_BAD_OPTION, "no states of max");
    CHECK_ERROR(xd_enqueue_merge(workspace, &first, &plain), XD_SIZE_MISMATCH, "differ");
    CHECK_ERROR(xd_enqueue_round(workspace, XD_VARIANCE, &sum, XD_FLOAT64, slot, 0, NULL), XD_BAD_OPTION,
                "moments");
    CHECK(xd_enqueue_round(workspace, XD_SUM, &bad, XD_FLOAT64, slot, 0, NULL) == XD_OK);
    CHECK(xd_workspace_check(workspace) != XD_OK);
    CHECK(xd_workspace_check(workspace) == XD_OK);
  }
  cudaFree(words);
}

/* States of rows, segments and groups, ordered by the stream and waited for: the words of the CPU. */
static void test_many_states(xd_workspace* workspace, const double* host, const double* device) {
  enum { results = 3, of_mean = 139, all = results * of_mean };
  static const int64_t zero[all];
  static int64_t expected[all], found[all];
  const xd_state_format mean = {XD_MEAN, XD_FLOAT64, XD_FULL}, dot = {XD_DOT, XD_FLOAT64, XD_FULL};
  const int32_t offsets[results + 1] = {0, 7, 7, n}, wrong[results + 1] = {0, 7, 6, n};
  static int64_t keys[n];
  int32_t *const device_offsets = device_copy(offsets, sizeof offsets), *const bad =
                                                                            device_copy(wrong, sizeof wrong);
  int64_t *device_keys, *const words = device_copy(zero, sizeof zero);
  const ptrdiff_t size = sizeof *host;
  const xd_rows rows = {host, results, 33333, 33333 * size, size, XD_FLOAT64, 0};
  const xd_rows device_rows = {device, results, 33333, 33333 * size, size, XD_FLOAT64, 0};
  const xd_vector x = xd_contiguous(host, n, XD_FLOAT64), y = xd_contiguous(device, n, XD_FLOAT64);
  for (int i = 0; i < n; ++i) keys[i] = i % results;
  device_keys = device_copy(keys, sizeof keys);
  for (int shape = 0; shape < 6; ++shape) {
    const xd_vector host_keys = xd_contiguous(keys, n, XD_INT64), on_gpu = xd_contiguous(device_keys, n, XD_INT64);
    const int waits = shape >= 3;
    memset(expected, 0, sizeof expected);
    CHECK(cudaMemset(words, 0, sizeof zero) == cudaSuccess);
    if (shape % 3 == 0) {
      CHECK(xd_rows_into(mean, &rows, NULL, expected, all, NULL) == XD_OK);
      if (waits) CHECK(xd_rows_into(mean, &device_rows, NULL, words, all, NULL) == XD_OK);
      if (!waits) CHECK(xd_enqueue_rows_into(workspace, mean, &device_rows, NULL, words) == XD_OK);
    } else if (shape % 3 == 1) {
      CHECK(xd_segments_into(mean, &x, NULL, offsets, results, XD_INT32, expected, all, NULL) == XD_OK);
      if (waits)
        CHECK(xd_segments_into(mean, &y, NULL, device_offsets, results, XD_INT32, words, all, NULL) == XD_OK);
      if (!waits)
        CHECK(xd_enqueue_segments_into(workspace, mean, &y, NULL, device_offsets, results, XD_INT32, words) ==
              XD_OK);
    } else {
      CHECK(xd_groups_into(dot, &x, &x, &host_keys, results, 0, expected, results * 138, NULL) == XD_OK);
      if (waits) CHECK(xd_groups_into(dot, &y, &y, &on_gpu, results, 0, words, results * 138, NULL) == XD_OK);
      if (!waits) CHECK(xd_enqueue_groups_into(workspace, dot, &y, &y, &on_gpu, results, 0, words) == XD_OK);
    }
    CHECK(xd_workspace_check(workspace) == XD_OK);
    CHECK(cudaMemcpy(found, words, sizeof found, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(memcmp(expected, found, sizeof found) == 0);
  }
  CHECK(xd_enqueue_segments_into(workspace, mean, &y, NULL, bad, results, XD_INT32, words) == XD_OK);
  CHECK_ERROR(xd_workspace_check(workspace), XD_BAD_OPTION, "segment 1");
  CHECK_ERROR(xd_segments_into(mean, &y, NULL, bad, results, XD_INT32, words, all, NULL), XD_BAD_OPTION,
              "offset 2");
  CHECK_ERROR(xd_enqueue_rows_into(workspace, mean, &rows, NULL, words), XD_BAD_OPTION, "host memory");
  CHECK_ERROR(xd_enqueue_rows_into(workspace, mean, &device_rows, NULL, NULL), XD_NULL_POINTER, "words");
  CHECK_ERROR(xd_enqueue_rows_into(NULL, mean, &device_rows, NULL, words), XD_NULL_POINTER, "workspace");
  cudaFree(words), cudaFree(device_offsets), cudaFree(bad), cudaFree(device_keys);
}

static void test_errors(xd_workspace* workspace, const double* host, double* device, double* slot) {
  const xd_vector here = xd_contiguous(host, n, XD_FLOAT64), there = xd_contiguous(device, n, XD_FLOAT64);
  const xd_vector none = xd_contiguous(device, 0, XD_FLOAT64), unknown = xd_contiguous(device, n, 77);
  const xd_vector far = {device, 3, PTRDIFF_MAX - 7, XD_FLOAT64, 0};
  const int64_t large[] = {INT64_MAX, 1};
  int64_t* const integers = device_copy(large, sizeof large);
  const xd_vector i = xd_contiguous(integers, 2, XD_INT64);
  xd_options fast = {0};
  fast.mode = XD_FAST;
  CHECK_ERROR(xd_enqueue(NULL, XD_SUM, &there, NULL, XD_FLOAT64, slot, NULL), XD_NULL_POINTER, "workspace");
  CHECK_ERROR(xd_enqueue(workspace, 12, &there, NULL, XD_FLOAT64, slot, NULL), XD_BAD_OPTION,
              "unknown reduction 12");
  CHECK_ERROR(xd_enqueue(workspace, XD_SUM, &unknown, NULL, XD_FLOAT64, slot, NULL), XD_BAD_OPTION, "type 77");
  CHECK_ERROR(xd_enqueue(workspace, XD_SUM, NULL, NULL, XD_FLOAT64, slot, NULL), XD_NULL_POINTER, "a is a null");
  CHECK_ERROR(xd_enqueue(workspace, XD_SUM, &there, NULL, XD_FLOAT64, NULL, NULL), XD_NULL_POINTER,
              "device_result");
  CHECK_ERROR(xd_enqueue(workspace, XD_SUM, &there, &there, XD_FLOAT64, slot, NULL), XD_BAD_OPTION, "one vector");
  CHECK_ERROR(xd_enqueue(workspace, XD_SUM, &here, NULL, XD_FLOAT64, slot, NULL), XD_BAD_OPTION, "cannot reach");
  CHECK_ERROR(xd_enqueue(workspace, XD_SUM, &far, NULL, XD_FLOAT64, slot, NULL), XD_BAD_OPTION, "address space");
  CHECK_ERROR(xd_enqueue(workspace, XD_SUM, &there, NULL, XD_FLOAT64, device + 5, NULL), XD_BAD_OPTION,
              "lies within x");
  CHECK_ERROR(xd_enqueue(workspace, XD_MIN, &none, NULL, XD_FLOAT64, slot, NULL), XD_EMPTY_INPUT, "empty");
  CHECK_ERROR(xd_enqueue(workspace, XD_STDDEV, &there, NULL, XD_FLOAT64, slot, &fast), XD_BAD_OPTION, "variance");
  CHECK(xd_enqueue(workspace, XD_SUM, &i, NULL, XD_INT64, slot, NULL) == XD_OK);
  CHECK_ERROR(xd_workspace_check(workspace), XD_OVERFLOW, "did not fit");
  CHECK(xd_workspace_check(workspace) == XD_OK);
  CHECK_ERROR(xd_workspace_check(NULL), XD_NULL_POINTER, "workspace");
  CHECK_ERROR(xd_workspace_create(NULL, NULL), XD_NULL_POINTER, "workspace");
  cudaFree(integers);
}

int main(void) {
  static double host[n];
  int devices = 0;
  cudaStream_t stream = NULL;
  xd_workspace* workspace = NULL;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    printf("no GPU\n");
    return skipped;
  }
  for (int i = 0; i < n; ++i) host[i] = (i % 2 == 0 ? 1e9 : -1e-9) / (i + 1);
  {
    double* const device = device_copy(host, sizeof host);
    double* const slot = device_copy(host, sizeof *host);
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
    CHECK(xd_workspace_create(stream, &workspace) == XD_OK);
    test_results(workspace, stream, host, device, slot);
    test_words(workspace, host, device);
    test_states(workspace, host, device, slot);
    test_many_states(workspace, host, device);
    test_errors(workspace, host, device, slot);
    xd_workspace_destroy(workspace);
    cudaStreamDestroy(stream);
    cudaFree(device);
    cudaFree(slot);
  }
  return failures == 0 ? 0 : 1;
}
