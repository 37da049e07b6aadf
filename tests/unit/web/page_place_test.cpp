#include <doctest/doctest.h>

#include "web/api/page_place.hpp"

namespace pgveil::app {
namespace {

PageConfig config(std::string host) {
  PageConfig page;
  page.host = std::move(host);
  return page;
}

TEST_CASE("the log has the address of the page") {
  const auto place = page_place(config("127.0.0.1"), 6480, Build::with_page);
  CHECK(place.address == "http://127.0.0.1:6480/");
  CHECK(place.log_line == place.address);
}

TEST_CASE("an IPv6 address is in brackets") {
  CHECK(page_place(config("::1"), 6480, Build::with_page).address == "http://[::1]:6480/");
}

TEST_CASE("over TLS the address has a name of the certificate, not the address that is listened on") {
  PageConfig page = config("0.0.0.0");
  page.names = {"pgveil.example.org", "other.example.org"};
  page.tls.certificate = "page.crt";
  CHECK(page_place(page, 443, Build::with_page).address == "https://pgveil.example.org:443/");
}

TEST_CASE("a build without the page says so, and names no address") {
  const auto place = page_place(config("127.0.0.1"), 6480, Build::without_page);
  CHECK(place.address.empty());
  CHECK(place.log_line.find("this build has no page") == 0);
  CHECK(place.log_line.find("://") == std::string::npos);
  CHECK(place.log_line.find("127.0.0.1") == std::string::npos);
}

}  // namespace
}  // namespace pgveil::app
