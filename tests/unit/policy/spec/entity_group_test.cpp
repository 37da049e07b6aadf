#include "policy/spec/entity_group.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "policy/spec/spec_reader.hpp"

namespace pgveil::policy::testing {

namespace {

constexpr std::string_view kHospital = R"(version: 1
policies:
  - name: patients
    database: hospital
    table: public.patients
    k: 5
    entity: patient
    enforcement: copy
    columns:
      id:   {class: key, domain: patient}
      city: {class: quasi_identifier}
      risk: {class: sensitive, l_diversity: {distinct: 2}}
  - name: visits
    database: hospital
    table: public.visits
    k: 5
    enforcement: copy
    max_rows_per_person: 100
    columns:
      patient_id: {class: key, domain: patient}
      admitted:   {class: quasi_identifier}
      icd:        {class: sensitive}
  - name: bills
    database: hospital
    table: public.bills
    k: 5
    enforcement: copy
    columns:
      patient: {class: key, domain: patient}
      amount:  {class: insensitive}
  - name: staff
    database: hospital
    table: public.staff
    k: 3
    columns:
      job: {class: quasi_identifier}
)";

std::string changed(std::string_view from, std::string_view to) {
  std::string text(kHospital);
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  const auto policies = read_policy_text(text, "p.yaml");
  if (policies) {
    const auto together = check_together(*policies);
    return together ? "" : together.error().public_message;
  }
  return policies.error().public_message;
}

std::vector<const PolicySpec*> pointers_to(const std::vector<PolicySpec>& policies) {
  std::vector<const PolicySpec*> out;
  for (const PolicySpec& policy : policies) out.push_back(&policy);
  return out;
}

}  // namespace

TEST_CASE("policies of one domain are a group") {
  const auto policies = read_policy_text(kHospital, "p.yaml");
  if (!policies) FAIL(policies.error().public_message);
  REQUIRE(check_together(*policies).has_value());
  CHECK((*policies)[0].entity == "patient");
  CHECK((*policies)[1].max_rows_per_person == 100);
  CHECK(key_of((*policies)[0])->name == "id");
  CHECK(key_of((*policies)[1])->domain == "patient");
  CHECK(key_of((*policies)[3]) == nullptr);
  const auto given = pointers_to(*policies);
  const auto groups = entity_groups(given);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].persons == given[0]);
  CHECK(groups[0].facts == std::vector<const PolicySpec*>{given[1], given[2]});
  const std::vector<const PolicySpec*> reversed = {given[3], given[2], given[1], given[0]};
  const auto again = entity_groups(reversed);
  REQUIRE(again.size() == 1);
  CHECK(again[0].persons == given[0]);
  CHECK(again[0].facts == std::vector<const PolicySpec*>{given[2], given[1]});
}

TEST_CASE("domains of two databases are two groups") {
  auto policies = read_policy_text(kHospital, "p.yaml").value();
  auto other = policies;
  for (PolicySpec& policy : other) {
    policy.name += "_too";
    policy.database = "clinic";
    policy.k = 7;
    policies.push_back(policy);
  }
  REQUIRE(check_together(policies).has_value());
  const auto groups = entity_groups(pointers_to(policies));
  REQUIRE(groups.size() == 2);
  CHECK(groups[1].persons->name == "patients_too");
  CHECK(groups[1].facts.size() == 2);
}

TEST_CASE("a domain's entity may be in another file than its facts") {
  const std::string text(kHospital);
  const std::string persons = text.substr(0, text.find("  - name: visits"));
  const std::string facts = "version: 1\npolicies:\n" + text.substr(text.find("  - name: visits"));
  auto all = read_policy_text(persons, "a.yaml").value();
  const auto rest = read_policy_text(facts, "b.yaml");
  if (!rest) FAIL(rest.error().public_message);
  const auto alone = check_together(*rest);
  REQUIRE(!alone);
  CHECK(alone.error().public_message ==
        "b.yaml:10:7: no policy has entity: patient (keys: visits, bills); add entity: patient to the policy "
        "of "
        "the table with one row per patient, with a key of this domain");
  all.insert(all.end(), rest->begin(), rest->end());
  CHECK(check_together(all).has_value());
}

