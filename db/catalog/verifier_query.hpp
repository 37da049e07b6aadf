#pragma once
// Runs the operator's own query for a role's password verifier (auth_query), on a connection of its own that
// stays open. What the query finds is a secret: it appears in no message and no log.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"

namespace pgveil::db {

class Connection;

// One row; nullopt: NULL.
struct FoundVerifier {
  std::optional<std::string> name;
  std::optional<std::string> verifier;
};

// Not thread-safe.
class VerifierQuery {
 public:
  // sql: takes the role's name as $1.
  VerifierQuery(Endpoint endpoint, std::string database, std::string sql);
  VerifierQuery(const VerifierQuery&) = delete;
  VerifierQuery& operator=(const VerifierQuery&) = delete;
  ~VerifierQuery();

  // All rows that the query finds for this name. A connection that was lost meanwhile is opened again, once.
  // Errors: ErrorKind::connection; ::server if the query cannot run or does not have exactly two columns.
  [[nodiscard]] Result<std::vector<FoundVerifier>> ask(const std::string& name);
  // Whether the role that runs the query is a superuser. Errors: as ask().
  [[nodiscard]] Result<bool> is_superuser();

 private:
  [[nodiscard]] Result<void> connect();
  [[nodiscard]] Result<std::vector<FoundVerifier>> ask_once(const std::string& name);

  const Endpoint endpoint_;
  const std::string database_;
  const std::string sql_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace pgveil::db
