#include "proxy/session/own_statement.hpp"

#include <algorithm>

#include "common/assert.hpp"
#include "common/sql_quoting.hpp"
#include "rewriter/catalog/search_path.hpp"
#include "rewriter/lists/session_settings.hpp"

namespace pgveil::session {

namespace {

constexpr std::size_t kMaxRows = 1'000;  // far more than the number of settings

// Reads the same whatever standard_conforming_strings is.
}  // namespace

void OwnStatement::start(std::string sql) {
  PGVEIL_ASSERT(state_.server != nullptr);
  rows_.clear();
  state_.to_backend(wire::Query{.sql = std::move(sql)});
}

OwnStatement::Outcome OwnStatement::on_row(const wire::FrameView& frame) {
  const auto row = wire::decode_as<wire::DataRow>(frame.body);
  if (!row || rows_.size() >= kMaxRows) return Outcome::failed;
  const auto& values = row->values;
  if (values.size() == 2 && values[0] && values[1]) rows_.emplace_back(*values[0], *values[1]);
  return Outcome::under_way;
}

OwnStatement::Outcome OwnStatement::on_parameter(const wire::FrameView& frame) {
  const auto status = wire::decode_as<wire::ParameterStatus>(frame.body);
  if (!status) return Outcome::failed;
  note_parameter(*state_.server, status->name, status->value);
  return Outcome::under_way;
}

OwnStatement::Outcome OwnStatement::on_frame(const wire::FrameView& frame) {
  switch (frame.tag) {
    case wire::DataRow::tag: return on_row(frame);
    case wire::ParameterStatus::tag: return on_parameter(frame);
    case wire::RowDescription::tag:
    case wire::CommandComplete::tag:
    case wire::EmptyQueryResponse::tag:
    case wire::NoticeResponse::tag:
    case wire::NotificationResponse::tag: return Outcome::under_way;
    case wire::ReadyForQuery::tag: break;
    default: return Outcome::failed;
  }
  const auto ready = wire::decode_as<wire::ReadyForQuery>(frame.body);
  std::ranges::sort(rows_);
  return ready && ready->status == wire::TransactionStatus::idle ? Outcome::done : Outcome::failed;
}

// One set_config per row, so that any number of settings is one statement.
std::string text_to_apply(const Settings& settings) {
  std::string sql = "RESET ALL";
  for (const auto& [name, value] : settings) {
    sql += sql == "RESET ALL" ? "; SELECT " : ", ";
    sql += "pg_catalog.set_config(" + quoted_literal(name) + ", " + quoted_literal(value) + ", false)";
  }
  return sql;
}

// SET and set_config leave the source `session`, a start-up packet leaves `client`. Settings with a name
// of ours, such as the client's search path, are not listed in that view.
std::string text_to_read_settings() {
  std::string sql = "SELECT name, setting FROM pg_catalog.pg_settings WHERE source = 'session'";
  for (const std::string_view name : {rewriter::kPathSetting, rewriter::kNoticeSetting}) {
    const std::string literal = quoted_literal(name);
    sql += " UNION ALL SELECT " + literal + ", pg_catalog.current_setting(" + literal + ")";
  }
  return sql;
}

}  // namespace pgveil::session
