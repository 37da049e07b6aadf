#pragma once
// The verdict on a client's text: from the cache, from the template of its shape, or by rewriting it.
//
// Under the text itself the cache has its verdict. Under the shape_key with all literals opaque it has
// SeenShape, then which literals are opaque or NoTemplate. Under the shape_key with these it has the
// template, or NoTemplate. A template is made when a shape is met for the second time, so that a text that
// never comes again costs nothing more. A verdict that a template gives is not kept: its text is likely to
// be new again.
#include <memory>
#include <string_view>

#include "daemon/statements/verdict_cache.hpp"
#include "proxy/session/gate.hpp"

namespace pgveil::app {

struct FoundVerdict {
  enum class From { text, shape, rewriting };
  std::shared_ptr<const rewriter::Verdict> verdict;  // not null
  From from = From::rewriting;
  // The same statement with parameters, or with none if the text itself has come again. Null: it is not worth
  // keeping.
  std::shared_ptr<const session::KeptForm> kept = nullptr;
  bool may_keep_plan = false;  // session::Judgement's
};

// Texts that read only tables under guards take about half of their time for parsing and planning if they are
// short. For longer ones, which often aggregate, a plan for the values at hand is worth its price.
inline constexpr std::size_t kMostGuardedBytes = 2'048;

enum class KeptPlans { no, yes };

// What a verdict depends on besides the text. Valid as long as the caller's values.
struct JudgedFor {
  const rewriter::Client& client;
  std::string_view database;
  const rewriter::Snapshot& snapshot;
  const rewriter::Limits& limits;
  KeptPlans kept_plans = KeptPlans::no;
};

// The same verdict as rewriter::rewrite(), which runs at most three times, with `observer` the first time;
// see there for the stack that it needs. Thread-safe.
[[nodiscard]] FoundVerdict find_verdict(VerdictCache& cache, std::string_view sql,
                                        const JudgedFor& judged_for, rewriter::PassObserver& observer);

}  // namespace pgveil::app
