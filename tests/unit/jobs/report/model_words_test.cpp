#include "jobs/check/model_words.hpp"

#include <doctest/doctest.h>

#include <string>

namespace pgveil::app {
namespace {

TEST_CASE("models of sensitive columns: what a report says is read back") {
  for (const auto* words : {"distinct 3", "entropy 2.5", "recursive 4 2", "t_closeness 0.2 equal",
                            "t_closeness 0.2 ordered", "t_closeness 0.2 hierarchical",
                            "beta_likeness 1 basic", "beta_likeness 1 enhanced", "delta_disclosure 2"}) {
    CAPTURE(words);
    const auto model = model_of(words);
    REQUIRE_MESSAGE(model.has_value(), one_line(model.error()));
    CHECK(engine::describe(*model) == words);
  }
  CHECK(engine::describe(*model_of("t_closeness 0.2")) == "t_closeness 0.2 equal");
  CHECK(engine::describe(*model_of("beta_likeness  1")) == "beta_likeness 1 enhanced");
}

TEST_CASE("risks: what a report says is read back") {
  for (const auto* words :
       {"highest_risk 0.2", "average_risk 0.05", "sample_uniqueness 0", "average_risk 1e-05",
        "population_uniqueness 0.01 8000000 zayatz", "population_uniqueness 0.01 1000000000000 snb",
        "population_uniqueness 0.01 8000000 pitman", "population_uniqueness 0.01 8000000 dankar"}) {
    CAPTURE(words);
    const auto model = risk_of(words);
    REQUIRE_MESSAGE(model.has_value(), one_line(model.error()));
    CHECK(engine::describe(*model) == words);
  }
  CHECK(engine::describe(*risk_of("population_uniqueness 0.01 9")) == "population_uniqueness 0.01 9 dankar");
}

TEST_CASE("words that are no model are refused, each with what to write") {
  for (const auto* words : {"", "distinct", "distinct x", "distinct 3 4", "distinct nan", "distinct inf",
                            "recursive 4", "recursive 4 2.5", "recursive 4 -1", "t_closeness 0.2 near",
                            "beta_likeness 1 best", "magic 3", "Distinct 3", "average_risk 0.1"}) {
    CAPTURE(words);
    const auto model = model_of(words);
    REQUIRE(model.has_error());
    CHECK(model.error().kind == ErrorKind::usage);
    CHECK_FALSE(model.error().hint.empty());
  }
  for (const auto* words :
       {"", "average_risk", "average_risk x", "average_risk 0.1 0.2", "population_uniqueness 0.1",
        "population_uniqueness 0.1 many", "population_uniqueness 0.1 9 luck",
        "population_uniqueness 0.1 9 dankar 1", "distinct 3"}) {
    CAPTURE(words);
    const auto model = risk_of(words);
    REQUIRE(model.has_error());
    CHECK(model.error().kind == ErrorKind::usage);
    CHECK_FALSE(model.error().hint.empty());
  }
}

TEST_CASE("a column may have an equals sign in its name, and must have a name and a rest") {
  const auto parts = column_and_rest("--require", "a=b=distinct 3");
  REQUIRE(parts.has_value());
  CHECK(parts->first == "a=b");
  CHECK(parts->second == "distinct 3");
  for (const auto* text : {"", "distinct 3", "=distinct 3", "illness="}) {
    CAPTURE(text);
    CHECK(column_and_rest("--require", text).has_error());
  }
}

}  // namespace
}  // namespace pgveil::app
