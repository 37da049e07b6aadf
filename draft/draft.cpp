#include "draft/draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/ascii.hpp"
#include "draft/yaml_text.hpp"

namespace pgveil::draft {
namespace {

constexpr std::size_t kLongestName = 63;

std::string folded_name(std::string_view name) {
  std::string out;
  for (const char c : name) out += is_letter(c) || is_digit(c) ? lower(c) : '_';
  const bool has_word = std::ranges::any_of(out, [](char c) { return c != '_'; });
  if (!has_word) return "protected_table";  // of a name in another script
  if (is_digit(out.front())) out.insert(0, "t_");
  return out;
}

// "patients", or "hr_patients" if another table has that name, or with a number.
std::string policy_name(const TableFacts& table, std::set<std::string>& taken) {
  std::string name = folded_name(table.name).substr(0, kLongestName);
  if (taken.contains(name)) name = folded_name(table.schema + "_" + table.name).substr(0, kLongestName);
  for (int number = 2; !taken.insert(name).second; ++number) {
    const std::string ending = fmt::format("_{}", number);
    name = folded_name(table.name).substr(0, kLongestName - ending.size()) + ending;
  }
  return name;
}

}  // namespace

std::vector<PlannedTable> plan(const Database& database) {
  const auto roles = roles_of(database);
  std::vector<PlannedTable> planned;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < database.tables.size(); ++i) {
    PlannedTable one{i, roles[i], "", {}};
    if (roles[i].role == Role::persons || roles[i].role == Role::events) {
      auto proposal = propose(database, database.tables[i], roles[i], roles);
      if (proposal.draft) {
        one.policy = policy_name(database.tables[i], taken);
        one.draft = std::move(*proposal.draft);
      } else {
        one.role.role = Role::closed;
        one.role.reason += "; " + proposal.why_not;
      }
    }
    planned.push_back(std::move(one));
  }
  return planned;
}

bool can_be_chosen(const TableRole& role) {
  return !role.is_about_persons || role.role == Role::persons || role.role == Role::events;
}

PlannedTable plan_chosen(const Database& database, std::size_t table, std::set<std::string> taken) {
  const auto roles = roles_of(database);
  PlannedTable planned{table, roles[table], "", {}};
  const auto& facts = database.tables[table];
  if (facts.obstacle != Obstacle::none || !can_be_chosen(planned.role)) return planned;
  const bool is_personal = planned.role.role == Role::persons || planned.role.role == Role::events;
  TableRole role = planned.role;
  if (!is_personal) {
    role.role = Role::persons;
    role.reason = "it was chosen, although " + role.reason;
  }
  auto proposal = propose(database, facts, role, roles);
  if (!proposal.draft) {
    planned.role.role = Role::closed;
    planned.role.reason = proposal.why_not;
    return planned;
  }
  planned.role = std::move(role);
  planned.policy = policy_name(facts, taken);
  planned.draft = std::move(*proposal.draft);
  return planned;
}

namespace {

std::string class_name(policy::ColumnClass column_class) {
  switch (column_class) {
    case policy::ColumnClass::identifier: return "identifier";
    case policy::ColumnClass::quasi_identifier: return "quasi_identifier";
    case policy::ColumnClass::sensitive: return "sensitive";
    case policy::ColumnClass::insensitive: return "insensitive";
    case policy::ColumnClass::key: return "key";
  }
  return "";
}

std::string rows_in_words(const TableFacts& table) {
  if (table.is_sample_whole) return fmt::format("{} rows", table.sample->rows());
  return table.rows ? fmt::format("about {:.0f} rows", *table.rows) : "an unknown number of rows";
}

std::string head_of(const Database& database, const PlannedTable& planned) {
  const auto& table = database.tables[planned.table];
  std::string out = comment(fmt::format("A draft by pgveil for {} ({}). Why it needs a policy: {}.",
                                        name_of(table), rows_in_words(table), planned.role.reason));
  std::string what =
      "Read each line: you know what others may know of these persons, and pgveil does not. "
      "identifier: always NULL. quasi_identifier: shown where at least k persons share what is shown. "
      "sensitive and insensitive: shown as they are.";
  for (const auto& finding : planned.draft.findings) what += " " + finding;
  return out + comment(what);
}

// Each column on a line with its reason behind it; what could be added stands above.
std::string columns_of(const TableDraft& draft) {
  std::size_t width = 0;
  std::vector<std::string> entries;
  for (const auto& column : draft.columns) {
    std::string entry =
        fmt::format("      {}: {{class: {}", yaml_name(column.name), class_name(column.column_class));
    if (!column.generalize.empty()) entry += ", generalize: " + column.generalize;
    entries.push_back(entry + "}");
    width = std::max(width, entries.back().size());
  }
  constexpr std::size_t kMostAligned = 70;
  width = std::min(width, kMostAligned);
  std::string out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!draft.columns[i].more.empty()) out += comment(draft.columns[i].more, "      ");
    out += fmt::format("{:<{}}  # {}\n", entries[i], width, in_comment(draft.columns[i].reason));
  }
  return out;
}

