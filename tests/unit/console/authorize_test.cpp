#include <doctest/doctest.h>

#include <vector>

#include "console/console.hpp"

namespace pgveil::console {
namespace {

struct Case {
  Command command;
  bool is_open_to_stats;
};

// Every alternative of Command, so that a new one must be decided here.
const std::vector<Case>& cases() {
  static const std::vector<Case> list{
      {ShowPolicies{}, true},   {ShowTree{}, false},      {ShowTreeAs{}, false},
      {ShowRules{}, false},     {ShowCohorts{}, false},   {ShowStored{}, false},
      {ShowUtility{}, false},   {ShowRefusals{}, true},   {ShowJobs{}, true},
      {ShowVersion{}, true},    {ShowHelp{}, true},       {BuildPolicy{}, false},
      {CheckPolicy{}, false},   {AttackPolicy{}, false},  {CheckTable{}, false},
      {MeasureRisk{}, false},   {ExplainPolicy{}, false}, {Reload{}, false},
      {ExportToTable{}, false}, {ExportToFile{}, false},  {AnonymizeJob{}, false},
      {CancelJob{}, false},     {ShowClients{}, true},    {ShowServers{}, true},
      {ShowPools{}, true},      {ShowStats{}, true},      {ShowStatsTotals{}, true},
      {ShowDatabases{}, true},  {ShowUsers{}, true},      {ShowConfig{}, false},
      {ShowLists{}, true},      {ShowMem{}, true},        {Pause{}, false},
      {Resume{}, false},        {Reconnect{}, false},     {KillClient{}, false},
      {Shutdown{}, false},      {SignInLink{}, true},     {Benign{"SET", {}, {}}, true}};
  return list;
}

TEST_CASE("an admin may run every command") {
  REQUIRE(cases().size() == std::variant_size_v<Command>);
  for (const auto& it : cases()) CHECK(authorize(it.command, Standing::admin).has_value());
}

TEST_CASE("stats users may run only what quotes no data") {
  for (const auto& it : cases()) {
    CAPTURE(it.command.index());
    const auto allowed = authorize(it.command, Standing::stats);
    CHECK(allowed.has_value() == it.is_open_to_stats);
    if (!allowed) CHECK(allowed.error().sqlstate == "42501");
    if (!allowed) CHECK(allowed.error().hint.find("admin_users") != std::string::npos);
  }
}

TEST_CASE("nobody else may run anything, harmless statements included") {
  for (const auto& it : cases()) {
    CAPTURE(it.command.index());
    const auto allowed = authorize(it.command, Standing::none);
    REQUIRE(allowed.has_error());
    CHECK(allowed.error().sqlstate == "42501");
  }
}

}  // namespace
}  // namespace pgveil::console
