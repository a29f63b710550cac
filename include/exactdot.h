/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exactdot's reductions for C99 and for every language that calls C: library libexactdot_c.
 *
 * Results have the bits of the C++ library: docs/contract.md is the promise, docs/c.md the guide. Every call that can
 * fail returns an xd_status; a call that fails writes no result and changes no object. No C++ exception leaves the
 * library. Calls may be made from any thread; an object (accumulator, moments, workspace) is used by one at a time,
 * not even read by two. Vectors lie in host memory or, in a build with CUDA, in a GPU's.
 */
#ifndef EXACTDOT_H
#define EXACTDOT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* ---- Status ---- */

/* XD_OK, or why a call failed. */
typedef int xd_status;

enum {
  XD_OK = 0,
  XD_OUT_OF_MEMORY = 1,  /* host memory is exhausted */
  XD_INTERNAL = 2,       /* a fault of the library: please report it */
  XD_SIZE_MISMATCH = 3,  /* two vectors of different length, or an array not as long as a state's words */
  XD_NULL_POINTER = 4,   /* a null pointer where an object, a result or elements are needed */
  XD_BAD_OPTION = 5,     /* a value outside its documented range */
  XD_NO_DEVICE = 6,      /* a GPU was demanded that this machine or this build does not have */
  XD_EMPTY_INPUT = 7,    /* min, max, argmin or argmax of no elements */
  XD_OVERFLOW = 8,       /* an integer result type does not hold the result */
  XD_HEADROOM = 9,       /* an accumulator cannot hold the sum */
  XD_CANCELLED = 10,     /* xd_monitor_cancel was called */
  XD_DEVICE_FAILURE = 11, /* CUDA reports a failure, of this call or of an earlier one */
  XD_FILE = 12,          /* not returned by the functions of this header */
  XD_COMMUNICATION = 13  /* MPI reports a failure: returned by the functions of exactdot_mpi.h */
};

/* The sentence of the calling thread's last call that failed: what was wrong and what to do. "" before the first
 * failure. Never null; valid until the thread's next failure or its end. Longer sentences than 1023 bytes are cut. */
const char* xd_message(void);
/* Stores a sentence as the calling thread's message and returns `status`: for interfaces on top of this one. A null
 * sentence is the empty one. */
xd_status xd_fail(xd_status status, const char* sentence);
/* The name of a status, such as "XD_BAD_OPTION"; "unknown status" for other numbers. */
const char* xd_status_name(xd_status status);
/* The version of the library: "0.3.0" of a release, "0.3.0.dev0+g1a2b3c4" of other builds, with the commit. */
const char* xd_version(void);

/* ---- Element types and reductions ---- */

enum {
  XD_FLOAT32 = 0, XD_FLOAT64 = 1, XD_FLOAT16 = 2, XD_BFLOAT16 = 3,
  XD_INT8 = 4, XD_INT16 = 5, XD_INT32 = 6, XD_INT64 = 7,
  XD_UINT8 = 8, XD_UINT16 = 9, XD_UINT32 = 10, XD_UINT64 = 11,
  XD_FLOAT8_E4M3FN = 12, XD_FLOAT8_E5M2 = 13,
  /* pairs of floats or doubles, the real part first, C's float _Complex and double _Complex: of xd_reduce,
   * xd_reduce_rows, xd_multiply_rows, xd_reduce_segments, xd_reduce_groups and xd_reduce_rows_by_key */
  XD_COMPLEX64 = 64, XD_COMPLEX128 = 65
};

enum {
  XD_DOT = 0,             /* sum of a[i]*b[i] */
  XD_SUM = 1,             /* sum of x[i] */
  XD_ASUM = 2,            /* sum of |x[i]| */
  XD_SUM_OF_SQUARES = 3,  /* sum of x[i]^2 */
  XD_NRM2 = 4,            /* the root of that sum */
  XD_MEAN = 5,            /* the sum over n */
  XD_VARIANCE = 6,        /* sum of (x[i] - mean)^2, over n - ddof */
  XD_STDDEV = 7,          /* its root */
  XD_MIN = 8,             /* the least element: a NaN wins, -0 < +0 */
  XD_MAX = 9,
  XD_ARGMIN = 10,         /* the lowest index of that element */
  XD_ARGMAX = 11,
  /* ratios: of sums of a and b, and of their number n. Arrays in host memory; no states, no mode fast */
  XD_WEIGHTED_MEAN = 12,  /* sum of a[i]*b[i], over the sum of the weights b[i] */
  XD_COSINE = 13,         /* sum of a[i]*b[i], over the root of the product of both sums of squares */
  XD_DISTANCE = 14,       /* the root of the sum of (a[i] - b[i])^2 */
  XD_COVARIANCE = 15,     /* sum of (a[i] - mean)*(b[i] - mean), over n - ddof */
  XD_CORRELATION = 16,    /* the covariance over the root of the product of both variances */
  XD_SLOPE = 17,          /* of the least-squares line b = slope*a + intercept */
  XD_INTERCEPT = 18,
  XD_STANDARD_ERROR = 19, /* of one vector: the root of its variance over n */
  XD_WEIGHTED_VARIANCE = 20, /* sum of b[i]*(a[i] - weighted mean)^2, over the sum of the weights b[i], less ddof */
  XD_WEIGHTED_STDDEV = 21,   /* its root */
  XD_VARIANCE_ABOUT = 22,    /* sum of (a[i] - b[i])^2, over n - ddof: about known means, which may be one with stride 0 */
  XD_STDDEV_ABOUT = 23,      /* its root */
  /* other names */
  XD_NORM = XD_NRM2,
  XD_VAR = XD_VARIANCE,
  XD_STD = XD_STDDEV
};

