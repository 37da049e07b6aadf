// The texts are those that the products print.
#include "db/server/server_identity.hpp"

#include <doctest/doctest.h>

namespace pgveil::db {
namespace {

constexpr const char* kPostgres =
    "PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc (Debian "
    "12.2.0-14+deb12u1) "
    "12.2.0, 64-bit";

TEST_CASE("PostgreSQL is itself wherever it runs") {
  for (const char* version :
       {kPostgres, "PostgreSQL 16.4 on aarch64-unknown-linux-gnu, compiled by gcc, a 64-bit build",
        "PostgreSQL 15.8 (c4f2a1b) on x86_64-pc-linux-gnu, compiled by gcc (Debian 10.2.1-6) 10.2.1, 64-bit",
        "PostgreSQL 17.0 - Percona Distribution on x86_64-pc-linux-gnu, compiled by gcc",
        "PostgreSQL 18.4 on x86_64-apple-darwin, compiled by Apple clang"}) {
    CAPTURE(version);
    CHECK(refuse_forks(version).has_value());
  }
}

TEST_CASE("forks are refused by their name") {
  struct Row {
    const char* version;
    const char* name;
  };
  const Row rows[] = {
      {"PostgreSQL 15.4 (Greenplum Database 8.0.0 build 1) on x86_64-pc-linux-gnu, compiled by gcc",
       "Greenplum"},
      {"PostgreSQL 14.4 (Apache Cloudberry 2.0.0 build dev) on x86_64-pc-linux-gnu", "Apache Cloudberry"},
      {"CockroachDB CCL v23.1.4 (x86_64-pc-linux-gnu, built 2023/06/16 21:06:31, go1.19.4)", "CockroachDB"},
      {"PostgreSQL 15.12-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 17",
       "YugabyteDB"},
      {"PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.12345",
       "Amazon Redshift"},
      {"PostgreSQL 15.4 (EnterpriseDB Advanced Server 15.4.0) on x86_64-pc-linux-gnu",
       "EDB Postgres Advanced Server"},
      {"MyFork 15.1", "something else"},
      {"PostgreSQL ", "something else"},
      {"", "something else"}};
  for (const Row& row : rows) {
    CAPTURE(row.version);
    const auto found = refuse_forks(row.version);
    REQUIRE(found.has_error());
    CHECK(found.error().public_message.find(row.name) != std::string::npos);
  }
}

TEST_CASE("a server that did not get our start-up packet is behind a pooler") {
  CHECK(judge_greeting({kPostgres, "abc"}, "abc").has_value());
  for (const char* echo : {"", "abd", "abcd"}) {
    const auto found = judge_greeting({kPostgres, echo}, "abc");
    REQUIRE(found.has_error());
    CHECK(found.error().public_message.find("pooler") != std::string::npos);
  }
  CHECK(
      is_of_a_pooler("connection to server at \"x\" failed: FATAL:  unsupported startup parameter: options"));
  CHECK(is_of_a_pooler("FATAL:  unsupported startup parameter in options: search_path"));
  CHECK_FALSE(is_of_a_pooler("FATAL:  password authentication failed for user \"options\""));
  CHECK(is_about_a_setting("FATAL:  unrecognized configuration parameter \"jit\""));
  CHECK_FALSE(is_about_a_setting("FATAL:  database \"demo\" does not exist"));
}

}  // namespace
}  // namespace pgveil::db
