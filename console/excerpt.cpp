#include "console/excerpt.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/sqlstate.hpp"
#include "console/quote.hpp"

namespace pgveil::console {

Result<std::optional<std::uint32_t>> attribute_of(const policy::DisclosureTree& tree,
                                                  const Excerpt& excerpt) {
  using Found = std::optional<std::uint32_t>;
  if (!excerpt.column) return Found();
  const auto at = std::ranges::find(tree.attributes, *excerpt.column, &policy::TreeAttribute::name);
  if (at != tree.attributes.end()) return Found(static_cast<std::uint32_t>(at - tree.attributes.begin()));
  std::string names;
  for (const auto& attribute : tree.attributes)
    names += (names.empty() ? "" : ", ") + shown_name(attribute.name);
  return Error{ErrorKind::unknown_object, std::string(sqlstate::kUndefinedColumn),
               fmt::format("{} is no quasi-identifier of this policy", shown_name(*excerpt.column)),
               "they are " + names};
}

bool ExcerptRows::takes_next() {
  const bool is_shown =
      seen_ >= excerpt_.offset && (!excerpt_.limit || seen_ - excerpt_.offset < *excerpt_.limit);
  ++seen_;
  if (is_shown) ++shown_;
  return is_shown;
}

std::string ExcerptRows::note(std::string_view what) const {
  if (shown_ == seen_) return {};
  const std::string which =
      shown_ == 0 ? "none is shown"
                  : fmt::format("{} to {} are shown", excerpt_.offset + 1, excerpt_.offset + shown_);
  return fmt::format("{} {}, of which {}: LIMIT and OFFSET show others", seen_, what, which);
}

}  // namespace pgveil::console
