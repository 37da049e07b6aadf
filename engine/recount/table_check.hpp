#pragma once
// Which models a table satisfies, counted from its texts alone: knows nothing of hierarchies of quasi-identifiers, of codes or of
// what a search found. For any table that somebody holds, and the last test of what a job is about to publish.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/error.hpp"
#include "engine/publish/recount.hpp"
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
  // Does a class that shows only `*` count? as_reference: it may break any model. Rows that show nothing else either
  // (`hide`) never count.
  Outliers outliers = Outliers::drop;
  std::size_t most_keys = 0;  // of offending classes that are named
};

struct DemandFinding {
  std::string column;                      // empty: k-anonymity
  std::string model;                       // "k 5", "t_closeness 0.2 ordered"
  std::uint64_t classes = 0, records = 0;  // that break it
  [[nodiscard]] bool is_kept() const { return classes == 0; }
};

// The strictest parameters that every class keeps. A class keeps c, δ (above), t, β (from) and l (up to).
struct ColumnFinding {
  std::string column;
  std::uint64_t distinct_l = 0;
  double entropy_l = 0;
  double recursive_c2 = 0, recursive_c3 = 0;  // (c,2) and (c,3); infinite: a class has fewer values
  double t_equal = 0;
  std::optional<double> t_ordered, t_hierarchical;
  double beta_basic = 0, beta_enhanced = 0;  // infinite: no β
  double delta = 0;
};

struct OffendingClass {
  std::vector<std::optional<std::string>> key;
  std::uint64_t records = 0;
};

struct CheckFindings {
  std::uint64_t records = 0, hidden_records = 0, starred_records = 0, classes = 0;
  std::uint64_t k = 0;  // the smallest class; 0: no class counts
  std::vector<ColumnFinding> columns;
  std::vector<DemandFinding> demands;
  std::uint64_t offending_classes = 0, offending_records = 0;  // that break any demand
  std::vector<OffendingClass> offending;  // the smallest first, as many as were asked for
  [[nodiscard]] bool is_kept() const { return offending_classes == 0; }
};

class TableCheck {
 public:
  explicit TableCheck(std::vector<CheckedColumn> columns) : columns_(std::move(columns)) {}

  // `count` records with these cells; sensitive: in the order of the columns. shows_more: one of them has a cell that is not
  // NULL in any other column of the table.
  void add(Cells quasi_identifiers, Cells sensitive, bool shows_more, std::uint64_t count = 1);

  // Errors, kind configuration: those of ValueTable; a distance without what it needs.
  [[nodiscard]] Result<CheckFindings> finish(const CheckDemand& demand) const;

 private:
  struct Class {
    std::vector<std::optional<std::string>> key;
    std::uint64_t records = 0;
    bool is_starred = false;
    bool shows_more = false;
    std::vector<ValueCounts> values;  // of the sensitive columns
  };
  [[nodiscard]] Result<std::vector<ValueTable>> value_tables() const;

  std::vector<CheckedColumn> columns_;
  std::unordered_map<std::string, std::size_t> place_of_;
  std::vector<Class> classes_;
};

}  // namespace pgveil::engine
