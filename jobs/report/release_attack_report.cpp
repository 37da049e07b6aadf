#include "jobs/report/release_attack_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

#include "common/html_page.hpp"
#include "common/json_object.hpp"
#include "common/text_table.hpp"
#include "jobs/check/repeated_job.hpp"

namespace pgveil::app {
namespace {

std::string release_headline(const ReleaseAttackReport& report) {
  return fmt::format("job {}, {}: k = {}, {}, pgveil {}", report.job, report.file, report.k, report.algorithm,
                     report.pgveil);
}

std::string print_line(const ReleaseAttackReport& report) {
  if (report.file_print) return fmt::format("SHA-256 of the file: {}.", *report.file_print);
  if (report.table_print) return fmt::format("SHA-256 of the table: {}.", *report.table_print);
  return "There is no fingerprint of standard input.";
}

std::string sizes_line(const ReleaseAttack& it) {
  std::string line = fmt::format("{} records in {} classes", it.records, it.classes);
  if (it.smallest_class > 0) line += fmt::format("; the smallest has {} records", it.smallest_class);
  if (it.starred_records > 0) line += fmt::format("; {} records show only *", it.starred_records);
  return line + ".";
}

ReportTable released_table(const ReleaseAttack& it) {
  ReportTable made{{"column", "", "classes of one value", "records in these", "prior", "guess"}, {}};
  for (const auto& column : it.columns) {
    made.rows.push_back(
        {column.name, column.is_sensitive ? "sensitive" : "", fmt::to_string(column.classes_of_one_value),
         fmt::to_string(column.records_of_one_value), percent_of(column.prior_right, it.records),
         percent_of(column.guessed_right, it.records)});
  }
  return made;
}

ReportTable learnt_table(const std::vector<LearntColumn>& learnt, std::uint64_t persons) {
  ReportTable made{{"column", "claimed", "true", "of the persons"}, {}};
  for (const auto& column : learnt) {
    made.rows.push_back({column.name, fmt::to_string(column.learnt + column.wrong),
                         fmt::to_string(column.learnt), percent_of(column.learnt, persons)});
  }
  return made;
}

constexpr std::string_view kRefinedHeading = "Somebody who knows the job's report, and no person";

std::vector<std::string> refined_lines(const Refinement& it) {
  std::vector<std::string> lines{
      "A record that a later transformation shows has no combination of values that an earlier one shows. "
      "Records whose cell stands for several values of the input, those in whose cell this excludes some of "
      "them, and those whose value follows:"};
  lines.emplace_back(
      it.uses_sizes ? "Cells that a transformation did not show have fewer than k records each. So a class "
                      "has records of several such cells. Pinned are records that certainly have a certain "
                      "value, although it is open which of their class they are."
                    : "The job has models besides k. So the sizes of cells that were not shown tell "
                      "nothing.");
  if (it.open > 0)
    lines.push_back(
        fmt::format("{} values of cells were not decided, because they have more than {} combinations.",
                    it.open, kMostCombinations));
  return lines;
}

ReportTable refined_table(const Refinement& it) {
  ReportTable made{{"column", "generalized", "narrowed", "claimed", "true", "pinned", "true"}, {}};
  for (const auto& column : it.columns)
    made.rows.push_back({column.name, fmt::to_string(column.generalized), fmt::to_string(column.narrowed),
                         fmt::to_string(column.learnt + column.wrong), fmt::to_string(column.learnt),
                         fmt::to_string(column.pinned), fmt::to_string(column.pinned_true)});
  return made;
}

std::string isolating_line(const ReleaseAttack& it) {
  return fmt::format(
      "Singling out: {} of {} classes are isolated by what they show and their most frequent values ({}).",
      it.isolating, it.predicates, percent_of(it.isolating, it.predicates));
}

std::string known_heading(const KnownInRelease& it) {
  return fmt::format("Somebody who knows {} of every person{}", fmt::join(it.columns, ", "),
                     it.uses_order ? ", and the job's report" : "");
}

std::vector<std::string> known_lines(const KnownInRelease& it) {
  std::vector<std::string> lines{
      fmt::format("{} persons, of whom {} are alone with these values. The class of {} is certain ({}).",
                  it.persons, it.unique, it.in_one_class, percent_of(it.in_one_class, it.persons))};
  if (it.fewest_records > 0)
    lines.push_back(fmt::format("At least {} records can be those of a person, and {:.1f} on average.",
                                it.fewest_records, it.mean_records));
  if (it.in_no_class > 0)
    lines.push_back(fmt::format("No record can be that of {} persons: they were left out.", it.in_no_class));
  return lines;
}

std::uint64_t rounded(double count) {
  return static_cast<std::uint64_t>(std::llround(count));
}

constexpr std::string_view kAggregatesHeading = "Somebody who knows the job and no person: aggregates";

std::vector<std::string> aggregates_lines() {
  return {
      "A class can show an aggregate only if its records have certain values of the input. Narrowed are "
      "records that cannot have all of them, and left is the share of values that they can have, on average. "
      "Computed are records that can have one value only."};
}

ReportTable aggregates_table(const std::vector<AggregatedColumn>& columns) {
  ReportTable made{{"column", "aggregate", "records", "narrowed", "left", "computed"}, {}};
  for (const auto& column : columns)
    made.rows.push_back({column.name, std::string(engine::name(column.how)), fmt::to_string(column.records),
                         fmt::to_string(column.narrowed),
                         fmt::format("{:.1f} %", 100 * column.possible_share),
                         fmt::to_string(column.of_one_value)});
  return made;
}

constexpr std::string_view kGroupsHeading = "Somebody who knows the job, and no person: what groups tell";

std::vector<std::string> groups_lines(const GroupFacts& it) {
  std::vector<std::string> lines{
      "Tight ranges and sets name values that occur in a class. By themselves they make no cell certain, "
      "because "
      "the records of a class can exchange their values. So these are bounds. Occurring: values of classes, "
      "claimed and true. Settled: records of classes with as many records as such values. Last: records "
      "whose "
      "value follows for somebody who knows all others of the class."};
  const bool is_uncut = std::ranges::any_of(it.columns, [](const auto& column) { return column.alike > 0; });
  if (is_uncut)
    lines.emplace_back(
        "Alike: records of classes of 2k records or more that certainly have one value, because no cut at "
        "the "
        "median was possible. Claimed and true.");
  return lines;
}

ReportTable groups_table(const GroupFacts& it) {
  ReportTable made{
      {"column", "generalized", "occurring", "true", "settled", "last", "alike", "true", "prior", "guess"},
      {}};
  for (const auto& column : it.columns)
    made.rows.push_back({column.name, fmt::to_string(column.generalized), fmt::to_string(column.occurring),
                         fmt::to_string(column.occurring_true), fmt::to_string(column.settled),
                         fmt::to_string(column.last_of_class), fmt::to_string(column.alike),
                         fmt::to_string(column.alike_true),
                         percent_of(rounded(column.prior_right), column.generalized),
                         percent_of(column.guessed_right, column.generalized)});
  return made;
}

constexpr std::string_view kRepeatedHeading = "The same, who repeats the job on what is known";
constexpr std::string_view kMinimalityHeading =
    "The same, who knows that the job chose the best transformation (minimality)";

std::vector<std::string> minimality_lines(const Minimality& it) {
  std::vector<std::string> lines{fmt::format(
      "{} transformations that were tried would have been chosen, if none of their classes broke a model of "
      "a sensitive column. Of {}, only one class can have broken it.",
      it.choices, it.decided)};
  if (it.choices > it.decided)
    lines.emplace_back("The others exclude nothing by themselves. So these are bounds: more may follow.");
  return lines;
}

ReportTable minimality_table(const Minimality& it) {
  ReportTable made{{"column", "narrowed", "claimed", "true", "of the persons", "prior", "guess"}, {}};
  for (const auto& column : it.columns)
    made.rows.push_back({column.name, fmt::to_string(column.narrowed), fmt::to_string(column.claimed()),
                         fmt::to_string(column.learnt), percent_of(column.learnt, column.guessed),
                         percent_of(column.prior_right, column.guessed),
                         percent_of(column.guessed_right, column.guessed)});
  return made;
}

std::string together_heading(const LearntTogether& it) {
  return fmt::format("The same, with the files of {}", fmt::join(it.jobs, ", "));
}

std::string release_verdict(const ReleaseAttackReport& report) {
  if (report.attack.smallest_class > 0 && report.attack.smallest_class < report.k)
    return "Verdict: a class is smaller than k.";
  if (report.attack.is_anything_learnt()) return "Verdict: sensitive values follow.";
  return report.attack.is_any_cell_computed()
             ? "Verdict: values of generalized cells follow."
             : "Verdict: the attacks that were tried learn no sensitive value.";
}

// What the choice of generalizations tells, as far as no attack used it.
void add_group_lines(const Job& job, const ReleaseAttack& attack, std::vector<std::string>& lines) {
  if (job.mondrian->cuts == engine::Cuts::drawn) {
    lines.emplace_back(
        "How likely the values of generalized cells are, given how cuts are drawn. Nothing becomes certain "
        "by "
        "it, because the job resists that (resist).");
    return;
  }
  if (!attack.repeated && is_decided_by_values(job))
    lines.emplace_back(
        "Somebody who repeats the job on all quasi-identifiers of persons: name them with --knows.");
  if (!is_decided_by_values(job))
    lines.emplace_back(
        "Somebody who repeats the job: the groups also depend on sensitive values or on the order of the "
        "records, which this attacker does not know.");
  if (!attack.groups)
    lines.emplace_back(
        "What tight ranges and sets of groups tell (downcoding): name all quasi-identifiers with --knows, so "
        "that it can be checked. Of regions, it is not tried at all.");
  lines.emplace_back(
      "What the choice of the cuts tells, because a finer one would have broken a promise (minimality, "
      "downcoding), except for groups of 2k records and more.");
}

void add_level_lines(const Job& job, const ReleaseAttack& attack, std::vector<std::string>& lines) {
  const bool has_models =
      std::ranges::any_of(job.attributes, [](const JobAttribute& it) { return !it.models.empty(); });
  if (has_models && !attack.minimality)
    lines.emplace_back(
        "What better transformations that were not chosen tell of sensitive values (minimality): all "
        "quasi-identifiers have to be known (--knows), and the job's search over its input has to choose and "
        "to prove what the file shows.");
  if (attack.minimality)
    lines.emplace_back(
        "Minimality: what several transformations tell together if several classes of each may have broken a "
        "model, and what the later ones of local recoding tell.");
  lines.emplace_back(
      "What the choice of the transformation tells somebody who knows other records of a class, or how often "
      "each value occurs (downcoding). Without such knowledge it excludes no value of a cell "
      "(docs/attacks.md).");
}

void add_choice_lines(const Job& job, const ReleaseAttack& attack, std::vector<std::string>& lines) {
  if (job.mondrian)
    add_group_lines(job, attack, lines);
  else
    add_level_lines(job, attack, lines);
}

void add_aggregate_lines(const Job& job, const ReleaseAttack& attack, std::vector<std::string>& lines) {
  if (std::ranges::none_of(job.attributes, [](const JobAttribute& it) { return it.aggregate.has_value(); }))
    return;
  if (!attack.known)
    lines.emplace_back("Which values the aggregates leave possible: name known columns with --knows.");
  lines.emplace_back(
      "What several aggregated columns of a class tell together, and what aggregates tell somebody who knows "
      "other records of a class. A mean gives the last value to somebody who knows all others.");
  lines.emplace_back(
      "What the choice of the transformation tells of a job with aggregates, beside the aggregates.");
  if (attack.together)
    lines.emplace_back(
        "What aggregates in the other files exclude: others may be in these files, with other values.");
}

boost::json::array learnt_json(const std::vector<LearntColumn>& learnt) {
  boost::json::array made;
  for (const auto& it : learnt)
    made.push_back({{"column", it.name}, {"claimed", it.learnt + it.wrong}, {"true", it.learnt}});
  return made;
}

boost::json::array names_json(const std::vector<std::string>& names) {
  boost::json::array made;
  for (const auto& name : names) made.emplace_back(name);
  return made;
}

boost::json::value refined_json(const std::optional<Refinement>& it) {
  if (!it) return nullptr;
  boost::json::array columns;
  for (const auto& column : it->columns)
    columns.push_back({{"column", column.name},
                       {"generalized", column.generalized},
                       {"narrowed", column.narrowed},
                       {"claimed", column.learnt + column.wrong},
                       {"true", column.learnt},
                       {"pinned", column.pinned},
                       {"pinned_true", column.pinned_true}});
  return boost::json::object{{"columns", columns}, {"open", it->open}, {"uses_sizes", it->uses_sizes}};
}

boost::json::value groups_json(const std::optional<GroupFacts>& it) {
  if (!it) return nullptr;
  boost::json::array columns;
  for (const auto& column : it->columns)
    columns.push_back({{"column", column.name},
                       {"generalized", column.generalized},
                       {"occurring", column.occurring},
                       {"occurring_true", column.occurring_true},
                       {"settled", column.settled},
                       {"last_of_class", column.last_of_class},
                       {"alike", column.alike},
                       {"alike_true", column.alike_true},
                       {"prior_right", column.prior_right},
                       {"guessed_right", column.guessed_right}});
  return boost::json::object{{"columns", columns}};
}

boost::json::array aggregates_json(const std::vector<AggregatedColumn>& columns) {
  boost::json::array made;
  for (const auto& column : columns)
    made.push_back({{"column", column.name},
                    {"aggregate", engine::name(column.how)},
                    {"records", column.records},
                    {"narrowed", column.narrowed},
                    {"possible_share", column.possible_share},
                    {"of_one_value", column.of_one_value}});
  return made;
}

boost::json::value minimality_json(const std::optional<Minimality>& it) {
  if (!it) return nullptr;
  boost::json::array columns;
  for (const auto& column : it->columns)
    columns.push_back({{"column", column.name},
                       {"narrowed", column.narrowed},
                       {"claimed", column.claimed()},
                       {"true", column.learnt},
                       {"wrongly_excluded", column.wrong},
                       {"guessed", column.guessed},
                       {"prior_right", column.prior_right},
                       {"guessed_right", column.guessed_right}});
  return boost::json::object{{"choices", it->choices}, {"decided", it->decided}, {"columns", columns}};
}

boost::json::value known_json(const std::optional<KnownInRelease>& it) {
  if (!it) return nullptr;
  return boost::json::object{{"known_columns", names_json(it->columns)},
                             {"persons", it->persons},
                             {"unique", it->unique},
                             {"uses_order", it->uses_order},
                             {"in_no_class", it->in_no_class},
                             {"in_one_class", it->in_one_class},
                             {"fewest_records", it->fewest_records},
                             {"mean_records", it->mean_records},
                             {"columns", learnt_json(it->learnt)}};
}

}  // namespace

bool ReleaseAttackReport::is_anything_found() const {
  return attack.is_anything_learnt() || attack.is_any_cell_computed() ||
         (attack.smallest_class > 0 && attack.smallest_class < k);
}

std::vector<std::string> not_tried_on(const Job& job, const ReleaseAttack& attack) {
  std::vector<std::string> lines;
  const std::size_t quasi_identifiers = static_cast<std::size_t>(
      std::ranges::count(job.attributes, AttributeClass::quasi_identifier, &JobAttribute::attribute_class));
  if (!attack.known) {
    lines.emplace_back(
        "Somebody who knows columns of persons: name them with --knows. The job's input is then read.");
  } else if (attack.known->columns.size() < quasi_identifiers) {
    lines.emplace_back("Somebody who knows more columns of persons: name all of them with --knows.");
  }
  if (!attack.together)
    lines.emplace_back("Other files about the same persons: name their jobs with --with.");
  add_choice_lines(job, attack, lines);
  const bool has_parts = job.local_recoding.parts > 0 && !job.mondrian;
  if (has_parts && !(attack.known && attack.known->uses_order))
    lines.emplace_back(
        "Somebody who knows all quasi-identifiers of persons, and the order of the transformations: name the "
        "job's report with --scheme.");
  if (has_parts && !attack.refined)
    lines.emplace_back(
        "What the order of the transformations tells of generalized cells: a later one shows no record that "
        "an earlier one could have shown (refinement). Name all quasi-identifiers with --knows, and the "
        "job's "
        "report with --scheme.");
  if (attack.refined && !attack.refined->uses_sizes)
    lines.emplace_back(
        "That the cells that a transformation did not show have fewer than k records or break another model "
        "(refinement).");
  add_aggregate_lines(job, attack, lines);
  if (job.unit)
    lines.push_back(fmt::format(
        "Somebody who knows several records of one {}: the file does not tell which belong together.",
        *job.unit));
  if (job.subset)
    lines.emplace_back("Who is in the subset that was published. pgveil check-table tells of presence.");
  lines.emplace_back(
      "Columns that are shown as they are and identify persons by themselves: pgveil risk tells of them.");
  lines.emplace_back("Persons of whom something wrong or only roughly right is known.");
  lines.emplace_back("The order of the records.");
  return lines;
}

std::string release_attack_text(const ReleaseAttackReport& report) {
  const auto& it = report.attack;
  std::string out = release_headline(report) + "\n" + print_line(report) + "\n" + sizes_line(it) + "\n";
  if (!it.columns.empty())
    out += "\nSomebody who has the file alone\n" + text_of(released_table(it)) + isolating_line(it) + "\n";
  if (it.known) {
    out += fmt::format("\n{}\n{}\n", known_heading(*it.known), fmt::join(known_lines(*it.known), "\n"));
    if (!it.known->learnt.empty()) out += text_of(learnt_table(it.known->learnt, it.known->persons));
  }
  if (it.repeated)
    out += fmt::format("\n{}\n{}\n{}", kRepeatedHeading, fmt::join(known_lines(*it.repeated), "\n"),
                       text_of(learnt_table(it.repeated->learnt, it.repeated->persons)));
  if (it.minimality)
    out += fmt::format("\n{}\n{}\n{}", kMinimalityHeading, fmt::join(minimality_lines(*it.minimality), "\n"),
                       text_of(minimality_table(*it.minimality)));
  if (!it.aggregates.empty())
    out += fmt::format("\n{}\n{}\n{}", kAggregatesHeading, fmt::join(aggregates_lines(), "\n"),
                       text_of(aggregates_table(it.aggregates)));
  if (it.groups)
    out += fmt::format("\n{}\n{}\n{}", kGroupsHeading, fmt::join(groups_lines(*it.groups), "\n"),
                       text_of(groups_table(*it.groups)));
  if (it.together)
    out += fmt::format("\n{}\n{}", together_heading(*it.together),
                       text_of(learnt_table(it.together->learnt, it.known->persons)));
  if (it.refined)
    out += fmt::format("\n{}\n{}\n{}", kRefinedHeading, fmt::join(refined_lines(*it.refined), "\n"),
                       text_of(refined_table(*it.refined)));
  out += "\nNot tried\n";
  for (const auto& line : report.not_tried) out += fmt::format("- {}\n", line);
  return out + "\n" + release_verdict(report) + "\n";
}

std::string release_attack_json(const ReleaseAttackReport& report) {
  const auto& it = report.attack;
  boost::json::array columns;
  for (const auto& column : it.columns) {
    columns.push_back({{"column", column.name},
                       {"is_sensitive", column.is_sensitive},
                       {"classes_of_one_value", column.classes_of_one_value},
                       {"records_of_one_value", column.records_of_one_value},
                       {"prior_right", column.prior_right},
                       {"guessed_right", column.guessed_right}});
  }
  boost::json::object made{{"pgveil", report.pgveil},
                           {"job", report.job},
                           {"file", report.file},
                           {"file_sha256", text_or_null(report.file_print)},
                           {"table_sha256", text_or_null(report.table_print)},
                           {"algorithm", report.algorithm},
                           {"k", report.k},
                           {"is_anything_found", report.is_anything_found()},
                           {"records", it.records},
                           {"classes", it.classes},
                           {"smallest_class", it.smallest_class},
                           {"starred_records", it.starred_records},
                           {"columns", columns},
                           {"singling_out", {{"predicates", it.predicates}, {"isolating", it.isolating}}},
                           {"known_persons", known_json(it.known)}};
  made["repeated"] = known_json(it.repeated);
  made["minimality"] = minimality_json(it.minimality);
  made["groups"] = groups_json(it.groups);
  made["aggregates"] = aggregates_json(it.aggregates);
  made["together"] = nullptr;
  if (it.together)
    made["together"] = {{"jobs", names_json(it.together->jobs)},
                        {"columns", learnt_json(it.together->learnt)}};
  made["refined"] = refined_json(it.refined);
  made["not_tried"] = names_json(report.not_tried);
  return boost::json::serialize(made) + "\n";
}

std::string release_attack_html(const ReleaseAttackReport& report) {
  const auto& it = report.attack;
  HtmlPage page("What readers learn from job " + report.job);
  page.paragraph(release_headline(report));
  page.paragraph(print_line(report));
  page.paragraph(release_verdict(report));
  page.paragraph(sizes_line(it));
  const auto add = [&page](const ReportTable& table) {
    if (!table.rows.empty()) page.table(table.columns, table.rows);
  };
  if (!it.columns.empty()) {
    page.heading("Somebody who has the file alone");
    add(released_table(it));
    page.paragraph(isolating_line(it));
  }
  if (it.known) {
    page.heading(known_heading(*it.known));
    for (const auto& line : known_lines(*it.known)) page.paragraph(line);
    add(learnt_table(it.known->learnt, it.known->persons));
  }
  if (it.repeated) {
    page.heading(std::string(kRepeatedHeading));
    for (const auto& line : known_lines(*it.repeated)) page.paragraph(line);
    add(learnt_table(it.repeated->learnt, it.repeated->persons));
  }
  if (it.minimality) {
    page.heading(std::string(kMinimalityHeading));
    for (const auto& line : minimality_lines(*it.minimality)) page.paragraph(line);
    add(minimality_table(*it.minimality));
  }
  if (!it.aggregates.empty()) {
    page.heading(std::string(kAggregatesHeading));
    for (const auto& line : aggregates_lines()) page.paragraph(line);
    add(aggregates_table(it.aggregates));
  }
  if (it.groups) {
    page.heading(std::string(kGroupsHeading));
    for (const auto& line : groups_lines(*it.groups)) page.paragraph(line);
    add(groups_table(*it.groups));
  }
  if (it.together) {
    page.heading(together_heading(*it.together));
    add(learnt_table(it.together->learnt, it.known->persons));
  }
  if (it.refined) {
    page.heading(std::string(kRefinedHeading));
    for (const auto& line : refined_lines(*it.refined)) page.paragraph(line);
    add(refined_table(*it.refined));
  }
  page.heading("Not tried");
  for (const auto& line : report.not_tried) page.paragraph(line);
  return std::move(page).finish();
}

}  // namespace pgveil::app
