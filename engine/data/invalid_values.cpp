#include "engine/data/invalid_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "common/sqlstate.hpp"

namespace pgveil::engine {

Error invalid_values(std::string message, std::string hint, const std::vector<std::string>& values) {
  return Error{.kind = ErrorKind::configuration,
               .sqlstate = std::string(sqlstate::kInvalidParameterValue),
               .public_message = std::move(message),
               .hint = std::move(hint),
               .private_detail = fmt::format("{}", fmt::join(values, ", "))};
}

}  // namespace pgveil::engine
