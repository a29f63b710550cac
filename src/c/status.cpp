// Status codes, their names, and the message of each thread.
//
// The message is an array in thread-local storage: storing a sentence allocates nothing, also when memory is short.
#include <algorithm>
#include <c/status.hpp>
#include <cstring>
#include <exactdot/info.hpp>
#include <new>

namespace exactdot::c {
namespace {

constinit thread_local char message[1024] = "";

void store_message(const char* sentence) noexcept {
  const std::size_t length = std::min(std::strlen(sentence), sizeof message - 1);
  std::memmove(message, sentence, length);
  message[length] = '\0';
}

xd_status status_of(errc code) noexcept {
  switch (code) {
    case errc::size_mismatch:
      return XD_SIZE_MISMATCH;
    case errc::null_pointer:
      return XD_NULL_POINTER;
    case errc::bad_option:
      return XD_BAD_OPTION;
    case errc::no_device:
      return XD_NO_DEVICE;
    case errc::empty_input:
      return XD_EMPTY_INPUT;
    case errc::overflow:
      return XD_OVERFLOW;
    case errc::headroom:
      return XD_HEADROOM;
    case errc::cancelled:
      return XD_CANCELLED;
    case errc::device_failure:
      return XD_DEVICE_FAILURE;
    case errc::file:
      return XD_FILE;
    case errc::communication:
      return XD_COMMUNICATION;
  }
  return XD_INTERNAL;
}

}  // namespace

xd_status status_of_current_exception() noexcept {
  try {
    throw;
  } catch (const error& thrown) {
    store_message(thrown.what());
    return status_of(thrown.code());
  } catch (const std::bad_alloc&) {
    store_message("exactdot: host memory is exhausted");
    return XD_OUT_OF_MEMORY;
  } catch (const std::exception& thrown) {
    store_message(thrown.what());
  } catch (...) {
    store_message("exactdot: an exception of an unknown type");
  }
  return XD_INTERNAL;
}

}  // namespace exactdot::c

xd_status xd_fail(xd_status status, const char* sentence) {
  exactdot::c::store_message(sentence == nullptr ? "" : sentence);
  return status;
}
const char* xd_message() { return exactdot::c::message; }
const char* xd_version() { return exactdot::version(); }

const char* xd_status_name(xd_status status) {
  switch (status) {
    case XD_OK:
      return "XD_OK";
    case XD_OUT_OF_MEMORY:
      return "XD_OUT_OF_MEMORY";
    case XD_INTERNAL:
      return "XD_INTERNAL";
    case XD_SIZE_MISMATCH:
      return "XD_SIZE_MISMATCH";
    case XD_NULL_POINTER:
      return "XD_NULL_POINTER";
    case XD_BAD_OPTION:
      return "XD_BAD_OPTION";
    case XD_NO_DEVICE:
      return "XD_NO_DEVICE";
    case XD_EMPTY_INPUT:
      return "XD_EMPTY_INPUT";
    case XD_OVERFLOW:
      return "XD_OVERFLOW";
    case XD_HEADROOM:
      return "XD_HEADROOM";
    case XD_CANCELLED:
      return "XD_CANCELLED";
    case XD_DEVICE_FAILURE:
      return "XD_DEVICE_FAILURE";
    case XD_FILE:
      return "XD_FILE";
    case XD_COMMUNICATION:
      return "XD_COMMUNICATION";
    default:
      return "unknown status";
  }
}
