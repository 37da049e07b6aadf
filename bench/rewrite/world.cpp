#include "world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "policy/tree/tree.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/compile/make_snapshot.hpp"
#include "rewriter/mask/masks.hpp"

namespace pgveil::bench {
namespace {

using rewriter::Catalog;
using rewriter::Relation;

constexpr std::size_t kDistinct[] = {14, 8, 20, 8, 2, 6, 5, 9, 40};
constexpr const char* kNames[] = {"occupation", "education", "state", "decade", "sex",
                                  "marital",    "race",      "hours", "country"};

rewriter::Column text_column(int number, std::string name) {
  rewriter::Column out;
  out.number = number;
  out.name = std::move(name);
  out.type_oid = 25;
  out.type_schema = "pg_catalog";
  out.type_name = out.type_text = "text";
  return out;
}

Relation relation(std::uint32_t oid, std::string name, const std::vector<std::string>& columns) {
  Relation out;
  out.oid = oid;
  out.relfilenode = oid;
  out.schema = "public";
  out.name = std::move(name);
  for (const auto& column : columns)
    out.columns.push_back(text_column(static_cast<int>(out.columns.size()) + 1, column));
  return out;
}

// Value v of an attribute has weight 1/(v + 1), as in many real columns.
policy::Counts draw(std::size_t attributes, std::size_t rows) {
  policy::Counts counts;
  counts.codes.resize(attributes);
  std::mt19937_64 random(467);
  for (std::size_t a = 0; a < attributes; ++a) {
    policy::Attribute attribute{kNames[a], static_cast<int>(a) + 2, {}};
    std::vector<double> upto;
    for (std::size_t v = 0; v < kDistinct[a]; ++v) {
      attribute.values.push_back(fmt::format("{} number {}", kNames[a], v));
      upto.push_back((upto.empty() ? 0 : upto.back()) + 1.0 / static_cast<double>(v + 1));
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const double at = static_cast<double>(random() >> 11) * 0x1p-53 * upto.back();
      const auto value = std::upper_bound(upto.begin(), upto.end() - 1, at) - upto.begin();
      counts.codes[a].push_back(static_cast<policy::Code>(value + 1));
    }
    counts.attributes.push_back(std::move(attribute));
  }
  counts.rows.assign(rows, 1);
  return counts;
}

policy::PolicySpec policy_over(const Relation& people, std::size_t attributes, std::size_t k) {
  policy::PolicySpec spec;
  spec.name = "people";
  spec.database = "bench";
  spec.schema = "public";
  spec.table = "people";
  spec.k = k;
  spec.readers = {"masked"};
  spec.exempt_roles = {"exempt"};
  spec.hash = "bench";
  for (std::size_t i = 0; i < people.columns.size(); ++i) {
    const auto column_class = i == 0            ? policy::ColumnClass::identifier
                              : i <= attributes ? policy::ColumnClass::quasi_identifier
                                                : policy::ColumnClass::insensitive;
    spec.columns.push_back({people.columns[i].name, column_class, {}, {}});
  }
  return spec;
}

}  // namespace

World make_world(std::size_t attributes, std::size_t rows, std::size_t k) {
  auto catalog = std::make_shared<Catalog>();
  catalog->database = "bench";
  catalog->server_version = 150'000;
  catalog->search_path = {"pg_catalog", "public"};
  catalog->pg_catalog_types = {"text", "int4", "numeric", "date", "timestamp", "interval", "oid", "bool"};
  catalog->pg_catalog_collations = {"C", "default"};
  std::vector<std::string> columns{"id"};
  columns.insert(columns.end(), kNames, kNames + attributes);
  columns.emplace_back("amount");
  const Relation people = relation(16'385, "people", columns);
  const Relation orders = relation(16'390, "orders", {"id", "person", "placed", "amount", "state"});
  for (const Relation& each : {people, orders})
    catalog->relations.emplace(std::pair(each.schema, each.name), each);

  const auto spec = std::make_shared<policy::PolicySpec>(policy_over(people, attributes, k));
  auto version = std::make_shared<policy::PolicyVersion>();
  version->policy = spec->name;
  version->number = 1;
  version->spec_hash = spec->hash;
  version->shape = rewriter::shape_of(people);
  version->tree =
      policy::build_tree(draw(attributes, rows), k, {.strategy = policy::Strategy::greedy}).value();
  World world;
  world.snapshot = rewriter::make_snapshot({.catalog = catalog,
                                            .policies = {{spec, version, {}}},
                                            .open_tables = {"public.orders"},
                                            .generation = 1})
                       .value();
  policy::for_each_cohort(version->tree, [&](const policy::Cohort&) { ++world.cohorts; });
  world.mask_bytes = world.snapshot->protected_tables().front().mask->text.size();
  return world;
}

}  // namespace pgveil::bench
