#pragma once
// The one way from a client's SQL to SQL that may be sent: parse, resolve every name (a stand-in goes
// where a mask is needed), choose the masks, print, verify, put the masks in place of the stand-ins, and
// verify the bytes that are sent. Pure: no I/O, no clock, no global. Thread-safe. Deep statements need stack:
// call on a thread of kParserStackBytes.
#include <string_view>

#include "rewriter/snapshot/snapshot.hpp"
#include "rewriter/statement/verdict.hpp"

namespace pgveil::rewriter {

[[nodiscard]] Verdict rewrite(std::string_view sql, const Client& client, const Snapshot& snapshot,
                              const Limits& limits = {});

}  // namespace pgveil::rewriter
