#pragma once
// The masking sub-select takes the place of a protected relation in every query. It keeps all columns, in
// order, with their names, types, type modifiers and collations. Each cell is the raw value, a canonical form
// of it, a level of it (a constant of the tree), or NULL. Conditions are positive only (=, = ANY, and >= and
// < of levels; AND, OR, nested CASE with ELSE NULL), with typed constants and qualified operators, so no
// session setting changes them and a NULL never opens a cell.
//
//   SELECT t.id, NULL::pg_catalog.text AS name,
//          CASE WHEN t.state OPERATOR(pg_catalog.=) 'OH'::pg_catalog.text THEN t.state
//               ELSE NULL::pg_catalog.text END AS state
//   FROM public.people AS t
//   WHERE CASE WHEN pgveil.shape(<the table, its names and columns>) THEN true ELSE <raise> END
//     AND CASE WHEN <'7' is current in the statement's snapshot> THEN true
//              ELSE pgveil.guard('people_k2', '7') END
//
// The version guard (masks.cpp) is there when the database has the schema pgveil. The first condition is the
// shape guard (shape_guard.hpp). Its functions read the server's newest catalog even in an old snapshot, so a
// table that was renamed, swapped, rewritten or recreated raises an error that names kShapeMarker, and no
// other columns are shown.
#include <memory>
#include <optional>
#include <string_view>

#include "common/error.hpp"
#include "pg/build.hpp"
#include "policy/spec/spec.hpp"
#include "policy/version/version.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/own_schema.hpp"
#include "rewriter/lists/system_catalogs.hpp"
#include "rewriter/mask/mask.hpp"

namespace pgveil::rewriter {

inline constexpr std::string_view kShapeMarker = "pgveil:shape";

// REQUIRES: check_policy found no error; MaskSource::view only with the version guard. Errors: a type text of
// the catalog does not parse.
[[nodiscard]] Result<std::shared_ptr<CompiledMask>> compile_mask(
    const policy::PolicySpec& spec, const policy::PolicyVersion& version, const Relation& relation,
    VersionGuard version_guard, MaskSource source = MaskSource::text, LookUps look_ups = LookUps::yes);

// The mask of a version that has a copy. It reads the copy, whose cells are masked already, under the same
// two guards.
//
//   SELECT t.id, NULL::pg_catalog.text AS name, t.state FROM pgveil."people_k2.copy.4711" AS t WHERE … AND …
//
// copy: as the catalog has it; its shape is *version.copy. Columns that the table has got since are NULL.
// Errors: a type text of the catalog does not parse.
[[nodiscard]] Result<std::shared_ptr<CompiledMask>> compile_copy_mask(const policy::PolicySpec& spec,
                                                                      const policy::PolicyVersion& version,
                                                                      const Relation& table,
                                                                      const Relation& copy);

// The mask that reads its decisions from a generated column of the table (stored_decision.hpp).
//
//   SELECT t.id, NULL::pg_catalog.text AS name,
//          CASE WHEN (t."pgveil shown 5d1e08b3a94c1f02" OPERATOR(pg_catalog.&) 4) OPERATOR(pg_catalog.=) 4
//               THEN t.state ELSE NULL::pg_catalog.text END AS state
//   FROM ONLY public.people AS t
//   WHERE CASE WHEN pgveil.shape(…, that column too) AND <it is generated as it was> THEN true
//              ELSE <raise> END
//     AND <the version guard>
//
// NULL in the column shows nothing. ONLY is there because rows of a table that becomes a child would bring a
// column of their own. REQUIRES: find_stored found the column; the database has the schema pgveil. Errors: as
// compile_mask.
[[nodiscard]] Result<std::shared_ptr<CompiledMask>> compile_stored_mask(const policy::PolicySpec& spec,
                                                                        const policy::PolicyVersion& version,
                                                                        const Relation& relation,
                                                                        const StoredColumn& stored,
                                                                        LookUps look_ups = LookUps::yes);

// What exempt roles read in place of a table that has such columns: the other columns as they are, under the
// table's guard (table_guard.hpp). To a client it looks like a table without such columns.
[[nodiscard]] Result<std::shared_ptr<CompiledMask>> compile_plain_select(const Relation& relation,
                                                                         VersionGuard guard);

// SELECT * FROM "pgveil mask"."<name>", in the builder's arena.
[[nodiscard]] PgQuery__SelectStmt* stand_in(std::string_view name, pg::Builder& build);
[[nodiscard]] PgQuery__SelectStmt* stand_in(const StandInName& name, pg::Builder& build);

[[nodiscard]] Result<std::shared_ptr<CompiledMask>> compile_catalog_mask(const SystemCatalog& rule,
                                                                         const Relation& relation);

// The same sub-select for any tree, without the version guard. compile_mask and exports are built on it.
// guard: the kind of its shape guard; nullopt: none. stored: the guard also covers this column, which the
// sub-select reads.
[[nodiscard]] Result<PgQuery__SelectStmt*> masking_select(const policy::PolicySpec& spec,
                                                          const policy::DisclosureTree& tree,
                                                          const Relation& relation,
                                                          std::optional<VersionGuard> guard, pg::Arena& arena,
                                                          const StoredColumn* stored = nullptr);

}  // namespace pgveil::rewriter
