// Certificates as texts; those of published files and tables are in tests/integration/certificate_test.py.
#include "jobs/report/certificate.hpp"
#include "daemon/policies/certificate.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>
#include <string>

namespace pgveil::app {
namespace {

namespace json = boost::json;

JobAttribute sensitive(const std::string& name) {
  JobAttribute made;
  made.name = name;
  made.attribute_class = AttributeClass::sensitive;
  return made;
}

Job job_with_models() {
  Job job;
  job.name = "visits";
  job.null_text = "NULL";
  job.suppressed_records = engine::SuppressedRecords::keep;
  auto illness = sensitive("illness");
  illness.models = {engine::DistinctDiversity{2}, engine::TCloseness{0.2, engine::Distance::ordered}};
  illness.order.emplace(std::vector<std::string>{"flu", "cold"});
  auto income = sensitive("income");
  income.models = {engine::TCloseness{0.3, engine::Distance::ordered}};
  income.order.emplace(engine::SortedBy::number);
  job.attributes = {illness, income};
  job.risks = {engine::AverageRisk{0.05}, engine::UniquenessInPopulation{0.01, 8e6, engine::Estimator::snb}};
  return job;
}

JobReport report_of() {
  JobReport report;
  report.job = "visits";
  report.quasi_identifiers = {"age", "zip"};
  report.columns = {"age", "zip", "illness", "income"};
  report.k = 4;
  report.published_rows = 140;
  report.dropped_rows = 10;
  report.levels = {1, 2};
  report.scores = {{engine::Metric::loss, engine::single(0.25)}};
  return report;
}

std::string certificate() {
  JobFingerprints prints;
  prints.file = "f1";
  prints.job = "j1";
  return certificate_json(job_with_models(), report_of(), prints, "2026-01-02T03:04:05Z");
}

// The certificate with one key set to something else, or without it.
std::string changed(std::string_view key, const std::optional<json::value>& value) {
  auto object = json::parse(certificate()).get_object();
  if (value) {
    object[key] = *value;
  } else {
    object.erase(key);
  }
  return json::serialize(object);
}

TEST_CASE("what a certificate says is read back") {
  const auto made = read_certificate(certificate());
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->job == "visits");
  CHECK(made->job_print == "j1");
  CHECK(made->issued_at == "2026-01-02T03:04:05Z");
  CHECK(made->file_print == "f1");
  CHECK(made->table_print == std::nullopt);
  CHECK(made->input_print.empty());
  CHECK(made->columns == report_of().columns);
  CHECK(made->quasi_identifiers == report_of().quasi_identifiers);
  CHECK(made->null_text == "NULL");
  CHECK(made->rows == 140);
  CHECK(made->k == 4);
  CHECK(made->dropped_rows == 10);
  CHECK(made->suppressed_records == engine::SuppressedRecords::keep);
  REQUIRE(made->sensitive.size() == 2);
  CHECK(made->sensitive[0].name == "illness");
  REQUIRE(made->sensitive[0].demanded.size() == 2);
  CHECK(engine::describe(made->sensitive[0].demanded[1]) == "t_closeness 0.2 ordered");
  CHECK(std::get<std::vector<std::string>>(*made->sensitive[0].order).size() == 2);
  CHECK(std::get<engine::SortedBy>(*made->sensitive[1].order) == engine::SortedBy::number);
  CHECK(made->sensitive[1].null_text == "NULL");
  REQUIRE(made->risks.size() == 2);
  CHECK(engine::describe(made->risks[0]) == "average_risk 0.05");
  CHECK(engine::describe(made->risks[1]) == "population_uniqueness 0.01 8000000 snb");
}

TEST_CASE("presence and k_map are read back, and may be missing") {
  const auto none = read_certificate(certificate());
  REQUIRE(none.has_value());
  CHECK_FALSE(none->presence.has_value());
  CHECK_FALSE(none->k_map.has_value());
  CHECK(none->levels == std::vector<unsigned>{1, 2});
  const auto shares = read_certificate(changed("presence", json::array{0.1, 0.5}));
  REQUIRE(shares.has_value());
  REQUIRE(shares->presence.has_value());
  CHECK(shares->presence->most == 0.5);
  const auto map = read_certificate(changed("k_map", 7));
  REQUIRE(map.has_value());
  CHECK(map->k_map == 7U);
  CHECK(read_certificate(changed("presence", std::nullopt)).has_value());
  CHECK(read_certificate(changed("k_map", std::nullopt)).has_value());
  CHECK(read_certificate(changed("presence", json::array{0.1})).has_error());
  CHECK(read_certificate(changed("presence", json::array{0.1, -0.5})).has_error());
  CHECK(read_certificate(changed("presence", 0.5)).has_error());
  CHECK(read_certificate(changed("k_map", "7")).has_error());
}

TEST_CASE("what the certificate of an export says is read back") {
  policy::PolicySpec spec;
  spec.name = "people_k2";
  spec.hash = "h1";
  spec.k = 2;
  spec.unit = "person_id";
  spec.columns.push_back({"city", policy::ColumnClass::quasi_identifier, {}, {}});
  spec.columns.push_back({"illness", policy::ColumnClass::sensitive, {{policy::DistinctL{3}}}, {}});
  policy::PolicyVersion version;
  version.number = 4;
  const ExportPrints prints{"f1", std::nullopt, {"city", "illness"}, 11};
  const auto text = policy_certificate_json(spec, version, {}, prints, "2026-01-02T03:04:05Z");
  const auto made = read_certificate(text);
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->policy == "people_k2");
  CHECK(made->policy_print == "h1");
  CHECK(made->job.empty());
  CHECK(made->unit == "person_id");
  CHECK(made->models == std::vector<std::string>{"illness distinct 3"});
  CHECK(made->quasi_identifiers == std::vector<std::string>{"city"});
  CHECK(made->file_print == "f1");
  CHECK(made->rows == 11);
  CHECK(made->k == 2);
  for (const auto* key : {"policy", "policy_sha256", "unit", "models", "k", "rows"}) {
    CAPTURE(key);
    auto object = json::parse(text).get_object();
    object[key] = json::object();
    CHECK(read_certificate(json::serialize(object)).has_error());
  }
}

