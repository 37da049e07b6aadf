#pragma once
// The page's files as they were built (web/, cmake/web.cmake), part of the program. None when it was built without npm.
#include <span>
#include <string_view>

namespace pgveil::cli {

struct WebAsset {
  std::string_view path;  // "/page.js"; "/" is index.html
  std::string_view type;
  std::string_view bytes;
};
[[nodiscard]] std::span<const WebAsset> web_assets();

}  // namespace pgveil::cli