TEST_CASE("what a key asks of its own policy and of its domain") {
  const std::vector<std::array<std::string, 3>> cases = {
      {"    entity: patient\n    enforcement: copy\n", "    entity: patient\n",
       R"(p.yaml:9:7: key "id" requires enforcement: copy; add enforcement: copy)"},
      {"    enforcement: copy\n    max", "    enforcement: stored\n    max",
       R"(p.yaml:20:7: key "patient_id" requires enforcement: copy; add)"},
      {"    entity: patient\n", "    entity: patient\n    unit: person\n",
       R"(p.yaml:3:5: unit beside key "id"; remove unit)"},
      {"{class: key, domain: patient}", "{class: key}",
       R"(p.yaml:10:7: key "id" has no domain; add domain with)"},
      {"{class: key, domain: patient}", "{class: key, domain: Patient}", R"("Patient" is not a domain; use)"},
      {"city: {class: quasi_identifier}", "city: {class: quasi_identifier, domain: city}",
       "domain is only allowed on a column of class key; write class: key"},
      {"city: {class: quasi_identifier}", "city: {class: key, domain: city}",
       R"(p.yaml:11:7: a second key, after "id"; give it the class identifier)"},
      {"city: {class: quasi_identifier}", "city: {class: insensitive}",
       "p.yaml:3:5: no column is a quasi_identifier; give the class"},
      {"domain: patient}\n      city", "domain: person}\n      city",
       R"(entity: patient, but key "id" is of domain person; write entity: person)"},
      {"{class: key, domain: patient}\n      city", "{class: identifier}\n      city",
       "entity: patient requires a key column; give the column that identifies the persons {class: key, "
       "domain: "
       "patient}"},
      {"    entity: patient\n", "    entity: patient\n    max_rows_per_person: 3\n",
       "max_rows_per_person is not allowed in the table with one row per patient; remove it"},
      {"    k: 3\n", "    k: 3\n    max_rows_per_person: 3\n",
       "max_rows_per_person requires a key column; give the column"},
      {"max_rows_per_person: 100", "max_rows_per_person: 0",
       "0 is out of range; write a whole number from 1 to"},
      {"icd:        {class: sensitive}", "icd: {class: sensitive, t_closeness: {t: 0.2}}",
       R"(l_diversity or t_closeness on "icd" is not allowed in a table with key "patient_id"; remove it. Only the)"},
      {"    max_rows_per_person: 100\n", "    workload: [{group_by: [admitted]}]\n",
       R"(a workload is not allowed in a table with key "patient_id"; remove it)"},
      {"{class: key, domain: patient}", "{class: key, domain: patient, weight: 2}",
       "weight is only allowed on a"},
      {"{class: key, domain: patient}", "{class: key, domain: patient, generalize: {width: 2}}",
       "generalize is only allowed on a quasi_identifier"},
      {"{class: key, domain: patient}", "{class: key, domain: patient, l_diversity: {distinct: 2}}",
       "l_diversity is only allowed on a sensitive column"},
      {"    k: 5\n    enforcement: copy\n    max", "    k: 4\n    enforcement: copy\n    max",
       R"(k is 4, but it is 5 in policy "patients" of the same domain patient; write the same k)"},
      {"    k: 5\n    enforcement: copy\n    columns",
       "    k: 5\n    entity: patient\n    enforcement: copy\n    columns",
       "no column is a quasi_identifier"},
      {"    max_rows_per_person: 100\n", "    entity: patient\n",
       R"(policy "patients" has entity: patient, too; keep it for the table)"},
      {"public.staff", "public.visits", R"(policy "visits" covers this table too, and "visits" has a key)"},
      {"public.visits", "public.patients",
       R"(policy "patients" covers this table too, and "patients" has a key)"}};
  for (const auto& [from, to, expected] : cases) {
    CAPTURE(from);
    CAPTURE(to);
    const std::string error = error_of(changed(from, to));
    CAPTURE(error);
    CAPTURE(expected);
    CHECK(error.find(expected) != std::string::npos);
  }
  CHECK(error_of(std::string(kHospital)).empty());
}

TEST_CASE("the new keys are part of the hash, and only where they are") {
  const auto policies = read_policy_text(kHospital, "p.yaml").value();
  CHECK(canonical_text(policies[0])
            .find("k 5\nunit row\nentity \"patient\"\ncolumn \"city\" quasi_identifier\n"
                  "column \"id\" key domain \"patient\"\n") != std::string::npos);
  CHECK(canonical_text(policies[1]).find("unit row\nmax_rows_per_person 100\ncolumn") != std::string::npos);
  for (const char* word : {"entity", "max_rows", "domain", "source"}) {
    CAPTURE(word);
    CHECK(canonical_text(policies[3]).find(word) == std::string::npos);
  }
}

}  // namespace pgveil::policy::testing
