// A default is written twice: as a text of the option table, which docs/config.md shows, and as the value
// that is in force when a file does not have the key. Here the two are held against each other.
#include <doctest/doctest.h>

#include <string>
#include <tuple>

#include "common/yaml.hpp"
#include "settings/config.hpp"
#include "settings/options.hpp"

namespace pgveil::app {
namespace {

// A file of nothing but sections: what is in force is the defaults.
Config without_keys() {
  Config config;
  for (const Section& section : config_sections()) {
    if (section.start != nullptr) section.start(config);
  }
  return config;
}

bool is_same(const Config& a, const Config& b) {
  const auto in_force = [](const Config& c) {
    return std::tie(c.listen, c.backend, c.auth, c.auth_query, c.tls, c.metrics, c.admin, c.page, c.audit,
                    c.mask_form, c.look_ups, c.estimates, c.pool, c.limits, c.bypass_roles, c.state_dir,
                    c.export_dir, c.log);
  };
  const auto sizes = [](const Config& c) {
    return std::tuple(c.policies.size(), c.jobs.size(), c.open_tables.size(), c.open_functions.size(),
                      c.acknowledged.size());
  };
  return in_force(a) == in_force(b) && sizes(a) == sizes(b);
}

Result<void> set(Config& config, const Option& option, std::string_view text) {
  const auto value = yaml::parse(text, "default");
  if (!value) return value.error();
  return option.set(config, *value, {"/etc/pgveil"});
}

// "none" is no text for a key but the absence of a value, except where it is one of the choices.
bool is_written_default(const Option& option) {
  return option.otherwise != kRequired && (option.otherwise != "none" || full_name(option) == "pool.mode");
}

// Of these keys the file is read at once, so a path to nothing cannot be given.
bool is_read_while_set(const Option& option) {
  return option.key.starts_with("password_") || full_name(option) == "audit.key_file";
}

// A value of this type that is nobody's default.
std::string_view another_value(const Option& option) {
  if (option.type.starts_with("list")) return "[another]";
  return option.type == "port" ? "6543" : "another";
}

}  // namespace

TEST_CASE("each default of the option table is the value in force") {
  const Config expected = without_keys();
  std::size_t compared = 0;
  for (const Option& option : config_options()) {
    if (!is_written_default(option)) continue;
    CAPTURE(full_name(option));
    Config config = expected;
    const auto done = set(config, option, option.otherwise);
    CHECK_MESSAGE(done.has_value(), done.error().public_message);
    CHECK(is_same(config, expected));
    ++compared;
  }
  CHECK(compared > 40);
}

TEST_CASE("a key whose default is none has no value without it") {
  for (const Option& option : config_options()) {
    if (option.otherwise != "none" || is_written_default(option)) continue;
    if (is_read_while_set(option)) continue;
    CAPTURE(full_name(option));
    Config config = without_keys();
    const auto done = set(config, option, another_value(option));
    CHECK_MESSAGE(done.has_value(), done.error().public_message);
    CHECK_FALSE(is_same(config, without_keys()));
  }
}

}  // namespace pgveil::app
