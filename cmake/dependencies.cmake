# Every library pgveil relies on: the version of Debian 12 it is built and tested with, and why it is here.
# A newer patch release is fine; another major version needs its tests run first.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# fmt 9.1: formatting without iostreams; used everywhere.
find_package(fmt 9.1 REQUIRED)

# Boost 1.81: Asio and Beast (sockets and HTTP: only proxy/net and web/http), System.result (Result<T>), JSON
# (versions of policies, reports, certificates, the page's API). tests/architecture/include_graph_test.py says
# where each may be.
find_package(Boost 1.81 REQUIRED COMPONENTS json)

# OpenSSL 3.0: HMAC, PBKDF2, SHA-256, random bytes for SCRAM; TLS.
find_package(OpenSSL 3.0 REQUIRED)

# yaml-cpp 0.7: configuration and policies; only common/yaml.cpp sees it.
find_package(yaml-cpp 0.7 REQUIRED)

# spdlog 1.10: log sinks; only common/log.cpp sees it.
find_package(spdlog 1.10 REQUIRED)

# oneTBB 2021.8: threads that divide one piece of work; only common/workers.cpp sees it.
find_package(TBB 2021.8 REQUIRED COMPONENTS tbb)

# CLI11 2.1: command line; only cli/ sees it.
find_package(CLI11 2.1 REQUIRED)

# libpqxx 6.4: the proxy's own queries (catalog, counts, exports); only db/ sees it. It loses 2 KB where a
# connection breaks during a query (tests/leaks_of_libraries.txt).
pkg_check_modules(PQXX REQUIRED IMPORTED_TARGET libpqxx>=6.4)

# libpg_query 15-4.0: PostgreSQL 15's own parser and a deparser; only rewriter/pg/ sees it. No pkg-config file
# in Debian. protobuf-c 1.4: the form in which libpg_query hands its trees over.
find_path(PG_QUERY_INCLUDE_DIR pg_query.h REQUIRED)
find_library(PG_QUERY_LIBRARY pg_query REQUIRED)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c>=1.4)
add_library(pg_query UNKNOWN IMPORTED)
set_target_properties(pg_query PROPERTIES
  IMPORTED_LOCATION ${PG_QUERY_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${PG_QUERY_INCLUDE_DIR})
target_link_libraries(pg_query INTERFACE PkgConfig::PROTOBUF_C)

# xxHash 0.8: hash of cache keys (not for anything an adversary may not collide).
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(xxhash INTERFACE IMPORTED)
set_target_properties(xxhash PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${XXHASH_INCLUDE_DIR})

# doctest 2.4.9: unit tests; only tests/ sees it.
if(PGVEIL_TESTS)
  find_package(doctest 2.4.9 REQUIRED)
endif()
