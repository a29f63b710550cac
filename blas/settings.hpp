// The settings of libexactdot_blas: environment variables, read once when the library is loaded.
//
//   EXACTDOT_BLAS_MODE     exact (default) or fast
//   EXACTDOT_BLAS_THREADS  CPU threads of a call, 0 for automatic; default: 1, since the caller may have threads
//   EXACTDOT_BLAS_COMPLEX  how Fortran gets a complex result: value (default, GNU) or argument (Intel)
//   EXACTDOT_BLAS_REPORT   1: a table of the calls on stderr at exit; another word: appended to that file
#pragma once

#include <exactdot/options.hpp>

namespace exactdot::blas {

struct settings {
  exactdot::options options;
  bool complex_by_argument = false;
  bool counts_calls = false;
  const char* report_file = nullptr;  ///< null: stderr; never freed, the table is written after destructors
};

/// Constant after the library is loaded; before that the defaults, with automatic threads.
extern const settings chosen;

}  // namespace exactdot::blas
