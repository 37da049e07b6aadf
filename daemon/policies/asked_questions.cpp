#include "daemon/policies/asked_questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "pg/fields.hpp"
#include "pg/parse.hpp"
#include "policy/spec/growth_reader.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

// In the log's texts ? stands for a literal. A string can stand in all of these places.
std::string with_literals(std::string_view logged) {
  std::string sql;
  bool is_in_name = false;
  for (const char c : logged) {
    if (c == '"') is_in_name = !is_in_name;
    if (c == '?' && !is_in_name)
      sql += "'?'";
    else
      sql += c;
  }
  return sql;
}

const PgQuery__ColumnRef* as_column(const ProtobufCMessage& message) {
  if (message.descriptor != &pg_query__column_ref__descriptor) return nullptr;
  return reinterpret_cast<const PgQuery__ColumnRef*>(&message);
}

// The last part of a name; empty: a star.
std::string name_of(const PgQuery__ColumnRef& column) {
  const auto fields = pg::nodes(column.fields, column.n_fields);
  if (fields.empty() || fields.back()->node_case != PG_QUERY__NODE__NODE_STRING) return {};
  return fields.back()->string->sval;
}

// The statements inside are questions of their own.
void add_columns(const ProtobufCMessage& message, std::set<std::string>& found) {
  if (message.descriptor == &pg_query__select_stmt__descriptor) return;
  if (const auto* column = as_column(message)) found.insert(name_of(*column));
  pg::for_each_child(message, [&](const auto&, const ProtobufCMessage& child) { add_columns(child, found); });
}

bool has_call(const ProtobufCMessage& message) {
  if (message.descriptor == &pg_query__select_stmt__descriptor) return false;
  bool found = message.descriptor == &pg_query__func_call__descriptor;
  pg::for_each_child(message, [&](const auto&, const ProtobufCMessage& child) { found |= has_call(child); });
  return found;
}

std::vector<const PgQuery__ResTarget*> targets_of(const PgQuery__SelectStmt& select) {
  std::vector<const PgQuery__ResTarget*> targets;
  for (const pg::Node* node : pg::nodes(select.target_list, select.n_target_list)) {
    if (node->node_case == PG_QUERY__NODE__NODE_RES_TARGET) targets.push_back(node->res_target);
  }
  return targets;
}

// Columns that are listed outside of functions.
void add_listed(const PgQuery__SelectStmt& select, std::set<std::string>& found) {
  for (const PgQuery__ResTarget* target : targets_of(select)) {
    if (target->val != nullptr && !has_call(target->val->base)) add_columns(target->val->base, found);
  }
}

// An output column's name stands for what it is made of.
void add_named(const PgQuery__SelectStmt& select, std::set<std::string>& found) {
  for (const PgQuery__ResTarget* target : targets_of(select)) {
    if (target->name != nullptr && found.contains(target->name) && target->val != nullptr)
      add_columns(target->val->base, found);
  }
}

std::set<std::string> columns_needed(const PgQuery__SelectStmt& select) {
  std::set<std::string> found;
  for (const pg::Node* item : pg::nodes(select.group_clause, select.n_group_clause)) {
    if (item->node_case == PG_QUERY__NODE__NODE_A_CONST)
      add_listed(select, found);
    else
      add_columns(item->base, found);
  }
  if (select.n_distinct_clause > 0) add_listed(select, found);
  add_named(select, found);
  if (select.where_clause != nullptr) add_columns(select.where_clause->base, found);
  return found;
}

bool is_question(const PgQuery__SelectStmt& select) {
  if (select.n_group_clause > 0 || select.n_distinct_clause > 0) return true;
  return std::ranges::any_of(targets_of(select), [](const PgQuery__ResTarget* target) {
    return target->val != nullptr && has_call(target->val->base);
  });
}

void add_questions(const ProtobufCMessage& message, const std::set<std::string>& columns,
                   std::vector<QuestionColumns>& questions) {
  if (message.descriptor == &pg_query__select_stmt__descriptor) {
    const auto& select = reinterpret_cast<const PgQuery__SelectStmt&>(message);
    QuestionColumns question;
    if (is_question(select))
      std::ranges::set_intersection(columns_needed(select), columns, std::back_inserter(question));
    if (!question.empty()) questions.push_back(std::move(question));
  }
  pg::for_each_child(
      message, [&](const auto&, const ProtobufCMessage& child) { add_questions(child, columns, questions); });
}

