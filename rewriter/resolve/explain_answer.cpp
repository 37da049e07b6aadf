#include "rewriter/resolve/explain_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "rewriter/pg/fields.hpp"
#include "rewriter/resolve/stop.hpp"

namespace pgveil::rewriter {
namespace {

using pg::Node;

constexpr std::string_view kColumn = "QUERY PLAN";

enum class Format { text, json, xml, yaml };

Format format_of(const PgQuery__DefElem& option) {
  const std::string_view name = pg::string_of(option.arg);
  if (name == "text") return Format::text;
  if (name == "json") return Format::json;
  if (name == "xml") return Format::xml;
  if (name == "yaml") return Format::yaml;
  name_error(sqlstate::kInvalidParameterValue,
             fmt::format("unrecognized value for EXPLAIN option \"format\": \"{}\"", name), option.location);
}

Format format_of(const PgQuery__ExplainStmt& explain) {
  constexpr auto kOptions = std::to_array<std::string_view>(
      {"analyze", "buffers", "costs", "format", "settings", "summary", "timing", "verbose", "wal"});
  Format format = Format::text;
  for (const Node* item : pg::nodes(explain.options, explain.n_options)) {
    const PgQuery__DefElem& option = *item->def_elem;
    if (std::ranges::find(kOptions, std::string_view(option.defname)) == kOptions.end()) {
      name_error(sqlstate::kSyntaxError, fmt::format("unrecognized EXPLAIN option \"{}\"", option.defname),
                 option.location);
    }
    if (std::string_view(option.defname) == "format") format = format_of(option);
  }
  return format;
}

// "a" with JSON's escapes, which are YAML's too.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out += '"';
}

// Names can hold control characters, which XML has no way to write.
std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return out;
}

std::vector<std::string> policy_lines(const ExplainedStatement& statement) {
  std::vector<std::string> lines;
  for (const PolicyRead& read : statement.policies) {
    lines.push_back(fmt::format("{} policy {}", read.is_masked ? "Masked by" : "Exempt from", read.policy));
  }
  return lines;
}

std::vector<std::string> text_lines(const ExplainedStatement& statement) {
  std::vector<std::string> lines = policy_lines(statement);
  if (!statement.columns || statement.columns->empty()) return lines;
  std::string output;
  for (const std::string& name : *statement.columns) output += (output.empty() ? "Output: " : ", ") + name;
  lines.push_back(std::move(output));
  return lines;
}

using Formatter = std::string (*)(std::string_view);

std::string each(const std::vector<std::string>& items, Formatter format, std::string_view before,
                 std::string_view after, std::string_view between) {
  std::string out;
  for (const std::string& item : items) {
    if (!out.empty()) out += between;
    out += before;
    out += format(item);
    out += after;
  }
  return out;
}

std::string document(const ExplainedStatement& statement, Format format) {
  const auto lines = policy_lines(statement);
  const auto columns = statement.columns.value_or(std::vector<std::string>{});
  switch (format) {
    case Format::json:
      return fmt::format(
          "[\n  {{\n    \"Plan\": {{\n      \"Node Type\": \"Masked\",\n      \"Policies\": [{}],\n"
          "      \"Output\": [{}]\n    }}\n  }}\n]",
          each(lines, quoted, "", "", ", "), each(columns, quoted, "", "", ", "));
    case Format::xml:
      return fmt::format(
          "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n  <Query>\n    <Plan>\n"
          "      <Node-Type>Masked</Node-Type>\n      <Policies>\n{}\n      </Policies>\n      <Output>\n{}\n"
          "      </Output>\n    </Plan>\n  </Query>\n</explain>",
          each(lines, xml_text, "        <Item>", "</Item>", "\n"),
          each(columns, xml_text, "        <Item>", "</Item>", "\n"));
    case Format::yaml:
      return fmt::format("- Plan: \n    Node Type: \"Masked\"\n    Policies: \n{}\n    Output: \n{}",
                         each(lines, quoted, "      - ", "", "\n"),
                         each(columns, quoted, "      - ", "", "\n"));
    case Format::text: break;
  }
  return {};
}

std::string_view type_of(Format format) {
  switch (format) {
    case Format::json: return "json";
    case Format::xml: return "xml";
    case Format::yaml:
    case Format::text: break;
  }
  return "text";
}

// WHERE ($1::text IS NULL) IS NOT NULL AND …: true whatever they are, and they are asked for.
Node* with_parameters(int count, pg::Builder& build) {
  std::vector<Node*> conditions;
  for (int number = 1; number <= count; ++number) {
    Node* parameter = build.node(PG_QUERY__NODE__NODE_PARAM_REF);
    parameter->param_ref = build.make<PgQuery__ParamRef>(pg_query__param_ref__descriptor);
    parameter->param_ref->number = number;
    Node* known = build.is_null(build.is_null(build.cast(parameter, build.type_name("pg_catalog", "text"))));
    known->null_test->nulltesttype = PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL;
    conditions.push_back(known);
  }
  return conditions.empty() ? nullptr : build.all_of(conditions);
}

}  // namespace

Node* explain_answer(const PgQuery__ExplainStmt& explain, const ExplainedStatement& statement,
                     pg::Builder& build) {
  const Format format = format_of(explain);
  const auto rows =
      format == Format::text ? text_lines(statement) : std::vector<std::string>{document(statement, format)};
  std::vector<Node*> values;
  for (const std::string& row : rows) {
    Node* value = build.node(PG_QUERY__NODE__NODE_LIST);
    value->list = build.make<PgQuery__List>(pg_query__list__descriptor);
    Node* const items[] = {
        build.cast(build.string_constant(row), build.type_name("pg_catalog", type_of(format)))};
    value->list->items = build.list(items);
    value->list->n_items = 1;
    values.push_back(value);
  }
  PgQuery__SelectStmt* lines = build.select({}, nullptr, nullptr);
  lines->values_lists = build.list(values);
  lines->n_values_lists = values.size();
  PgQuery__Alias* alias = build.alias("explained");
  Node* const names[] = {build.string(kColumn)};
  alias->colnames = build.list(names);
  alias->n_colnames = 1;
  Node* const targets[] = {build.target(build.column({kColumn}), "")};
  return build.select_node(
      build.select(targets, build.from_subquery(lines, alias), with_parameters(statement.parameters, build)));
}

int highest_parameter(const ProtobufCMessage& message) {
  if (message.descriptor == &pg_query__param_ref__descriptor)
    return reinterpret_cast<const PgQuery__ParamRef&>(message).number;
  int highest = 0;
  pg::for_each_child(message, [&](const ProtobufCFieldDescriptor&, const ProtobufCMessage& child) {
    highest = std::max(highest, highest_parameter(child));
  });
  return highest;
}

}  // namespace pgveil::rewriter
