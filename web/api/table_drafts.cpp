#include "web/api/table_drafts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <cmath>
#include <map>
#include <set>

#include "common/sqlstate.hpp"
#include "daemon/policies/table_survey.hpp"
#include "db/catalog/surroundings_loader.hpp"
#include "draft/draft.hpp"
#include "draft/personal.hpp"
#include "draft/sample.hpp"
#include "settings/policy_folder.hpp"
#include "web/api/columns.hpp"
#include "web/api/design.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;
using rewriter::RelationKind;

constexpr std::size_t kMostPersonal = 8;

json::value text_or_none(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

json::array texts_json(const std::vector<std::string>& texts) {
  json::array out;
  for (const auto& text : texts) out.push_back(json::string(text));
  return out;
}

// ---- how a table stands

std::string_view kind_word(RelationKind kind) {
  switch (kind) {
    case RelationKind::table: return "table";
    case RelationKind::partitioned_table: return "partitioned table";
    case RelationKind::view: return "view";
    case RelationKind::materialized_view: return "materialized view";
    case RelationKind::foreign_table: return "foreign table";
    case RelationKind::sequence: return "sequence";
  }
  return "";
}

using PoliciesByTable = std::multimap<std::string, const rewriter::Snapshot::ProtectedTable*>;

PoliciesByTable policies_by_table(const rewriter::Snapshot& snapshot) {
  PoliciesByTable out;
  for (const auto& table : snapshot.protected_tables())
    out.emplace(table.state.spec->schema + "." + table.state.spec->table, &table);
  return out;
}

json::object policy_json(const rewriter::PolicyState& state) {
  const bool is_open = state.version != nullptr;
  return {{"name", state.spec->name},
          {"state", is_open ? "open" : "closed"},
          {"why", is_open ? json::value(nullptr) : text_or_none(state.closed_because)},
          {"number", is_open ? state.version->number : 0}};
}

class Standing {
 public:
  Standing(const DatabaseView& view)
      : snapshot_(*view.snapshot),
        policies_(policies_by_table(snapshot_)),
        open_(view.input->open_tables.begin(), view.input->open_tables.end()) {}

  // Adds state, why and policies.
  void tell(const rewriter::Relation& relation, json::object& out) const {
    const std::string name = relation.schema + "." + relation.name;
    json::array policies;
    std::string_view state = "unlisted";
    std::string why;
    const auto [first, last] = policies_.equal_range(name);
    for (auto it = first; it != last; ++it) {
      const auto& policy = it->second->state;
      policies.push_back(policy_json(policy));
      if (policy.version) {
        state = "protected";
      } else if (state != "protected") {
        state = "closed";
        why = policy.closed_because;
      }
    }
    if (first == last && open_.contains(name)) {
      const std::string* shut = snapshot_.shut_because(relation);
      state = shut != nullptr ? "closed" : "open";
      why = shut != nullptr ? *shut : "";
    }
    out["state"] = state;
    out["why"] = state == "closed" ? text_or_none(why) : json::value(nullptr);
    out["policies"] = std::move(policies);
  }

 private:
  const rewriter::Snapshot& snapshot_;
  const PoliciesByTable policies_;
  const std::set<std::string> open_;
};

// ---- what it looks like

std::string_view looks_of(draft::Role role) {
  switch (role) {
    case draft::Role::persons: return "persons";
    case draft::Role::events: return "events";
    case draft::Role::reference: return "reference";
    case draft::Role::closed: return "unknown";
  }
  return "";
}

json::array personal_json(const std::vector<draft::ColumnFacts>& columns) {
  json::array out;
  for (const auto& found : draft::personal_columns(columns)) {
    if (out.size() == kMostPersonal) break;
    out.push_back({{"column", found.column}, {"what", found.what}});
  }
  return out;
}

json::value estimate_json(const std::optional<double>& rows) {
  return rows ? json::value(std::llround(*rows)) : json::value(nullptr);
}

// ---- reading

Result<const DatabaseView*> view_of(const Present& present, const std::string& database) {
  const auto view = present.databases.find(database);
  if (view == present.databases.end())
    return Error{ErrorKind::unknown_object, std::string(sqlstate::kInvalidParameterValue),
                 "the database is none of backend.databases", "choose one that is served"};
  if (view->second.snapshot && view->second.input) return &view->second;
  return Error{ErrorKind::server, std::string(sqlstate::kCannotConnectNow),
               "the database's catalog is not known at the moment", "try again"};
}

struct KnownTables {
  db::StatisticsOfTables statistics;
  SurveyedTables tables;
};

Result<KnownTables> read_tables(const Present& present, const std::string& database,
                                const rewriter::Catalog& catalog) {
  auto statistics = db::load_table_statistics(build_endpoint(present.config), database);
  if (!statistics) return statistics.error();
  const auto surroundings = db::load_surroundings(query_endpoint(present.config), database);
  if (!surroundings) return surroundings.error();
  auto tables = survey_tables(catalog, *surroundings, *statistics, Unreadable::is_no_matter);
  tables.database.name = database;
  return KnownTables{std::move(*statistics), std::move(tables)};
}

bool is_listed_kind(const rewriter::Relation& relation) {
  return relation.kind != RelationKind::sequence && !relation.is_partition && is_users_place(relation.schema);
}

// Of a relation that no policy is drafted for.
constexpr std::string_view kNoTable =
    "it is no table of its own: a policy with `source` can publish what it shows (docs/policy-language.md)";

void tell_plan(const draft::PlannedTable* planned, json::object& out) {
  if (planned == nullptr) {
    out["looks"] = "unknown";
    out["reason"] = kNoTable;
    out["can_draft"] = false;
    out["why_not"] = kNoTable;
    return;
  }
  out["looks"] = looks_of(planned->role.role);
  out["reason"] = planned->role.reason;
  const bool can_draft = draft::can_be_chosen(planned->role);
  out["can_draft"] = can_draft;
  out["why_not"] = can_draft ? json::value(nullptr) : json::value(planned->role.reason);
}

json::object table_json(const rewriter::Relation& relation, const db::TableStatistics& statistics,
                        const draft::PlannedTable* planned, const Standing& standing) {
  json::object out{{"table", relation.schema + "." + relation.name},
                   {"schema", relation.schema},
                   {"name", relation.name},
                   {"kind", kind_word(relation.kind)},
                   {"rows", estimate_json(statistics.rows)},
                   {"may_count", statistics.is_readable},
                   {"personal", personal_json(column_facts(relation, statistics))}};
  standing.tell(relation, out);
  tell_plan(planned, out);
  return out;
}

// ---- the draft of one

std::set<std::string> names_of(const Specs& specs) {
  std::set<std::string> names;
  for (const auto& spec : specs) names.insert(spec->name);
  return names;
}

// Where statistics know nothing, the sample does.
void add_numbers(const draft::TableFacts& table, std::size_t column, json::object& out) {
  if (out.at("distinct").is_null()) out["distinct"] = estimate_json(draft::distinct_of(table, column));
  const auto sample = draft::sample_of(table, column);
  if (!out.at("null_share").is_null() || !sample || table.sample->rows() == 0) return;
  out["null_share"] = 1 - static_cast<double>(sample->rows) / static_cast<double>(table.sample->rows());
}

void add_draft(const draft::ColumnDraft* column, json::object& out) {
  out["class"] = column == nullptr ? json::value(nullptr) : json::value(class_word(column->column_class));
  out["reason"] = column == nullptr ? json::value(nullptr) : json::value(column->reason);
  out["generalize"] = column == nullptr ? json::value(nullptr) : text_or_none(column->generalize);
  out["more"] = column == nullptr ? json::value(nullptr) : text_or_none(column->more);
}

void add_columns(const draft::TableFacts& table, const draft::TableDraft& draft, json::object& answer) {
  for (auto& value : answer.at("columns").as_array()) {
    auto& out = value.as_object();
    const std::string_view name = out.at("name").as_string();
    const auto drafted = std::ranges::find(draft.columns, name, &draft::ColumnDraft::name);
    const auto fact =
        std::ranges::find_if(table.columns, [&](const auto& it) { return it.column.name == name; });
    if (fact != table.columns.end())
      add_numbers(table, static_cast<std::size_t>(fact - table.columns.begin()), out);
    add_draft(drafted == draft.columns.end() ? nullptr : &*drafted, out);
  }
}

json::value draft_json(const Present& present, const draft::Database& database,
                       const draft::PlannedTable& planned) {
  if (planned.policy.empty()) return nullptr;
  const auto& draft = planned.draft;
  return json::object{{"policy", planned.policy},
                      {"file", text_or_none(free_policy_file(present.config, planned.policy))},
                      {"k", draft.k},
                      {"k_reason", draft.k_reason},
                      {"unit", draft.unit ? json::value(*draft.unit) : json::value(nullptr)},
                      {"unit_reason", text_or_none(draft.unit_reason)},
                      {"priority", texts_json(draft.priority)},
                      {"findings", texts_json(draft.findings)},
                      {"yaml", draft::policy_text(database, planned, {})}};
}

// A table that can't be read, or not in time, is drafted from statistics alone.
Result<void> read_table_sample(const Present& present, const std::string& database, std::size_t table,
                               KnownTables& read) {
  const auto endpoint = build_endpoint(present.config);
  const auto encoding = db::load_encoding(endpoint, database);
  if (!encoding) return encoding.error();
  read.tables.database.has_prefixes = *encoding != "SQL_ASCII";
  auto sampler = db::TableSampler::open(endpoint, database);
  if (!sampler) return sampler.error();
  static_cast<void>(add_sample(read.tables, table, *sampler));
  return {};
}

}  // namespace