std::string yaml_list(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ", ") + yaml_name(name);
  return "[" + out + "]";
}

bool has_plain_table_name(const TableFacts& table) {
  const auto is_plain = [](std::string_view name) {
    return std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
  };
  return is_plain(table.schema) && is_plain(table.name);
}

}  // namespace

std::string policy_text(const Database& database, const PlannedTable& planned,
                        const std::vector<std::string>& readers) {
  const auto& table = database.tables[planned.table];
  const auto& draft = planned.draft;
  std::string out = head_of(database, planned);
  out += "version: 1\npolicies:\n";
  out += fmt::format("  - name: {}\n    database: {}\n", yaml_name(planned.policy), yaml_name(database.name));
  out += fmt::format("    table: {}\n", has_plain_table_name(table) ? yaml_name(name_of(table))
                                                                    : yaml_list({table.schema, table.name}));
  out += comment(draft.k_reason, "    ") + fmt::format("    k: {}\n", draft.k);
  if (draft.unit)
    out += comment(draft.unit_reason, "    ") + fmt::format("    unit: {}\n", yaml_name(*draft.unit));
  out += fmt::format("    readers: {}\n", yaml_list(readers));
  if (!draft.priority.empty()) {
    out += comment("What is disclosed first. Put the columns first that your analysts group by.", "    ");
    out += fmt::format("    priority: {}\n", yaml_list(draft.priority));
  }
  return out + "    columns:\n" + columns_of(draft);
}

namespace {

std::vector<std::string> schemas_of(const Database& database, const std::vector<PlannedTable>& planned) {
  std::vector<std::string> schemas{"public"};
  for (const auto& one : planned) {
    const auto& schema = database.tables[one.table].schema;
    if (one.role.role != Role::closed && std::ranges::find(schemas, schema) == schemas.end())
      schemas.push_back(schema);
  }
  return schemas;
}

std::string open_tables(const Database& database, const std::vector<PlannedTable>& planned) {
  std::string out;
  for (const auto& one : planned) {
    if (one.role.role != Role::reference) continue;
    out += fmt::format("  - {}  # {}\n", yaml_name(name_of(database.tables[one.table])),
                       in_comment(one.role.reason));
  }
  return comment("Shown as they are, to every user. Take out what is not for everybody.") +
         (out.empty() ? "open_tables: []\n" : "open_tables:\n" + out);
}

std::string closed_tables(const Database& database, const std::vector<PlannedTable>& planned) {
  std::string out;
  for (const auto& one : planned) {
    if (one.role.role != Role::closed) continue;
    out += fmt::format("#   - {}  # {}\n", yaml_name(name_of(database.tables[one.table])),
                       in_comment(one.role.reason));
  }
  if (out.empty()) return "";
  return comment("Closed to everybody. To open one, move its line to open_tables.") + out;
}

std::string backend_tls(const ServerPlace& place) {
  if (place.tls_mode.empty()) return "";
  std::string files;
  if (!place.authorities.empty()) files += ", ca_file: " + yaml_name(place.authorities);
  if (!place.revoked.empty()) files += ", crl_file: " + yaml_name(place.revoked);
  const std::string_view advice =
      place.tls_mode == "verify-full" ? "" : "  # verify-full with a ca_file checks the server's name too";
  return fmt::format("tls: {{backend: {{mode: {}{}}}}}{}\n", place.tls_mode, files, advice);
}

}  // namespace

std::string config_text(const Database& database, const std::vector<PlannedTable>& planned,
                        const ServerPlace& place) {
  std::string out =
      comment(fmt::format("Written by pgveil init for database {}. docs/config.md describes every key, and "
                          "docs/first-day.md the next steps. Paths are relative to this file.",
                          database.name));
  out += fmt::format("listen: {{host: 127.0.0.1, port: {}}}  # clients connect here\n", place.listen_port);
  out +=
      fmt::format("backend:\n  host: {}\n  port: {}\n  databases: {}\n  schemas: {}\n", yaml_name(place.host),
                  place.port, yaml_list({database.name}), yaml_list(schemas_of(database, planned)));
  out += "  query_role: {user: pgveil_query, password_file: query_password}  # runs what clients ask\n";
  out +=
      "  admin_role: {user: pgveil_admin, password_file: admin_password}  # counts; never runs what clients "
      "ask\n";
  out += backend_tls(place);
  out += "auth: {method: scram-sha-256, users_file: users.txt}  # pgveil user add NAME adds users\n";
  out += comment(
      "The console and the page. pgveil user add operator gives the operator a password. policy_authors may "
      "apply policies on the page.");
  out += fmt::format("admin: {{admin_users: [operator], http: {{port: {}, policy_authors: [operator]}}}}\n",
                     place.page_port);
  out += "audit: {file: state/audit.log}  # who logged in, asked, and changed a policy\n";
  out += "policies: [policies/*.yaml]  # the page puts new ones there too\n";
  out += "state_dir: state\nexport_dir: exports\n\n";
  return out + open_tables(database, planned) + "\n" + closed_tables(database, planned);
}

}  // namespace pgveil::draft