/* Bytes of an element: 1, 2, 4, 8 or 16; 0 for an unknown type. */
size_t xd_type_size(int type);
/* "float32", ..., and "dot", ...; "unknown" for an unknown number. */
const char* xd_type_name(int type);
const char* xd_reduction_name(int reduction);
/* The number of a name; -1 for an unknown or null name. Reductions have other names too: "norm" and "l2" for "nrm2",
 * "l1" for "asum", "var" for "variance", "std", "stdev" and "standard_deviation" for "stddev". */
int xd_type_named(const char* name);
int xd_reduction_named(const char* name);

/* ---- Vectors and options ---- */

/* n elements of `type`; element i starts i*stride bytes after `data`. Stride: in bytes; negative, 0 (repeats one
 * element) and, in host memory, no multiple of the element's size are allowed. swapped: 0 for the byte order of this
 * machine, anything else for the other one. data may be null if n is 0, and needs no alignment in host memory. */
typedef struct xd_vector {
  const void* data;
  size_t n;
  ptrdiff_t stride;
  int type;
  int swapped;
} xd_vector;

/* A vector without gaps, in this machine's byte order. Cannot fail; calls refuse an unknown type. */
xd_vector xd_contiguous(const void* data, size_t n, int type);

enum { XD_EXACT = 0, XD_FAST = 1 };
enum { XD_AUTOMATIC = 0, XD_CPU = 1, XD_CUDA = 2 };

/* Watches and ends calls from another thread. */
typedef struct xd_monitor xd_monitor;

/* Which elements of xd_reduce, xd_reduce_rows, xd_reduce_segments, xd_reduce_groups and xd_reduce_rows_by_key are there
 * (further down: xd_rows, to which `where` points). */
typedef struct xd_filter xd_filter;

/* All zero, or a null pointer to options: the defaults. Only `mode`, `ddof`, `filter` and `conjugate` change a value. */
typedef struct xd_options {
  int mode;             /* XD_EXACT: the real-number result, rounded once. XD_FAST: fused multiply-adds in one order */
  int device;           /* XD_AUTOMATIC; XD_CPU: the vectors lie in host memory; XD_CUDA: demand a GPU */
  int device_index;     /* which GPU, if device is XD_CUDA */
  int threads;          /* the maximum number of CPU threads; 0: automatic */
  int64_t ddof;         /* what variances, standard deviations, XD_COVARIANCE and XD_STANDARD_ERROR subtract from n, and weighted
                         * ones from the sum of the weights. Negative: XD_BAD_OPTION */
  xd_monitor* monitor;  /* optional; must outlive the call */
  const xd_filter* filter; /* optional: elements that are left out; null: all are there. Other calls: XD_BAD_OPTION */
  int conjugate;        /* not 0: XD_DOT of complex numbers adds conj(a[i])*b[i], BLAS's dotc, not a[i]*b[i] */
} xd_options;

/* Lets another thread watch and end calls. Any threads may call cancel and done at the same time; destroy must be
 * the last call. create: errors XD_NULL_POINTER, XD_OUT_OF_MEMORY. */
xd_status xd_monitor_create(xd_monitor** monitor);
/* Null is allowed. */
void xd_monitor_destroy(xd_monitor* monitor);
/* Calls that use the monitor now or later end soon with XD_CANCELLED. XD_NULL_POINTER for a null monitor. */
xd_status xd_monitor_cancel(xd_monitor* monitor);
/* The elements that calls with this monitor have finished, all together; 0 for a null monitor. */
size_t xd_monitor_done(const xd_monitor* monitor);

/* ---- Reductions ---- */

/* *result = the reduction of a (of a and b for XD_DOT; otherwise b is null), a value of result_type.
 *
 * result: xd_type_size(result_type) bytes of host memory, any alignment, not inside an element of a or b. Result types:
 * any floating-point type; of sums of integers XD_INT64 and XD_UINT64, too; of min and max the element type; of argmin
 * and argmax XD_INT64 or XD_UINT64. a and b hold two floating-point types or two integer types. Of no elements: sums
 * and norms are +0, means and variances NaN.
 * Errors: XD_NULL_POINTER; XD_BAD_OPTION (an unknown number; a result type that the reduction does not have; a second
 * vector for a reduction of one; a vector beyond the address space; a result inside an input; negative threads or ddof;
 * variances in XD_FAST); XD_SIZE_MISMATCH; XD_EMPTY_INPUT; XD_OVERFLOW; XD_CANCELLED; XD_NO_DEVICE; XD_DEVICE_FAILURE.
 * Complex numbers have XD_SUM, XD_MEAN and XD_DOT, whose results are XD_COMPLEX64 or XD_COMPLEX128, each part rounded once,
 * and XD_NRM2, XD_SUM_OF_SQUARES and XD_ASUM (BLAS's sum of |re| + |im|), whose results are real.
 * Cost: for vectors beyond the caches, that of reading them once. A variance reads each cached chunk twice, a product of
 * complex numbers both vectors twice. */
