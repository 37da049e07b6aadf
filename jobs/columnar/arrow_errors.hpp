#pragma once
// Turns what Apache Arrow reports and throws into errors of ours. For the sources of this folder that include
// the library.
#include <arrow/status.h>

#include <new>
#include <stdexcept>

#include "common/assert.hpp"
#include "jobs/columnar/columnar_file.hpp"

namespace pgveil::app {

[[nodiscard]] Error ends_early(ColumnarFormat format);
[[nodiscard]] Error needs_too_much();
// For what can't be read. The library's own words are private_detail, because they can quote the file.
[[nodiscard]] Error error_of(const arrow::Status& status, ColumnarFormat format);

// The library's functions return their errors, but what they are made of can throw.
// to_error: an arrow::Status → Error.
template <class ToError, class Work>
auto without_exceptions(const ToError& to_error, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const Bug&) {
    throw;
  } catch (const std::bad_alloc&) {
    return needs_too_much();
  } catch (const std::exception& thrown) {
    return to_error(arrow::Status::Invalid(thrown.what()));
  }
}

}  // namespace pgveil::app
