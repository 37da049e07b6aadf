#pragma once
// The resolver refuses by throwing Stop, which the pipeline catches. A Stop never leaves rewriter/.
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
  std::string phrase =
      {};  // without a position: words of the statement at that place, because the tree has no offset
};

// byte_offset: a node's `location`; negative when unknown.
[[noreturn]] inline void refuse(Reason reason, std::string message, std::string hint = {},
                                int byte_offset = -1) {
  throw Stop{Refusal{reason, std::move(message), std::move(hint), byte_offset + 1}};
}

// phrase: tokens separated by one space.
[[noreturn]] inline void refuse_at(std::string phrase, Reason reason, std::string message,
                                   std::string hint = {}) {
  throw Stop{Refusal{reason, std::move(message), std::move(hint), 0}, std::move(phrase)};
}

[[noreturn]] inline void name_error(std::string_view state, std::string message, int byte_offset,
                                    std::string hint = {}) {
  throw Stop{Error{.kind = ErrorKind::unknown_object,
                   .sqlstate = std::string(state),
                   .public_message = std::move(message),
                   .hint = std::move(hint),
                   .position = byte_offset + 1}};
}

}  // namespace pgveil::rewriter
