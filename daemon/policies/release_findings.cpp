#include "daemon/policies/release_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "console/quote.hpp"
#include "db/catalog/table_facts.hpp"
#include "db/catalog/table_reading.hpp"
#include "policy/cohorts/leveled_counts.hpp"
#include "policy/decision/visible_columns.hpp"
#include "policy/spec/entity_group.hpp"
#include "review/release_check.hpp"

namespace pgveil::app {
namespace {

using policy::ColumnClass;
using policy::PolicySpec;

constexpr double kTellingCorrelation = 0.5;      // above it, the physical order tells where a value is
constexpr std::uint64_t kTellingPercent = 10;    // of rows or cells: worth a decision of the owner
constexpr std::uint64_t kTellingComputable = 2;  // per cent of all cells
constexpr std::uint64_t kAlonePercent = 90;      // of rows: such a column is an identifier

bool is_at_least(std::uint64_t part, std::uint64_t whole, std::uint64_t percent) {
  return whole > 0 &&
         static_cast<double>(part) * 100 >= static_cast<double>(whole) * static_cast<double>(percent);
}

Finding warning(const PolicySpec& spec, FindingKind kind, const std::string& what, std::string mend) {
  return {kind, Severity::warning, "", fmt::format("policy {}: {}", spec.name, what), std::move(mend)};
}

// What the owner can do so that readers can compute fewer cells.
std::string mend_of_computable(const PolicySpec& spec, const policy::PolicyVersion& version) {
  const std::string fresh = fmt::format(
      "BUILD POLICY {} FRESH, which begins a new lineage (docs/policy-language.md, \"Strategy\")", spec.name);
  if (version.spec_hash == spec.hash_before)
    return fmt::format(
        "greedy was the default when this version was built, and the version stays in "
        "use: write strategy: greedy, or run {}",
        fresh);
  switch (spec.growth.strategy) {
    case policy::Strategy::thorough:
      return "only the cohort that shows nothing has such cells after " + fresh;
    case policy::Strategy::greedy:
      return std::ranges::any_of(spec.columns,
                                 [](const auto& rule) {
                                   return policy::has_constraint(rule, policy::ConstraintMode::refine);
                                 })
                 ? "mode: refine requires strategy: greedy. With mode: verify, strategy: thorough "
                   "leaves such cells only in the cohort that shows nothing"
                 : "strategy: thorough leaves such cells only in the cohort that shows nothing";
  }
  return {};
}

class ReleaseExamination {
 public:
  ReleaseExamination(const Config& config, const PolicySpec& spec, const policy::PolicyVersion* version)
      : endpoint_(build_endpoint(config)), spec_(spec), version_(version) {}

  Result<ReleaseReport> run(Counting counting) {
    if (version_ != nullptr) look_at_computable();
    // The rows of a source, and what histories show, are known to a BUILD only.
    if (spec_.source || policy::key_of(spec_) != nullptr) return std::move(report_);
    if (auto order = look_at_order(); !order) return order.error();
    if (counting == Counting::none) return std::move(report_);
    if (auto identifiers = look_at_identifiers(); !identifiers) return identifiers.error();
    for (const auto& rule : spec_.columns) {
      if (auto column = look_at_column(rule); !column) return column.error();
    }
    return std::move(report_);
  }

 private:
  // Uses the figures of the build. An owner who has written strategy: greedy has decided already.
  void look_at_computable() {
    const auto& found = version_->disclosure;
    if (found.computable == 0) return;
    const bool is_decided = spec_.growth.strategy == policy::Strategy::greedy;
    const bool is_telling = is_at_least(found.computable, found.cells, kTellingComputable);
    report_.findings.push_back(
        {FindingKind::computable_cells, is_telling && !is_decided ? Severity::warning : Severity::note, "",
         fmt::format("policy {}: {}% of the cells are hidden but inferable from the answers alone; "
                     "{}% are disclosed",
                     spec_.name, console::shown_percent(found.computable, found.cells),
                     console::shown_percent(found.disclosed, found.cells)),
         mend_of_computable(spec_, *version_)});
  }

  Result<void> look_at_order() {
    const auto order = db::load_order(endpoint_, spec_);
    if (!order) return order.error();
    for (const auto& facts : *order) {
      if (review::is_shown(spec_, facts.column) || std::fabs(facts.correlation) < kTellingCorrelation)
        continue;
      auto finding = review::order_finding(
          spec_, FindingKind::order_by_layout,
          fmt::format("the rows are stored in the order of {}, which is hidden (correlation {:.2f})",
                      facts.column, facts.correlation));
      // Nearly every table has such a column. It says when a row came, which the order tells without it.
      if (facts.is_numbered && finding.severity == Severity::warning) {
        finding.severity = Severity::note;
        finding.mend = fmt::format(
            "{} numbers the rows as they are inserted, so readers see the order of insertion", facts.column);
      }
      report_.findings.push_back(std::move(finding));
    }
    return {};
  }

