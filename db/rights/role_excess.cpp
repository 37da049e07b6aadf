#include "db/rights/role_excess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pgveil::db {
namespace {

constexpr std::array<std::string_view, 9> kWhole{"superuser",  "replication", "bypassrls",
                                                 "createrole", "createdb",    "temp",
                                                 "create",     "own",         "large_objects"};
constexpr std::array<std::string_view, 4> kNamed{"member:", "create:", "server:", "set:"};
constexpr std::array<std::string_view, 2> kRelations{"select:", "write:"};

bool has_name_after(std::string_view word, std::string_view prefix) {
  return word.size() > prefix.size() && word.starts_with(prefix);
}

}  // namespace

bool is_excess_word(std::string_view word) {
  if (std::ranges::find(kWhole, word) != kWhole.end()) return true;
  if (std::ranges::any_of(kNamed, [&](auto prefix) { return has_name_after(word, prefix); })) return true;
  return std::ranges::any_of(kRelations, [&](auto prefix) {
    const auto dot = word.find('.', prefix.size());
    return has_name_after(word, prefix) && dot != std::string_view::npos && dot > prefix.size() &&
           dot + 1 < word.size();
  });
}

bool accepts(std::string_view accepted, std::string_view word) {
  if (accepted == word) return true;
  const bool is_relation =
      std::ranges::any_of(kRelations, [&](auto prefix) { return has_name_after(word, prefix); });
  return is_relation && accepted.ends_with(".*") && word.starts_with(accepted.substr(0, accepted.size() - 1));
}

std::string explain_excess(const std::string& role, const RoleExcess& excess) {
  return fmt::format("query_role {} {}: {}, or add \"{}\" to backend.accept_excess", role, excess.what,
                     excess.mend, excess.word);
}

}  // namespace pgveil::db
