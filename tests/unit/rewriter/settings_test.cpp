#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "rewriter/lists/functions.hpp"
#include "rewriter/lists/session_settings.hpp"
#include "rewriter/lists/system_catalogs.hpp"

using namespace pgveil::rewriter;

TEST_CASE("settings that rename roles, paths or meanings can't be changed") {
  for (const char* name :
       {"role", "session_authorization", "search_path", "standard_conforming_strings",
        "transform_null_equals", "array_nulls", "backslash_quote", "default_transaction_read_only",
        "transaction_read_only", "row_security", "lc_messages", "session_replication_role",
        "session_preload_libraries", "local_preload_libraries", "debug_print_plan", "log_statement"}) {
    CHECK_FALSE(may_set(name));
    const bool is_path = is_path_setting(name);
    CHECK(judge_startup_parameter(name, "x") ==
          (is_path ? StartupParameter::search_path : StartupParameter::refuse));
  }
  for (const char* name :
       {"TimeZone", "DateStyle", "extra_float_digits", "application_name", "statement_timeout"}) {
    CHECK(may_set(name));
    CHECK(may_show(name));
    CHECK(judge_startup_parameter(name, "x") == StartupParameter::forward);
  }
  CHECK_FALSE(may_show("data_directory"));
}

TEST_CASE("docs/session.md lists what may be set") {
  std::ifstream in(PGVEIL_SOURCE_DIR "/docs/session.md");
  const std::string page((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::size_t begin = page.find("## Settings");
  REQUIRE(begin != std::string::npos);
  const std::string section = page.substr(begin, page.find("\n## ", begin) - begin);
  for (const auto name : settable_settings()) {
    CAPTURE(name);
    CHECK(section.find("`" + std::string(name) + "`") != std::string::npos);
  }
}

TEST_CASE("default_transaction_read_only is the client's own at its start") {
  for (const char* value : {"on", "off", "true", "0"}) {
    CHECK(judge_startup_parameter("Default_transaction_read_only", value) == StartupParameter::read_only);
  }
  CHECK(judge_startup_parameter("default_transaction_read_only", "") == StartupParameter::refuse);
  CHECK(judge_startup_parameter("default_transaction_isolation", "serializable") ==
        StartupParameter::forward);
  CHECK(judge_startup_parameter("geqo", "off") == StartupParameter::forward);
}

TEST_CASE("the client's encoding is UTF8 by any of its names, or one of single bytes") {
  for (const char* value : {"UTF8", "utf-8", "UNICODE", "SQL_ASCII", "'utf-8'"}) {
    CHECK(judge_startup_parameter("client_encoding", value) == StartupParameter::ignore);
  }
  for (const char* value : {"LATIN1", "win1252", "iso-8859-15", "KOI8"}) {
    CHECK(judge_startup_parameter("client_encoding", value) == StartupParameter::forward);
    CHECK(is_other_encoding("Client_Encoding", value));
    CHECK_FALSE(is_other_encoding("application_name", value));
  }
  for (const char* value : {"SJIS", "GBK", "BIG5", "EUC_JP", ""}) {
    CHECK(judge_startup_parameter("client_encoding", value) == StartupParameter::refuse);
  }
}

TEST_CASE("a client may have fewer messages, never more than notices") {
  for (const char* value : {"notice", "warning", "error", "WARNING"}) {
    CHECK(may_set_to("client_min_messages", value));
    CHECK(judge_startup_parameter("Client_Min_Messages", value) == StartupParameter::forward);
  }
  for (const char* value :
       {"debug5", "debug1", "debug", "log", "info", "fatal", "", "warning ", "'warning'"}) {
    CHECK_FALSE(may_set_to("client_min_messages", value));
    CHECK(judge_startup_parameter("client_min_messages", value) == StartupParameter::refuse);
  }
}

TEST_CASE("functions that run SQL, read files, wait or write are not on the list") {
  for (const char* name : {"query_to_xml",
                           "table_to_xml",
                           "cursor_to_xml",
                           "database_to_xml",
                           "ts_stat",
                           "ts_rewrite",
                           "lo_get",
                           "pg_read_file",
                           "pg_ls_dir",
                           "pg_sleep",
                           "pg_advisory_lock",
                           "pg_terminate_backend",
                           "nextval",
                           "currval",
                           "pg_stat_reset",
                           "pg_stat_get_activity",
                           "pg_mcv_list_items",
                           "pg_export_snapshot",
                           "pg_notify",
                           "setseed",
                           "satisfies_hash_partition",
                           "timeofday",
                           "no_such_function",
                           ""}) {
    CHECK(function_rule(name, 15) == FunctionRule::refused);
  }
  for (const char* name :
       {"count", "lower", "date_trunc", "json_agg", "row_to_json", "percentile_cont", "generate_series"}) {
    CHECK(function_rule(name, 15) == FunctionRule::allowed);
  }
}

TEST_CASE("statistics and secrets are no readable catalogs") {
  for (const char* name : {"pg_stats", "pg_statistic", "pg_stats_ext", "pg_authid", "pg_shadow",
                           "pg_largeobject", "pg_prepared_statements", "pg_cursors", "pg_subscription_rel",
                           "pg_hba_file_rules", "pg_file_settings"}) {
    CHECK(find_system_catalog("pg_catalog", name) == nullptr);
  }
  CHECK(find_system_catalog("pg_catalog", "pg_class") != nullptr);
  for (const char* name : {"pg_locks", "pg_stat_replication", "pg_stat_progress_copy", "pg_prepared_xacts"})
    CHECK(find_system_catalog("pg_catalog", name)->rows == CatalogRows::none);
  for (const SystemCatalog& catalog : system_catalogs()) {
    CAPTURE(catalog.name);
    if (catalog.rows != CatalogRows::all || !catalog.name.starts_with("pg_stat_")) continue;
    CHECK(column_rule(catalog, "n_live_tup") == CatalogColumnRule::null);
    CHECK(column_rule(catalog, "a column of a later server") == CatalogColumnRule::null);
  }
  constexpr std::pair<std::string_view, std::string_view> kSecretColumns[] = {
      {"pg_user_mappings", "umoptions"},
      {"pg_db_role_setting", "setconfig"},
      {"pg_subscription", "subconninfo"}};
  for (const auto& [name, column] : kSecretColumns) {
    const SystemCatalog* found = find_system_catalog("pg_catalog", name);
    REQUIRE(found != nullptr);
    REQUIRE(found->hidden.size() == 1);
    CHECK(found->hidden[0].name == column);
    CHECK(found->hidden[0].rule == CatalogColumnRule::null);
  }
  CHECK(find_system_catalog("public", "pg_class") == nullptr);
}

TEST_CASE("a pinned setting may be set to the value that it has") {
  for (const char* value : {"on", "ON", "true", "t", "yes", "y", "1"}) {
    CAPTURE(value);
    CHECK(may_set_to("standard_conforming_strings", value));
    CHECK(may_set_to("Default_Transaction_Read_Only", value));
    CHECK(may_set_to("array_nulls", value));
    CHECK_FALSE(may_set_to("transform_null_equals", value));
    CHECK(judge_startup_parameter("standard_conforming_strings", value) == StartupParameter::ignore);
  }
  for (const char* value : {"off", "false", "0", "n", "", "o", "onn", "tru e", "2"}) {
    CAPTURE(value);
    CHECK_FALSE(may_set_to("standard_conforming_strings", value));
    CHECK_FALSE(may_set_to("array_nulls", value));
    CHECK(judge_startup_parameter("array_nulls", value) == StartupParameter::refuse);
  }
  CHECK(may_set_to("transform_null_equals", "of"));
  CHECK_FALSE(may_set_to("transform_null_equals", "o"));
  CHECK(may_set_to("backslash_quote", "SAFE_ENCODING"));
  CHECK_FALSE(may_set_to("backslash_quote", "on"));
  CHECK(fixed_value("row_security") == "on");
  CHECK_FALSE(fixed_value("jit"));
  CHECK_FALSE(fixed_value("work_mem"));
  CHECK_FALSE(fixed_value("data_directory"));
}

TEST_CASE("functions that become NULL have a type, those about rights a number of arguments") {
  CHECK(function_rule("txid_current", 15) == FunctionRule::null_value);
  CHECK(type_of_null("txid_current") == "int8");
  CHECK(type_of_null("pg_postmaster_start_time") == "timestamptz");
  CHECK(type_of_null("pg_get_viewdef") == "text");
  CHECK(function_rule("pg_database_size", 15) == FunctionRule::null_value);
  CHECK(function_rule("pg_total_relation_size", 15) == FunctionRule::relation_size);
  CHECK(function_rule("has_column_privilege", 15) == FunctionRule::right);
  CHECK(arguments_with_role("has_column_privilege") == 4);
  CHECK(arguments_with_role("pg_has_role") == 3);
}
