#include "proxy/net/lost_servers.hpp"

#include <doctest/doctest.h>

namespace pgveil {

TEST_CASE("servers that did not answer are tried last, and otherwise in their order") {
  net::LostServers lost;
  using Order = std::vector<std::size_t>;
  CHECK(lost.order(3) == Order{0, 1, 2});
  lost.note(0);
  CHECK(lost.order(3) == Order{1, 2, 0});
  lost.note(1);
  CHECK(lost.order(3) == Order{2, 0, 1});
  CHECK(lost.order(1) == Order{0});
  CHECK(lost.order(0).empty());
}

}  // namespace pgveil