xd_status xd_reduce(int reduction, const xd_vector* a, const xd_vector* b, int result_type, void* result,
                    const xd_options* options);

/* *least and *greatest = the elements that XD_MIN and XD_MAX give, of the type of x, by one read of a vector in host
 * memory, by two of one in a GPU's. Both lie in host memory, outside x. Errors as of xd_reduce. */
xd_status xd_minmax(const xd_vector* x, void* least, void* greatest, const xd_options* options);
/* *index = the lowest index, from 0 on, of an element of the largest magnitude; of the first NaN, if there is one; by
 * one read of a vector in host memory, by four of one in a GPU's. Errors as of xd_reduce. */
xd_status xd_iamax(const xd_vector* x, uint64_t* index, const xd_options* options);

/* *type = the result type that the C++ functions choose: of sums the element type, one that holds both types, or of
 * integers XD_INT64 (XD_UINT64 if all are unsigned); of others the element type, or of integers XD_FLOAT64; of indices
 * XD_INT64; of norms of complex numbers the type of a part. type_b: for XD_DOT only. Errors: XD_NULL_POINTER,
 * XD_BAD_OPTION (as above). */
xd_status xd_default_result_type(int reduction, int type_a, int type_b, int* type);

/* *result = the reduction of n float (s) or double (d) elements in mode XD_EXACT, with default options.
 *
 * Element i is a[i*inca], also for negative strides: unlike in the BLAS, the pointer is that of element 0. Strides
 * count elements; 0 repeats one. Errors and cost as of xd_reduce. */
xd_status xd_sdot(size_t n, const float* a, ptrdiff_t inca, const float* b, ptrdiff_t incb, float* result);
xd_status xd_ddot(size_t n, const double* a, ptrdiff_t inca, const double* b, ptrdiff_t incb, double* result);
xd_status xd_ssum(size_t n, const float* x, ptrdiff_t incx, float* result);
xd_status xd_dsum(size_t n, const double* x, ptrdiff_t incx, double* result);
xd_status xd_sasum(size_t n, const float* x, ptrdiff_t incx, float* result);
xd_status xd_dasum(size_t n, const double* x, ptrdiff_t incx, double* result);
xd_status xd_snrm2(size_t n, const float* x, ptrdiff_t incx, float* result);
xd_status xd_dnrm2(size_t n, const double* x, ptrdiff_t incx, double* result);
xd_status xd_smean(size_t n, const float* x, ptrdiff_t incx, float* result);
xd_status xd_dmean(size_t n, const double* x, ptrdiff_t incx, double* result);

/* ---- Many vectors in one call ---- */

/* Vectors of n elements of a matrix: element k of vector i starts i*row_stride + k*stride bytes after `data`.
 * Columns are rows whose two strides, and two lengths, are exchanged; a row_stride of 0 repeats one vector.
 * Otherwise as xd_vector. */
typedef struct xd_rows {
  const void* data;
  size_t rows, n;
  ptrdiff_t row_stride, stride;
  int type;
  int swapped;
} xd_rows;

/* The rows of a matrix without gaps that is stored row by row, or its columns. Cannot fail. */
xd_rows xd_matrix_rows(const void* data, size_t rows, size_t columns, int type);
xd_rows xd_matrix_columns(const void* data, size_t rows, size_t columns, int type);

/* Missing values. An element that is left out is not there: means divide by the number of those that stay, variances know;
 * results have the bits of the call on these alone, indices are places in the whole vector. A pair of a and b is left out as
 * a whole. Of no elements: sum +0, mean NaN, XD_EMPTY_INPUT for XD_MIN and its like unless there is an initial value.
 * Errors: XD_SIZE_MISMATCH for a mask of another shape than a; XD_BAD_OPTION for one of other elements than bytes, an initial
 * value of other reductions, arrays in a GPU's memory, results that are added to. Cost: a copy of what stays, in memory too, with room for all. */
struct xd_filter {
  const xd_rows* where; /* XD_UINT8 or XD_INT8, of the shape of a, vectors as one row: 0 for what is not there. With strides
                         * of 0 it repeats. Null: all are there */
  int skip_nan;         /* not 0: NaNs, of a or of b, are not there; of complex numbers those with a NaN in either part */
  const void* initial;  /* of XD_MIN and XD_MAX: an element more of each result, of the type of a; or null */
};

