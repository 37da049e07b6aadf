#include "rewriter/lists/supported_server.hpp"

#include <fmt/format.h>

#include "common/sqlstate.hpp"

namespace pgveil::rewriter {

Result<void> check_server_version(int server_version) {
  const int major = major_of(server_version);
  if (is_supported_major(major)) return {};
  return Error{
      ErrorKind::server, std::string(sqlstate::kFeatureNotSupported),
      fmt::format("the server is PostgreSQL {}, pgveil supports {} to {}: its lists of safe functions and "
                  "catalog columns were derived from these majors and reviewed",
                  major, kOldestMajor, kNewestMajor),
      fmt::format("use a server of PostgreSQL {} to {}", kOldestMajor, kNewestMajor)};
}

}  // namespace pgveil::rewriter
