#include "console/health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>

#include "common/clock.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::console {
namespace {

using RowCells = std::vector<std::optional<std::string>>;

// RowCells by the names of their columns. The first name that is missing is remembered.
class NamedCells {
 public:
  explicit NamedCells(const TextTable& table) : table_(table) {}

  [[nodiscard]] std::optional<std::string> cell(const RowCells& row, std::string_view name) {
    const auto found = std::ranges::find(table_.columns, name);
    if (found == table_.columns.end() && missing_.empty()) missing_ = name;
    const auto at = static_cast<std::size_t>(found - table_.columns.begin());
    return at < row.size() ? row[at] : std::nullopt;
  }
  [[nodiscard]] std::string text(const RowCells& row, std::string_view name) {
    return cell(row, name).value_or("");
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  const TextTable& table_;
  std::string missing_;
};

std::optional<std::uint64_t> number_of(const std::optional<std::string>& text) {
  std::uint64_t number = 0;
  if (!text) return std::nullopt;
  const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), number);
  const bool is_number = problem == std::errc{} && end == text->data() + text->size();
  return is_number ? std::optional(number) : std::nullopt;
}

PolicyHealth policy_of(NamedCells& cells, const RowCells& row, std::int64_t now) {
  PolicyHealth policy;
  policy.name = cells.text(row, "policy");
  policy.database = cells.text(row, "database");
  policy.is_open = cells.text(row, "state") == "open";
  policy.version = number_of(cells.cell(row, "version"));
  policy.closed_because = cells.text(row, "closed_because");
  policy.last_failure = cells.text(row, "last_failure");
  if (const auto built = utc_seconds(cells.text(row, "built_at")))
    policy.age_seconds = std::max<std::int64_t>(0, now - *built);
  return policy;
}

}  // namespace

Result<Health> health_of(const TextTable& version, const TextTable& databases, const TextTable& policies,
                         std::int64_t now) {
  Health health;
  NamedCells of_version(version), of_databases(databases), of_policies(policies);
  for (const auto& row : version.rows) health.version = of_version.text(row, "version");
  for (const auto& row : databases.rows) {
    health.databases.push_back({of_databases.text(row, "name"), of_databases.text(row, "disabled") == "0",
                                of_databases.text(row, "paused") == "1"});
  }
  for (const auto& row : policies.rows) health.policies.push_back(policy_of(of_policies, row, now));
  for (const auto* cells : {&of_version, &of_databases, &of_policies}) {
    if (cells->missing().empty()) continue;
    return Error{ErrorKind::protocol, std::string(sqlstate::kProtocolViolation),
                 fmt::format("the answer has no column {}", cells->missing()),
                 "is this the console of a pgveil of this release?"};
  }
  return health;
}

std::vector<std::string> problems_of(const Health& health) {
  std::vector<std::string> problems;
  for (const auto& database : health.databases) {
    if (!database.is_usable) problems.push_back(fmt::format("database {} can't be used", database.name));
    if (database.is_paused) problems.push_back(fmt::format("database {} is paused", database.name));
  }
  for (const auto& policy : health.policies) {
    if (!policy.is_open)
      problems.push_back(fmt::format("policy {} is closed: {}", policy.name, policy.closed_because));
    if (!policy.last_failure.empty()) {
      problems.push_back(
          fmt::format("the last build of policy {} failed, at {}", policy.name, policy.last_failure));
    }
  }
  return problems;
}

std::string age_text(std::int64_t seconds) {
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  if (seconds >= kDay) return fmt::format("{} d {} h", seconds / kDay, seconds % kDay / kHour);
  if (seconds >= kHour) return fmt::format("{} h {} min", seconds / kHour, seconds % kHour / kMinute);
  if (seconds >= kMinute) return fmt::format("{} min", seconds / kMinute);
  return fmt::format("{} s", seconds);
}

}  // namespace pgveil::console