/* Result i = the reduction of row i of a (of a and b for XD_DOT: with a b of row_stride 0 a matrix-vector product),
 * with the bits of xd_reduce on that row alone. It is stored i*result_stride bytes after `results`; 0: without
 * gaps. Arrays and results lie all in host memory or all in a GPU's, and do not overlap. Errors: those of xd_reduce;
 * XD_SIZE_MISMATCH if a and b have different shapes. Nothing is written unless the call succeeds, except after
 * XD_CANCELLED. Cost: that of reading every element once, and of short rows some ten nanoseconds each; columns are
 * read in the order of memory. */
xd_status xd_reduce_rows(int reduction, const xd_rows* a, const xd_rows* b, int result_type, void* results,
                         ptrdiff_t result_stride, const xd_options* options);

/* The products of a matrix and several vectors: result i of vector v = the dot product of row i of a and row v of
 * `vectors`, with the bits of XD_DOT on the two alone. It is stored v*result_stride bytes and i values after `results`; 0:
 * without gaps, a row of results for each vector. A matrix whose rows follow each other is read once for up to 16
 * vectors, where xd_reduce_rows would read it once for each (docs/shapes.md). Errors: those of xd_reduce_rows. */
xd_status xd_multiply_rows(const xd_rows* a, const xd_rows* vectors, int result_type, void* results,
                           ptrdiff_t result_stride, const xd_options* options);

/* Result i = the reduction of elements offset i to before offset i + 1 of a (and of b). `offsets` are segments + 1
 * integers without gaps, of any width (`offset_type`), in a GPU's memory of 32 or 64 bits, which never decrease; the first need not be 0, nor the last
 * a->n. Results without gaps. Indices count from the segment's first element. Errors: as above; XD_BAD_OPTION for an
 * offset that is negative, below the one before it or past the end; XD_EMPTY_INPUT for an empty segment of XD_MIN
 * and its like. The sentence names the first one. */
xd_status xd_reduce_segments(int reduction, const xd_vector* a, const xd_vector* b, const void* offsets,
                             size_t segments, int offset_type, int result_type, void* results,
                             const xd_options* options);

/* Result i = the reduction of the elements of a (and of b) whose key is i. `keys` are as many integers as a has
 * elements, of any integer type, XD_INT8 to XD_UINT64, in any order, not swapped. A key that is negative, or
 * `groups` or more, is XD_BAD_OPTION, and the sentence names the first one; if skip_out_of_range is not 0, its element
 * belongs to no group. `results`: groups values without gaps. Errors: as above, and XD_BAD_OPTION for XD_ARGMIN,
 * XD_ARGMAX, and for XD_FAST sums of floating-point elements. Keys that never decrease cost less. Memory: 16 bytes a
 * group, and of sums up to as much as the inputs. All arrays lie in host memory, or all in a GPU's (docs/shapes.md). */
xd_status xd_reduce_groups(int reduction, const xd_vector* a, const xd_vector* b, const xd_vector* keys,
                           size_t groups, int skip_out_of_range, int result_type, void* results,
                           const xd_options* options);

/* The same of the rows of a matrix: row i of a (and of b) belongs to the group that key i names, and there is a
 * result for each group and column: that of group g and column k lies g*result_stride bytes and k results after
 * `results` (result_stride 0: without gaps). A b whose `stride` is 0, its `row_stride` that of one vector, weights
 * the rows of a by XD_DOT. If add_to_results is not 0, the value that is there is one more term of each result: it
 * is added to, and rounded once (XD_SUM, XD_ASUM, XD_SUM_OF_SQUARES, XD_DOT; XD_BAD_OPTION otherwise); groups
 * without elements keep their bits. A vector is a matrix of one column. Columns that follow each other are one pass
 * over keys and rows. Errors as above. */
xd_status xd_reduce_rows_by_key(int reduction, const xd_rows* a, const xd_rows* b, const xd_vector* keys,
                                size_t groups, int skip_out_of_range, int result_type, void* results,
                                ptrdiff_t result_stride, int add_to_results, const xd_options* options);

/* Result i = how many keys are i, an XD_INT64 or XD_UINT64. Keys and errors as above; one pass over the keys. */
xd_status xd_group_sizes(const xd_vector* keys, size_t groups, int skip_out_of_range, int result_type,
                         void* results, const xd_options* options);

/* Prefix sums and moving windows, along each row of x (a vector is one row of xd_matrix_rows): result k of a row = the sum
 * of its elements 0 to k, or XD_SUM, XD_MEAN, XD_VARIANCE or XD_STDDEV of its elements k - window + 1 to k, with the bits of
 * xd_reduce on these alone. Windows of fewer than min_periods elements are NaN: those at the beginning and, with
 * options->filter->skip_nan, those with NaNs; pass min_periods = window for full windows only. Result row i is stored
 * i*result_stride bytes after `results`; 0: without gaps. result_type: floating-point; of prefixes of integers XD_INT64 and
 * XD_UINT64, too. Host memory only. Errors: those of xd_reduce_rows; XD_BAD_OPTION for a window of 0, min_periods beyond it,
 * XD_FAST, a mask or an initial value, variances of integers beyond 53 bits, results inside x. Rows before one that fails
 * have been stored. Cost: some 5 to 20 ns an element, of variances 15 to 70, whatever the window; where bounds leave results
 * open up to 2 microseconds, at worst 25. */
