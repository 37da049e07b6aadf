#include "daemon/policies/take_up.hpp"

#include <doctest/doctest.h>

namespace pgveil::app {
namespace {

// A policy with a version of this number, stored at this time.
Release made(const std::string& name, std::uint64_t number, const std::string& time,
             std::vector<policy::Companion> beside) {
  policy::PolicySpec spec;
  spec.name = name;
  spec.k = 5;
  policy::PolicyVersion version;
  version.policy = name;
  version.number = number;
  version.built_at = time;
  version.beside = std::move(beside);
  return {std::make_shared<const policy::PolicySpec>(spec),
          std::make_shared<const policy::PolicyVersion>(version)};
}

template <class Change>
Release with(const Release& release, Change change) {
  auto spec = *release.spec;
  change(spec);
  return {std::make_shared<const policy::PolicySpec>(spec), release.version};
}

using Open = std::vector<bool>;

TEST_CASE("of versions that nobody held against each other the older one is open") {
  const auto a = made("a", 1, "2026-01-01", {});
  const auto b = made("b", 1, "2026-01-02", {});
  CHECK(taken_up({a}) == Open{true});
  CHECK(taken_up({b, a}) == Open{false, true});
  CHECK(neighbours_of({b, a}, 0) == "policy a (version 1)");
  CHECK(taken_up({a, made("b", 1, "2026-01-01", {})}) == Open{true, false});  // by name
}

TEST_CASE("either of two may name the other, at the number that it has") {
  const auto a = made("a", 3, "2026-01-01", {});
  CHECK(taken_up({a, made("b", 1, "2026-01-02", {{"a", 3}})}) == Open{true, true});
  CHECK(taken_up({a, made("b", 1, "2026-01-02", {{"a", 2}})}) == Open{true, false});
  CHECK(taken_up({made("a", 3, "2026-01-03", {{"b", 1}}), made("b", 1, "2026-01-02", {{"a", 2}})}) ==
        Open{true, true});
}

TEST_CASE("one of three has to name both others") {
  const auto a = made("a", 1, "2026-01-01", {});
  const auto b = made("b", 1, "2026-01-02", {{"a", 1}});
  CHECK(taken_up({a, b, made("c", 1, "2026-01-03", {{"a", 1}, {"b", 1}})}) == Open{true, true, true});
  CHECK(taken_up({a, b, made("c", 1, "2026-01-03", {{"b", 1}})}) == Open{true, true, false});
  // The last one to be stored says it for all, though its neighbours name older versions.
  const auto again = made("a", 2, "2026-01-04", {{"b", 1}, {"c", 1}});
  CHECK(taken_up({again, b, made("c", 1, "2026-01-03", {{"a", 1}, {"b", 1}})}) == Open{true, true, true});
}

TEST_CASE("when a third one goes, two go on unless it was less strict than they are") {
  const auto b = made("b", 1, "2026-01-02", {});
  const auto c = made("c", 1, "2026-01-03", {{"a", 1}, {"b", 1}});
  auto withdrawn = made("a", 1, "2026-01-01", {});
  withdrawn.version = nullptr;
  CHECK(taken_up({withdrawn, b, c}) == Open{false, true, true});
  const auto lax = with(withdrawn, [](policy::PolicySpec& spec) { spec.k = 2; });
  CHECK(taken_up({lax, b, c}) == Open{false, true, false});
  const auto otherwise = with(withdrawn, [](policy::PolicySpec& spec) { spec.unit = "person"; });
  CHECK(taken_up({otherwise, b, c}) == Open{false, true, false});
  CHECK(taken_up({b, c}) == Open{true, false});  // its file is gone too: nobody knows its k
}

TEST_CASE("who accepts by name is open, and held against nobody") {
  const auto a = made("a", 1, "2026-01-01", {});
  const auto b = with(made("b", 1, "2026-01-02", {}),
                      [](policy::PolicySpec& spec) { spec.accept_joint_release = "one team"; });
  CHECK(taken_up({a, b}) == Open{true, true});
  CHECK(taken_up({a, b, made("c", 1, "2026-01-03", {{"a", 1}})}) == Open{true, true, true});
  CHECK(taken_up({a, b, made("c", 1, "2026-01-03", {{"b", 1}})}) == Open{true, true, false});
}

}  // namespace
}  // namespace pgveil::app
