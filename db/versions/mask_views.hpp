#pragma once
// Masks as views of the schema pgveil (backend.mask_views). A role that may read the tables, but that nobody
// may log in as, owns the views. query_role reads them and has no right on the tables. A view is used only
// while its definition is the one made from the mask's text; between two checks by pgveil each statement
// calls pgveil.is_mask (version_schema.cpp). Blocks on PostgreSQL.
#include <cstdint>
#include <string>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

namespace pgveil::db {

struct MaskViewRoles {
  std::string owner;
  std::string query_role;
};

struct MaskView {
  std::string policy;
  std::uint64_t number = 0;
  std::string name;
  std::string text;  // the mask's text, which is the view's query
};

// SQL for setup-sql, to run after version_schema_sql. It creates pgveil.mask_view, where admin_role records
// which view was made from which text, and grants the owner's rights in the schema. REQUIRES: the roles
// exist.
[[nodiscard]] std::string mask_view_schema_sql(const MaskViewRoles& roles, const std::string& admin_role);

// Whether the view exists exactly as pgveil makes it. Changes nothing. Errors: ErrorKind::connection,
// ::server.
[[nodiscard]] Result<bool> has_mask_view(const Endpoint& admin, const std::string& database,
                                         const MaskViewRoles& roles, const MaskView& view);

// Creates the view if has_mask_view is false. Then drops views of the policy's older versions except the last
// one, under which statements may still run. A view that is in use stays until the next time. admin: a member
// of the owner. Errors: ErrorKind::connection, ::server; ErrorKind::configuration if another version is
// current.
[[nodiscard]] Result<void> ensure_mask_view(const Endpoint& admin, const std::string& database,
                                            const MaskViewRoles& roles, const MaskView& view);

}  // namespace pgveil::db
