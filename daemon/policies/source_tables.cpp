#include "daemon/policies/source_tables.hpp"

#include <algorithm>

#include "daemon/statements/deep_stack.hpp"
#include "rewriter/compile/source_query.hpp"

namespace pgveil::app {
namespace {

bool has_sources(const Specs& specs, const std::string& database) {
  return std::ranges::any_of(
      specs, [&](const auto& spec) { return spec->database == database && spec->source.has_value(); });
}

// The tables, and everything that they are made of.
TableNames with_tables_behind(TableNames tables, const Examination& examined) {
  std::map<rewriter::RelationOid, const rewriter::Relation*> by_oid;
  for (const auto& [name, relation] : examined.catalog.relations) by_oid.emplace(relation.oid, &relation);
  std::vector<rewriter::RelationOid> waiting;
  for (const auto& [schema, name] : tables) {
    if (const auto* relation = examined.catalog.find(schema, name)) waiting.push_back(relation->oid);
  }
  std::set<rewriter::RelationOid> seen(waiting.begin(), waiting.end());
  while (!waiting.empty()) {
    const auto reader = waiting.back();
    waiting.pop_back();
    for (const auto& edge : examined.reads) {
      if (edge.reader != reader || edge.kind != rewriter::ReadKind::query || !seen.insert(edge.read).second)
        continue;
      waiting.push_back(edge.read);
      if (const auto found = by_oid.find(edge.read); found != by_oid.end())
        tables.emplace(found->second->schema, found->second->name);
    }
  }
  return tables;
}

}  // namespace

Result<SourceTables> source_tables(const Config& config, const Specs& specs, const Examination& examined) {
  const rewriter::Catalog& catalog = examined.catalog;
  if (!has_sources(specs, catalog.database)) return SourceTables{};
  SourceTables out;
  auto open = open_tables_of(config, catalog.database);
  open.insert(open.end(), examined.by_pattern.begin(), examined.by_pattern.end());
  for (const auto& entry : open) {
    const auto dot = entry.find('.');
    if (dot != std::string::npos) out.open.emplace(entry.substr(0, dot), entry.substr(dot + 1));
  }
  const auto look = [&] {
    for (const auto& spec : specs) {
      if (spec->database != catalog.database || !spec->source) continue;
      const auto query = rewriter::source_query(*spec, catalog);
      if (!query) {
        out.errors.push_back(query.error());
        continue;
      }
      const TableNames tables(query->tables.begin(), query->tables.end());
      out.behind.emplace(spec->name, with_tables_behind(tables, examined));
      out.of.emplace(spec->name, tables);
    }
  };
  if (auto done = on_deep_stack(look); !done) return done.error();
  return out;
}

Result<SourceTables> source_tables(const Config& config, const Specs& specs, const std::string& database) {
  if (!has_sources(specs, database)) return SourceTables{};
  const auto examined = examine(config, specs, database);
  if (!examined) return examined.error();
  return source_tables(config, specs, *examined);
}

}  // namespace pgveil::app