  Result<void> look_at_identifiers() {
    if (spec_.unit) return {};
    const auto identifiers = db::count_identifiers(endpoint_, spec_);
    if (!identifiers) return identifiers.error();
    for (const auto& facts : *identifiers) {
      if (facts.distinct == facts.values) continue;
      report_.findings.push_back(
          warning(spec_, FindingKind::repeated_identifier,
                  fmt::format("identifier {} repeats, so one person may have many rows, but the policy names "
                              "no unit",
                              facts.column),
                  fmt::format("if this column identifies persons, write unit: {}", facts.column)));
    }
    return {};
  }

  Result<void> look_at_column(const policy::ColumnRule& rule) {
    switch (rule.column_class) {
      case ColumnClass::identifier:
      case ColumnClass::key: return {};
      case ColumnClass::quasi_identifier: return rule.level ? Result<void>() : look_at_quasi_identifier(rule);
      case ColumnClass::sensitive:
      case ColumnClass::insensitive: return version_ == nullptr ? Result<void>() : look_at_visible(rule);
    }
    return {};
  }

  // Counts the policy's quasi-identifiers together with this column.
  Result<policy::Counts> counts_with(const policy::ColumnRule& rule, int& number) {
    PolicySpec counted = policy::without_levels(spec_);
    std::ranges::find(counted.columns, rule.name, &policy::ColumnRule::name)->column_class =
        ColumnClass::quasi_identifier;
    auto reading = db::TableReading::open(endpoint_, counted);
    if (!reading) return reading.error();
    const auto* column = reading->relation().find_column(rule.name);
    number = column == nullptr ? 0 : column->number;
    return reading->counts();
  }

  Result<void> look_at_quasi_identifier(const policy::ColumnRule& rule) {
    if (quasi_identifiers_.attributes.empty()) {
      int number = 0;
      auto counts = counts_with(rule, number);
      if (!counts) return counts.error();
      quasi_identifiers_ = std::move(*counts);
    }
    const auto& attributes = quasi_identifiers_.attributes;
    const auto at = std::ranges::find(attributes, rule.name, &policy::Attribute::name);
    if (at == attributes.end()) return {};
    std::uint64_t rows = 0;
    for (const auto count : quasi_identifiers_.rows) rows += count;
    if (!is_at_least(policy::rows_alone_in(quasi_identifiers_, at->number), rows, kAlonePercent)) return {};
    report_.findings.push_back(
        warning(spec_, FindingKind::unique_quasi_identifier,
                fmt::format("nearly every row has its own value of {}, so it can hardly ever be disclosed",
                            rule.name),
                "class it identifier"));
    return {};
  }

  Result<void> look_at_visible(const policy::ColumnRule& rule) {
    int number = 0;
    const auto counts = counts_with(rule, number);
    if (!counts && counts.error().kind != ErrorKind::policy) return counts.error();
    if (!counts) {  // a type that can't be compared
      report_.lines.push_back(
          fmt::format("column {}: can't be counted, because its type has no canonical form", rule.name));
      return {};
    }
    const auto& tree = version_->tree;
    if (policy::has_sources(*counts, tree.attributes))
      say_visible(rule, policy::measure_visible(tree, *counts, number));
    return {};
  }

  void say_visible(const policy::ColumnRule& rule, const policy::VisibleColumn& column) {
    report_.lines.push_back(
        fmt::format("column {}: unique in its cohort for {}% of rows, determines {}% of hidden cells",
                    rule.name, console::shown_percent(column.unique_rows, column.rows),
                    console::shown_percent(column.determined_cells, column.hidden_cells)));
    if (is_at_least(column.unique_rows, column.rows, kTellingPercent)) {
      report_.findings.push_back(
          warning(spec_, FindingKind::unique_within_cohort,
                  fmt::format("visible column {} distinguishes the rows of a cohort: somebody who knows a "
                              "value can identify the row",
                              rule.name),
                  "give it the class identifier or quasi_identifier, unless nobody else can know "
                  "its values"));
    }
    if (is_at_least(column.determined_cells, column.hidden_cells, kTellingPercent)) {
      report_.findings.push_back(
          warning(spec_, FindingKind::determines_hidden,
                  fmt::format("hidden cells are inferable from visible column {}", rule.name),
                  "give it the class quasi_identifier or identifier"));
    }
  }

  db::Endpoint endpoint_;
  const PolicySpec& spec_;
  const policy::PolicyVersion* version_;
  policy::Counts quasi_identifiers_;
  ReleaseReport report_;
};

}  // namespace

Result<ReleaseReport> examine_release(const Config& config, const PolicySpec& spec,
                                      const policy::PolicyVersion* version, Counting counting) {
  return ReleaseExamination(config, spec, version).run(counting);
}

}  // namespace pgveil::app