xd_status xd_cumsum(const xd_rows* x, int result_type, void* results, ptrdiff_t result_stride,
                    const xd_options* options);
xd_status xd_rolling(int reduction, const xd_rows* x, size_t window, size_t min_periods, int result_type,
                     void* results, ptrdiff_t result_stride, const xd_options* options);

/* Element k of result row i = x[i, k]*weight[k]/sqrt(mean of the squares of row i + epsilon) (rms_norm), or
 * (x[i, k] - mean of row i)*weight[k]/sqrt(variance of row i + epsilon) + bias[k] (layer_norm), the real number
 * rounded once. x, and the results of its type: XD_FLOAT16, XD_BFLOAT16, XD_FLOAT32 or XD_FLOAT64; the elements of a
 * row follow each other, fewer than 2^31. weight and bias: as many elements as a row, of that type or XD_FLOAT32,
 * without gaps; null: 1 and 0. epsilon: 0, or 1e-150 to 1e100. Result row i is stored i*result_stride bytes after
 * `results`; 0: without gaps. Errors: those of xd_reduce_rows; XD_BAD_OPTION for XD_FAST, another
 * epsilon, a weight and a bias of two types, rows with gaps, and results inside an input. Cost: rows of up to 8192
 * elements are read once from memory, longer ones twice. */
xd_status xd_rms_norm(const xd_rows* x, const xd_vector* weight, double epsilon, void* results,
                      ptrdiff_t result_stride, const xd_options* options);
xd_status xd_layer_norm(const xd_rows* x, const xd_vector* weight, const xd_vector* bias, double epsilon,
                        void* results, ptrdiff_t result_stride, const xd_options* options);

/* ---- Accumulators: exact sums that grow, merge and travel ---- */

/* The exact sum of elements of one type, or of their products, as a fixed-point number of int64 words. Elementwise
 * sums of the words of up to 2^31 - 1 accumulators are the words of their merged sum (MPI_SUM, a database's SUM).
 * Every function returns XD_NULL_POINTER for a null object, and XD_HEADROOM, with nothing changed, if a sum passes
 * 2^63 largest products. */
typedef struct xd_accumulator xd_accumulator;

/* *accumulator = a new object that holds 0. Some 1.1 KiB. Errors: XD_BAD_OPTION (type), XD_OUT_OF_MEMORY. */
xd_status xd_accumulator_create(int type, xd_accumulator** accumulator);
/* *copy = a new object of the same type and sum. Errors: XD_OUT_OF_MEMORY. */
xd_status xd_accumulator_copy(const xd_accumulator* accumulator, xd_accumulator** copy);
/* Null is allowed. */
void xd_accumulator_destroy(xd_accumulator* accumulator);
/* Back to 0. */
xd_status xd_accumulator_clear(xd_accumulator* accumulator);
/* The element type; -1 for a null accumulator. */
int xd_accumulator_type(const xd_accumulator* accumulator);

/* Add, or subtract, every x[i], every a[i]*b[i], every x[i]^2 or every |x[i]|. Vectors of any type
 * whose products the accumulator holds exactly, otherwise XD_BAD_OPTION: one of XD_FLOAT64 holds all, one of a shorter
 * floating-point type all but XD_FLOAT64, one of integers the integers that are not wider. options->mode and ddof are not used. Errors and cost as of xd_reduce; a subtraction costs a merge
 * more. */
xd_status xd_accumulator_add(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options);
xd_status xd_accumulator_add_products(xd_accumulator* accumulator, const xd_vector* a, const xd_vector* b,
                                      const xd_options* options);
xd_status xd_accumulator_add_squares(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options);
xd_status xd_accumulator_add_magnitudes(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options);
xd_status xd_accumulator_subtract(xd_accumulator* accumulator, const xd_vector* x, const xd_options* options);
xd_status xd_accumulator_subtract_products(xd_accumulator* accumulator, const xd_vector* a, const xd_vector* b,
                                           const xd_options* options);
/* The sum of the negated terms. */
xd_status xd_accumulator_negate(xd_accumulator* accumulator);
/* Adds, or subtracts, the other's sum; the other keeps its value. A type that the accumulator does not hold (see above):
 * XD_BAD_OPTION. Less than a microsecond. */
xd_status xd_accumulator_merge(xd_accumulator* accumulator, xd_accumulator* other);
xd_status xd_accumulator_subtract_sum(xd_accumulator* accumulator, xd_accumulator* other);

enum { XD_LESS = -1, XD_EQUAL = 0, XD_GREATER = 1, XD_UNORDERED = 2 };
/* *order = how the sum compares with the other's: exactly, whatever the types and the number of merges. XD_UNORDERED if
 * one of them is NaN. Less than a microsecond. */
xd_status xd_accumulator_compare(xd_accumulator* accumulator, xd_accumulator* other, int* order);

/* The number of words of this element type's accumulator: 24 of float, 138 of double, 8 of integers up to 32 bits,
 * 10 of 64-bit integers; 0 for an unknown type. */
