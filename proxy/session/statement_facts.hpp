#pragma once
// What the session has to know of each kind of statement: what it reads, what it leaves behind on the server,
// and what transaction pooling makes of it.
#include <string_view>

#include "rewriter/pipeline/pipeline.hpp"

namespace pgveil::session {

// What running it does to the names that the session keeps. An empty name drops all.
enum class NameEffect { none, puts_statement, puts_cursor, drops_statement, drops_cursor, discards };

// What running it leaves on a connection that others will get.
enum class ConnectionEffect {
  none,
  may_change_settings,  // itself, or whatever it runs
  drops_statements      // all that are prepared there; and settings, as far as is known
};

struct StatementFacts {
  bool reads_tables = false;     // all others mean the same under every policy, or name another statement
  bool describes_first = false;  // its rows are described before any is read
  bool may_end_failed_transaction = false;
  NameEffect names = NameEffect::none;
  ConnectionEffect connection = ConnectionEffect::none;
  // As a refusal calls what would have to keep a connection to itself; empty: it need not.
  std::string_view needs_own_connection = "";
};

[[nodiscard]] constexpr StatementFacts facts_of(rewriter::StatementKind kind) {
  using Kind = rewriter::StatementKind;
  switch (kind) {
    case Kind::select:
    case Kind::copy_out: return {.reads_tables = true, .describes_first = true};
    case Kind::explain: return {.reads_tables = true};
    case Kind::prepare:
      return {.names = NameEffect::puts_statement,
              .connection = ConnectionEffect::may_change_settings,
              .needs_own_connection = "PREPARE"};
    case Kind::execute:
      return {.connection = ConnectionEffect::may_change_settings, .needs_own_connection = "EXECUTE"};
    case Kind::deallocate:
      return {.names = NameEffect::drops_statement, .connection = ConnectionEffect::drops_statements};
    case Kind::declare_cursor: return {.reads_tables = true, .names = NameEffect::puts_cursor};
    case Kind::close_cursor: return {.names = NameEffect::drops_cursor};
    case Kind::commit:
    case Kind::rollback:
    case Kind::savepoint: return {.may_end_failed_transaction = true};
    case Kind::set: return {.connection = ConnectionEffect::may_change_settings};
    case Kind::discard:
      return {.names = NameEffect::discards, .connection = ConnectionEffect::drops_statements};
    case Kind::fetch:
    case Kind::begin:
    case Kind::show: return {};
  }
  return {.connection = ConnectionEffect::may_change_settings};
}

}  // namespace pgveil::session
