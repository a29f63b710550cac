// The version. The only file that depends on the commit.
#include <exactdot/info.hpp>
#include <exactdot_version.hpp>  // cmake/version.cmake writes it

namespace exactdot::inline v0_3 {

const char* version() noexcept { return EXACTDOT_VERSION; }

}  // namespace exactdot::inline v0_3