TEST_CASE("a certificate of before there were risks has none") {
  const auto made = read_certificate(changed("risks", std::nullopt));
  REQUIRE(made.has_value());
  CHECK(made->risks.empty());
}

TEST_CASE("a certificate of an older pgveil says outliers") {
  const std::pair<std::string, engine::SuppressedRecords> cases[] = {
      {"drop", engine::SuppressedRecords::keep_or_drop},
      {"hide", engine::SuppressedRecords::keep_or_hide},
      {"as_reference", engine::SuppressedRecords::keep}};
  for (const auto& [word, meant] : cases) {
    CAPTURE(word);
    auto object = json::parse(certificate()).get_object();
    object.erase("suppressed_records");
    object["outliers"] = word;
    const auto made = read_certificate(json::serialize(object));
    REQUIRE(made.has_value());
    CHECK(made->suppressed_records == meant);
  }
  CHECK(read_certificate(changed("outliers", "drop")).has_error());  // both
  CHECK(read_certificate(changed("suppressed_records", "sometimes")).has_error());
}

TEST_CASE("what is no certificate, whole and of this form, is none") {
  for (const std::string text : {"", "{}", "[]", "7", "{\"pgveil_certificate\": 2}"}) {
    CAPTURE(text);
    CHECK(read_certificate(text).has_error());
  }
  for (const auto* key : {"pgveil_certificate", "job", "job_sha256", "issued_at", "version",
                          "input_hmac_sha256", "file_sha256", "table_sha256", "columns", "quasi_identifiers",
                          "null", "rows", "k", "dropped_rows", "suppressed_records", "sensitive"}) {
    CAPTURE(key);
    CHECK(read_certificate(changed(key, std::nullopt)).has_error());
    CHECK(read_certificate(changed(key, json::object())).has_error());
  }
  CHECK(read_certificate(changed("rows", -1)).has_error());
  CHECK(read_certificate(changed("columns", json::array{1})).has_error());
  CHECK(read_certificate(changed("risks", json::array{"luck 3"})).has_error());
  CHECK(read_certificate(changed("risks", json::array{7})).has_error());
  CHECK(read_certificate(changed("risks", 7)).has_error());
  CHECK(read_certificate(changed("sensitive", json::array{7})).has_error());
  const json::array unknown{
      json::object{{"column", "illness"}, {"models", json::array{"magic 3"}}, {"order", nullptr}}};
  CHECK(read_certificate(changed("sensitive", unknown)).has_error());
}

// Whoever adds a key adds a promise that this program can't check.
TEST_CASE("a certificate with a key that is not known, or that is there twice, is none") {
  CHECK(read_certificate(changed("l_map", 7)).has_error());
  CHECK(read_certificate(changed("policy_version", 7)).has_error());  // a policy's
  const json::array sensitive{json::object{
      {"column", "illness"}, {"models", json::array{}}, {"order", nullptr}, {"but", "not really"}}};
  CHECK(read_certificate(changed("sensitive", sensitive)).has_error());
  auto twice = certificate();
  twice.insert(1, R"("k":9,)");
  CHECK(read_certificate(twice).has_error());
}

TEST_CASE("an order of values is a list, one of two words, or none") {
  const auto with_order = [](const json::value& order) {
    return read_certificate(
        changed("sensitive",
                json::array{json::object{{"column", "a"}, {"models", json::array{}}, {"order", order}}}));
  };
  CHECK(with_order("text").has_value());
  CHECK(with_order(nullptr).has_value());
  CHECK(with_order(json::array{"low", "high"}).has_value());
  CHECK(with_order("colour").has_error());
  CHECK(with_order(7).has_error());
  CHECK(with_order(json::array{7}).has_error());
}

}  // namespace
}  // namespace pgveil::app
