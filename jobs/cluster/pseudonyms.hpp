#pragma once
// A job and its table as they are sent to a cluster, and what comes back. Only what cutting needs goes there:
// numbers of numeric quasi-identifiers, and in place of everything else numbers of our own (which value,
// which record), under names of our own. All other columns stay here. What comes back is checked record by
// record: each once, and each label is one that its record's value has. Pure.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/mondrian/dimension.hpp"
#include "jobs/language/groups.hpp"

namespace pgveil::app {

class Pseudonyms {
 public:
  // Of the job's quasi-identifiers, and its sensitive attributes with models. job, table: as in MakeGroups;
  // both outlive this. Errors: those of hierarchy_of, numeric_dimension and categorical_dimension. REQUIRES:
  // job.mondrian.
  [[nodiscard]] static Result<Pseudonyms> make(const Job& job, const engine::Table& table,
                                               const HierarchyOf& hierarchy_of);

  // How many quasi-identifiers there are.
  [[nodiscard]] std::size_t dimensions() const { return quasi_identifiers_.size(); }

  static constexpr std::string_view kJobFile = "job.yaml";
  static constexpr std::string_view kInputFile = "input.csv";
  // name → text: the job, the table, hierarchies.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> files() const;

  // The table with its quasi-identifiers as the answer has them. answer: separated text with a header, in any
  // order. Errors, kind protocol: it is not that, a record is missing or twice, a label does not fit its
  // record.
  [[nodiscard]] Result<engine::Table> read_answer(std::string_view answer) const;

 private:
  struct QuasiIdentifier {
    const engine::Column* column = nullptr;
    std::vector<std::string> sent;  // by code
    std::vector<double> numbers;    // by code, of numeric ones; NULL's means nothing
    std::map<std::string, double, std::less<>>
        ends;  // of numeric ones: what ranges are written with, without NULL
    std::vector<std::vector<std::string>> rows;             // of the hierarchy, as sent; none: numeric
    std::vector<std::size_t> row_of;                        // by code: of the hierarchy
    std::map<std::string, std::string, std::less<>> shown;  // what was sent → what it stands for
    [[nodiscard]] bool is_numeric() const { return rows.empty(); }
  };
  struct Sensitive {
    const JobAttribute* attribute = nullptr;
    const engine::Column* column = nullptr;
  };

  Pseudonyms(const Job& job, const engine::Table& table) : job_(&job), table_(&table) {}
  [[nodiscard]] static Result<QuasiIdentifier> numeric(const Job& job, const engine::Column& column);
  [[nodiscard]] static Result<QuasiIdentifier> categorical(const engine::Column& column,
                                                           const engine::Hierarchy& hierarchy);
  [[nodiscard]] std::string job_text() const;
  [[nodiscard]] std::string input_text() const;
  [[nodiscard]] static std::optional<std::pair<double, double>> range_of(const QuasiIdentifier& column,
                                                                         std::string_view label);
  [[nodiscard]] static bool fits(const QuasiIdentifier& column, engine::Code code, std::string_view label);
  [[nodiscard]] Result<engine::Column> decoded(const QuasiIdentifier& column, const engine::Column& answer,
                                               const std::vector<std::size_t>& place_of) const;

  const Job* job_;
  const engine::Table* table_;
  std::vector<QuasiIdentifier> quasi_identifiers_;
  std::vector<Sensitive> sensitive_;
};

}  // namespace pgveil::app
