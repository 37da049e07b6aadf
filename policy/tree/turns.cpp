#include "policy/tree/turns.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

namespace pgveil::policy {

std::string describe_turns(const DisclosureTree& tree) {
  std::map<std::uint32_t, std::vector<std::string>> by_rank;
  for (std::size_t a = 0; a < tree.turns.size(); ++a) {
    const Turn& turn = tree.turns[a];
    by_rank[turn.rank].push_back(tree.attributes[a].name + (turn.rarity > 0 ? " (rare values first)" : ""));
  }
  std::vector<std::string> ranks;
  for (const auto& [rank, columns] : by_rank) ranks.push_back(fmt::format("{}", fmt::join(columns, " and ")));
  return fmt::format("{}", fmt::join(ranks, ", then "));
}

}  // namespace pgveil::policy
