#pragma once
// What a database has around its tables: who reads them, what copies them, what runs on them. A value that
// db/catalog/surroundings_loader.hpp fills and closure_check.hpp judges. Relations are named by OID; Catalog
// has the rest.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace pgveil::rewriter {

using RelationOid = std::uint32_t;

enum class ReadKind {
  query,  // a view or materialized view reads it
  rule    // a rule of another kind, on `reader`, names it
};

struct ReadEdge {
  RelationOid reader = 0;
  RelationOid read = 0;
  ReadKind kind = ReadKind::query;
};

struct InheritanceEdge {
  RelationOid child = 0;
  RelationOid parent = 0;
};

struct ForeignKey {
  std::string name;
  RelationOid table = 0;
  std::vector<int> columns;
  RelationOid referenced = 0;
  std::vector<int> referenced_columns;  // paired with columns
};

// A column whose type is a table's row type, an array of it, or a composite or domain made from it.
struct RowTypeColumn {
  RelationOid relation = 0;
  int column = 0;
  RelationOid of = 0;
};

struct ForeignTable {
  RelationOid relation = 0;
  std::string remote_schema;  // options schema_name and table_name; empty when there are none
  std::string remote_name;
};

struct OwnedSequence {
  RelationOid sequence = 0;
  RelationOid table = 0;
  int column = 0;
};

// A user's function or procedure. Members of extensions are left out.
struct Routine {
  std::string object;  // "function public.peek(integer)"
  bool is_definer = false;
  bool query_role_may_execute = false;
  std::string body;                // empty: the body is parsed (BEGIN ATOMIC) or is not SQL text
  std::vector<RelationOid> reads;  // known dependencies of a parsed body
};

struct Trigger {
  std::string name;
  RelationOid table = 0;
  std::string function;  // "public.copy_row()"
};

struct Index {
  std::string name;
  RelationOid table = 0;
  std::vector<int> columns;  // key columns; 0 is an expression
  bool is_unique = false;    // over all rows, without predicate and expressions
  bool is_clustered = false;
};

struct Surroundings {
  std::vector<ReadEdge> reads;
  std::vector<InheritanceEdge> inheritance;
  std::vector<ForeignKey> foreign_keys;
  std::vector<RowTypeColumn> row_types;
  std::vector<ForeignTable> foreign_tables;
  std::vector<OwnedSequence> sequences;
  std::vector<Routine> routines;
  std::vector<Trigger> triggers;
  std::vector<Index> indexes;
  std::set<RelationOid> readable = {};  // tables that query_role may read, as a whole or by columns
};

}  // namespace pgveil::rewriter
