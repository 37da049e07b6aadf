// TableReading::counts: the one aggregate, streamed into codes.
#include <unordered_map>

#include "common/assert.hpp"
#include "db/counted_columns.hpp"
#include "db/failure.hpp"
#include "db/row_stream.hpp"
#include "db/table_reading.hpp"

namespace pgveil::db {
namespace {

// Codes 1, 2, … in order of first sight; kNullCode for NULL.
class Dictionary {
 public:
  policy::Code code_of(const pqxx::field& field) {
    if (field.is_null()) return policy::kNullCode;
    const auto next = static_cast<policy::Code>(codes_.size() + 1);
    PGVEIL_ASSERT(next != policy::kNullCode);
    const auto [found, is_new] = codes_.try_emplace(std::string(field.c_str(), field.size()), next);
    if (is_new) texts_.push_back(&found->first);
    return found->second;
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> out;
    out.reserve(texts_.size());
    for (const auto* text : texts_) out.push_back(*text);
    return out;
  }

 private:
  std::unordered_map<std::string, policy::Code> codes_;
  std::vector<const std::string*> texts_;  // keys of codes_: stable addresses
};

policy::Counts read_counts(Connection& connection, const std::vector<CountedColumn>& columns, bool has_unit,
                           const std::string& query, const Progress& progress) {
  const std::size_t attributes = columns.size() - (has_unit ? 1 : 0);
  std::vector<Dictionary> dictionaries(columns.size());
  policy::Counts counts;
  counts.codes.resize(attributes);
  stream_rows(connection, query, [&](const pqxx::row& row) {
    for (std::size_t a = 0; a < attributes; ++a) {
      counts.codes[a].push_back(dictionaries[a].code_of(row[static_cast<int>(a)]));
    }
    if (has_unit) counts.units.push_back(dictionaries.back().code_of(row[static_cast<int>(attributes)]));
    counts.rows.push_back(row[static_cast<int>(columns.size())].as<std::uint64_t>());
    if (progress && counts.rows.size() % kRowsPerFetch == 0) progress("counting", counts.rows.size());
  });
  for (std::size_t a = 0; a < attributes; ++a) {
    counts.attributes.push_back(
        {columns[a].column->name, columns[a].column->number, dictionaries[a].texts()});
  }
  return counts;
}

}  // namespace

Result<policy::Counts> TableReading::counts(const Progress& progress) {
  auto columns = quasi_identifiers(spec_, relation_);
  if (!columns) return columns.error();
  if (spec_.unit) {
    auto unit = counted_column(spec_, *spec_.unit, relation_);
    if (!unit) return unit.error();
    columns->push_back(std::move(*unit));
  }
  return guarded<policy::Counts>("counting table " + qualified_name(relation_.schema, relation_.name), [&] {
    return Result<policy::Counts>(read_counts(*connection_, *columns, spec_.unit.has_value(),
                                              group_query(*columns, relation_), progress));
  });
}

}  // namespace pgveil::db
