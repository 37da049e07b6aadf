#include "db/catalog/table_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "common/sql_quoting.hpp"
#include "db/server/connection.hpp"
#include "db/server/failure.hpp"

namespace pgveil::db {
namespace {

constexpr double kMostScanned = 500'000;  // rows of a table that is read as a whole for a sample
constexpr std::size_t kReserve = 3;       // a draw of pages or rows may give more than was asked for
constexpr std::size_t kRowBytes = 28;     // a row's header and its line pointer

// Values of these types may be large, and nothing is counted of them.
bool is_read(const rewriter::Column& column) {
  if (column.type_category == 'A' || column.type_kind == 'c') return false;
  constexpr std::array<std::string_view, 6> kLarge{"json", "jsonb", "xml", "bytea", "tsvector", "hstore"};
  return std::ranges::find(kLarge, column.type_name) == kLarge.end();
}

std::string sampled_columns(const rewriter::Relation& table) {
  std::string columns;
  for (const auto& column : table.columns) {
    columns += columns.empty() ? "" : ", ";
    columns += is_read(column)
                   ? fmt::format("pg_catalog.left({}::pg_catalog.text, 200)", quoted_name(column.name))
                   : "NULL::pg_catalog.text";
  }
  return columns;
}

// Rows drawn one by one are the better sample. Of a large table only some pages are read.
std::string sampling_query(const SampleWish& wish, bool is_drawn) {
  std::string drawn;
  if (is_drawn) {
    const double share = std::min(100.0, 100 * static_cast<double>(wish.most_rows) / *wish.rows);
    drawn = fmt::format(" TABLESAMPLE {} ({:.6f}) REPEATABLE (1)",
                        *wish.rows <= kMostScanned ? "BERNOULLI" : "SYSTEM", std::max(share, 0.0001));
  }
  return fmt::format("SELECT {} FROM {}{} LIMIT {}", sampled_columns(*wish.table),
                     qualified_name(wish.table->schema, wish.table->name), drawn,
                     is_drawn ? kReserve * wish.most_rows : wish.most_rows);
}

TableSample read_sample(Connection& connection, const SampleWish& wish, bool is_drawn) {
  const auto rows = connection.run(sampling_query(wish, is_drawn));
  TableSample made;
  std::size_t bytes = 0;
  for (std::size_t c = 0; c < wish.table->columns.size(); ++c) {
    engine::ColumnEncoder encoder(wish.table->columns[c].name);
    for (const auto& row : rows) {
      const auto field = row[static_cast<Row::size_type>(c)];
      bytes += field.is_null() ? 0 : field.size();
      encoder.add(field.is_null() ? std::string_view(wish.null_text)
                                  : std::string_view(field.c_str(), field.size()));
    }
    made.table.columns.push_back(std::move(encoder).finish());
  }
  made.is_whole = !is_drawn && rows.size() < wish.most_rows;
  if (!rows.empty())
    made.row_bytes = static_cast<double>(bytes) / static_cast<double>(rows.size()) + kRowBytes;
  return made;
}

}  // namespace

TableSampler::TableSampler(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
TableSampler::TableSampler(TableSampler&&) noexcept = default;
TableSampler& TableSampler::operator=(TableSampler&&) noexcept = default;
TableSampler::~TableSampler() = default;

Result<TableSampler> TableSampler::open(const Endpoint& endpoint, const std::string& database) {
  auto connection = Connection::open(endpoint, database, Access::read_only);
  if (!connection) return connection.error();
  return guarded<TableSampler>("preparing to read samples", [&] {
    (*connection)->run("SET statement_timeout = '3s'; SET lock_timeout = '1s'");
    return TableSampler(std::move(*connection));
  });
}

Result<TableSample> TableSampler::sample(const SampleWish& wish) {
  const std::string what =
      fmt::format("reading some rows of {}", qualified_name(wish.table->schema, wish.table->name));
  return guarded<TableSample>(what, [&] {
    if (wish.rows && *wish.rows > static_cast<double>(wish.most_rows)) {
      auto drawn = read_sample(*connection_, wish, true);
      // The estimate of the rows may be wrong, and pages may be empty. Then the first rows must do.
      if (drawn.table.rows() * 2 >= wish.most_rows) return drawn;
    }
    return read_sample(*connection_, wish, false);
  });
}

}  // namespace pgveil::db
