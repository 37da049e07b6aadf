#pragma once
// The one way from a client's SQL to SQL that may be sent. A text is parsed, every name in it is resolved (a
// stand-in goes where a mask is needed), and each statement goes through the passes of passes.hpp: the masks
// are chosen, the statement is printed and verified, the masks take the places of the stand-ins, and the
// bytes that are sent are verified. Pure: no I/O, no clock, no global. Thread-safe. Deep statements need
// stack: call it on a thread of kParserStackBytes.
#include <string_view>

#include "rewriter/pipeline/literal_trace.hpp"
#include "rewriter/pipeline/pass.hpp"
#include "rewriter/snapshot/snapshot.hpp"
#include "rewriter/statement/verdict.hpp"

namespace pgveil::rewriter {

// observer and trace: null when nobody looks on.
[[nodiscard]] Verdict rewrite(std::string_view sql, const Client& client, const Snapshot& snapshot,
                              const Limits& limits = {}, PassObserver* observer = nullptr,
                              LiteralTrace* trace = nullptr);

}  // namespace pgveil::rewriter
