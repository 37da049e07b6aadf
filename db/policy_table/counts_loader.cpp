// TableReading::counts: the one aggregate, streamed into codes. It uses COPY, because PostgreSQL aggregates
// for a cursor on one processor only.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "common/assert.hpp"
#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/catalog/table_reading.hpp"
#include "db/policy_table/counted_columns.hpp"
#include "db/server/connection.hpp"
#include "db/server/copy_line.hpp"
#include "db/server/failure.hpp"
#include "db/server/row_stream.hpp"
#include "policy/cohorts/leveled_counts.hpp"

namespace pgveil::db {
namespace {

constexpr std::uint64_t kRowsPerLook = 10'000;
// The bytes of a hash table's entry in addition to its text, and of the text's place in the list.
constexpr std::uint64_t kBytesPerValue = sizeof(std::string) + sizeof(policy::Code) + 5 * sizeof(void*);

// Assigns codes 1, 2, … in order of first appearance; kNullCode for NULL.
class Dictionary {
 public:
  policy::Code code_of(const CopyField& field) {
    if (!field) return policy::kNullCode;
    if (const auto found = codes_.find(*field); found != codes_.end()) return found->second;
    const auto next = static_cast<policy::Code>(codes_.size() + 1);
    PGVEIL_ASSERT(next != policy::kNullCode);
    texts_.push_back(&codes_.emplace(*field, next).first->first);
    bytes_ += kBytesPerValue + field->size();
    return next;
  }
  // kNullCode: it has not appeared.
  [[nodiscard]] policy::Code known(std::string_view text) const {
    const auto found = codes_.find(text);
    return found == codes_.end() ? policy::kNullCode : found->second;
  }
  [[nodiscard]] std::size_t size() const { return codes_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> out;
    out.reserve(texts_.size());
    for (const auto* text : texts_) out.push_back(*text);
    return out;
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, policy::Code, Hash, std::equal_to<>> codes_;
  std::vector<const std::string*> texts_;  // keys of codes_, which have stable addresses
  std::uint64_t bytes_ = 0;
};

// The column's values in the order of its type, sorted by PostgreSQL.
std::vector<std::string> values_in_order(Connection& connection, const CountedColumn& column,
                                         const CountedTable& table) {
  std::vector<std::string> values;
  // Uses a sub-select, because ORDER BY would otherwise take the name for the selected text.
  const std::string query = fmt::format(
      "SELECT x.shown FROM (SELECT {} AS shown, {} AS value FROM {}) AS x WHERE x.value IS NOT NULL "
      "GROUP BY x.shown, x.value ORDER BY x.value",
      column.text_sql, column.value_sql, qualified_name(table.relation->schema, table.relation->name));
  stream_rows(connection, query, [&](const Row& row) { values.emplace_back(row[0].c_str()); });
  return values;
}

// Turns codes in order of first appearance into codes in the order of the values.
void order_codes(policy::SensitiveColumn& column, const Dictionary& dictionary,
                 const std::vector<std::string>& in_order) {
  PGVEIL_ASSERT(in_order.size() == column.value_count);  // one transaction sees one state
  std::vector<policy::Code> rank(column.value_count + 1, policy::kNullCode);
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const auto code = dictionary.known(in_order[i]);
    PGVEIL_ASSERT(code != policy::kNullCode);
    rank[code] = static_cast<policy::Code>(i + 1);
  }
  for (auto& code : column.codes) code = rank[code];
}

policy::SensitiveColumn sensitive_column(const rewriter::Column& column, std::size_t value_count) {
  return {column.name, column.number, value_count, {}};
}

std::uint64_t row_count(const CopyField& field) {
  std::uint64_t count = 0;
  PGVEIL_ASSERT(field);
  const auto [end, failed] = std::from_chars(field->begin(), field->end(), count);
  PGVEIL_ASSERT(failed == std::errc() && end == field->end());
  return count;
}

// Reads the lines of the aggregate: texts of the attributes, the unit if there is one, sensitive columns, the
// number of rows.
class CountsReader {
 public:
  CountsReader(const policy::PolicySpec& spec, const CountedTable& table, std::uint64_t limit)
      : spec_(spec),
        table_(table),
        columns_(table.columns()),
        limit_(limit),
        dictionaries_(columns_.size()),
        sensitive_(table.sensitive.size()) {
    counts_.codes.resize(table.attributes.size());
  }

  void add(std::string& line) {
    split_copy_line(line, fields_);
    PGVEIL_ASSERT(fields_.size() == columns_.size() + 1);
    std::size_t at = 0;
    const auto next_code = [&] {
      const auto code = dictionaries_[at].code_of(fields_[at]);
      ++at;
      return code;
    };
    for (auto& codes : counts_.codes) codes.push_back(next_code());
    if (table_.unit) counts_.units.push_back(next_code());
    for (auto& codes : sensitive_) codes.push_back(next_code());
    counts_.rows.push_back(row_count(fields_[at]));
    if (counts_.size() % kRowsPerLook == 0) refuse_beyond_limit();
  }
  [[nodiscard]] std::uint64_t size() const { return counts_.size(); }

