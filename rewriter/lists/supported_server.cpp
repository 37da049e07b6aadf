#include "rewriter/lists/supported_server.hpp"

#include <fmt/format.h>

#include "common/sqlstate.hpp"

namespace pgveil::rewriter {

Result<void> check_server_version(int server_version) {
  const int major = server_version / 10'000;
  if (major == kSupportedMajor) return {};
  return Error{
      ErrorKind::server, std::string(sqlstate::kFeatureNotSupported),
      fmt::format("the server is PostgreSQL {}, pgveil supports {} only: its lists of safe functions and "
                  "catalog columns were derived from that version and reviewed",
                  major, kSupportedMajor),
      fmt::format("use a PostgreSQL {} server", kSupportedMajor)};
}

}  // namespace pgveil::rewriter
