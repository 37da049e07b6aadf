#pragma once
// How the resolver says no: it throws Stop, the pipeline catches it. Stop never leaves rewriter/.
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "common/error.hpp"
#include "common/refusal.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::rewriter {

struct Stop {
  std::variant<Refusal, Error>
      what;  // positions are byte offsets + 1 until the pipeline turns them into characters
};

// byte_offset: a node's `location`; negative when unknown.
[[noreturn]] inline void refuse(Reason reason, std::string message, std::string hint = {},
                                int byte_offset = -1) {
  throw Stop{Refusal{reason, std::move(message), std::move(hint), byte_offset + 1}};
}

[[noreturn]] inline void name_error(std::string_view state, std::string message, int byte_offset) {
  throw Stop{Error{.kind = ErrorKind::unknown_object,
                   .sqlstate = std::string(state),
                   .public_message = std::move(message),
                   .position = byte_offset + 1}};
}

}  // namespace pgveil::rewriter
