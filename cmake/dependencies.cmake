# Every library that pgveil relies on: its versions in Debian 12 and 13, with which it is built and tested,
# and its purpose. Versions between them are fine; a newer major version needs the tests run first. One place
# says which folders may include a library's headers: DOORS in tests/architecture/include_graph_test.py.

# Finds libraries that have no files for CMake.
find_package(PkgConfig REQUIRED)
# Threads of sessions, jobs and background work.
find_package(Threads REQUIRED)

# fmt 9.1, 10.1: turns values into text, everywhere.
find_package(fmt 9.1 REQUIRED)

# Boost 1.81, 1.83: Asio (sockets and timers: proxy/net and web/http), Beast (HTTP: web/http), System.result
# (Result<T>, everywhere), JSON (versions of policies, reports, certificates, jobs for pgveil-spark, the
# page's API). Only JSON has code to link.
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS json)

# OpenSSL 3.0, 3.5: TLS; HMAC, PBKDF2 and random bytes for SCRAM; SHA-256, also with a key, for hashes of
# policies, the chain of the audit log and fingerprints of tables; comparisons that take the same time for all
# secrets.
find_package(OpenSSL 3.0 REQUIRED)

# yaml-cpp 0.7, 0.8: scans the YAML of configuration, policies and jobs; only common/yaml.cpp uses it.
find_package(yaml-cpp 0.7 REQUIRED)

# spdlog 1.10, 1.15: writes the log's lines; only common/log.cpp uses it.
find_package(spdlog 1.10 REQUIRED)

# oneTBB 2021.8, 2022.1: threads that share one piece of work; only common/workers.cpp uses it.
find_package(TBB 2021.8 REQUIRED COMPONENTS tbb)

# CLI11 2.1, 2.4: command line; only cli/ uses it.
find_package(CLI11 2.1 REQUIRED)

# libpq 15, 17: pgveil's own queries (catalog, counts, versions, exports, tables of jobs); only db/server
# calls it. Not through libpqxx: its versions 6.4 (Debian 12) and 7.10 (Debian 13) share neither COPY of lines
# nor queries with parameters.
pkg_check_modules(PQ REQUIRED IMPORTED_TARGET libpq)

# libpg_query 15-4.0, 17-6.1: the parser of PostgreSQL 15 or 17; only pg/ uses it, and bench/rewrite, which
# compares with its deparser. Debian has no pkg-config file for it. protobuf-c 1.4, 1.5: the form of
# libpg_query's trees.
find_path(PG_QUERY_INCLUDE_DIR pg_query.h REQUIRED)
find_library(PG_QUERY_LIBRARY pg_query REQUIRED)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c>=1.4)
file(STRINGS ${PG_QUERY_INCLUDE_DIR}/pg_query.h PGVEIL_PARSER_VERSION REGEX "^#define PG_VERSION \"")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" PGVEIL_PARSER_VERSION "${PGVEIL_PARSER_VERSION}")
add_library(pg_query UNKNOWN IMPORTED)
set_target_properties(pg_query PROPERTIES
  IMPORTED_LOCATION ${PG_QUERY_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${PG_QUERY_INCLUDE_DIR})
target_link_libraries(pg_query INTERFACE PkgConfig::PROTOBUF_C)

# xxHash 0.8: finds the place of a verdict in the cache (daemon/statements), where the whole key is compared.
# Do not use it where collisions that somebody provokes would do harm.
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(xxhash INTERFACE IMPORTED)
set_target_properties(xxhash PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${XXHASH_INCLUDE_DIR})

# zlib 1.2.13, 1.3.1 and zstd 1.5.4, 1.5.7: unpack inputs of jobs and pack their outputs; only
# common/files/packed_text.cpp uses them.
find_package(ZLIB 1.2.13 REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd>=1.5.4)

# Z3 4.8.12, 4.13: decides which hidden cells are certain (pgveil attack), where interval arithmetic is not
# enough; only attack/solver_z3.cpp uses it. Without it, the report says that no exact solver was there. Of
# Debian's solvers with a library, Z3 has alternatives between linear conditions over whole numbers, a limit
# of work that is no time, and a licence that asks for nothing (MIT). GLPK is under the GPL. lp_solve, CBC and
# GLPK know alternatives only by large constants, in floating point. MiniSat and CaDiCaL know no numbers.
pkg_check_modules(Z3 IMPORTED_TARGET z3>=4.8.12)

# Apache Arrow 26.0, with Parquet: reads and writes Parquet and Arrow files; only jobs/columnar uses it.
# Debian 12 and 13 do not have it. It is found where Apache's own packages install it, or in build/arrow,
# where `./run deps arrow` puts the libraries and headers of pyarrow's wheel. A program without it says so
# when it is given such a file. Of the libraries for Parquet, only this one is kept by the format's own
# project, reads all of its versions and codecs, and is fuzzed all the time. Packages turn it off, because
# they may only depend on what their distribution has.
option(PGVEIL_ARROW "read and write Parquet and Arrow files where Apache Arrow is there" ON)
if(PGVEIL_ARROW)
  find_package(Arrow CONFIG QUIET)
  find_package(Parquet CONFIG QUIET)
  file(GLOB PGVEIL_ARROW_WHEEL CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/build/arrow/wheel/pyarrow)
endif()
if(TARGET Arrow::arrow_shared AND TARGET Parquet::parquet_shared AND NOT Arrow_VERSION VERSION_LESS 26)
  add_library(pgveil_arrow INTERFACE IMPORTED)
  target_link_libraries(pgveil_arrow INTERFACE Parquet::parquet_shared Arrow::arrow_shared)
elseif(PGVEIL_ARROW_WHEEL)
  file(GLOB PGVEIL_ARROW_LIBRARIES ${PGVEIL_ARROW_WHEEL}/libparquet.so.* ${PGVEIL_ARROW_WHEEL}/libarrow.so.*)
  add_library(pgveil_arrow INTERFACE IMPORTED)
  set_target_properties(pgveil_arrow PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${PGVEIL_ARROW_WHEEL}/include)
  target_link_libraries(pgveil_arrow INTERFACE ${PGVEIL_ARROW_LIBRARIES})
  # The wheel's libparquet contains an OpenSSL of its own and exports its functions. The loader takes each
  # function from the first library that has it, so the distribution's OpenSSL has to come first. Otherwise
  # TLS and hashes would run in code that the distribution does not mend. CMake orders libraries by itself,
  # but options come before all of them.
  target_link_options(pgveil_arrow INTERFACE "LINKER:--push-state,--no-as-needed" ${OPENSSL_SSL_LIBRARY}
    ${OPENSSL_CRYPTO_LIBRARY} "LINKER:--pop-state")
endif()

# doctest 2.4.9, 2.4.11: runs the unit tests; only tests/ uses it.
if(PGVEIL_TESTS)
  find_package(doctest 2.4.9 REQUIRED)
endif()
