#include "policy/version/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <iterator>

#include "policy/level/level_json.hpp"
#include "policy/spec/spec.hpp"
#include "policy/tree/released_together.hpp"
#include "policy/version/utility_json.hpp"

namespace pgveil::policy {

std::string json_text(std::string_view text) {
  return boost::json::serialize(boost::json::string_view(text));
}

namespace {

// One line per item, so that two versions can be compared with diff.
template <class Items, class ToLine>
std::string json_lines(const Items& items, std::string_view indent, ToLine to_line) {
  std::string text = "[";
  for (auto item = std::begin(items); item != std::end(items); ++item) {
    text += fmt::format("{}\n{}  {}", item == std::begin(items) ? "" : ",", indent, to_line(*item));
  }
  return text + (std::begin(items) == std::end(items) ? "]" : fmt::format("\n{}]", indent));
}

std::string labels_json(const std::vector<EnumLabel>& labels) {
  std::string items;
  for (const EnumLabel& label : labels) {
    items += fmt::format(R"({}{{"oid": {}, "label": {}}})", items.empty() ? "" : ", ", label.oid,
                         json_text(label.label));
  }
  return fmt::format(R"(, "labels": [{}])", items);
}

std::string table_json(const TableShape& shape) {
  const auto column_json = [](const ShapeColumn& column) {
    return fmt::format(R"({{"number": {}, "name": {}, "type_oid": {}, "typmod": {}, "collation_oid": {}{}}})",
                       column.number, json_text(column.name), column.type_oid, column.typmod,
                       column.collation_oid, column.labels ? labels_json(*column.labels) : "");
  };
  return fmt::format(R"({{
    "oid": {},
    "relfilenode": {},
    "schema": {},
    "name": {},
    "columns": {}
  }})",
                     shape.table_oid, shape.relfilenode, json_text(shape.schema), json_text(shape.name),
                     json_lines(shape.columns, "    ", column_json));
}

std::string tree_json(const DisclosureTree& tree) {
  const auto attribute_json = [](const TreeAttribute& attribute) {
    return fmt::format(R"({{"number": {}, "name": {}{}}})", attribute.number, json_text(attribute.name),
                       attribute.level ? R"(, "level": )" + level_json(*attribute.level) : "");
  };
  const auto node_json = [&](const Node& node) {
    std::string text = fmt::format(R"({{"rows": {}, "units": {})", node.rows, node.units);
    if (node.split) {
      text += fmt::format(R"(, "attribute": {}, "value": {}, "yes": {}, "no": {})",
                          json_text(tree.attributes[node.split->attribute].name),
                          json_text(node.split->value), node.yes, node.no);
    }
    if (node.falls_back) text += R"(, "falls_back": true)";
    if (node.is_closed) text += R"(, "closed": true)";
    return text + "}";
  };
  const auto turn_json = [](const Turn& turn) {
    return fmt::format(R"({{"rank": {}, "favour": {}, "rarity": {}, "by_cost": {}}})", turn.rank, turn.favour,
                       turn.rarity, turn.is_by_cost);
  };
  const std::string turns =
      tree.turns.empty() ? std::string()
                         : fmt::format("    \"turns\": {},\n", json_lines(tree.turns, "    ", turn_json));
  return fmt::format(R"({{
    "k": {},
    "attributes": {},
{}    "nodes": {}
  }})",
                     tree.k, json_lines(tree.attributes, "    ", attribute_json), turns,
                     json_lines(tree.nodes, "    ", node_json));
}

std::string lineage_json(const Lineage& lineage) {
  const auto seen_json = [](const auto& seen) -> std::string {
    return seen ? fmt::format("[{}]", fmt::join(*seen, ", ")) : "null";
  };
  return fmt::format(R"({{"first": {}, "seen": {}}})", lineage.first,
                     json_lines(lineage.seen, "  ", seen_json));
}

