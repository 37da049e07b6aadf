#pragma once
// Secrets that decide what a job draws: known to nobody, and forgotten with the run.
#include <string>

namespace pgveil::app {

// 32 bytes from OpenSSL's generator.
[[nodiscard]] std::string random_secret();

}  // namespace pgveil::app
