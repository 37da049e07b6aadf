#include "rewriter/pipeline/pipeline.hpp"

#include "pg/parse.hpp"
#include "pg/print.hpp"
#include "rewriter/pipeline/passes.hpp"
#include "rewriter/resolve/resolver.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {
namespace {

Verdict as_verdict(Objection objection) {
  return std::visit([](auto& it) -> Verdict { return std::move(it); }, objection);
}

void begins(PassObserver* observer, Pass pass) {
  if (observer != nullptr) observer->begins(pass);
}

// Where the statement is in the client's text, without its semicolon.
void put_source(const PgQuery__RawStmt& raw, std::string_view sql, Statement& statement) {
  statement.source_begin = static_cast<std::size_t>(raw.stmt_location);
  const std::size_t rest = sql.size() - statement.source_begin;
  statement.source_bytes = raw.stmt_len > 0 ? static_cast<std::size_t>(raw.stmt_len) : rest;
}

Verdict rewrite_tree(pg::Tree& tree, std::string_view sql, const Client& client, const Snapshot& snapshot,
                     const Limits& limits, PassObserver* observer, LiteralTrace* trace) {
  Rewritten out;
  out.generation = snapshot.generation();
  Resolver resolver(snapshot, client, *tree.arena);
  const StatementContext context{client.role, snapshot,           limits, *tree.arena,
                                 observer,    client.sends_ascii, trace};
  for (std::size_t i = 0; i < tree.result->n_stmts; ++i) {
    PgQuery__RawStmt& raw = *tree.result->stmts[i];
    begins(observer, Pass::resolve);
    Statement statement;
    try {
      statement = resolver.statement(raw.stmt);
    } catch (const Stop& stop) {
      return as_verdict(objection_of(stop, sql, start_of(raw, sql)));
    }
    StatementWork work{.raw = raw, .stand_ins = resolver.stand_ins(), .statement = std::move(statement)};
    if (auto objection = run(statement_passes(), work, context)) return as_verdict(std::move(*objection));
    put_source(raw, sql, work.statement);
    out.statements.push_back(std::move(work.statement));
  }
  out.versions = resolver.versions();
  return out;
}

Verdict rewrite_text(std::string_view sql, const Client& client, const Snapshot& snapshot,
                     const Limits& limits, PassObserver* observer, LiteralTrace* trace) {
  begins(observer, Pass::parse);
  auto tree = pg::parse(sql, {.bytes = limits.statement_bytes, .nesting = limits.nesting});
  if (!tree) return tree.error();
  try {
    return rewrite_tree(*tree, sql, client, snapshot, limits, observer, trace);
  } catch (const pg::CannotPrint& cannot) {
    return unverified(cannot.what());
  }
}

}  // namespace

Verdict rewrite(std::string_view sql, const Client& client, const Snapshot& snapshot, const Limits& limits,
                PassObserver* observer, LiteralTrace* trace) {
  Verdict verdict = rewrite_text(sql, client, snapshot, limits, observer, trace);
  if (observer != nullptr) observer->ends();
  return verdict;
}

}  // namespace pgveil::rewriter
