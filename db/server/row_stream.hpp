#pragma once
// Reads a query's rows in batches through a cursor, so no result is in memory as a whole. For db/ only;
// throws.
#include <string>

#include "db/server/connection.hpp"

namespace pgveil::db {

inline constexpr int kRowsPerFetch = 10'000;

// REQUIRES: a transaction is open on the connection. Calls on_row(const Row&) for each row.
template <class OnRow>
void stream_rows(Connection& connection, const std::string& query, OnRow on_row) {
  connection.run("DECLARE pgveil_rows NO SCROLL CURSOR FOR " + query);
  const std::string fetch = "FETCH " + std::to_string(kRowsPerFetch) + " FROM pgveil_rows";
  for (;;) {
    const Rows batch = connection.run(fetch);
    for (const auto& row : batch) on_row(row);
    if (batch.size() < static_cast<Rows::size_type>(kRowsPerFetch)) break;
  }
  connection.run("CLOSE pgveil_rows");
}

}  // namespace pgveil::db
