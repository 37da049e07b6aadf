#include "policy/decision/region_bitmaps.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace pgveil::policy {
namespace {

// One place for each value of an attribute that is tested, and one for all others.
struct Places {
  std::map<std::string, std::size_t, std::less<>> of_value;
  std::vector<std::string> values;
  std::size_t otherwise = 0;
};

void add_values(const RowDecision& decision, std::map<std::uint32_t, Places>& out) {
  for (const RowArm& arm : decision.arms) {
    Places& places = out[arm.attribute];
    for (const std::string& value : arm.values) {
      if (places.of_value.try_emplace(value, 0).second) places.values.push_back(value);
    }
    add_values(arm.then.front(), out);
  }
}

// Numbers the places, and returns how many there are.
std::size_t number_places(std::map<std::uint32_t, Places>& attributes) {
  std::size_t next = 0;
  for (auto& [attribute, places] : attributes) {
    for (const std::string& value : places.values) places.of_value[value] = next++;
    places.otherwise = next++;
  }
  return next;
}

class Regions {
 public:
  Regions(const std::map<std::uint32_t, Places>& attributes, std::size_t places, std::size_t most_bits)
      : attributes_(attributes), bitmaps_(places), most_(most_bits / std::max<std::size_t>(places, 1)) {}

  // allowed: by place, what the path allows. False: there are too many regions.
  [[nodiscard]] bool add(const RowDecision& decision, std::vector<bool> allowed) {
    for (const RowArm& arm : decision.arms) {
      const Places& places = attributes_.at(arm.attribute);
      auto within = allowed;
      bool is_reached = false;
      for (const std::string& value : places.values) within[places.of_value.find(value)->second] = false;
      within[places.otherwise] = false;
      for (const std::string& value : arm.values) {
        const auto place = places.of_value.find(value)->second;
        within[place] = allowed[place];
        is_reached = is_reached || allowed[place];
        allowed[place] = false;
      }
      if (is_reached && !add(arm.then.front(), std::move(within))) return false;
    }
    if (decision.released == 0 || !is_possible(allowed)) return true;
    if (released_.size() == most_) return false;
    released_.push_back(decision.released);
    for (std::size_t place = 0; place < allowed.size(); ++place) bitmaps_[place].push_back(allowed[place]);
    return true;
  }

  [[nodiscard]] RegionBitmaps take() {
    RegionBitmaps out;
    for (const auto& [attribute, places] : attributes_) {
      AttributeBitmaps& made = out.attributes.emplace_back();
      made.attribute = attribute;
      made.values = places.values;
      for (const std::string& value : places.values)
        made.bitmaps.push_back(std::move(bitmaps_[places.of_value.find(value)->second]));
      made.otherwise = std::move(bitmaps_[places.otherwise]);
    }
    out.released = std::move(released_);
    return out;
  }
  [[nodiscard]] bool is_empty() const { return released_.empty(); }

 private:
  // Whether each attribute can still have a value.
  [[nodiscard]] bool is_possible(const std::vector<bool>& allowed) const {
    return std::ranges::all_of(attributes_, [&](const auto& entry) {
      const Places& places = entry.second;
      return allowed[places.otherwise] || std::ranges::any_of(places.values, [&](const std::string& value) {
               return allowed[places.of_value.find(value)->second];
             });
    });
  }

  const std::map<std::uint32_t, Places>& attributes_;
  std::vector<std::vector<bool>> bitmaps_;  // [place][region]
  std::vector<std::uint64_t> released_;
  std::size_t most_;
};

bool has_bit(const AttributeBitmaps& bitmaps, std::optional<std::string_view> value, std::size_t region) {
  const auto at = value ? std::ranges::find(bitmaps.values, *value) : bitmaps.values.end();
  if (at == bitmaps.values.end()) return bitmaps.otherwise[region];
  return bitmaps.bitmaps[static_cast<std::size_t>(at - bitmaps.values.begin())][region];
}

}  // namespace

std::optional<RegionBitmaps> region_bitmaps(const RowDecision& decision, std::size_t most_bits) {
  std::map<std::uint32_t, Places> attributes;
  add_values(decision, attributes);
  const auto has_many = [](const auto& it) { return it.second.values.size() > kMostBitmapValues; };
  if (attributes.empty() || std::ranges::any_of(attributes, has_many)) return std::nullopt;
  const std::size_t places = number_places(attributes);
  Regions regions(attributes, places, most_bits);
  if (!regions.add(decision, std::vector<bool>(places, true)) || regions.is_empty()) return std::nullopt;
  return regions.take();
}

std::uint64_t released_attributes(const RegionBitmaps& bitmaps,
                                  std::span<const std::optional<std::string_view>> values) {
  for (std::size_t region = 0; region < bitmaps.released.size(); ++region) {
    const bool is_it = std::ranges::all_of(bitmaps.attributes, [&](const AttributeBitmaps& it) {
      return has_bit(it, values[it.attribute], region);
    });
    if (is_it) return bitmaps.released[region];
  }
  return 0;
}

}  // namespace pgveil::policy
