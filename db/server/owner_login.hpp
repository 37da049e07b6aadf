#pragma once
// Logs in as psql would: with a URI or keywords of libpq, its environment variables and its password file.
// For the verbs that an owner of a database runs before there is a configuration.
#include <optional>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

namespace pgveil::db {

// What libpq takes for the file of authorities to mean those of OpenSSL.
inline constexpr std::string_view kSystemAuthorities = "system";

struct OwnerLogin {
  // Of the server that answered. Its TLS checks what this login has checked, with absolute paths of files;
  // `root_certificates` may also be kSystemAuthorities.
  Endpoint endpoint;
  std::string database;
  std::string encoding;  // of the database: "UTF8"
  bool is_encrypted = false;
};

// place: "postgres://owner@host/db", "host=… dbname=…", or a database; empty: only the environment.
// password: of the role, in place of one that `place` or a file has. Errors: ErrorKind::connection with
// libpq's reason; ErrorKind::authentication: the server asks for a password, and there is none.
[[nodiscard]] Result<OwnerLogin> log_in_as_owner(const std::string& place,
                                                 const std::optional<std::string>& password);

}  // namespace pgveil::db
