#include "attack/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>

#include "common/html_page.hpp"
#include "common/text_table.hpp"

namespace pgveil::attack {

namespace {

namespace json = boost::json;

std::uint64_t in_blank(const Findings& findings) {
  std::uint64_t sum = 0;
  for (const auto& it : findings.attributes) sum += it.computed_in_blank;
  return sum;
}

std::uint64_t claimed(const Findings& findings) {
  return findings.computed() + findings.wrong();
}

// In the words of the issue: claimed 412, true 412.
ReportTable attackers_table(const AttackReport& report) {
  ReportTable made{{"attacker", "hidden cells", "claimed", "true", "in the blank class", "of the hidden"},
                   {}};
  for (const Attacker& it : report.attackers) {
    const Findings& found = it.findings;
    made.rows.push_back({it.name, fmt::to_string(found.hidden()), fmt::to_string(claimed(found)),
                         fmt::to_string(found.computed()), fmt::to_string(in_blank(found)),
                         percent_of(found.computed(), found.hidden())});
  }
  return made;
}

// The guesses of the last attacker who needs no data beside the answers.
const Attacker* guesser(const AttackReport& report) {
  return report.attackers.empty() ? nullptr
                                  : &report.attackers[std::min(kReaders, report.attackers.size()) - 1];
}

// What stands behind "computed": an exact answer, or bounds.
std::string how_settled(const Findings& findings, const AttributeFindings& it) {
  if (it.is_left_out) return "too large";
  switch (findings.exactness) {
    case Exactness::settled: return "exact";
    case Exactness::ran_out:
      return it.unsettled == 0 ? "exact" : fmt::format("bounds in {} classes", it.unsettled);
    case Exactness::not_asked:
    case Exactness::too_large:
    case Exactness::no_solver: return it.is_settled ? "bounds" : "bounds, not settled";
  }
  return {};
}

std::string_view name_of(Exactness exactness) {
  switch (exactness) {
    case Exactness::settled: return "settled";
    case Exactness::ran_out: return "ran_out";
    case Exactness::not_asked: return "not_asked";
    case Exactness::too_large: return "too_large";
    case Exactness::no_solver: return "no_solver";
  }
  return {};
}

ReportTable columns_table(const Attacker& attacker) {
  ReportTable made{{"column", "hidden", "computed", "bounded", "prior", "guess", "best guess", "by"}, {}};
  for (const AttributeFindings& it : attacker.findings.attributes) {
    made.rows.push_back(
        {it.name, fmt::to_string(it.hidden), it.is_left_out ? "not tried" : fmt::to_string(it.computed),
         it.is_left_out ? "not tried" : fmt::to_string(it.pinned), percent_of(it.prior_right, it.hidden),
         it.is_left_out ? "not tried" : percent_of(it.guessed_right, it.hidden),
         percent_of(it.best_right, it.hidden), how_settled(attacker.findings, it)});
  }
  return made;
}

std::string headline(const AttackReport& report) {
  return fmt::format("policy {}, version {} of {}, table {}: k = {}, strategy {}, pgveil {}", report.policy,
                     report.version, report.built_at, report.table, report.k, report.strategy, report.pgveil);
}

std::string size_line(const Findings& found) {
  return fmt::format("{} rows in {} classes; {} of {} cells are shown ({})", found.rows, found.classes,
                     found.shown, found.cells, percent_of(found.shown, found.cells));
}

std::string singling_line(const SinglingOut& it) {
  return fmt::format(
      "Singling out: {} of {} classes are isolated by what they show and the guesses ({}). With the most "
      "frequent values as guesses it is {} ({}).",
      it.isolating, it.predicates, percent_of(it.isolating, it.predicates), it.isolating_prior,
      percent_of(it.isolating_prior, it.predicates));
}

std::vector<std::string> persons_lines(const KnownPersons& it) {
  const std::string columns = fmt::format("{}", fmt::join(it.columns, ", "));
  if (it.is_left_out)
    return {
        fmt::format("Persons whose {} are known: not tried, there are too many ways to look at.", columns)};
  std::vector<std::string> lines = {
      fmt::format("Persons whose {} are known: {}, of whom {} are alone with these values.", columns,
                  it.persons, it.unique),
      fmt::format("The class of {} of them is certain ({}). At least {} rows may be the row of a person.",
                  it.in_one_class, percent_of(it.in_one_class, it.persons), it.fewest_rows),
      fmt::format("Of {} cells of the other columns, {} are learnt ({}): claimed {}, true {}.",
                  it.unknown_cells, it.learnt, percent_of(it.learnt, it.unknown_cells), it.learnt + it.wrong,
                  it.learnt)};
  return lines;
}

std::string together_line(const TogetherFindings& it) {
  const std::string policies = fmt::format("{}", fmt::join(it.policies, ", "));
  if (it.small_classes == 0)
    return fmt::format("Readers of {} together: no joint class has fewer than {} units.", policies,
                       it.required);
  return fmt::format("Readers of {} together: {} joint classes have fewer than {} units, the smallest {}.",
                     policies, it.small_classes, it.required, it.smallest);
}

std::string print_line(const AttackReport& report) {
  return fmt::format("SHA-256 of the policy: {}.", report.policy_print);
}

std::vector<std::string> over_versions_lines(const OverVersions& it) {
  std::string classes = fmt::format("no joint class has fewer than {} units.", it.required);
  if (it.small_classes > 0) {
    classes = fmt::format("{} joint classes have fewer than {} units, the smallest {}.", it.small_classes,
                          it.required, it.smallest);
  }
  return {fmt::format("Readers who kept version {}, and recognize rows in this one: {}",
                      fmt::join(it.versions, ", "), classes),
          fmt::format("Of the cells that this version hides, an earlier one showed {}.", it.shown_before),
          fmt::format("Of the others, {} follow only with the earlier ones: claimed {}, true {}.",
                      it.true_cells, it.claimed, it.true_cells)};
}

std::string verdict(const AttackReport& report) {
  if (report.is_anything_computable()) return "Verdict: something is computable.";
  const bool is_complete =
      std::ranges::all_of(report.attackers, [](const Attacker& it) { return it.findings.is_complete(); });
  return is_complete ? "Verdict: the attacks that were tried compute nothing."
                     : "Verdict: the attacks compute nothing in the columns that they looked at.";
}

json::object attribute_json(const AttributeFindings& it) {
  json::object made{{"column", it.name}, {"hidden", it.hidden}, {"is_left_out", it.is_left_out}};
  made["prior_right"] = it.prior_right;
  made["best_right"] = it.best_right;
  if (it.is_left_out) return made;
  made["is_settled"] = it.is_settled;
  made["computed"] = it.computed;
  made["computed_in_blank_class"] = it.computed_in_blank;
  made["unsettled_classes"] = it.unsettled;
  made["bounded"] = it.pinned;
  made["guessed_right"] = it.guessed_right;
  return made;
}

json::object attacker_json(const Attacker& it) {
  json::array attributes;
  for (const auto& attribute : it.findings.attributes) attributes.push_back(attribute_json(attribute));
  const SinglingOut& single = it.findings.singling_out;
  return {{"attacker", it.name},
          {"has", it.has},
          {"rows", it.findings.rows},
          {"classes", it.findings.classes},
          {"cells", it.findings.cells},
          {"shown", it.findings.shown},
          {"hidden", it.findings.hidden()},
          {"claimed", claimed(it.findings)},
          {"true", it.findings.computed()},
          {"is_complete", it.findings.is_complete()},
          {"exactness", name_of(it.findings.exactness)},
          {"unsettled", it.findings.unsettled()},
          {"columns", attributes},
          {"singling_out",
           {{"predicates", single.predicates},
            {"isolating", single.isolating},
            {"isolating_with_prior", single.isolating_prior}}}};
}

json::value persons_json(const std::optional<KnownPersons>& it) {
  if (!it) return nullptr;
  json::array columns;
  for (const auto& column : it->columns) columns.emplace_back(column);
  json::object made{{"known_columns", columns}, {"is_left_out", it->is_left_out}};
  if (it->is_left_out) return made;
  made["persons"] = it->persons;
  made["unique"] = it->unique;
  made["in_one_class"] = it->in_one_class;
  made["fewest_rows"] = it->fewest_rows;
  made["unknown_cells"] = it->unknown_cells;
  made["claimed"] = it->learnt + it->wrong;
  made["true"] = it->learnt;
  return made;
}

json::value together_json(const std::optional<TogetherFindings>& it) {
  if (!it) return nullptr;
  json::array policies;
  for (const auto& policy : it->policies) policies.emplace_back(policy);
  return json::object{{"policies", policies},
                      {"required", it->required},
                      {"small_classes", it->small_classes},
                      {"smallest", it->smallest}};
}

json::value over_versions_json(const std::optional<OverVersions>& it) {
  if (!it) return nullptr;
  json::array versions;
  for (const auto version : it->versions) versions.emplace_back(version);
  return json::object{
      {"versions", versions},     {"required", it->required},         {"small_classes", it->small_classes},
      {"smallest", it->smallest}, {"shown_before", it->shown_before}, {"claimed", it->claimed},
      {"true", it->true_cells}};
}

}  // namespace

bool AttackReport::is_anything_computable() const {
  for (std::size_t i = 0; i < std::min(kReaders, attackers.size()); ++i) {
    if (attackers[i].findings.computed() > 0) return true;
  }
  if (together && together->small_classes > 0) return true;
  return over_versions && (over_versions->small_classes > 0 || over_versions->true_cells > 0);
}

std::string attack_text(const AttackReport& report) {
  std::string out = headline(report) + "\n" + print_line(report) + "\n";
  if (const Attacker* it = guesser(report)) {
    out += size_line(it->findings) + "\n\nWhat is certain\n" + text_of(attackers_table(report));
    out += fmt::format("\nColumn by column, for {}\n{}", it->name, text_of(columns_table(*it)));
    out += "\n" + singling_line(it->findings.singling_out) + "\n";
  }
  if (report.persons) {
    for (const auto& line : persons_lines(*report.persons)) out += line + "\n";
  }
  if (report.together) out += together_line(*report.together) + "\n";
  if (report.over_versions) {
    out += "\nOver versions\n";
    for (const auto& line : over_versions_lines(*report.over_versions)) out += line + "\n";
  }
  out += "\nWho was tried\n";
  for (const Attacker& it : report.attackers) out += fmt::format("- {}: {}\n", it.name, it.has);
  out += "\nNot tried\n";
  for (const auto& line : report.not_tried) out += fmt::format("- {}\n", line);
  return out + "\n" + verdict(report) + "\n";
}

std::string attack_json(const AttackReport& report) {
  json::array attackers;
  for (const Attacker& it : report.attackers) attackers.push_back(attacker_json(it));
  json::array not_tried;
  for (const auto& line : report.not_tried) not_tried.emplace_back(line);
  const json::object made{{"pgveil", report.pgveil},
                          {"policy", report.policy},
                          {"policy_sha256", report.policy_print},
                          {"table", report.table},
                          {"version", report.version},
                          {"built_at", report.built_at},
                          {"k", report.k},
                          {"strategy", report.strategy},
                          {"is_anything_computable", report.is_anything_computable()},
                          {"attackers", attackers},
                          {"known_persons", persons_json(report.persons)},
                          {"together", together_json(report.together)},
                          {"over_versions", over_versions_json(report.over_versions)},
                          {"not_tried", not_tried}};
  return json::serialize(made) + "\n";
}

std::string attack_html(const AttackReport& report) {
  HtmlPage page("What readers learn from policy " + report.policy);
  page.paragraph(headline(report));
  page.paragraph(print_line(report));
  page.paragraph(verdict(report));
  if (const Attacker* it = guesser(report)) {
    page.paragraph(size_line(it->findings));
    page.heading("What is certain");
    const ReportTable attackers = attackers_table(report);
    page.table(attackers.columns, attackers.rows);
    page.heading("Column by column, for " + it->name);
    const ReportTable columns = columns_table(*it);
    page.table(columns.columns, columns.rows);
    page.paragraph(singling_line(it->findings.singling_out));
  }
  if (report.persons) {
    for (const auto& line : persons_lines(*report.persons)) page.paragraph(line);
  }
  if (report.together) page.paragraph(together_line(*report.together));
  if (report.over_versions) {
    page.heading("Over versions");
    for (const auto& line : over_versions_lines(*report.over_versions)) page.paragraph(line);
  }
  page.heading("Who was tried");
  for (const Attacker& it : report.attackers) page.paragraph(it.name + ": " + it.has);
  page.heading("Not tried");
  for (const auto& line : report.not_tried) page.paragraph(line);
  return std::move(page).finish();
}

std::string attack_report_as(const AttackReport& report, ReportFormat format) {
  switch (format) {
    case ReportFormat::text: return attack_text(report);
    case ReportFormat::json: return attack_json(report);
    case ReportFormat::html: return attack_html(report);
  }
  return {};
}

}  // namespace pgveil::attack
