#include "web/api/raw_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>

#include "common/sqlstate.hpp"
#include "console/quote.hpp"
#include "db/policy_table/raw_rows.hpp"
#include "web/api/json.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

// In the form of the console's tables, including their encoding.
json::array rows_json(const db::RawRows& found, std::vector<std::optional<std::string>> db::RawRow::*side) {
  console::Table table{found.columns, {}, "", {}};
  for (const auto& row : found.rows) table.rows.push_back(row.*side);
  return std::move(json_of(table).at("rows").as_array());
}

json::array notices_of(const db::RawRows& found, const policy::PolicySpec& spec) {
  json::array notices;
  if (found.has_more)
    notices.emplace_back(fmt::format("the first {} rows; there are more", found.rows.size()));
  if (!found.is_in_key_order) notices.emplace_back("the table has no primary key: its rows are in no order");
  if (spec.enforcement == policy::Enforcement::copy)
    notices.emplace_back(
        "readers are answered from a copy of the time of the build; these are the rows as they are now");
  notices.emplace_back(fmt::format("texts are cut after {} characters", db::kMostRawCharacters));
  return notices;
}

}  // namespace

Result<void> check_listed(const Config& config, const std::string& role,
                          const std::vector<std::string>& listed, std::string_view key) {
  const bool is_listed = std::ranges::find(listed, role) != listed.end();
  if (is_listed && standing_of(config, role) == console::Standing::admin) return {};
  return Error{ErrorKind::usage, std::string(sqlstate::kInsufficientPrivilege),
               fmt::format("this is for the admins in admin.http.{}", key),
               "who owns the configuration says who they are"};
}

Result<json::object> told(Result<RawLook> look, const std::function<bool(const std::string& words)>& say) {
  if (!look) return look.error();
  if (!say(fmt::format("{} RAW ROWS OF TABLE {}", look->rows, look->table))) return unrecorded();
  return std::move(look->answer);
}

Result<RawLook> RawRowsView::look(const Present& present, const std::string& policy) {
  const auto spec = find_policy(present.specs, policy);
  if (!spec) return spec.error();
  const auto version = state_of(present, *spec).version;
  if (!version)
    return Error{ErrorKind::policy, std::string(sqlstate::kInvalidParameterValue), "the policy is closed",
                 "build it first"};
  return take(present.config, **spec, *version, kMostRows);
}

Result<RawLook> RawRowsView::look_at_draft(const Config& config, const DraftVersion& draft) {
  return take(config, *draft.spec, draft.version, kSampleRows);
}

Result<RawLook> RawRowsView::take(const Config& config, const policy::PolicySpec& spec,
                                  const policy::PolicyVersion& version, std::size_t most) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock)
    return Error{ErrorKind::limit, std::string(sqlstate::kProgramLimitExceeded),
                 "another look is being taken", "ask again in a moment"};
  const auto found = db::read_raw_rows(build_endpoint(config), spec, version, most);
  if (!found) return found.error();
  json::array columns;
  for (const auto& column : found->columns) columns.emplace_back(column);
  RawLook made;
  made.table = console::shown_name(spec.schema) + "." + console::shown_name(spec.table);
  made.rows = found->rows.size();
  made.answer = {{"policy", spec.name},
                 {"table", spec.schema + "." + spec.table},
                 {"number", version.number},
                 {"columns", std::move(columns)},
                 {"raw", rows_json(*found, &db::RawRow::raw)},
                 {"masked", rows_json(*found, &db::RawRow::masked)},
                 {"notices", notices_of(*found, spec)}};
  return made;
}

}  // namespace pgveil::app
