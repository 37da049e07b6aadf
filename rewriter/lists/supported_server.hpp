#pragma once
// Which PostgreSQL the lists of this folder were derived from and reviewed for. Another major version has
// other functions, catalog columns and node kinds, so it is refused until it has lists of its own.
#include "common/error.hpp"

namespace pgveil::rewriter {

inline constexpr int kSupportedMajor = 15;

// server_version: as libpq reports it, for example 150018. Errors: ErrorKind::server for another major
// version.
[[nodiscard]] Result<void> check_server_version(int server_version);

}  // namespace pgveil::rewriter
