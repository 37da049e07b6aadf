#include "review/candidate_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "common/ascii.hpp"
#include "rewriter/lists/extensions.hpp"
#include "rewriter/lists/function_access.hpp"

namespace pgveil::review {
namespace {

using rewriter::Candidate;
using rewriter::Candidates;
using rewriter::Listed;
using rewriter::RunFunction;

constexpr std::string_view kExtensionEntry = "extension:";

Listed list_says(const RunFunction& function) {
  if (function.extension.empty()) return Listed::unknown;
  return rewriter::listed_in_extension(function.extension, function.signature, function.definition);
}

// The identifiers of an SQL text, in lower case; words in comments and constants among them.
std::set<std::string, std::less<>> words_of(std::string_view text) {
  std::set<std::string, std::less<>> words;
  std::string word;
  for (const char c : text) {
    const char folded = lower(c);
    if (is_lower(folded) || is_digit(folded) || folded == '_') {
      word += folded;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.insert(word);
  return words;
}

class Judge {
 public:
  Judge(rewriter::Catalog& catalog, const std::vector<std::string>& open_functions)
      : catalog_(catalog), open_(open_functions.begin(), open_functions.end()) {}

  std::vector<Finding> run() {
    for (Candidates* candidates : {&catalog_.functions_elsewhere, &catalog_.operators_elsewhere})
      each(*candidates, [&](const std::string&, Candidate& it) { it.is_safe = is_safe(it.runs); });
    close_shadowed();
    for (auto& [name, type] : catalog_.types_elsewhere) judge_type(type);
    each(catalog_.functions_elsewhere,
         [&](const std::string& name, Candidate& it) { report(name, it, Kind::function); });
    each(catalog_.operators_elsewhere,
         [&](const std::string& name, Candidate& it) { report(name, it, Kind::op); });
    report_extensions();
    report_others();
    report_unnamed();
    report_open();
    return std::move(findings_);
  }

 private:
  enum class Kind { function, op };

  template <class Do>
  static void each(Candidates& candidates, Do&& act) {
    for (auto& [name, all] : candidates) {
      for (Candidate& candidate : all) act(name, candidate);
    }
  }

  void add(FindingKind kind, Severity severity, std::string object, std::string what, std::string mend) {
    findings_.push_back({kind, severity, std::move(object), std::move(what), std::move(mend)});
  }

  static std::string entry_of(const RunFunction& function) {
    return fmt::format("{}.{}", function.schema, function.name);
  }

  // Some extensions are for reaching files, other servers, pages of tables or other sessions. A whole
  // extension can be vouched for only as far as its functions cannot write; more must be named one by one.
  bool is_vouched(const RunFunction& function) {
    const std::string entry = entry_of(function);
    const std::string extension = fmt::format("{}{}", kExtensionEntry, function.extension);
    if (rewriter::is_never_opened(function.extension)) {
      if (open_.contains(entry)) never_.insert(entry);
      if (open_.contains(extension)) never_.insert(extension);
      return false;
    }
    if (open_.contains(entry)) {
      used_.insert(entry);
      return true;
    }
    if (function.extension.empty() || !open_.contains(extension)) return false;
    used_.insert(extension);
    return rewriter::is_listed_extension(function.extension)
               ? function.is_pure_here
               : function.volatility != 'v' && !function.is_definer;
  }

  bool is_safe(const RunFunction& function) {
    if (function.is_ours)
      return rewriter::function_rule(function.name, catalog_) == rewriter::FunctionRule::allowed;
    return is_vouched(function) || list_says(function) == Listed::pure;
  }

  // A function in SQL looks the names and operators in its body up when it runs. It is closed if it could
  // find another function, operator or type there than the one that was reviewed, and so is what calls it.
  void close_shadowed() {
    std::set<const Candidate*> closed;
    const auto is_as_reviewed = [&](const Candidate& other, const RunFunction& of) {
      const Listed how = list_says(other.runs);
      const bool is_reviewed = how == Listed::pure || how == Listed::machinery ||
                               (how == Listed::unknown && other.runs.is_code);  // taken out of the list
      return other.runs.extension == of.extension && is_reviewed && !closed.contains(&other);
    };
    const auto is_shadowed = [&](const RunFunction& function) {
      for (const std::string& word : words_of(function.body)) {
        for (const Candidate& other : rewriter::Catalog::candidates_of(catalog_.functions_elsewhere, word)) {
          if (!other.is_safe && !other.has_twin && !is_as_reviewed(other, function)) return true;
        }
        for (const auto& [name, type] : catalog_.types_elsewhere) {
          if (name.second == word && !type.is_row && type.extension != function.extension) return true;
        }
      }
      return has_unsafe_operator(function.body);
    };
    for (std::size_t before = closed.size() + 1; before != closed.size();) {
      before = closed.size();
      each(catalog_.functions_elsewhere, [&](const std::string&, Candidate& it) {
        if (!it.is_safe || it.runs.body.empty() || list_says(it.runs) != Listed::pure) return;
        if (!is_shadowed(it.runs)) return;
        it.is_safe = false;
        closed.insert(&it);
      });
    }
  }

  // Takes a name inside a longer operator, a text or a comment for the operator, too.
  [[nodiscard]] bool has_unsafe_operator(std::string_view body) const {
    return std::ranges::any_of(catalog_.operators_elsewhere, [&](const auto& entry) {
      return body.find(entry.first) != std::string_view::npos &&
             std::ranges::any_of(entry.second,
                                 [](const Candidate& it) { return !it.is_safe && !it.has_twin; });
    });
  }

  // A cast that another extension brings starts at a type of its own.
  void judge_type(rewriter::TypeElsewhere& type) {
    if (!type.is_base || type.extension.empty()) return;
    const bool is_vouched_type = !rewriter::is_never_opened(type.extension) &&
                                 open_.contains(fmt::format("{}{}", kExtensionEntry, type.extension));
    type.is_castable = std::ranges::all_of(type.runs, [&](const RunFunction& function) {
      const Listed how = list_says(function);
      const bool is_of_other = !function.extension.empty() && function.extension != type.extension;
      return function.is_ours || is_of_other || is_vouched_type || is_vouched(function) ||
             how == Listed::pure || how == Listed::machinery;
    });
  }

  [[nodiscard]] bool has_own(const std::string& name, Kind kind) const {
    return kind == Kind::op ? !catalog_.operator_names_only_elsewhere.contains(name)
                            : rewriter::function_rule(name, catalog_) != rewriter::FunctionRule::refused;
  }

  void report(const std::string& name, const Candidate& candidate, Kind kind) {
    const bool is_visible =
        std::ranges::find(catalog_.search_path, candidate.schema) != catalog_.search_path.end();
    if (candidate.is_safe || !is_visible || candidate.has_twin || !has_own(name, kind)) return;
    // What a person took out of a list has a reason, and what changed has a line of its own.
    if (rewriter::is_listed_extension(candidate.runs.extension)) return;
    if (!candidate.runs.extension.empty()) {
      others_[candidate.runs.extension].insert(name);
      return;
    }
    add(kind == Kind::op ? FindingKind::operator_overload : FindingKind::function_overload,
        candidate.needs_value ? Severity::note : Severity::warning, candidate.object,
        fmt::format("{} has the name of one of PostgreSQL's own, and statements that could mean it "
                    "are refused",
                    candidate.object),
        candidate.needs_value
            ? std::string("only statements with values of its types could mean it")
            : fmt::format(
                  "drop it, take schema {} out of backend.schemas, or name {} in open_functions if it "
                  "only computes with its arguments",
                  candidate.schema, entry_of(candidate.runs)));
  }

  void report_others() {
    for (const auto& [extension, names] : others_) {
      std::string first;
      std::size_t count = 0;
      for (const std::string& name : names) {
        if (count++ < 5) first += fmt::format("{}{}", first.empty() ? "" : ", ", name);
      }
      add(FindingKind::function_overload, Severity::note, fmt::format("extension {}", extension),
          fmt::format("extension {} was not reviewed, and statements that could mean its {} {} are refused{}",
                      extension, names.size() == 1 ? "name" : "names", first,
                      names.size() > 5 ? fmt::format(" (and {} more)", names.size() - 5) : ""),
          rewriter::is_never_opened(extension)
              ? std::string("its functions reach more than their arguments, so they are never opened")
              : fmt::format("name {}{} in open_functions if its functions only compute with their arguments",
                            kExtensionEntry, extension));
    }
  }

  void report_extensions() {
    std::map<std::string, std::set<std::string>> changed;
    each(catalog_.functions_elsewhere, [&](const std::string&, const Candidate& it) {
      const Listed how = list_says(it.runs);
      const bool is_new = how == Listed::unknown && it.runs.is_pure_here;
      if (!it.is_safe && (how == Listed::changed || is_new))
        changed[it.runs.extension].insert(it.runs.signature);
    });
    for (const auto& [extension, functions] : changed) {
      add(FindingKind::extension_changed, Severity::warning, fmt::format("extension {}", extension),
          fmt::format("extension {}: {} of its functions are not those that were reviewed, {} among them",
                      extension, functions.size(), *functions.begin()),
          fmt::format(
              "they are refused, and with them the names that could mean them; if they only compute with "
              "their arguments, name {}{} in open_functions",
              kExtensionEntry, extension));
    }
  }

  void report_unnamed() {
    for (const auto& [function, user, runs] : catalog_.unnamed_functions) {
      const Listed how = list_says(runs);
      if (how == Listed::pure || how == Listed::machinery || is_vouched(runs)) continue;
      // An extension that was not reviewed is trusted as far as whoever installed it was.
      const bool is_of_other = !runs.extension.empty() && !rewriter::is_listed_extension(runs.extension);
      add(FindingKind::unnamed_function, is_of_other ? Severity::warning : Severity::error, function,
          fmt::format("{} runs {} without being named, and it is not written in C", user, function),
          is_of_other ? "make sure that it reads no protected table, and acknowledge it"
                      : "put the original back, or acknowledge it when the function reads nothing");
    }
  }

  // What a body names, as far as its words tell.
  [[nodiscard]] std::string tables_in(std::string_view body) const {
    const auto words = words_of(body);
    std::string tables;
    for (const auto& [name, relation] : catalog_.relations) {
      if (name.first == "pg_catalog" || name.first == "information_schema" || !words.contains(name.second))
        continue;
      tables += fmt::format("{}{}.{}", tables.empty() ? "" : " and ", name.first, name.second);
    }
    return tables.empty() ? "is not in C, and its body names no table of this database"
                          : fmt::format("is not in C, and its body names {}", tables);
  }

  // What an owner vouches for, and what it can do beyond computing.
  void report_open() {
    each(catalog_.functions_elsewhere, [&](const std::string&, const Candidate& it) {
      if (list_says(it.runs) == Listed::pure || !is_vouched(it.runs)) return;
      std::string can;
      const auto also = [&](std::string_view text) {
        can += fmt::format("{}{}", can.empty() ? "" : ", ", text);
      };
      if (it.runs.is_definer) also("reads with the rights of its owner (SECURITY DEFINER)");
      if (!it.runs.is_code) also(tables_in(it.runs.body));
      if (it.runs.volatility == 'v') also("is volatile");
      if (can.empty()) return;
      add(FindingKind::open_function, Severity::warning, it.object,
          fmt::format("open_functions opens {}: it {}", it.object, can),
          "make sure that it shows nothing of protected tables, or remove it");
    });
    for (const std::string& entry : open_) {
      if (used_.contains(entry)) continue;
      if (never_.contains(entry)) {
        add(FindingKind::open_function, Severity::error, "",
            fmt::format("open_functions names {}, which reaches more than its arguments", entry),
            "remove it. pgveil never opens it");
        continue;
      }
      add(FindingKind::open_function, Severity::warning, "",
          fmt::format("open_functions names {}, which this database does not have", entry),
          "write schema.function or extension:name");
    }
  }

  rewriter::Catalog& catalog_;
  std::set<std::string, std::less<>> open_;
  std::set<std::string, std::less<>> used_;
  std::set<std::string, std::less<>> never_;             // entries of what is never opened
  std::map<std::string, std::set<std::string>> others_;  // names of PostgreSQL's that extensions have, too
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> judge_candidates(rewriter::Catalog& catalog,
                                      const std::vector<std::string>& open_functions) {
  return Judge(catalog, open_functions).run();
}

}  // namespace pgveil::review
