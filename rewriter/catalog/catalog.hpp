#pragma once
// What the rewriter knows of one database: an immutable value, replaced whole. db/catalog/catalog_loader.hpp
// fills it from the live server; tests write it by hand.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/level/enum_label.hpp"

namespace pgveil::rewriter {

// PostgreSQL's pg_class.relkind, only the kinds that a query can read.
enum class RelationKind { table, partitioned_table, view, materialized_view, foreign_table, sequence };

// What stands behind a domain, behind the domains that it is made of too.
struct BaseType {
  std::string schema;  // as type_schema, type_name, type_text and typmod of a column
  std::string name;
  std::string text;
  std::int32_t typmod = -1;
  bool operator==(const BaseType&) const = default;
};

struct Column {
  int number = 0;  // pg_attribute.attnum
  std::string name;
  std::uint32_t type_oid = 0;
  std::int32_t typmod = -1;
  // format_type(atttypid, atttypmod) with search_path = pg_catalog: parseable, qualified unless in
  // pg_catalog, with its type modifier: "character varying(20)", "numeric(10,2)", "public.mood", "text[]".
  std::string type_text;
  std::string type_schema;  // pg_type's namespace and name: "pg_catalog", "varchar"
  std::string type_name;
  char type_kind =
      'b';  // pg_type.typtype: b base, c composite, d domain, e enum, r range, m multirange, p pseudo
  char type_category = 'U';  // pg_type.typcategory: A array, …
  std::uint32_t collation_oid = 0;
  // Schema and name of the column's collation when it differs from its type's default; empty otherwise.
  std::string collation_schema;
  std::string collation_name;
  bool collation_is_deterministic = true;
  std::vector<policy::EnumLabel> labels = {};   // of an enum, ascending
  std::optional<BaseType> base = std::nullopt;  // of a domain
  bool operator==(const Column&) const = default;
};

// A view as a query that can be put in its place.
struct ViewDefinition {
  std::string query;  // pg_get_viewdef() with search_path = pg_catalog: all names outside it have a schema
  bool is_security_barrier = false;
  bool operator==(const ViewDefinition&) const = default;
};

// A column of a table that keeps, for each row, what a tree releases of it (stored_decision.hpp): integer,
// GENERATED ALWAYS AS … STORED, and its name begins with kStoredPrefix.
inline constexpr std::string_view kStoredPrefix = "pgveil shown ";
struct StoredColumn {
  int number = 0;
  std::string name;
  std::string digest;             // hex SHA-256 of its expression as the server prints it
  std::uint32_t default_oid = 0;  // pg_attrdef: a column whose expression goes loses this row
  bool operator==(const StoredColumn&) const = default;
};

struct Relation {
  std::uint32_t oid = 0;
  std::uint32_t relfilenode = 0;
  std::string schema;
  std::string name;
  RelationKind kind = RelationKind::table;
  std::vector<Column> columns;   // live columns, ascending by number, but for those of `stored`
  std::vector<int> primary_key;  // column numbers; empty: none
  // Numbers of columns that come first in a valid index without a condition: a value of theirs is found by
  // it.
  std::vector<int> indexed;
  bool has_children = false;  // pg_inherits, as parent (partitions too)
  bool has_parent = false;    // pg_inherits, as child or partition
  bool is_partition = false;  // has_parent, and the parent is a partitioned table
  bool has_row_security = false;
  std::optional<ViewDefinition> view = std::nullopt;  // of views that open_tables lists
  std::vector<StoredColumn> stored = {};              // no client can name them
  // Of a partitioned table: itself and all below it, ascending, and hash_array_extended(…, 0) of them.
  std::vector<std::uint32_t> partitions = {};
  std::int64_t partitions_hash = 0;

  [[nodiscard]] const Column* find_column(std::string_view column_name) const;
  [[nodiscard]] const Column* find_column(int number) const;
  bool operator==(const Relation&) const = default;
};

struct Catalog {
  std::string database;
  int server_version = 0;                // 150020
  std::vector<std::string> search_path;  // the pinned path: pg_catalog, the listed schemas; never pg_temp
  // All relations of the database, pg_catalog's and information_schema's views and tables included.
  std::map<std::pair<std::string, std::string>, Relation, std::less<>> relations;
  // Types that may be named in a cast: pg_catalog's, by pg_type.typname ("int4", "_text", "jsonb"),
  // pseudo-types and reg* of other schemas excluded.
  std::set<std::string, std::less<>> pg_catalog_types;
  // Enum types that no cast function knows, of schemas that may be named: casts to them only look labels up.
  std::set<std::pair<std::string, std::string>, std::less<>> enum_types;
  std::set<std::string, std::less<>> pg_catalog_collations;
  // Every distinct pg_proc.proname of the database, any schema. Attribute notation (x.f, (x).f) may call any
  // function of that name, so a field name that is a function's and not on the list of allowed functions is
  // refused where the rewriter can't prove that it is a column.
  std::set<std::string, std::less<>> function_names;
  // Those of schemas other than pg_catalog and information_schema.
  std::set<std::string, std::less<>> function_names_elsewhere;
  // Names on the list of functions that are not PostgreSQL 15's own on this server (server_check.hpp):
  // refused.
  std::set<std::string, std::less<>> dropped_functions;
  // Names of operators defined outside pg_catalog ("=", "===", …): such names are emitted as
  // OPERATOR(pg_catalog.x).
  std::set<std::string, std::less<>> operator_names_elsewhere;
  // Those of them that pg_catalog has no operator of.
  std::set<std::string, std::less<>> operator_names_only_elsewhere;
  // Those of them in a schema of the search path whose function is a user's (not C, not internal). IN, LIKE,
  // BETWEEN, CASE x WHEN, NULLIF, USING … look their operators up by name and can't be qualified: they may
  // find such a one.
  std::set<std::string, std::less<>> operator_names_of_users;

  // By OID and role: the columns that PostgreSQL's grants let it SELECT. Only of relations that were asked
  // for.
  using Grants = std::map<std::string, std::set<int>, std::less<>>;
  std::map<std::uint32_t, Grants> grants = {};

  [[nodiscard]] const Relation* find(std::string_view schema, std::string_view name) const;
  // The first of these schemas that has a relation of this name.
  [[nodiscard]] const Relation* resolve(std::string_view name, std::span<const std::string> schemas) const;
  // The schema of the enum type that this name means: the one written, or the first of `schemas`; null: none.
  [[nodiscard]] const std::string* enum_schema(std::string_view schema, std::string_view name,
                                               std::span<const std::string> schemas) const;
};

}  // namespace pgveil::rewriter
