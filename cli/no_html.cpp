// Option --html in a build without the simulator: an error.
#include <cli/html.hpp>
#include <exactdot/error.hpp>

namespace exactdot::cli {
namespace {

[[noreturn]] void refuse() {
  throw error(errc::no_device, "--html: this program was built without the simulator (EXACTDOT_BUILD_SIMT=OFF)");
}

}  // namespace

void write_lab_page(const lab_arguments&) { refuse(); }
void write_hazards_page(const hazards_arguments&) { refuse(); }

}  // namespace exactdot::cli
