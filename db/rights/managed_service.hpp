#pragma once
// Services that rent out PostgreSQL servers: nobody but the service is a superuser there. Which services
// setup-sql knows, and what their roles mean for pgveil's own.
#include <optional>
#include <string>
#include <string_view>

namespace pgveil::db {

enum class ManagedService { rds, cloudsql, azure, neon, supabase, generic };
inline constexpr std::string_view kManagedServices = "rds, cloudsql, azure, neon, supabase, generic";

// The word of the command line. nullopt: no service that is known.
[[nodiscard]] std::optional<ManagedService> managed_service_of(std::string_view word);
[[nodiscard]] std::string_view word_of(ManagedService service);
// The name for people: "Amazon RDS and Aurora".
[[nodiscard]] std::string_view name_of(ManagedService service);

// A role in which a service collects its customers' administrators, or that reads everything.
struct ServiceRole {
  std::string_view role;
  ManagedService service;
};
// Null: the role is none of them.
[[nodiscard]] const ServiceRole* find_service_role(std::string_view role);
// Their names as a list of literals for IN (…).
[[nodiscard]] std::string service_roles_sql();

// The condition on r, a row of pg_roles: it stands for a way to log in (rds_iam), and has no right at all.
[[nodiscard]] std::string is_mere_login_role_sql();

// The roles through which the service's own interfaces read tables past pgveil, as a list of literals; empty:
// it has none.
[[nodiscard]] std::string interface_roles_sql(ManagedService service);

}  // namespace pgveil::db
