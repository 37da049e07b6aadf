#pragma once
// The reviewed functions of extensions (derive_extensions.sql says how they were chosen). A function counts
// only if its definition on the server is the one that was reviewed.
#include <cstdint>
#include <optional>
#include <string_view>

namespace pgveil::rewriter {

struct ExtensionFunction {
  std::string_view extension;
  std::string_view signature;  // the types of other extensions and of its own with the name of the extension
  std::uint64_t definition;
  bool is_pure;  // clients may call it; false: only types, casts and functions in SQL work through it
};

enum class Listed {
  pure,
  machinery,  // types, casts and reviewed functions in SQL may work through it
  changed,    // the list knows another definition
  unknown     // the list does not have it
};

[[nodiscard]] Listed listed_in_extension(std::string_view extension, std::string_view signature,
                                         std::uint64_t definition);
// Whether the list has any function of this extension.
[[nodiscard]] bool is_listed_extension(std::string_view extension);
// Whether its functions reach files, other servers, pages of tables, statistics or other sessions, or run SQL
// text. No owner can vouch for these.
[[nodiscard]] bool is_never_opened(std::string_view extension);

}  // namespace pgveil::rewriter