size_t xd_accumulator_word_count(int type);
/* Stores the canonical words: equal for equal finite sums. count: the length of the array, the word count, otherwise
 * XD_SIZE_MISMATCH. */
xd_status xd_accumulator_words(xd_accumulator* accumulator, int64_t* words, size_t count);
/* The sum becomes that of these words: of one accumulator, or an elementwise sum of several. Errors: XD_SIZE_MISMATCH,
 * XD_HEADROOM, XD_BAD_OPTION for words that no such sum has. */
xd_status xd_accumulator_load(xd_accumulator* accumulator, const int64_t* words, size_t count);

/* *result = the sum, its root (NaN for a negative sum) or the sum over `count` (NaN for 0), rounded once to `type`: a
 * floating-point type; of a sum of integers XD_INT64 and XD_UINT64, too (XD_OVERFLOW). Others: XD_BAD_OPTION. */
xd_status xd_accumulator_round(xd_accumulator* accumulator, int type, void* result);
xd_status xd_accumulator_round_root(xd_accumulator* accumulator, int type, void* result);
xd_status xd_accumulator_round_quotient(xd_accumulator* accumulator, uint64_t count, int type, void* result);
/* The same three as *significand * 2^*exponent, for values that double does not hold: rounded once to 53 bits, with
 * 1 <= |significand| < 2, or with a significand of 0, an infinity or NaN and the exponent 0. */
xd_status xd_accumulator_round_scaled(xd_accumulator* accumulator, double* significand, int64_t* exponent);
xd_status xd_accumulator_round_root_scaled(xd_accumulator* accumulator, double* significand, int64_t* exponent);
xd_status xd_accumulator_round_quotient_scaled(xd_accumulator* accumulator, uint64_t count, double* significand,
                                               int64_t* exponent);
/* *result = the quotient of two sums, of any element types, rounded once to `type`, a floating-point type; or scaled as
 * above. Zeros, infinities and NaN as IEEE 754 divides: 0/0 is NaN, x/0 an infinity; a sum of zero is +0. Less than a
 * microsecond. */
xd_status xd_accumulator_quotient(xd_accumulator* dividend, xd_accumulator* divisor, int type, void* result);
xd_status xd_accumulator_quotient_scaled(xd_accumulator* dividend, xd_accumulator* divisor, double* significand,
                                         int64_t* exponent);

/* ---- Bounded sums: what a state decides without its words ---- */

/* |value + error - sum| <= bound: 24 bytes instead of 8 to 138 words. Sums of such numbers by TwoSum keep a bound;
 * exactdot_mpi.h adds them across processes. An infinite or NaN value with the bound 0 is that sum; an infinite or NaN
 * bound decides nothing. */
typedef struct xd_bounded {
  double value, error, bound;
} xd_bounded;

/* *sum = the sum of canonical words (xd_accumulator_words) of this element type, or of an accumulator. The bound is 0 if value + error is
 * the sum itself, at most 2^-96 of its magnitude otherwise, and infinite for sums beyond 2^860 or below 2^-660.
 * Errors: XD_NULL_POINTER, XD_BAD_OPTION (type), XD_SIZE_MISMATCH. Less than 0.1 microseconds. */
xd_status xd_bound_words(int type, const int64_t* words, size_t count, xd_bounded* sum);
xd_status xd_accumulator_bound(xd_accumulator* accumulator, xd_bounded* sum);
/* *sum = the sum of XD_DOT, XD_SUM, XD_ASUM or XD_SUM_OF_SQUARES of vectors of one type: as precise as results of
 * result_type need, or exact. Errors and cost as of xd_reduce; the sentence may begin with another name. */
xd_status xd_bound(int reduction, const xd_vector* a, const xd_vector* b, int result_type, const xd_options* options,
                   xd_bounded* sum);
/* results[i] = the result of a reduction (XD_DOT ... XD_STDDEV) of elements of `type` whose sum, or sum of squares of
 * XD_SUM_OF_SQUARES and XD_NRM2, is sums[i], and decided[i] = 1: the bits that the exact sum gives. Where both ends of
 * the bound do not give the same bits, results[i] is not written and decided[i] = 0; then use the words. squares: for
 * XD_VARIANCE and XD_STDDEV, else null. counts: the numbers of elements, for these two and XD_MEAN, else null.
 * `results`: k values of result_type without gaps; result types as of xd_reduce. Errors: XD_NULL_POINTER,
 * XD_BAD_OPTION. Some ten nanoseconds a result. */
xd_status xd_round_bounded(int reduction, int type, size_t k, const xd_bounded* sums, const xd_bounded* squares,
                           const uint64_t* counts, int64_t ddof, int result_type, void* results,
                           unsigned char* decided);

/* ---- Moments: count, sum and sum of squares ---- */

/* Means, norms and variances of parts of the data, merged in any order, have the bits of those of the whole. Errors and
 * costs as of accumulators. Result types are floating-point types. */
typedef struct xd_moments xd_moments;

