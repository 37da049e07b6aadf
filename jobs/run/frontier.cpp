#include "jobs/run/frontier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>

#include "common/sqlstate.hpp"
#include "common/text_table.hpp"

namespace pgveil::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostThresholds = 64;
constexpr std::uint64_t kMaxK = std::uint64_t{1} << 32;
constexpr std::size_t kBar = 50;  // characters

Error usage_error(std::string_view item) {
  return {ErrorKind::usage, std::string(sqlstate::kInvalidParameterValue),
          fmt::format("--frontier does not understand \"{}\"", item),
          "write numbers for k or shares for the risk: 2,5,10 or 50%,20%,10%"};
}

// The smallest k whose risk 1 ÷ k is at most this many per cent. Allows for rounding errors: 20 % give k = 5.
std::uint64_t k_of_risk(double percent) {
  return static_cast<std::uint64_t>(std::ceil(100 / percent * (1 - 1e-12)));
}

Result<std::uint64_t> threshold_of(std::string_view item) {
  const char* const end = item.data() + item.size();
  if (item.ends_with('%')) {
    double percent = 0;
    const auto [next, error] = std::from_chars(item.data(), end - 1, percent, std::chars_format::fixed);
    if (error != std::errc{} || next != end - 1 || !(percent > 0 && percent <= 100)) return usage_error(item);
    if (100 / percent > static_cast<double>(kMaxK)) return usage_error(item);
    return k_of_risk(percent);
  }
  std::uint64_t k = 0;
  const auto [next, error] = std::from_chars(item.data(), end, k);
  if (error != std::errc{} || next != end || k < 1 || k > kMaxK) return usage_error(item);
  return k;
}

bool has_optimum(const JobReport& report) {
  return report.search && report.search->optimum;
}

double score(const JobReport& report) {
  return report.search->optimum->score.value();
}

// Whether no other report with at most the same risk is at least as good.
bool is_on_frontier(const std::vector<JobReport>& reports, const JobReport& report) {
  return std::ranges::none_of(reports, [&](const JobReport& other) {
    return has_optimum(other) && other.k > report.k && score(other) <= score(report);
  });
}

std::string risk_text(std::uint64_t k) {
  return fmt::format("{:.3g} %", 100 / static_cast<double>(k));
}

std::string how_sure(const JobReport& report) {
  if (report.search->is_proven) return "yes";
  const auto& bound = report.search->lower_bound;
  return bound ? fmt::format("no, nothing is below {}", *bound) : "no";
}

// REQUIRES: there is no optimum.
std::string why_nothing(const JobReport& report) {
  if (report.k > report.rows) return "more than the rows";
  return report.search->is_proven ? "nothing is anonymous" : "nothing anonymous was found";
}

std::vector<std::optional<std::string>> row_of(const std::vector<JobReport>& reports,
                                               const JobReport& report) {
  std::vector<std::optional<std::string>> row{fmt::format("{}", report.k), risk_text(report.k)};
  if (!has_optimum(report)) {
    row.insert(row.end(),
               {why_nothing(report), std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt});
    return row;
  }
  const auto& summary = report.search->optimum->summary;
  row.insert(row.end(),
             {fmt::format("{}", score(report)), levels_text(report.levels),
              fmt::format("{}", summary.suppressed_rows), fmt::format("{}", report.search->counts.checks),
              how_sure(report), is_on_frontier(reports, report) ? "yes" : "no"});
  return row;
}

// A bar for each threshold; the worst score fills the width.
std::string plot(const std::vector<JobReport>& reports) {
  double worst = 0;
  for (const auto& report : reports) {
    if (has_optimum(report)) worst = std::max(worst, score(report));
  }
  std::string out;
  for (const auto& report : reports) {
    if (!has_optimum(report)) continue;
    const double share = worst > 0 ? std::max(0.0, score(report)) / worst : 0;
    const auto length = static_cast<std::size_t>(std::lround(share * static_cast<double>(kBar)));
    out += fmt::format("  risk {:>8}  k {:>6} |{:<{}}| {:.6g}\n", risk_text(report.k), report.k,
                       std::string(length, is_on_frontier(reports, report) ? '#' : '.'), kBar, score(report));
  }
  return out;
}

}  // namespace

Result<std::vector<std::uint64_t>> thresholds_of(std::string_view text) {
  std::vector<std::uint64_t> made;
  while (true) {
    const auto comma = text.find(',');
    const auto k = threshold_of(text.substr(0, comma));
    if (!k) return k.error();
    made.push_back(*k);
    if (made.size() > kMostThresholds) return usage_error("more than 64 thresholds");
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::ranges::sort(made);
  made.erase(std::unique(made.begin(), made.end()), made.end());
  return made;
}

std::string frontier_text(const std::vector<JobReport>& reports) {
  const auto metric = std::string(engine::name(reports.front().metric));
  TextTable table{{"k", "risk", metric, "levels", "suppressed", "checks", "proven", "frontier"}, {}};
  for (const auto& report : reports) table.rows.push_back(row_of(reports, report));
  return fmt::format(
      "job {}: {} rows, at most {} suppressed\n{}\n{}, lower is better; # is on the frontier\n{}",
      reports.front().job, reports.front().rows, reports.front().suppression_limit, text_of(table), metric,
      plot(reports));
}

std::string frontier_json(const std::vector<JobReport>& reports) {
  json::array points;
  for (const auto& report : reports) {
    json::object point{{"k", report.k},
                       {"risk", 1 / static_cast<double>(report.k)},
                       {"checks", report.search->counts.checks},
                       {"is_proven", report.search->is_proven}};
    if (report.search->lower_bound) point["lower_bound"] = *report.search->lower_bound;
    if (has_optimum(report)) {
      point["score"] = score(report);
      point["levels"] = json::array(report.levels.begin(), report.levels.end());
      point["suppressed_rows"] = report.search->optimum->summary.suppressed_rows;
      point["is_on_frontier"] = is_on_frontier(reports, report);
    }
    points.push_back(std::move(point));
  }
  json::array names;
  for (const auto& name : reports.front().quasi_identifiers) names.push_back(json::string(name));
  const json::object made{{"job", reports.front().job},
                          {"rows", reports.front().rows},
                          {"suppression_limit", reports.front().suppression_limit},
                          {"metric", engine::name(reports.front().metric)},
                          {"quasi_identifiers", std::move(names)},
                          {"frontier", std::move(points)}};
  return json::serialize(made) + "\n";
}

}  // namespace pgveil::app
