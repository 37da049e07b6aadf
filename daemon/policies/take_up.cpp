#include "daemon/policies/take_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace pgveil::app {
namespace {

using policy::PolicySpec;
using policy::PolicyVersion;

using Open = std::vector<const Release*>;

bool names(const PolicyVersion& version, const PolicyVersion& other) {
  return std::ranges::find(version.beside, policy::Companion{other.policy, other.number}) !=
         version.beside.end();
}

// A third policy may have covered a class with its own k (policy/release/joint_release.hpp). Without that
// policy, the rest is sound only if its k was not smaller.
bool is_no_stricter(const Open& open, const PolicyVersion& version, const std::vector<Release>& releases) {
  return std::ranges::all_of(version.beside, [&](const policy::Companion& other) {
    const auto is_it = [&](const Release* release) { return release->spec->name == other.policy; };
    if (std::ranges::any_of(open, is_it)) return true;
    const auto known = std::ranges::find_if(
        releases, [&](const Release& release) { return release.spec->name == other.policy; });
    return known != releases.end() && std::ranges::all_of(open, [&](const Release* release) {
             return release->spec->k <= known->spec->k && release->spec->unit == known->spec->unit;
           });
  });
}

bool are_held_together(const Open& open, const std::vector<Release>& releases) {
  if (open.size() < 2) return true;
  return std::ranges::any_of(open, [&](const Release* judge) {
    const bool names_all = std::ranges::all_of(open, [&](const Release* other) {
      return other == judge || names(*judge->version, *other->version);
    });
    return names_all && is_no_stricter(open, *judge->version, releases);
  });
}

// Adds the releases by age, as long as those that are in are sound together.
std::vector<bool> one_by_one(const std::vector<Release>& releases) {
  std::vector<std::size_t> order(releases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return releases[i].version == nullptr; });
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::tuple(std::string_view(releases[i].version->built_at),
                      std::string_view(releases[i].spec->name));
  });
  std::vector<bool> is_open(releases.size(), false);
  Open open;
  for (const std::size_t i : order) {
    if (!is_judged(*releases[i].spec)) {
      is_open[i] = true;
      continue;
    }
    open.push_back(&releases[i]);
    is_open[i] = are_held_together(open, releases);
    if (!is_open[i]) open.pop_back();
  }
  return is_open;
}

}  // namespace

bool is_judged(const PolicySpec& spec) {
  return !spec.accept_joint_release;
}

std::vector<bool> taken_up(const std::vector<Release>& releases) {
  std::vector<bool> is_open(releases.size(), false);
  Open all;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    is_open[i] = releases[i].version != nullptr;
    if (is_open[i] && is_judged(*releases[i].spec)) all.push_back(&releases[i]);
  }
  return are_held_together(all, releases) ? is_open : one_by_one(releases);
}

std::string neighbours_of(const std::vector<Release>& releases, std::size_t at) {
  const auto is_open = taken_up(releases);
  std::string text;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    if (i == at || !is_open[i] || !is_judged(*releases[i].spec)) continue;
    text += fmt::format("{}policy {} (version {})", text.empty() ? "" : ", ", releases[i].spec->name,
                        releases[i].version->number);
  }
  return text;
}

}  // namespace pgveil::app