/* Of no elements. Null is allowed for destroy. */
xd_status xd_moments_create(int type, xd_moments** moments);
void xd_moments_destroy(xd_moments* moments);
/* The element type; -1 for null. */
int xd_moments_type(const xd_moments* moments);
/* Adds every x[i]; reads x twice. */
xd_status xd_moments_add(xd_moments* moments, const xd_vector* x, const xd_options* options);
xd_status xd_moments_merge(xd_moments* moments, xd_moments* other);
/* *count = the number of elements. */
xd_status xd_moments_count(const xd_moments* moments, uint64_t* count);
/* *result = the mean, the norm, the variance or its root, rounded once to `type`. ddof: as in xd_options. */
xd_status xd_moments_mean(xd_moments* moments, int type, void* result);
xd_status xd_moments_nrm2(xd_moments* moments, int type, void* result);
xd_status xd_moments_variance(xd_moments* moments, int64_t ddof, int type, void* result);
xd_status xd_moments_stddev(xd_moments* moments, int64_t ddof, int type, void* result);
/* Words: the count, the accumulator's words of the sum, those of the sum of squares. */
size_t xd_moments_word_count(int type);
xd_status xd_moments_words(xd_moments* moments, int64_t* words, size_t count);
/* Replaces the moments by those of xd_moments_words, or of an elementwise sum of several. Error: XD_BAD_OPTION for words that
 * are the moments of no elements. */
xd_status xd_moments_load(xd_moments* moments, const int64_t* words, size_t count);

/* ---- States: sums of many vectors that merge by addition ---- */

/* Every result's exact sum as int64 words: those of shards, added one by one, are those of the whole, in any order (MPI_SUM,
 * a database's SUM). An array of states has as many words as there are results times xd_state_words; all zero is an empty
 * state. Compact states leave out the words that no term of the type reaches. docs/shapes.md has the sizes. */
enum { XD_FULL = 0, XD_COMPACT = 1 };

/* What a state holds: of XD_DOT, XD_SUM, XD_ASUM, XD_SUM_OF_SQUARES and XD_NRM2 a sum, of XD_MEAN a count and a sum, of
 * XD_VARIANCE and XD_STDDEV a count, the sum and that of squares. `type`: of the elements; `form`: XD_FULL or XD_COMPACT. */
typedef struct xd_state_format {
  int reduction;
  int type;
  int form;
} xd_state_format;

/* Words of a state; 0 for a reduction that has no states or an unknown number. */
size_t xd_state_words(xd_state_format format);

/* Add a state of each row, segment or group to `words`; arguments, in host or all in a GPU's memory, as of
 * xd_reduce_rows and its like, b for XD_DOT only, in
 * the type of the format. count: the length of `words`. options->mode and ddof are not used. Errors: those of these
 * calls; XD_SIZE_MISMATCH for another count; of words in host memory XD_BAD_OPTION if they are no states, and XD_HEADROOM for more than
 * 2^31 - 1 states. Nothing is written unless the call succeeds; after XD_CANCELLED the words are of no use. Cost: that of
 * reading every element once and every word twice, and some tenths of a microsecond for each result. */
xd_status xd_rows_into(xd_state_format format, const xd_rows* a, const xd_rows* b, int64_t* words, size_t count,
                       const xd_options* options);
xd_status xd_segments_into(xd_state_format format, const xd_vector* a, const xd_vector* b, const void* offsets,
                           size_t segments, int offset_type, int64_t* words, size_t count, const xd_options* options);
xd_status xd_groups_into(xd_state_format format, const xd_vector* a, const xd_vector* b, const xd_vector* keys,
                         size_t groups, int skip_out_of_range, int64_t* words, size_t count,
                         const xd_options* options);

/* Adds the states `from` to `into`, of the same format and count, after checking them. Errors as above. */
xd_status xd_merge_states(xd_state_format format, const int64_t* from, int64_t* into, size_t count);
/* Equal words for equal finite sums and counts; every state counts as one again. XD_HEADROOM if a sum passes 2^63 largest
 * terms. */
xd_status xd_normalise_states(xd_state_format format, int64_t* words, size_t count);
/* to = the states `from`, of `format`, in another form. XD_BAD_OPTION for a sum that does not fit into it. */
xd_status xd_convert_states(xd_state_format format, const int64_t* from, size_t count, int form, int64_t* to,
                            size_t to_count);
/* results[i] = the result of state i, rounded once to result_type. reduction: the format's own; of sums of squares and norms
 * also the other, of means XD_SUM, of variances also XD_STDDEV, XD_MEAN, XD_SUM, XD_SUM_OF_SQUARES and XD_NRM2. Results
 * without gaps. Errors: as above; XD_OVERFLOW. */
xd_status xd_round_states(xd_state_format format, int reduction, const int64_t* words, size_t count, int result_type,
                          void* results, int64_t ddof);

/* ---- Stream-ordered calls on a GPU ---- */

/* What the calls on one stream share. One workspace serves one stream and one thread at a time. In a build without
 * CUDA these calls return XD_NO_DEVICE. */
typedef struct xd_workspace xd_workspace;

