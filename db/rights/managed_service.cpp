#include "db/rights/managed_service.hpp"

#include <algorithm>
#include <array>

#include "common/assert.hpp"
#include "common/sql_quoting.hpp"

namespace pgveil::db {
namespace {

constexpr std::array<ManagedService, 6> kAllServices{ManagedService::rds,      ManagedService::cloudsql,
                                                     ManagedService::azure,    ManagedService::neon,
                                                     ManagedService::supabase, ManagedService::generic};

constexpr std::array<ServiceRole, 11> kServiceRoles{{{"rds_superuser", ManagedService::rds},
                                                     {"rdsadmin", ManagedService::rds},
                                                     {"cloudsqlsuperuser", ManagedService::cloudsql},
                                                     {"alloydbsuperuser", ManagedService::cloudsql},
                                                     {"cloudsqladmin", ManagedService::cloudsql},
                                                     {"azure_pg_admin", ManagedService::azure},
                                                     {"azuresu", ManagedService::azure},
                                                     {"neon_superuser", ManagedService::neon},
                                                     {"cloud_admin", ManagedService::neon},
                                                     {"supabase_admin", ManagedService::supabase},
                                                     {"service_role", ManagedService::supabase}}};

// A service could give such a role rights one day, so it is looked at, and not only its name.
constexpr std::string_view kMereLogin =
    R"((r.rolname IN ('rds_iam', 'cloudsqliamuser', 'cloudsqliamserviceaccount') AND NOT r.rolsuper
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_auth_members x WHERE x.member = r.oid)
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_shdepend d WHERE d.refobjid = r.oid
                           AND d.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass)))";

}  // namespace

std::optional<ManagedService> managed_service_of(std::string_view word) {
  const auto found = std::ranges::find(kAllServices, word, word_of);
  return found == kAllServices.end() ? std::nullopt : std::optional(*found);
}

std::string_view word_of(ManagedService service) {
  switch (service) {
    case ManagedService::rds: return "rds";
    case ManagedService::cloudsql: return "cloudsql";
    case ManagedService::azure: return "azure";
    case ManagedService::neon: return "neon";
    case ManagedService::supabase: return "supabase";
    case ManagedService::generic: return "generic";
  }
  PGVEIL_ASSERT(false);
}

std::string_view name_of(ManagedService service) {
  switch (service) {
    case ManagedService::rds: return "Amazon RDS and Aurora";
    case ManagedService::cloudsql: return "Google Cloud SQL";
    case ManagedService::azure: return "Azure Database for PostgreSQL";
    case ManagedService::neon: return "Neon";
    case ManagedService::supabase: return "Supabase";
    case ManagedService::generic: return "a rented server";
  }
  PGVEIL_ASSERT(false);
}

const ServiceRole* find_service_role(std::string_view role) {
  const auto found = std::ranges::find(kServiceRoles, role, &ServiceRole::role);
  return found == kServiceRoles.end() ? nullptr : &*found;
}

std::string service_roles_sql() {
  std::string out;
  for (const auto& known : kServiceRoles) out += (out.empty() ? "" : ", ") + quoted_literal(known.role);
  return out;
}

std::string is_mere_login_role_sql() {
  return std::string(kMereLogin);
}

std::string interface_roles_sql(ManagedService service) {
  return service == ManagedService::supabase ? "'anon', 'authenticated', 'service_role'" : "";
}

}  // namespace pgveil::db
