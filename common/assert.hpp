#pragma once
// PGVEIL_ASSERT is for bugs only, and is active in release builds too. User input must never reach one. It
// throws Bug, which ends the one session that met it (each session's handler catches it); nothing continues
// after it.
#include <stdexcept>

namespace pgveil {

class Bug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_assertion(const char* condition, const char* file, int line);

}  // namespace pgveil

#define PGVEIL_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::pgveil::fail_assertion(#condition, __FILE__, __LINE__))
