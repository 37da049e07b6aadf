#pragma once
// Reads a few rows of a table, spread over it, to estimate how many values its columns have. A sample
// stays in memory and is never written anywhere.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "common/error.hpp"
#include "db/server/endpoint.hpp"
#include "engine/data/table.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::db {

class Connection;

struct SampleWish {
  const rewriter::Relation* table = nullptr;
  std::optional<double> rows;  // an estimate; nullopt: not known
  std::size_t most_rows = 1000;
  std::string null_text;  // stands for NULL, and for values of types that are not read
};

struct TableSample {
  engine::Table table;    // all columns, in the table's order; texts are cut off after 200 characters
  bool is_whole = false;  // each row of the table is in it
  double row_bytes = 0;   // mean
};

// One connection for many samples. Not thread-safe.
class TableSampler {
 public:
  // Errors: ErrorKind::connection, ::server.
  [[nodiscard]] static Result<TableSampler> open(const Endpoint& endpoint, const std::string& database);
  TableSampler(TableSampler&&) noexcept;
  TableSampler& operator=(TableSampler&&) noexcept;
  ~TableSampler();

  // Errors: ErrorKind::server: the table can't be read, or not within some seconds.
  [[nodiscard]] Result<TableSample> sample(const SampleWish& wish);

 private:
  explicit TableSampler(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace pgveil::db
