// cuda_runtime_api.h for programs that simtcc compiles. It claims the version of the toolkit whose functions it
// follows.
#pragma once

#include <exactdot/simt/runtime/attributes.hpp>
#include <exactdot/simt/runtime/device.hpp>
#include <exactdot/simt/runtime/errors.hpp>
#include <exactdot/simt/runtime/graphs.hpp>
#include <exactdot/simt/runtime/memory.hpp>
#include <exactdot/simt/runtime/pools.hpp>
#include <exactdot/simt/runtime/streams.hpp>

#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define CUDART_CB

// By these, headers of others know that the types and functions of the runtime are there.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_API_H__
