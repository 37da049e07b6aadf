#include "db/versions/entity_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "common/assert.hpp"
#include "common/sql_quoting.hpp"
#include "common/sqlstate.hpp"
#include "db/policy_table/counted_columns.hpp"
#include "db/policy_table/export_plan.hpp"
#include "db/server/connection.hpp"
#include "db/server/copy_line.hpp"
#include "db/server/failure.hpp"
#include "db/server/row_stream.hpp"
#include "db/versions/masked_copy.hpp"
#include "db/versions/pseudonyms.hpp"
#include "policy/cohorts/leveled_counts.hpp"
#include "policy/spec/entity_group.hpp"
#include "policy/tree/released_together.hpp"
#include "rewriter/catalog/table_shape.hpp"
#include "rewriter/mask/comparable_type.hpp"

namespace pgveil::db {
namespace {

// Columns and tables of ours have names that columns of users hardly have, because statements name columns
// without a table.
constexpr const char* kPersonColumn = "pgveil person";

std::string temporary(std::string_view what, std::size_t fact) {
  return qualified_name("pg_temp", fmt::format("pgveil {} {}", what, fact + 1));
}
std::string name_of(const rewriter::Relation& relation) {
  return qualified_name(relation.schema, relation.name);
}

policy::ColumnRule person_rule(policy::ColumnClass column_class) {
  policy::ColumnRule rule{.name = kPersonColumn, .column_class = column_class, .constraints = {}, .at = {}};
  return rule;
}

// The key is shown as it is, because the rows have pseudonyms there.
policy::PolicySpec with_shown_key(policy::PolicySpec spec) {
  for (auto& rule : spec.columns) {
    if (rule.column_class == policy::ColumnClass::key) rule.column_class = policy::ColumnClass::insensitive;
  }
  return spec;
}

rewriter::Column number_column(const rewriter::Relation& relation) {
  rewriter::Column column;
  column.number = relation.columns.empty() ? 1 : relation.columns.back().number + 1;
  column.name = kPersonColumn;
  column.type_oid = 20;
  column.type_text = "bigint";
  column.type_schema = "pg_catalog";
  column.type_name = "int8";
  column.type_category = 'N';
  return column;
}

// The columns of the published table, each as `cell` writes it, under their own names.
template <class Cell>
std::string select_list(const rewriter::Relation& relation, const Cell& cell) {
  std::string list;
  for (const auto& column : relation.columns) {
    list += fmt::format("{}{} AS {}", list.empty() ? "" : ", ", cell(column), quoted_name(column.name));
  }
  return list;
}

std::string typed_null_sql(const rewriter::Column& column) {
  const bool has_collation = !column.collation_name.empty();
  return fmt::format(
      "NULL::{}{}", column.type_text,
      has_collation ? " COLLATE " + qualified_name(column.collation_schema, column.collation_name) : "");
}

std::string in_f(const std::string& column) {
  return "f." + quoted_name(column);
}

template <class T>
Result<void> done(Result<T> result) {
  if (!result) return result.error();
  return {};
}

std::uint32_t person_number_of(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  PGVEIL_ASSERT(failed == std::errc() && end == text.data() + text.size() && number > 0);
  return number;
}

}  // namespace

Result<EntityTables> EntityTables::open(StagedTables staged, std::string reader, const Progress& progress) {
  EntityTables out(std::move(staged), std::move(reader));
  auto opened = guarded<bool>("making pseudonyms", [&]() -> Result<bool> {
    Connection& server = *out.staged_.connection();
    if (progress) progress("making pseudonyms", 0);
    server.run("BEGIN");
    out.persons_ = number_persons(server, out.persons());
    for (std::size_t fact = 0; fact < out.facts(); ++fact) {
      const auto reading = out.staged_.reading(fact + 1);
      const auto entity = out.persons();
      refuse_other_key(reading, key_column(reading), key_column(entity), out.persons_);
      out.cut_.push_back(cut_off(server, reading));
      server.run(fmt::format(
          "CREATE TEMPORARY VIEW {} AS SELECT f.*, p.\"pgveil number\" AS {} FROM {} AS f JOIN {} AS p ON "
          "p.\"pgveil key\" = {}",
          temporary("known", fact), quoted_name(kPersonColumn), name_of(reading.rows()), kPersons,
          in_f(key_column(reading).name)));
    }
    const auto reading = out.persons();
    server.run(fmt::format(
        "CREATE TEMPORARY VIEW pg_temp.\"pgveil keyed\" AS SELECT {} FROM {} AS f JOIN {} AS p ON "
        "p.\"pgveil key\" = {}",
        select_list(reading.rows(),
                    [&](const auto& column) {
                      return column.name == key_column(reading).name ? shown_pseudonym(column)
                                                                     : in_f(column.name);
                    }),
        name_of(reading.rows()), kPersons, in_f(key_column(reading).name)));
    server.run("COMMIT");
    return true;
  });
  if (!opened) return opened.error();
  out.fact_.resize(out.facts());
  return out;
}

TableReading EntityTables::persons_with_pseudonyms() const {
  const auto reading = staged_.reading(0);
  auto rows = reading.rows();
  rows.name = "pgveil keyed";
  return staged_.reading_of(with_shown_key(reading.spec()), reading.relation(), std::move(rows));
}

Result<std::vector<std::uint32_t>> EntityTables::classes(const policy::TableShape& copy) {
  return guarded<std::vector<std::uint32_t>>("reading the copy of the entity", [&] {
    const auto entity = persons();
    std::string shown;
    for (const auto& rule : entity.spec().columns) {
      if (rule.column_class == policy::ColumnClass::quasi_identifier)
        shown += fmt::format(", c.{}::pg_catalog.text", quoted_name(rule.name));
    }
    std::vector<std::uint32_t> classes(persons_, 0);
    std::unordered_map<std::string, std::uint32_t> known;
    std::uint64_t read = 0;
    staged_.connection()->copy_out(
        fmt::format("SELECT p.\"pgveil number\"{} FROM {} AS c JOIN {} AS p ON p.\"pgveil pseudonym\" = c.{}",
                    shown, qualified_name(copy.schema, copy.name), kPersons,
                    quoted_name(key_column(entity).name)),
        [&](const std::string& line) {
          const auto tab = line.find('\t');
          const auto next = static_cast<std::uint32_t>(known.size());
          const auto tuple = tab == std::string::npos ? std::string() : line.substr(tab);
          classes.at(person_number_of(std::string_view(line).substr(0, tab)) - 1) =
              known.try_emplace(tuple, next).first->second;
          ++read;
        });
    PGVEIL_ASSERT(read == persons_);
    return Result<std::vector<std::uint32_t>>(std::move(classes));
  });
}

Result<policy::FactRows> EntityTables::rows_of(std::size_t fact, const Progress& progress) {
  const auto reading = staged_.reading(fact + 1);
  // The person is counted beside the quasi-identifiers, so one row is one combination of one person.
  auto spec = policy::without_levels(reading.spec());
  spec.columns.push_back(person_rule(policy::ColumnClass::quasi_identifier));
  auto rows = reading.rows();
  rows.name = fmt::format("pgveil known {}", fact + 1);
  rows.columns.push_back(number_column(rows));
  auto counting = staged_.reading_of(spec, rows, rows);
  auto exact = counting.counts(progress);
  if (!exact) return exact.error();
  auto attributes = tree_attributes(reading.spec(), reading.rows());
  if (!attributes) return attributes.error();
  // What comes last is hidden first: the columns that `priority` does not name, the table's last one first.
  const auto& priority = reading.spec().growth.priority;
  std::ranges::stable_sort(*attributes, {}, [&](const policy::TreeAttribute& attribute) {
    const auto& source = attribute.level ? attribute.level->source : attribute.name;
    return std::ranges::find(priority, source) - priority.begin();
  });
  fact_[fact].attributes = *attributes;
  policy::FactRows out;
  for (std::size_t a = 0; a < exact->attributes.size(); ++a) {
    const auto& attribute = exact->attributes[a];
    if (attribute.name != kPersonColumn) {
      fact_[fact].exact[attribute.number] = attribute.values;
      continue;
    }
    std::vector<std::uint32_t> person_of;
    person_of.reserve(attribute.values.size());
    for (const auto& text : attribute.values) person_of.push_back(person_number_of(text) - 1);
    for (const policy::Code code : exact->codes[a]) out.person.push_back(person_of.at(code - 1));
  }
  auto leveled = policy::with_attributes(*exact, *attributes);
  out.attributes = std::move(leveled.attributes);
  out.codes = std::move(leveled.codes);
  return out;
}

Result<void> EntityTables::choose(std::size_t fact, const policy::ChosenHistories& chosen) {
  auto& known = fact_[fact];
  known.last_rung.assign(known.attributes.size(), -1);
  for (std::size_t rung = 0; rung < chosen.ladder.size(); ++rung) {
    for (std::size_t a = 0; a < known.attributes.size(); ++a) {
      if (chosen.ladder[rung].shown[a]) known.last_rung[a] = static_cast<int>(rung);
    }
  }
  return done(guarded<bool>("setting unlinked rows apart", [&]() -> Result<bool> {
    Connection& server = *staged_.connection();
    const auto reading = staged_.reading(fact + 1);
    const auto rungs = temporary("rungs", fact);
    server.run("BEGIN");
    server.run(
        fmt::format("CREATE TEMPORARY TABLE {} (\"pgveil number\" int8, \"pgveil rung\" int4) ON COMMIT "
                    "PRESERVE ROWS",
                    rungs));
    server.copy_into(rungs, {"\"pgveil number\"", "\"pgveil rung\""}, [&](const auto& write) {
      for (std::size_t person = 0; person < chosen.rung.size(); ++person) {
        if (chosen.rung[person] != policy::kUnlinked)
          write(fmt::format("{}\t{}", person + 1, chosen.rung[person]));
      }
    });
    server.run("ANALYZE " + rungs);
    const auto key = key_column(reading);
    server.run(fmt::format(
        "CREATE TEMPORARY TABLE {} ON COMMIT PRESERVE ROWS AS SELECT {}, {} AS {} FROM {} AS f LEFT JOIN {} "
        "AS "
        "p ON p.\"pgveil key\" = {} LEFT JOIN {} AS r USING (\"pgveil number\") WHERE r.\"pgveil rung\" IS "
        "NULL",
        temporary("unlinked", fact),
        select_list(reading.rows(),
                    [&](const auto& column) {
                      return column.name == key.name ? typed_null_sql(column) : in_f(column.name);
                    }),
        in_f(key.name), quoted_name(kPersonColumn), name_of(reading.rows()), kPersons, in_f(key.name),
        rungs));
    server.run("COMMIT");
    return true;
  }));
}

Result<std::optional<TableReading>> EntityTables::unlinked(std::size_t fact) {
  const auto reading = staged_.reading(fact + 1);
  auto persons = guarded<std::uint64_t>("counting unlinked rows", [&]() -> Result<std::uint64_t> {
    return staged_.connection()
        ->run(fmt::format("SELECT pg_catalog.count(DISTINCT {}) FROM {}", quoted_name(kPersonColumn),
                          temporary("unlinked", fact)))[0][0]
        .as<std::uint64_t>();
  });
  if (!persons) return persons.error();
  fact_[fact].keeps_unlinked = *persons >= reading.spec().k;
  if (!fact_[fact].keeps_unlinked || fact_[fact].attributes.empty()) return std::optional<TableReading>();
  auto spec = reading.spec();
  for (auto& rule : spec.columns) {
    if (rule.column_class == policy::ColumnClass::key) rule.column_class = policy::ColumnClass::identifier;
  }
  spec.unit = kPersonColumn;
  auto rows = reading.rows();
  rows.name = fmt::format("pgveil unlinked {}", fact + 1);
  auto unit = key_column(reading);
  unit.number = number_column(rows).number;
  unit.name = kPersonColumn;
  rows.columns.push_back(std::move(unit));
  return std::optional(staged_.reading_of(std::move(spec), rows, rows));
}

namespace {

// The labels of a level by the texts of the values, as a table to join with.
void write_level(Connection& server, const std::string& table, const policy::Level& level,
                 const std::vector<std::string>& texts) {
  server.run(fmt::format(
      "CREATE TEMPORARY TABLE {} (\"pgveil raw\" text, \"pgveil shown\" text) ON COMMIT PRESERVE ROWS",
      table));
  for (const auto& text : texts) {
    if (const auto shown = policy::level_value(level, text))
      server.run(fmt::format("INSERT INTO {} VALUES ($1, $2)", table), text, *shown);
  }
}

}  // namespace

Result<EntityTables::WrittenFact> EntityTables::write(std::size_t fact,
                                                      const policy::PolicyVersion* unlinked_version,
                                                      const Progress& progress) {
  auto own = staged_.reading(fact + 1);
  std::optional<ExportPlan> plan;
  std::optional<TableReading> apart;
  if (unlinked_version != nullptr) {
    auto reading = unlinked(fact);
    if (!reading) return reading.error();
    PGVEIL_ASSERT(*reading);
    apart = std::move(**reading);
    if (auto resumed = apart->resume(); !resumed) return resumed.error();
    auto planned = plan_export(*apart, *unlinked_version, progress);
    if (!planned) return planned.error();
    plan = std::move(*planned);
    if (auto paused = apart->pause(); !paused) return paused.error();
  }
  const Fact& known = fact_[fact];
  return guarded<WrittenFact>("writing the copy of policy " + own.spec().name, [&]() -> Result<WrittenFact> {
    Connection& server = *staged_.connection();
    if (auto resumed = own.resume(); !resumed) return resumed.error();
    const auto key = key_column(own);
    std::string joins;
    const auto attribute_of = [&](const std::string& column) {
      return static_cast<std::size_t>(
          std::ranges::find(known.attributes, column, &policy::TreeAttribute::name) -
          known.attributes.begin());
    };
    for (std::size_t a = 0; a < known.attributes.size(); ++a) {
      const auto& attribute = known.attributes[a];
      if (!attribute.level || known.last_rung[a] < 0) continue;
      const auto table = temporary(fmt::format("level {} of", a + 1), fact);
      write_level(server, table, *attribute.level, known.exact.at(policy::source_of(attribute)));
      const auto* source = own.rows().find_column(attribute.level->source);
      const auto type = rewriter::comparable_type(*source);
      if (!type) return type.error();
      joins += fmt::format(" LEFT JOIN {} AS l{} ON l{}.\"pgveil raw\" = {}", table, a, a,
                           rewriter::canonical_text_sql(in_f(source->name), *type));
    }
    std::string failed;
    const auto cell = [&](const rewriter::Column& column) -> std::string {
      const auto rule = std::ranges::find(own.spec().columns, column.name, &policy::ColumnRule::name);
      if (rule == own.spec().columns.end()) return typed_null_sql(column);
      switch (rule->column_class) {
        case policy::ColumnClass::identifier: return typed_null_sql(column);
        case policy::ColumnClass::key: return shown_pseudonym(column);
        case policy::ColumnClass::sensitive:
        case policy::ColumnClass::insensitive: return in_f(column.name);
        case policy::ColumnClass::quasi_identifier: break;
      }
      const auto a = attribute_of(column.name);
      if (known.last_rung[a] < 0) return typed_null_sql(column);
      std::string shown;
      if (known.attributes[a].level) {
        shown = fmt::format("l{}.\"pgveil shown\"::{}", a, column.type_text);
      } else {
        const auto type = rewriter::comparable_type(column);
        if (!type) failed = one_line(type.error());
        if (type) shown = rewriter::canonical_value_sql(in_f(column.name), *type);
      }
      return fmt::format("CASE WHEN r.\"pgveil rung\" OPERATOR(pg_catalog.<=) {} THEN {} ELSE {} END",
                         known.last_rung[a], shown, typed_null_sql(column));
    };
    std::string select = fmt::format(
        "SELECT {} FROM {} AS f JOIN {} AS p ON p.\"pgveil key\" = {} JOIN {} AS r USING (\"pgveil "
        "number\"){}",
        select_list(own.rows(), cell), name_of(own.rows()), kPersons, in_f(key.name),
        temporary("rungs", fact), joins);
    PGVEIL_ASSERT(failed.empty());  // the same column was counted
    if (!plan && known.keeps_unlinked) {
      const auto without_key = [&](const rewriter::Column& column) {
        return column.name == key.name ? typed_null_sql(column) : cell(column);
      };
      select += fmt::format(" UNION ALL SELECT {} FROM {} AS f", select_list(own.rows(), without_key),
                            temporary("unlinked", fact));
    }
    if (plan) {
      select += fmt::format(" UNION ALL SELECT {} FROM ({}) AS f",
                            select_list(own.rows(), [](const auto& column) { return in_f(column.name); }),
                            plan->select);
    }
    if (progress) progress("writing the copy of " + own.spec().name, 0);
    WrittenFact out;
    auto shape =
        write_copy(own, reader_, [&](const std::string& schema, const std::string& name) -> Result<void> {
          server.run(fmt::format("CREATE TABLE {} AS SELECT * FROM ({}) AS x ORDER BY {}",
                                 qualified_name(schema, name), select, sort_keys(own.relation())));
          if (!plan) return {};
          const auto written_apart = temporary("written", fact);
          server.run(fmt::format("CREATE TEMPORARY VIEW {} AS SELECT * FROM {} WHERE {} IS NULL",
                                 written_apart, qualified_name(schema, name), quoted_name(key.name)));
          auto output = own.rows();
          output.name = fmt::format("pgveil written {}", fact + 1);
          std::map<VisibleTuple, std::uint64_t> written;
          stream_rows(server, group_query(plan->quasi_identifiers, output), [&](const Row& row) {
            const std::size_t size = plan->quasi_identifiers.size();
            written[tuple_of(row, 0, size)] += row[static_cast<int>(size)].as<std::uint64_t>();
          });
          server.run("DROP VIEW " + written_apart);
          return check_output(plan->expected, written, own.spec().k);
        });
    if (!shape) return shape.error();
    const auto copy = qualified_name(shape->schema, shape->name);
    std::string counts;
    out.attributes = known.attributes;
    std::ranges::sort(out.attributes, {}, &policy::TreeAttribute::number);
    for (const auto& attribute : out.attributes)
      counts += fmt::format(", pg_catalog.count({})", quoted_name(attribute.name));
    const auto counted = server.run(fmt::format(
        "SELECT pg_catalog.count(*), pg_catalog.count({0}), pg_catalog.count(DISTINCT {0}){1} FROM {2}",
        quoted_name(key.name), counts, copy));
    out.rows.rows = counted[0][0].as<std::uint64_t>();
    out.rows.linked = counted[0][1].as<std::uint64_t>();
    out.rows.persons = counted[0][2].as<std::uint64_t>();
    for (std::size_t a = 0; a < out.attributes.size(); ++a) {
      out.rows.disclosed_by_attribute.push_back(counted[0][static_cast<int>(a) + 3].as<std::uint64_t>());
    }
    const auto staged_rows =
        server.run("SELECT pg_catalog.count(*) FROM " + name_of(own.rows()))[0][0].as<std::uint64_t>();
    out.rows.left_out = staged_rows - out.rows.rows + cut_[fact];
    out.published = rewriter::shape_of(own.relation());
    out.copy = std::move(*shape);
    return out;
  });
}

Result<std::uint64_t> EntityTables::smallest_profile(const std::vector<policy::TableShape>& copies) {
  PGVEIL_ASSERT(copies.size() == staged_.size());
  return guarded<std::uint64_t>("counting who looks alike", [&]() -> Result<std::uint64_t> {
    Connection& server = *staged_.connection();
    const auto visible = [](const policy::PolicySpec& spec) {
      std::string row;
      for (const auto& rule : spec.columns) {
        if (rule.column_class == policy::ColumnClass::quasi_identifier)
          row += fmt::format("{}c.{}", row.empty() ? "" : ", ", quoted_name(rule.name));
      }
      return "ROW(" + row + ")::pg_catalog.text";
    };
    const auto table = [&](std::size_t i) { return qualified_name(copies[i].schema, copies[i].name); };
    const auto key = [&](std::size_t i) {
      return "c." + quoted_name(policy::key_of(staged_.reading(i).spec())->name);
    };
    std::string with = fmt::format("WITH t0 AS MATERIALIZED (SELECT {} AS k, {} AS h FROM {} AS c)", key(0),
                                   visible(staged_.reading(0).spec()), table(0));
    std::string joins;
    std::string by = "t0.h";
    std::string strangers = "0::pg_catalog.int8";
    for (std::size_t i = 1; i < copies.size(); ++i) {
      const auto fact = staged_.reading(i);
      with += fmt::format(
          ", t{0} AS MATERIALIZED (SELECT k, pg_catalog.string_agg(h, E'\\x01' ORDER BY h COLLATE "
          "pg_catalog.\"C\") AS h FROM (SELECT DISTINCT {1} AS k, {2} AS h FROM {3} AS c WHERE {1} IS NOT "
          "NULL) "
          "AS x GROUP BY k)",
          i, key(i), visible(fact.spec()), table(i));
      joins += fmt::format(" LEFT JOIN t{0} ON t{0}.k = t0.k", i);
      by += fmt::format(", t{}.h", i);
      strangers += fmt::format(
          " OPERATOR(pg_catalog.+) (SELECT pg_catalog.count(*) FROM t{0} WHERE NOT EXISTS (SELECT FROM t0 "
          "WHERE t0.k = t{0}.k))",
          i);
    }
    const auto counted = server.run(fmt::format(
        "{} SELECT pg_catalog.min(n), {} FROM (SELECT pg_catalog.count(*) AS n FROM t0{} GROUP BY {}) AS x",
        with, strangers, joins, by));
    const auto smallest = counted[0][0].is_null() ? 0 : counted[0][0].as<std::uint64_t>();
    const auto k = staged_.reading(0).spec().k;
    if (counted[0][1].as<std::uint64_t>() == 0 && smallest >= k) return smallest;
    return Error{
        ErrorKind::policy, std::string(sqlstate::kInsufficientPrivilege),
        fmt::format("the copies of entity {} were not kept: some persons in them look like fewer than "
                    "k = {} persons",
                    staged_.reading(0).spec().entity.value_or(""), k),
        "this is a mistake in pgveil: please report it"};
  });
}

}  // namespace pgveil::db
