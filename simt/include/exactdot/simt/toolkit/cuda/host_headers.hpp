// Headers of the C++ library that CUDA's headers of cooperative groups and libcu++ bring along (as CUDA 13.0's do).
#pragma once

#include <chrono>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>
