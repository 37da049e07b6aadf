#pragma once
// What the rewriter knows of one database: an immutable value that is replaced as a whole.
// db/catalog/catalog_loader.hpp fills it from the live server; tests write it by hand.
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
#include "rewriter/catalog/candidate.hpp"

namespace pgveil::rewriter {

// PostgreSQL's pg_class.relkind, only the kinds that a query can read.
enum class RelationKind { table, partitioned_table, view, materialized_view, foreign_table, sequence };

// The base type of a domain, looked up through all domains in between.
struct BaseType {
  std::string schema;  // named like type_schema, type_name, type_text and typmod of a column
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
  bool is_virtual = false;  // a generated column that is computed at each read (PostgreSQL 18)
  bool operator==(const Column&) const = default;
};

// A view as a query that can be put in the view's place.
struct ViewDefinition {
  std::string query;  // pg_get_viewdef() with search_path = pg_catalog: names outside it are qualified
  bool is_security_barrier = false;
  bool operator==(const ViewDefinition&) const = default;
};

// A column of a table that keeps, for each row, what a tree releases of it (stored_decision.hpp). It is
// integer and GENERATED ALWAYS AS … STORED, and its name begins with kStoredPrefix.
inline constexpr std::string_view kStoredPrefix = "pgveil shown ";
struct StoredColumn {
  int number = 0;
  std::string name;
  std::string digest;             // hex SHA-256 of its expression as the server prints it
  std::uint32_t default_oid = 0;  // pg_attrdef: a column that loses its expression loses this row
  bool operator==(const StoredColumn&) const = default;
};

// Why no version is built from such a relation: a row that moves during a BUILD can be counted twice.
inline constexpr std::string_view kDistributed =
    "distributed by Citus over servers that have no common snapshot";

struct Relation {
  std::uint32_t oid = 0;
  std::uint32_t relfilenode = 0;
  std::string schema;
  std::string name;
  RelationKind kind = RelationKind::table;
  std::vector<Column> columns;   // live columns, ascending by number, without those in `stored`
  std::vector<int> primary_key;  // column numbers; empty: none
  // Numbers of columns that come first in a valid index without a condition, so that the index finds a value
  // of such a column.
  std::vector<int> indexed;
  bool has_children = false;  // pg_inherits, as parent (partitions too)
  bool has_parent = false;    // pg_inherits, as child or partition
  bool is_partition = false;  // has_parent, and the parent is a partitioned table
  bool has_row_security = false;
  bool is_distributed = false;  // Citus keeps its rows in several shards (kDistributed says why that matters)
  std::optional<ViewDefinition> view = std::nullopt;  // of views that open_tables lists or a source reads
  std::vector<StoredColumn> stored = {};              // no client can name them
  // For a partitioned table: itself and all partitions below it, ascending, and hash_array_extended(…, 0) of
  // this array.
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
  // All relations of the database, including the views and tables of pg_catalog and information_schema.
  std::map<std::pair<std::string, std::string>, Relation, std::less<>> relations;
  // Types that may be named in a cast: those of pg_catalog, by pg_type.typname ("int4", "_text", "jsonb"),
  // without pseudo-types, domains, row types and arrays of these.
  std::set<std::string, std::less<>> pg_catalog_types;
  // Types of other schemas by schema and name, row types of tables among them. A cast may name an enum of a
  // listed schema if no cast function uses it (such a cast only looks up a label), and a type of an extension
  // whose functions were reviewed (review/candidate_check.hpp).
  std::map<std::pair<std::string, std::string>, TypeElsewhere, std::less<>> types_elsewhere;
  // By OID of a type outside pg_catalog: itself and those that values of it are made of.
  std::map<std::uint32_t, TypeOids> parts_of_types;
  std::set<std::string, std::less<>> pg_catalog_collations;
  // Every distinct pg_proc.proname of the database, in any schema. Attribute notation (x.f, (x).f) may call
  // any function of that name. So a field name is refused if it is the name of a function that is not on the
  // list of allowed functions, unless the rewriter can prove that it is a column.
  std::set<std::string, std::less<>> function_names;
  // The function names of schemas other than pg_catalog and information_schema.
  std::set<std::string, std::less<>> function_names_elsewhere;
  // Listed names whose functions on this server are not PostgreSQL's own (server_check.hpp): refused.
  std::set<std::string, std::less<>> dropped_functions;
  // What names can find outside of PostgreSQL's own functions and operators.
  Candidates functions_elsewhere;
  Candidates operators_elsewhere;
  // The operator names among them for which pg_catalog has no operator.
  std::set<std::string, std::less<>> operator_names_only_elsewhere;

  std::vector<UnnamedFunction> unnamed_functions;

  // By OID and role: the columns that PostgreSQL's grants let the role SELECT. Only for relations that were
  // asked for.
  using Grants = std::map<std::string, std::set<int>, std::less<>>;
  std::map<std::uint32_t, Grants> grants = {};

  [[nodiscard]] int major() const { return server_version / 10'000; }
  [[nodiscard]] const Relation* find(std::string_view schema, std::string_view name) const;
  // The first of these schemas that has a relation of this name.
  [[nodiscard]] const Relation* resolve(std::string_view name, std::span<const std::string> schemas) const;
  // The type outside pg_catalog that this name means and that a cast may name: of the schema that is written,
  // or the first of `schemas` that has a type of this name; null: there is none.
  using NamedType = std::pair<const std::pair<std::string, std::string>, TypeElsewhere>;
  [[nodiscard]] const NamedType* castable_type(std::string_view schema, std::string_view name,
                                               std::span<const std::string> schemas) const;
  // Whether = of two values is pg_catalog's if one of them is of a type of pg_catalog or an enum, so that a
  // look-up of a column finds all rows that the client's condition may find.
  [[nodiscard]] bool has_plain_equality() const;
  // The candidates of a name; empty: there are none.
  [[nodiscard]] static std::span<const Candidate> candidates_of(const Candidates& candidates,
                                                                std::string_view name);
};

}  // namespace pgveil::rewriter
