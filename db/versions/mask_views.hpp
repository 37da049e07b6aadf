#pragma once
// Masks as views of the schema pgveil (backend.mask_views): owned by a role that may read the tables and that
// nobody may log in as, read by query_role, which has no right on the tables. A view is used only while its
// definition is the one that was made of the mask's text; between two looks of pgveil each statement asks
// pgveil.is_mask (version_schema.cpp). Blocks on PostgreSQL.
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
  std::string text;  // of the mask, which is the view's query
};

// For setup-sql, after version_schema_sql: pgveil.mask_view, where admin_role notes which view was made of
// which text, and the owner's rights in the schema. REQUIRES: the roles exist.
[[nodiscard]] std::string mask_view_schema_sql(const MaskViewRoles& roles, const std::string& admin_role);

// The view is there, just as pgveil makes it. Changes nothing. Errors: ErrorKind::connection, ::server.
[[nodiscard]] Result<bool> has_mask_view(const Endpoint& admin, const std::string& database,
                                         const MaskViewRoles& roles, const MaskView& view);

// The same, and made if it is not. Then drops views of the policy's older versions but for
// the last one, under which statements may still run; one that is in use stays until the next time. admin: a
// member of the owner. Errors: ErrorKind::connection, ::server; ErrorKind::configuration when another version
// is current.
[[nodiscard]] Result<void> ensure_mask_view(const Endpoint& admin, const std::string& database,
                                            const MaskViewRoles& roles, const MaskView& view);

}  // namespace pgveil::db