  policy::Counts finish(Connection& connection) && {
    refuse_beyond_limit();
    for (std::size_t a = 0; a < table_.attributes.size(); ++a) {
      counts_.attributes.push_back(
          {columns_[a].column->name, columns_[a].column->number, dictionaries_[a].texts()});
    }
    for (std::size_t s = 0; s < sensitive_.size(); ++s) {
      const Dictionary& dictionary = dictionaries_[columns_.size() - sensitive_.size() + s];
      counts_.sensitive.push_back(sensitive_column(*table_.sensitive[s].column, dictionary.size()));
      counts_.sensitive.back().codes = std::move(sensitive_[s]);
      if (table_.sensitive[s].needs_order)
        order_codes(counts_.sensitive.back(), dictionary,
                    values_in_order(connection, table_.sensitive[s], table_));
    }
    return std::move(counts_);
  }

 private:
  void refuse_beyond_limit() const {
    std::uint64_t bytes = counts_.size() * (sizeof(std::uint64_t) + columns_.size() * sizeof(policy::Code));
    for (const auto& dictionary : dictionaries_) bytes += dictionary.bytes();
    if (bytes <= limit_) return;
    throw Abandon{
        Error{ErrorKind::limit, std::string(sqlstate::kProgramLimitExceeded),
              fmt::format("policy {}: the combinations of its {} quasi-identifiers{} take more than {} bytes",
                          spec_.name, counts_.codes.size(), spec_.unit ? " and the unit" : "", limit_),
              "make fewer or coarser columns quasi-identifiers, or raise limits.counts_bytes"}};
  }

  const policy::PolicySpec& spec_;
  const CountedTable& table_;
  std::vector<CountedColumn> columns_;
  std::uint64_t limit_;
  std::vector<Dictionary> dictionaries_;
  std::vector<std::vector<policy::Code>> sensitive_;
  std::vector<CopyField> fields_;
  policy::Counts counts_;
};

bool has_prefix(const policy::ColumnRule& rule) {
  return rule.level && std::holds_alternative<policy::Prefix>(rule.level->method);
}

// Whether left() counts bytes in this database instead of characters.
bool counts_bytes(Connection& connection) {
  return !connection
              .run(
                  "SELECT pg_catalog.current_setting('server_encoding') NOT IN ('SQL_ASCII', "
                  "'MULE_INTERNAL')")[0][0]
              .as<bool>();
}

}  // namespace

Result<policy::Counts> TableReading::counts(const Progress& progress) {
  std::vector<const policy::ColumnRule*> refined;
  for (const auto& rule : spec_.columns) {
    if (has_constraint(rule, policy::ConstraintMode::refine)) refined.push_back(&rule);
  }
  return counts_with(refined, progress);
}

Result<policy::Counts> TableReading::counts_with(const std::vector<const policy::ColumnRule*>& sensitive,
                                                 const Progress& progress) {
  const auto table = counted_table(spec_, rows_, sensitive);
  if (!table) return table.error();
  const auto attributes = tree_attributes(spec_, rows_);
  if (!attributes) return attributes.error();
  return guarded<policy::Counts>("counting table " + qualified_name(relation_.schema, relation_.name), [&] {
    if (std::ranges::any_of(spec_.columns, has_prefix) && counts_bytes(*connection_)) {
      return Result<policy::Counts>(Error{ErrorKind::policy, std::string(sqlstate::kFeatureNotSupported),
                                          "prefixes need a database whose encoding has characters",
                                          "take generalize: {prefix: …} out of the policy"});
    }
    CountsReader reader(spec_, *table, counts_bytes_);
    connection_->copy_out(group_query(table->columns(), rows_), [&](std::string& line) {
      reader.add(line);
      if (progress && reader.size() % kRowsPerLook == 0) progress("counting", reader.size());
    });
    return Result<policy::Counts>(
        policy::with_attributes(std::move(reader).finish(*connection_), *attributes));
  });
}

Result<std::vector<policy::ConstrainedColumn>> TableReading::constrained_columns(const Progress& progress) {
  std::vector<policy::ConstrainedColumn> columns;
  for (const auto& rule : spec_.columns) {
    if (rule.constraints.empty()) continue;
    if (progress) progress("counting sensitive values", 0);
    auto counts = counts_with({&rule}, progress);
    if (!counts) return counts.error();
    columns.push_back({rule, std::move(*counts)});
  }
  return columns;
}

}  // namespace pgveil::db