std::string stored_json(const StoredDecision& stored) {
  return fmt::format("  \"stored\": {{\"column\": {}, \"digest\": {}}},\n", json_text(stored.column),
                     json_text(stored.digest));
}

std::string beside_json(const std::vector<Companion>& beside) {
  std::string items;
  for (const Companion& other : beside) {
    items += fmt::format(R"({}{{"policy": {}, "number": {}}})", items.empty() ? "" : ", ",
                         json_text(other.policy), other.number);
  }
  return items.empty() ? items : fmt::format(",\n  \"beside\": [{}]", items);
}

std::string disclosure_json(const Disclosure& disclosure) {
  return fmt::format(R"({{
    "rows": {},
    "units": {},
    "cells": {},
    "disclosed": {},
    "computable": {},
    "equal": {},
    "cohorts": {},
    "smallest_cohort": {},
    "disclosed_by_attribute": [{}],
    "computable_by_attribute": [{}],
    "equal_by_attribute": [{}]
  }})",
                     disclosure.rows, disclosure.units, disclosure.cells, disclosure.disclosed,
                     disclosure.computable, disclosure.equal, disclosure.cohorts, disclosure.smallest_cohort,
                     fmt::join(disclosure.disclosed_by_attribute, ", "),
                     fmt::join(disclosure.computable_by_attribute, ", "),
                     fmt::join(disclosure.equal_by_attribute, ", "));
}

}  // namespace

bool still_fits(const ShapeColumn& built, const ShapeColumn& now, bool is_labeled) {
  ShapeColumn expected = now;
  expected.labels = built.labels;
  if (built != expected) return false;
  if (!is_labeled || !now.labels) return true;
  return built.labels && std::ranges::includes(*now.labels, *built.labels);
}

bool still_fits(const TableShape& built, const TableShape& now, const std::set<int>& labeled) {
  return built.table_oid == now.table_oid && built.relfilenode == now.relfilenode &&
         built.schema == now.schema && built.name == now.name &&
         std::ranges::equal(built.columns, now.columns, [&](const ShapeColumn& a, const ShapeColumn& b) {
           return still_fits(a, b, labeled.contains(a.number));
         });
}

bool has_only_grown(const TableShape& built, const TableShape& now, const std::set<int>& labeled) {
  if (now.columns.size() < built.columns.size()) return false;
  TableShape before = now;
  before.columns.resize(built.columns.size());
  return still_fits(built, before, labeled);
}

bool is_built_from(const PolicyVersion& version, const PolicySpec& spec) {
  return version.spec_hash == spec.hash || version.spec_hash == spec.hash_before;
}

std::set<int> asked_columns(const DisclosureTree& tree) {
  std::set<int> numbers;
  for (const TreeAttribute& attribute : tree.attributes) numbers.insert(source_of(attribute));
  return numbers;
}

bool is_copy_of(const TableShape& copy, const TableShape& table) {
  return std::ranges::equal(copy.columns, table.columns, [](const ShapeColumn& a, const ShapeColumn& b) {
    return a.name == b.name && a.type_oid == b.type_oid && a.typmod == b.typmod &&
           a.collation_oid == b.collation_oid;
  });
}

std::string to_json(const PolicyVersion& version) {
  return fmt::format(
      R"({{
  "format": {},
  "policy": {},
  "number": {},
  "spec_hash": {},
  "built_at": {},
  "table": {},
{}{}  "tree": {},
  "disclosure": {},
  "lineage": {}{}{}
}}
)",
      kVersionFormat, json_text(version.policy), version.number, json_text(version.spec_hash),
      json_text(version.built_at), table_json(version.shape),
      version.copy ? fmt::format("  \"copy\": {},\n", table_json(*version.copy)) : std::string(),
      version.stored ? stored_json(*version.stored) : std::string(), tree_json(version.tree),
      disclosure_json(version.disclosure), lineage_json(version.lineage), beside_json(version.beside),
      version.utility ? ",\n  \"utility\": " + utility_json(version.tree, *version.utility) : std::string());
}

}  // namespace pgveil::policy