std::optional<std::string> text_of(const json::object& line, std::string_view key) {
  const auto* value = line.if_contains(key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

bool is_masked_by(const json::object& line, const std::string& policy) {
  if (text_of(line, "event") != "statement" || text_of(line, "verdict") != "masked") return false;
  const auto* policies = line.if_contains("policies");
  if (policies == nullptr || !policies->is_array()) return false;
  return std::ranges::any_of(policies->get_array(), [&](const json::value& entry) {
    return entry.is_object() && text_of(entry.get_object(), "policy") == policy;
  });
}

std::set<std::string> tree_columns(const policy::PolicySpec& spec) {
  std::set<std::string> columns;
  for (const policy::ColumnRule& rule : spec.columns) {
    if (rule.column_class == policy::ColumnClass::quasi_identifier) columns.insert(rule.name);
  }
  return columns;
}

// Plain where YAML reads it as a text and nothing else.
std::string yaml_name(const std::string& name) {
  static const std::set<std::string> kWords = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  const auto is_plain = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const bool is_digit_first = !name.empty() && name.front() >= '0' && name.front() <= '9';
  if (std::ranges::all_of(name, is_plain) && !is_digit_first && !kWords.contains(name)) return name;
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace

Result<std::vector<QuestionColumns>> questions_in(std::string_view sql,
                                                  const std::set<std::string>& columns) {
  // The end of a text that the log cut (normalized_text.hpp) could be read as part of a name.
  if (sql.ends_with("…")) return error_of_kind(ErrorKind::syntax, "the log has only the beginning", "");
  const auto tree = pg::parse(with_literals(sql), {});
  if (!tree) return tree.error();
  std::vector<QuestionColumns> questions;
  add_questions(tree->result->base, columns, questions);
  return questions;
}

Result<void> add_line(std::string_view line, const policy::PolicySpec& spec, AskedQuestions& asked) {
  json::error_code error;
  const json::value parsed = json::parse(line, error);
  if (error || !parsed.is_object() || !text_of(parsed.get_object(), "event")) {
    return error_of_kind(ErrorKind::configuration, "a line that is not from an audit log",
                         "name files that audit.file wrote");
  }
  const json::object& object = parsed.get_object();
  if (!is_masked_by(object, spec.name)) return {};
  ++asked.statements;
  const auto sql = text_of(object, "sql");
  const auto questions =
      sql ? questions_in(*sql, tree_columns(spec))
          : Result<std::vector<QuestionColumns>>(error_of_kind(ErrorKind::syntax, "no text", ""));
  if (!questions) {
    ++asked.unread;
    return {};
  }
  if (questions->empty()) ++asked.without;
  for (const QuestionColumns& question : *questions) ++asked.times[question];
  return {};
}

Result<std::string> workload_yaml(const AskedQuestions& asked, const policy::PolicySpec& spec) {
  if (asked.statements == 0) {
    return error_of_kind(ErrorKind::policy,
                         fmt::format("the log has no statement that policy {} masked", spec.name),
                         "name older files of the log too, or ask again when readers have used the table");
  }
  if (asked.times.empty()) {
    return error_of_kind(
        ErrorKind::policy,
        fmt::format("none of {} statements groups or counts by a quasi-identifier of policy {}",
                    asked.statements, spec.name),
        "set audit.sql_bytes if the log has no texts; otherwise readers need no workload");
  }
  std::vector<std::pair<QuestionColumns, std::uint64_t>> questions(asked.times.begin(), asked.times.end());
  std::ranges::stable_sort(questions, std::greater(), &std::pair<QuestionColumns, std::uint64_t>::second);
  const std::size_t left_out = questions.size() - std::min(questions.size(), policy::kMaxQuestions);
  questions.resize(questions.size() - left_out);
  const std::uint64_t divisor = (questions.front().second + policy::kMaxWeight - 1) / policy::kMaxWeight;
  std::string out = fmt::format(
      "# policy {1} masked {0} statements; {2} of them ask none of these "
      "questions{3}{4}\nworkload:\n",
      asked.statements, spec.name, asked.without,
      asked.unread > 0 ? fmt::format(", {} could not be read", asked.unread) : "",
      left_out > 0 ? fmt::format("; {} rarer questions are left out", left_out) : "");
  for (const auto& [columns, times] : questions) {
    std::vector<std::string> names;
    for (const std::string& column : columns) names.push_back(yaml_name(column));
    out += fmt::format("  - {{group_by: [{}], weight: {}}}  # asked {} times\n", fmt::join(names, ", "),
                       std::max<std::uint64_t>(1, times / divisor), times);
  }
  return out;
}

}  // namespace pgveil::app
