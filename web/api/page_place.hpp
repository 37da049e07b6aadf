#pragma once
// Where browsers find the page, and what the log says about it. Pure.
#include <cstdint>
#include <string>

#include "settings/config.hpp"

namespace pgveil::app {

struct PagePlace {
  std::string address;  // with a slash at the end; empty: this build has no page (web/api/assets.hpp)
  std::string log_line;
};
enum class Build { with_page, without_page };
// port: on which admin.http listens. Over TLS the address has the first of admin.http.names.
[[nodiscard]] PagePlace page_place(const PageConfig& page, std::uint16_t port, Build build);

}  // namespace pgveil::app