/* *workspace = a new one for this cudaStream_t (null: the default stream) on the current device. Allocates less than
 * 1 MiB there, and waits for the device. Errors: XD_NULL_POINTER, XD_NO_DEVICE, XD_DEVICE_FAILURE. */
xd_status xd_workspace_create(void* cuda_stream, xd_workspace** workspace);
/* Waits for the work that uses it. Null is allowed. */
void xd_workspace_destroy(xd_workspace* workspace);
/* Waits for the stream; XD_OVERFLOW if an integer result of an earlier call did not fit into its type, XD_HEADROOM or
 * XD_BAD_OPTION if words were no state. */
xd_status xd_workspace_check(xd_workspace* workspace);

/* *device_result = xd_reduce's result, when the stream reaches it. Neither waits nor allocates, so it can be captured
 * in a graph; a graph must not run at the same time as other calls with this workspace. All pointers are the device's
 * and aligned to their types. Uses options->mode and ddof. An integer result that does not fit becomes 0, and
 * xd_workspace_check reports it. Errors: as of xd_reduce; XD_BAD_OPTION for a pointer that the device cannot use and
 * for a workspace of another device or in use by another thread. */
xd_status xd_enqueue(xd_workspace* workspace, int reduction, const xd_vector* a, const xd_vector* b, int result_type,
                     void* device_result, const xd_options* options);
/* Adds XD_DOT, XD_SUM or XD_SUM_OF_SQUARES of the vectors to xd_accumulator_word_count(a->type) words in the GPU's
 * memory, as one more accumulator. The words must be zero before the first call; sum them by NCCL or MPI, or pass them to
 * xd_accumulator_load. At most 2^30 calls on the same words. Errors as above. */
xd_status xd_enqueue_add(xd_workspace* workspace, int reduction, const xd_vector* a, const xd_vector* b,
                         int64_t* device_words);
/* Adds the count, the sum and the sum of squares to xd_moments_word_count(x->type) words in the GPU's memory, which must be
 * zero before the first call. Errors as above. */
xd_status xd_enqueue_add_moments(xd_workspace* workspace, const xd_vector* x, int64_t* device_words);

/* Add a state of each row, segment or group to words in the GPU's memory, when the stream reaches it: as
 * xd_rows_into and its like, but the words, xd_state_words(format) for each result, are not checked and must be zero before
 * the first call; at most 2^30 calls on the same words. Arrays, offsets and keys lie in the GPU's memory. Nothing is added
 * to a segment whose offsets are wrong, nor of an element whose key is out of range unless such are skipped;
 * xd_workspace_check then returns XD_BAD_OPTION and names the first. Neither wait; those of groups allocate in the
 * workspace, unless an earlier call needed as much. Errors: of xd_rows_into and its like, and of xd_enqueue. */
xd_status xd_enqueue_rows_into(xd_workspace* workspace, xd_state_format format, const xd_rows* a, const xd_rows* b,
                               int64_t* device_words);
xd_status xd_enqueue_segments_into(xd_workspace* workspace, xd_state_format format, const xd_vector* a,
                                   const xd_vector* b, const void* offsets, size_t segments, int offset_type,
                                   int64_t* device_words);
xd_status xd_enqueue_groups_into(xd_workspace* workspace, xd_state_format format, const xd_vector* a,
                                 const xd_vector* b, const xd_vector* keys, size_t groups, int skip_out_of_range,
                                 int64_t* device_words);

/* Words of `rows` states in the GPU's memory, `stride` words from row to row (0: one after another). The words of an
 * accumulator have the format XD_SUM in XD_FULL, those of moments XD_VARIANCE in XD_FULL. They may be elementwise sums of up
 * to 2^31 - 1 states, as after an allreduce (NCCL: ncclInt64, ncclSum). */
typedef struct xd_states {
  xd_state_format format;
  int64_t* words;
  size_t rows;
  size_t stride;
} xd_states;

/* device_results[i] = the state of row i as a reduction, rounded once to result_type, when the stream reaches it: XD_DOT,
 * XD_SUM, XD_ASUM and XD_SUM_OF_SQUARES its value, XD_NRM2 its root, XD_MEAN its quotient by `count` (of states of means and
 * variances, by the row's own); XD_VARIANCE and XD_STDDEV of states of variances, with options->ddof; of formats with more
 * than a sum, what xd_round_states gives. A row whose words are no state gives NaN, or 0 in
 * an integer type, and xd_workspace_check returns XD_HEADROOM or XD_BAD_OPTION. Neither waits nor allocates. Errors as of
 * xd_enqueue; XD_BAD_OPTION also for results that overlap the words. */
xd_status xd_enqueue_round(xd_workspace* workspace, int reduction, const xd_states* states, int result_type,
                           void* device_results, uint64_t count, const xd_options* options);
/* Row i of `states` += row i of `others`, as canonical words of one state; with others null the words become canonical.
 * Rows that are no states stay as they are, and xd_workspace_check says so. Errors as above; XD_SIZE_MISMATCH unless both
 * have as many rows of one format. */
xd_status xd_enqueue_merge(xd_workspace* workspace, const xd_states* states, const xd_states* others);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
