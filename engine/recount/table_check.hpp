#pragma once
// Finds which models a table satisfies, counted from its texts alone. It knows nothing of hierarchies of
// quasi-identifiers, of codes or of what a search found. It works for any table, and it is the last test of
// what a job is about to publish.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/error.hpp"
#include "engine/publish/recount.hpp"
#include "engine/recount/table_risks.hpp"
#include "engine/recount/value_counts.hpp"

namespace pgveil::engine {

struct CheckedColumn {
  std::string name;
  std::vector<ValueModel> demanded = {};
  std::optional<ValueOrder> order = {};
  std::optional<Hierarchy> hierarchy = {};
  std::optional<std::string> null_text = {};  // what stands for NULL in order and hierarchy
  std::optional<ValueCounts> expected = {};   // what classes are compared with; none: the table itself
};

struct CheckDemand {
  std::optional<std::uint64_t> k;
  // Whether a class that shows only `*` counts. keep: it may break any model. Rows that show nothing else
  // either (keep_or_hide) never count.
  SuppressedRecords suppressed_records = SuppressedRecords::keep_or_drop;
  std::size_t most_keys = 0;  // how many offending classes are listed
  std::vector<RiskModel> risks = {};
  // These two compare with the population that was added.
  std::optional<DeltaPresence> presence = {};
  std::optional<std::uint64_t> k_map = {};
  // Records were left out or hidden. A person who looks like nobody shown may be among them, so
  // `presence.least` says nothing about such persons.
  bool has_left_out = false;
};

struct DemandFinding {
  std::string column;                      // empty: k-anonymity and risks
  std::string model;                       // "k 5", "t_closeness 0.2 ordered"
  std::uint64_t classes = 0, records = 0;  // classes and records that break it
  bool is_broken_by_all = false;           // for models of all classes together, which no single class breaks
  [[nodiscard]] bool is_kept() const { return classes == 0 && !is_broken_by_all; }
};

// The strictest parameters that every class keeps. A class keeps c and δ above these, t and β from these on,
// and l up to these.
struct ColumnFinding {
  std::string column;
  std::uint64_t distinct_l = 0;
  double entropy_l = 0;
  double recursive_c2 = 0, recursive_c3 = 0;  // (c,2) and (c,3); infinite: some class has fewer values
  double t_equal = 0;
  std::optional<double> t_ordered, t_hierarchical;
  double beta_basic = 0, beta_enhanced = 0;  // infinite: no β is kept
  double delta = 0;
};

struct OffendingClass {
  std::vector<std::optional<std::string>> key;
  std::uint64_t records = 0;
};

// Compares what is shown with everybody whom it could be. A row of `*` may be anybody who looks like no class
// that is shown.
struct PopulationFinding {
  std::uint64_t records = 0;
  std::uint64_t smallest = 0;              // the least number of people who look like one class
  double least_share = 1, most_share = 0;  // share of these people who are shown
  std::uint64_t unseen = 0;                // people who look like no class that is shown
};

struct CheckFindings {
  std::uint64_t records = 0, hidden_records = 0, starred_records = 0, classes = 0;
  std::uint64_t k = 0;  // size of the smallest class; 0: no class counts
  TableRisks risks;     // of the classes that count
  std::optional<PopulationFinding> population = {};
  std::vector<ColumnFinding> columns;
  std::vector<DemandFinding> demands;
  std::uint64_t offending_classes = 0, offending_records = 0;  // those that break any demand
  std::vector<OffendingClass> offending;  // the smallest first, as many as were requested
  [[nodiscard]] bool is_kept() const { return std::ranges::all_of(demands, &DemandFinding::is_kept); }
};

class TableCheck {
 public:
  explicit TableCheck(std::vector<CheckedColumn> columns) : columns_(std::move(columns)) {}

  // Adds `count` records with these cells; sensitive: in the order of the columns. shows_more: one of them
  // has a cell that is not NULL in some other column of the table.
  void add(Cells quasi_identifiers, Cells sensitive, bool shows_more, std::uint64_t count = 1);

  // Adds `count` records of the population, as the table would show them.
  void add_population(Cells quasi_identifiers, std::uint64_t count = 1);

  // Without a population, every class breaks presence and k_map. Errors, kind configuration: those of
  // ValueTable; a distance for which an order or hierarchy is missing.
  [[nodiscard]] Result<CheckFindings> finish(const CheckDemand& demand) const;

 private:
  struct Class {
    std::vector<std::optional<std::string>> key;
    std::uint64_t records = 0;
    bool is_starred = false;
    bool shows_more = false;
    std::vector<ValueCounts> values;  // of the sensitive columns
    std::string text;                 // of the key, with the lengths of the cells
  };
  [[nodiscard]] Result<std::vector<ValueTable>> value_tables() const;
  [[nodiscard]] CheckFindings begin_findings(const CheckDemand& demand,
                                             const std::vector<ValueTable>& tables) const;
  [[nodiscard]] std::vector<bool> judge_class(const Class& it, const CheckDemand& demand,
                                              const std::vector<ValueTable>& tables,
                                              CheckFindings& made) const;
  void judge_all(const CountedSizes& sizes, bool has_stars, const CheckDemand& demand,
                 CheckFindings& made) const;
  // The number of people who look like the class, and of those who look like no class that is shown.
  [[nodiscard]] std::uint64_t people_like(const Class& it) const;
  [[nodiscard]] std::uint64_t unseen_people() const;

  std::vector<CheckedColumn> columns_;
  std::unordered_map<std::string, std::size_t> place_of_;
  std::vector<Class> classes_;
  std::unordered_map<std::string, std::uint64_t> population_;
};

}  // namespace pgveil::engine
