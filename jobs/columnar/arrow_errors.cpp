#include "jobs/columnar/arrow_errors.hpp"

#include <fmt/format.h>

namespace pgveil::app {

Error ends_early(ColumnarFormat format) {
  return invalid_input(fmt::format("the {} ends early", words(format)), "it was cut off; copy it again");
}

Error needs_too_much() {
  return error_of_kind(ErrorKind::limit, "the table needs more than half of this machine's memory",
                       "publish it in parts");
}

Error error_of(const arrow::Status& status, ColumnarFormat format) {
  if (status.IsOutOfMemory() || status.IsCapacityError()) return needs_too_much();
  if (status.IsNotImplemented())
    return invalid_input(fmt::format("the {} needs a codec or another feature that {} does not have",
                                     words(format), columnar_library()),
                         "write it with a common codec, such as snappy or zstd", status.ToString());
  return invalid_input(fmt::format("the {} is damaged, or of a version that {} does not know", words(format),
                                   columnar_library()),
                       "copy it again, or write it in an older version of the format", status.ToString());
}

}  // namespace pgveil::app
