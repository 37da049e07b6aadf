// Parquet and Arrow on arbitrary bytes: a table or an error, the same however the bytes come. A table that
// was read can be written in each format, and is the same when it is read again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "jobs/columnar/columnar_file.hpp"

namespace {

using namespace pgveil;
using namespace pgveil::app;

constexpr std::size_t kLimit = std::size_t{1} << 22;
constexpr ColumnarFormat kFormats[]{ColumnarFormat::parquet, ColumnarFormat::arrow_file,
                                    ColumnarFormat::arrow_stream};

Result<engine::Table> read(std::string bytes, ColumnarFormat format) {
  return read_columnar({in_one_piece(std::move(bytes)), nullptr}, format, "null", {}, kLimit);
}

bool are_equal(const engine::Column& left, const engine::Column& right) {
  for (std::size_t row = 0; row < left.codes.size(); ++row) {
    if (left.values[left.codes.at(row)] != right.values[right.codes.at(row)]) return false;
  }
  return left.name == right.name && left.codes.size() == right.codes.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const auto format : kFormats) {
    const auto table = read(bytes, format);
    if (!table || table->rows() > 10'000) continue;
    engine::Publication publication;
    publication.rows = table->rows();
    for (const auto& column : table->columns) {
      if (column.codes.size() != table->rows()) std::abort();
      publication.columns.push_back({column.name, true, column.values, {}});
      for (std::size_t row = 0; row < table->rows(); ++row)
        publication.columns.back().codes.push_back(column.codes.at(row));
    }
    for (const auto target : kFormats) {
      std::string made;
      const auto append = [&](std::string_view more) { return made += more, Result<void>(); };
      if (!write_columnar(publication, target, {}, append)) std::abort();
      const auto again = read(made, target);
      if (!again || again->columns.size() != table->columns.size()) std::abort();
      for (std::size_t i = 0; i < table->columns.size(); ++i) {
        if (!are_equal(table->columns[i], again->columns[i])) std::abort();
      }
    }
  }
  return 0;
}