Result<json::object> tables_to_protect(const Present& present, const std::string& database) {
  const auto view = view_of(present, database);
  if (!view) return view.error();
  const rewriter::Catalog& catalog = (*view)->snapshot->catalog();
  const auto known = read_tables(present, database, catalog);
  if (!known) return known.error();
  const auto planned = draft::plan(known->tables.database);
  std::map<std::uint32_t, const draft::PlannedTable*> plans;
  for (const auto& plan : planned) plans.emplace(known->tables.relations[plan.table]->oid, &plan);
  const Standing standing(**view);
  json::array tables;
  for (const auto& [name, relation] : catalog.relations) {
    if (!is_listed_kind(relation)) continue;
    const auto found = known->statistics.find(relation.oid);
    const bool is_known = found != known->statistics.end();
    if (is_known && found->second.is_of_extension) continue;
    const auto plan = plans.find(relation.oid);
    tables.push_back(table_json(relation, is_known ? found->second : db::TableStatistics{},
                                plan == plans.end() ? nullptr : plan->second, standing));
  }
  const auto folder = policy_folder(present.config);
  return json::object{{"database", database},
                      {"policy_folder", folder ? json::value(folder->name) : json::value(nullptr)},
                      {"tables", std::move(tables)}};
}

Result<json::object> draft_of_table(const Present& present, const std::string& database,
                                    std::string_view table) {
  const auto place = table_named(present.config, database, table);
  if (!place) return place.error();
  const auto view = view_of(present, database);
  if (!view) return view.error();
  const auto columns = db::load_columns(build_endpoint(present.config), database, place->schema, place->name);
  if (!columns) return columns.error();
  auto known = read_tables(present, database, (*view)->snapshot->catalog());
  if (!known) return known.error();
  auto answer = columns_json(*columns);
  const auto& tables = known->tables.database.tables;
  const auto found = std::ranges::find_if(
      tables, [&](const auto& it) { return it.schema == place->schema && it.name == place->name; });
  if (found == tables.end()) {
    add_columns({}, {}, answer);
    answer["draft"] = nullptr;
    answer["why_not"] = kNoTable;
    return answer;
  }
  const auto number = static_cast<std::size_t>(found - tables.begin());
  if (const auto read = read_table_sample(present, database, number, *known); !read) return read.error();
  const auto planned = draft::plan_chosen(known->tables.database, number, names_of(present.specs));
  add_columns(*found, planned.draft, answer);
  answer["rows"] = estimate_json(found->rows);
  answer["sampled"] = found->sample ? found->sample->rows() : 0;
  answer["may_count"] = known->statistics.at(known->tables.relations[number]->oid).is_readable;
  answer["looks"] = looks_of(planned.role.role);
  answer["reason"] = planned.role.reason;
  answer["draft"] = draft_json(present, known->tables.database, planned);
  answer["why_not"] = planned.policy.empty() ? json::value(planned.role.reason) : json::value(nullptr);
  return answer;
}

}  // namespace pgveil::app
