#pragma once
// The files of the page, compiled into the program (web/, cmake/web.cmake). None if the program was built
// without npm.
#include <span>
#include <string_view>

namespace pgveil::app {

struct WebAsset {
  std::string_view path;  // "/page.js"; "/" is index.html
  std::string_view type;
  std::string_view bytes;
};
[[nodiscard]] std::span<const WebAsset> web_assets();

}  // namespace pgveil::app
