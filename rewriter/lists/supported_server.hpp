#pragma once
// Which majors of PostgreSQL the lists of this folder were derived from and reviewed for. Another major has
// other functions, catalog columns and kinds of nodes, so it is refused until it has lists of its own.
#include "common/error.hpp"

namespace pgveil::rewriter {

inline constexpr int kOldestMajor = 15;
inline constexpr int kNewestMajor = 18;

// server_version: as libpq reports it, for example 150018.
[[nodiscard]] constexpr int major_of(int server_version) {
  return server_version / 10'000;
}
[[nodiscard]] constexpr bool is_supported_major(int major) {
  return major >= kOldestMajor && major <= kNewestMajor;
}

// Errors: ErrorKind::server for another major.
[[nodiscard]] Result<void> check_server_version(int server_version);

}  // namespace pgveil::rewriter
