#include "rewriter/pipeline/pipeline.hpp"

#include "pg/parse.hpp"
#include "pg/print.hpp"
#include "rewriter/pipeline/statement_steps.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {
namespace {

Verdict as_verdict(Objection objection) {
  return std::visit([](auto& it) -> Verdict { return std::move(it); }, objection);
}

Verdict rewrite_tree(pg::Tree& tree, std::string_view sql, const Client& client, const Snapshot& snapshot,
                     const Limits& limits) {
  Rewritten out;
  out.generation = snapshot.generation();
  Resolver resolver(snapshot, client, *tree.arena);
  const StatementContext context{client.role, snapshot, limits, *tree.arena};
  for (std::size_t i = 0; i < tree.result->n_stmts; ++i) {
    PgQuery__RawStmt& raw = *tree.result->stmts[i];
    Statement statement;
    try {
      statement = resolver.statement(raw.stmt);
    } catch (const Stop& stop) {
      return as_verdict(objection_of(stop, sql, start_of(raw, sql)));
    }
    auto finished = finish(raw, std::move(statement), resolver.stand_ins(), context);
    if (auto* objection = std::get_if<Objection>(&finished)) return as_verdict(std::move(*objection));
    auto made = with_masks(std::get<Finished>(finished), limits.output_bytes);
    if (auto* objection = std::get_if<Objection>(&made)) return as_verdict(std::move(*objection));
    auto& sent = std::get<Statement>(made);
    sent.source_begin = static_cast<std::size_t>(raw.stmt_location);
    const std::size_t rest = sql.size() - sent.source_begin;
    sent.source_bytes = raw.stmt_len > 0 ? static_cast<std::size_t>(raw.stmt_len) : rest;
    out.statements.push_back(std::move(sent));
  }
  out.versions = resolver.versions();
  return out;
}

}  // namespace

Verdict rewrite(std::string_view sql, const Client& client, const Snapshot& snapshot, const Limits& limits) {
  auto tree = pg::parse(sql, {.bytes = limits.statement_bytes, .nesting = limits.nesting});
  if (!tree) return tree.error();
  try {
    return rewrite_tree(*tree, sql, client, snapshot, limits);
  } catch (const pg::CannotPrint& cannot) {
    return unverified(cannot.what());
  }
}

}  // namespace pgveil::rewriter
