#include "statements.hpp"

namespace pgveil::bench {
namespace {

// What a dashboard sends: a wrapped data set, time buckets, a join, a top list and totals; some 20 lines.
constexpr std::string_view kDashboard = R"sql(
WITH visible AS (
  SELECT p.state, p.occupation, p.education, p.sex, o.placed, o.amount
  FROM public.people AS p
  LEFT JOIN public.orders AS o ON o.person = p.id AND o.state = p.state
  WHERE p.state IN ('state number 0', 'state number 1', 'state number 2') AND o.amount IS NOT NULL
), top AS (
  SELECT state, count(*) AS people, rank() OVER (ORDER BY count(*) DESC) AS place
  FROM visible GROUP BY state HAVING count(*) >= 10
)
SELECT v.state AS "State", v.occupation AS "Occupation",
       date_trunc('month', v.placed::timestamp) AS "__timestamp",
       count(DISTINCT v.education) AS "COUNT_DISTINCT(education)",
       sum(CASE WHEN v.sex = 'sex number 0' THEN v.amount::numeric ELSE 0 END) AS "SUM(amount)",
       coalesce(max(v.amount::numeric), 0) AS "MAX(amount)"
FROM (SELECT * FROM visible) AS v
JOIN top AS t ON t.state = v.state AND t.place <= 10
WHERE v.placed::timestamp >= '2024-01-01'::timestamp AND v.placed::timestamp < '2025-01-01'::timestamp
GROUP BY v.state, v.occupation, date_trunc('month', v.placed::timestamp)
ORDER BY "SUM(amount)" DESC NULLS LAST, 1, 2
LIMIT 1000
)sql";

constexpr Sample kSamples[] = {
    {"small, open", "SELECT amount FROM orders WHERE id = $1"},
    {"small", "SELECT occupation, state FROM people WHERE id = $1"},
    {"medium",
     "SELECT state, sex, count(*) AS people, avg(amount::numeric) FROM people WHERE education = 'education "
     "number 1' "
     "GROUP BY state, sex HAVING count(*) > 10 ORDER BY people DESC LIMIT 20"},
    {"dashboard, 20 lines", kDashboard},
};

}  // namespace

std::span<const Sample> samples() {
  return kSamples;
}

}  // namespace pgveil::bench
