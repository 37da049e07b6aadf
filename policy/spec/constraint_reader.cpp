#include "policy/spec/constraint_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "common/first_error.hpp"
#include "policy/spec/spec.hpp"

namespace pgveil::policy {

namespace {

using yaml::error_at;
using yaml::in_quotes;
using Entries = std::vector<yaml::Value::Entry>;

constexpr std::int64_t kMaxL = std::int64_t{1} << 53;
constexpr double kMaxDecimal = 1e9;  // larger is probably a mistake

// Reads a number with above < number < below.
Result<double> read_decimal(const yaml::Value& value, double above, double below) {
  const auto number = value.as_decimal();
  if (!number) return number.error();
  if (*number > above && *number < below) return *number;
  return error_at(value.position(), fmt::format("{} is out of range", *number),
                  fmt::format("write a number above {} and below {}", above, below));
}

Result<ConstraintMode> read_mode(const Entries& entries) {
  constexpr std::array<std::string_view, 3> kModes = {"verify", "refine", "hide"};
  const auto* value = yaml::find(entries, "mode");
  if (value == nullptr) return ConstraintMode::verify;
  const auto text = value->as_string();
  if (!text) return text.error();
  if (*text == "verify") return ConstraintMode::verify;
  if (*text == "refine") return ConstraintMode::refine;
  if (*text == "hide") return ConstraintMode::hide;
  return error_at(value->position(), fmt::format("unknown mode {}", in_quotes(*text)),
                  yaml::suggestion(*text, kModes));
}

Result<Distance> read_distance(const Entries& entries) {
  constexpr std::array<std::string_view, 2> kDistances = {"equal", "ordered"};
  const auto* value = yaml::find(entries, "distance");
  if (value == nullptr) return Distance::equal;
  const auto text = value->as_string();
  if (!text) return text.error();
  if (*text == "equal") return Distance::equal;
  if (*text == "ordered") return Distance::ordered;
  return error_at(value->position(), fmt::format("unknown distance {}", in_quotes(*text)),
                  yaml::suggestion(*text, kDistances));
}

Result<RecursiveL> read_recursive(const yaml::Value& value) {
  const auto entries = value.as_map();
  if (!entries) return entries.error();
  if (auto known = yaml::refuse_unknown_keys(*entries, {"c", "l"}); !known) return known.error();
  const auto* c = yaml::find(*entries, "c");
  const auto* l = yaml::find(*entries, "l");
  if (c == nullptr || l == nullptr)
    return error_at(value.position(), "recursive needs c and l", "write {c: 2, l: 3}");
  FirstError errors;
  const RecursiveL recursive{errors.take(read_decimal(*c, 0, kMaxDecimal)),
                             static_cast<std::uint64_t>(errors.take(l->as_integer(2, kMaxL)))};
  if (errors.error()) return *errors.error();
  return recursive;
}

}  // namespace

Result<std::vector<Constraint>> read_l_diversity(const yaml::Value& value) {
  const auto entries = value.as_map();
  if (!entries) return entries.error();
  FirstError errors;
  errors.check(yaml::refuse_unknown_keys(*entries, {"distinct", "entropy", "recursive", "mode"}));
  const ConstraintMode mode = errors.take(read_mode(*entries));
  std::vector<Constraint> constraints;
  if (const auto* distinct = yaml::find(*entries, "distinct")) {
    constraints.push_back(
        {DistinctL{static_cast<std::uint64_t>(errors.take(distinct->as_integer(2, kMaxL)))}, mode});
  }
  if (const auto* entropy = yaml::find(*entries, "entropy")) {
    constraints.push_back({EntropyL{errors.take(read_decimal(*entropy, 1, kMaxDecimal))}, mode});
  }
  if (const auto* recursive = yaml::find(*entries, "recursive")) {
    constraints.push_back({errors.take(read_recursive(*recursive)), mode});
  }
  if (errors.error()) return *errors.error();
  if (!constraints.empty()) return constraints;
  return error_at(value.position(), "l_diversity without a model",
                  "write {distinct: 2}, {entropy: 2} or {recursive: {c: 2, l: 3}}");
}

Result<std::vector<Constraint>> read_t_closeness(const yaml::Value& value) {
  const auto entries = value.as_map();
  if (!entries) return entries.error();
  FirstError errors;
  errors.check(yaml::refuse_unknown_keys(*entries, {"t", "distance", "mode"}));
  const auto* t = yaml::find(*entries, "t");
  if (t == nullptr) return error_at(value.position(), "t_closeness without \"t\"", "write {t: 0.2}");
  const TCloseness closeness{errors.take(read_decimal(*t, 0, 1)), errors.take(read_distance(*entries))};
  const ConstraintMode mode = errors.take(read_mode(*entries));
  if (errors.error()) return *errors.error();
  return std::vector<Constraint>{{closeness, mode}};
}

bool has_constraint(const ColumnRule& rule, ConstraintMode mode) {
  return std::ranges::find(rule.constraints, mode, &Constraint::mode) != rule.constraints.end();
}

bool needs_order(const ColumnRule& rule) {
  return std::ranges::any_of(rule.constraints, [](const Constraint& constraint) {
    const auto* closeness = std::get_if<TCloseness>(&constraint.model);
    return closeness != nullptr && closeness->distance == Distance::ordered;
  });
}

}  // namespace pgveil::policy
