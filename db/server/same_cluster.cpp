#include "db/server/same_cluster.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "common/sqlstate.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

Result<std::string> cluster_of(const Endpoint& endpoint, const std::string& database) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<std::string>("asking which cluster a server is of", [&]() -> Result<std::string> {
    return (*connection)
        ->run("SELECT system_identifier FROM pg_catalog.pg_control_system()")[0][0]
        .as<std::string>();
  });
}

Error other_cluster(const std::string& first, const std::string& other) {
  return {
      ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue),
      fmt::format("backend.hosts: {} and {} are not a primary and its standby, so they may have other rows",
                  first, other),
      "name servers that hold the same database by streaming replication"};
}

}  // namespace

Result<std::vector<std::string>> check_same_cluster(const Endpoint& endpoint, const std::string& database) {
  std::vector<std::string> not_asked;
  const auto places = places_of(endpoint);
  if (places.size() == 1) return not_asked;
  std::optional<std::pair<std::string, std::string>> first;  // its place, and its cluster
  for (const auto& place : places) {
    Endpoint one = endpoint;
    one.host = place.host;
    one.port = place.port;
    one.others.clear();
    one.wanted = WantedServer::any;
    auto cluster = cluster_of(one, database);
    if (!cluster && cluster.error().kind != ErrorKind::connection) return cluster.error();
    if (!cluster) {
      not_asked.push_back(text_of(place));
    } else if (!first) {
      first.emplace(text_of(place), std::move(*cluster));
    } else if (first->second != *cluster) {
      return other_cluster(first->first, text_of(place));
    }
  }
  return not_asked;
}

}  // namespace pgveil::db
