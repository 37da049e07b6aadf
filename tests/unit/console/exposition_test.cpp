#include "console/exposition.hpp"

#include <doctest/doctest.h>

namespace pgveil::console {

TEST_CASE("metrics are written as Prometheus reads them") {
  Exposition out;
  out.begin("a_total", "counter", "What a is.");
  out.sample({}, std::uint64_t{7});
  out.sample({{"database", "demo"}, {"state", "idle"}}, std::uint64_t{1});
  out.begin("ratio", "gauge", "A share.");
  out.sample({{"policy", "p"}}, 0.45);
  CHECK(out.text() ==
        "# HELP a_total What a is.\n# TYPE a_total counter\na_total 7\n"
        "a_total{database=\"demo\",state=\"idle\"} 1\n"
        "# HELP ratio A share.\n# TYPE ratio gauge\nratio{policy=\"p\"} 0.45\n");
}

TEST_CASE("no name can end its label or its line") {
  Exposition out;
  out.begin("a", "gauge", "x");
  out.sample({{"database", "a\"b\\c\nd"}}, std::uint64_t{1});
  CHECK(out.text().ends_with("a{database=\"a\\\"b\\\\c\\nd\"} 1\n"));
}

TEST_CASE("a histogram counts each time once, and its buckets add up") {
  Histogram times;
  for (const std::int64_t microseconds : {0, 10, 11, 2'500, 120'000'000, 120'000'001})
    times.add(microseconds);
  Exposition out;
  out.begin("t", "histogram", "x");
  out.histogram(times.snapshot());
  const std::string& text = out.text();
  CHECK(text.find("t_bucket{le=\"1e-05\"} 2\n") != std::string::npos);  // at most, as Prometheus has it
  CHECK(text.find("t_bucket{le=\"2.5e-05\"} 3\n") != std::string::npos);
  CHECK(text.find("t_bucket{le=\"0.001\"} 3\n") != std::string::npos);
  CHECK(text.find("t_bucket{le=\"0.0025\"} 4\n") != std::string::npos);
  CHECK(text.find("t_bucket{le=\"120\"} 5\n") != std::string::npos);
  CHECK(text.find("t_bucket{le=\"+Inf\"} 6\n") != std::string::npos);
  CHECK(text.find("t_count 6\n") != std::string::npos);
  CHECK(text.find("t_sum 240.002522\n") != std::string::npos);
}

}  // namespace pgveil::console
