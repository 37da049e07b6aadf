#pragma once
// pgveil.columns and pgveil.policies: two relations that no database has. Each is a list of constants about
// the policies whose masks the asking role reads through. A stand-in of its name, "pgveil
// mask"."pgveil.columns", is put into the statement; the list takes its place as a mask would. The verifier
// writes the list by itself (verify_own_relation.hpp).
//
//   SELECT t.column1 AS table_schema, …, CASE WHEN … THEN statement_timestamp() - t.column9 … END AS copy_age
//   FROM (VALUES (NULL::pg_catalog.text, …), ('public', …), …) AS t WHERE t.column1 IS NOT NULL
//
// The first row gives the columns their types, and is no row of the answer. What comments of masked tables
// say (resolve/resolve_comment.cpp) comes the same way, under a name that no client can write. So does the
// list of their columns that may be NULL (resolve/resolve_catalog.cpp).
#include <optional>
#include <string>
#include <string_view>

#include "rewriter/snapshot/own_relation_name.hpp"
#include "rewriter/snapshot/snapshot.hpp"

namespace pgveil::rewriter {

// What a name in SQL means; nullopt: none of these. A database may have a schema pgveil with relations of
// these names: they are hidden by these.
[[nodiscard]] std::optional<OwnRelation> own_relation(std::string_view schema, std::string_view name);

// Schema, name and columns, for binding names. It is in no catalog and has no OID.
[[nodiscard]] const Relation& relation_of(OwnRelation which);

// The name of its stand-in: pgveil.columns.
[[nodiscard]] std::string own_stand_in_name(OwnRelation which);

// The role reads some table masked.
[[nodiscard]] bool reads_masks(const std::string& role, const Snapshot& snapshot);

// What takes the stand-in's place for this role: one complete SELECT.
[[nodiscard]] std::string own_relation_text(OwnRelation which, const std::string& role,
                                            const Snapshot& snapshot);

}  // namespace pgveil::rewriter
