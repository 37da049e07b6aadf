#include "draft/job_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "common/ascii.hpp"
#include "draft/meaning.hpp"
#include "draft/yaml_text.hpp"
#include "engine/data/decimal.hpp"
#include "engine/data/hierarchy_builders.hpp"
#include "engine/lattice/transformation.hpp"
#include "engine/mondrian/dimension.hpp"
#include "engine/risk/safe_harbor.hpp"
#include "engine/risk/value_patterns.hpp"

namespace pgveil::draft {
namespace {

// Fewer records can all differ by chance.
constexpr std::size_t kEnoughRecords = 20;
constexpr std::size_t kMostOfName = 63;  // bytes of a job's name

enum class Class { identifier, quasi_identifier, sensitive, insensitive };

std::string_view word_of(Class of_column) {
  switch (of_column) {
    case Class::identifier: return "identifier";
    case Class::quasi_identifier: return "quasi_identifier";
    case Class::sensitive: return "sensitive";
    case Class::insensitive: return "insensitive";
  }
  return {};
}

struct Proposal {
  Class of_column = Class::quasi_identifier;
  std::string reason;
  std::string keys;  // ", numeric: true"
  bool has_meaning = false;
};

// How groups show values that are neither numbers nor dates. Sets are written as {…}, so a table with values
// that begin like that shows none.
enum class Shown { as_sets, by_their_beginning };

constexpr std::string_view kMasking = ", hierarchy: {masking: {}}";

Class class_of(Meaning meaning) {
  switch (meaning) {
    case Meaning::given_name:
    case Meaning::family_name:
    case Meaning::name:
    case Meaning::national_id:
    case Meaning::email:
    case Meaning::telephone:
    case Meaning::street:
    case Meaning::login:
    case Meaning::secret:
    case Meaning::account:
    case Meaning::record_number:
    case Meaning::device:
    case Meaning::position:
    case Meaning::picture:
    case Meaning::free_text: return Class::identifier;
    case Meaning::health:
    case Meaning::income:
    case Meaning::wealth:
    case Meaning::offence: return Class::sensitive;
    case Meaning::sex:
    case Meaning::birth_date:
    case Meaning::birth_year:
    case Meaning::birth_part:
    case Meaning::age:
    case Meaning::death_date:
    case Meaning::city:
    case Meaning::postcode:
    case Meaning::region:
    case Meaning::country:
    case Meaning::nationality:
    case Meaning::language:
    case Meaning::marital_status:
    case Meaning::household:
    case Meaning::occupation:
    case Meaning::education:
    case Meaning::employer:
    case Meaning::belief:
    case Meaning::salutation:
    case Meaning::body:
    case Meaning::amount:
    case Meaning::quantity:
    case Meaning::event_date:
    case Meaning::moment:
    case Meaning::category:
    case Meaning::other_person: return Class::quasi_identifier;
  }
  return Class::quasi_identifier;
}

bool is_identifying(engine::SafeHarborItem item) {
  return item != engine::SafeHarborItem::geography && item != engine::SafeHarborItem::date;
}

bool looks_like_dates(const engine::Column& column, const std::optional<std::string>& null_text) {
  const auto is_date = [&](const std::string& value) {
    return value == null_text || (value.size() >= 10 && value[4] == '-' && engine::looks_like_date(value));
  };
  return std::ranges::all_of(column.values, is_date);
}

// A day that no calendar has looks like a date, too.
std::size_t strange_dates(const engine::Column& column, std::optional<std::string_view> null_text) {
  using engine::DateStep;
  const engine::Dates rule{{DateStep::month, DateStep::year, DateStep::decade}};
  return static_cast<std::size_t>(std::ranges::count_if(column.values, [&](const std::string& value) {
    return engine::build_hierarchy(rule, column.name, std::span(&value, 1), null_text).has_error();
  }));
}

void propose_dates(const engine::Column& column, std::optional<std::string_view> null_text, Proposal& made) {
  constexpr std::string_view kDates = "hierarchy: {dates: [month, year, decade]}";
  const auto strange = strange_dates(column, null_text);
  if (strange == 0) {
    made.keys = fmt::format(", {}", kDates);
    made.reason += "; groups show the month, year or decade they share";
    return;
  }
  made.keys = kMasking;
  made.reason += fmt::format(
      "; its values look like dates, but the calendar does not have {} of them, so groups show the beginning "
      "they share. Correct these values and write {}",
      strange, kDates);
}

std::size_t longest_value(const engine::Column& column) {
  std::size_t longest = 0;
  for (const auto& value : column.values) longest = std::max(longest, engine::characters(value));
  return longest;
}

// A mask has a level for each character, and a hierarchy can't have that many. Such a text says much, and
// anybody may have written anything into it, so it is rather not published than by its beginning.
Proposal too_long_to_mask(std::size_t longest) {
  return {
      Class::identifier,
      fmt::format("its values have up to {} characters, so it may be free text, which is not published. To "
                  "publish it, let it be a quasi-identifier with a hierarchy of your own",
                  longest),
      ""};
}

// What a quasi-identifier needs so that groups can show it.
void propose_shape(const engine::Column& column, const JobDraftRequest& request,
                   std::optional<Meaning> meaning, Shown shown, Proposal& made) {
  const auto null_text =
      request.null_text ? std::optional<std::string_view>(*request.null_text) : std::nullopt;
  if (looks_like_dates(column, request.null_text)) {
    propose_dates(column, null_text, made);
  } else if (meaning == Meaning::postcode) {
    made.keys = kMasking;
    made.reason += "; groups show the beginning they share";
  } else if (engine::numeric_dimension(column, null_text)) {
    made.keys = ", numeric: true";
    made.reason += "; groups show a range of numbers";
  } else if (column.values.size() > engine::kMostOfSet) {
    made.keys = kMasking;
    made.reason += fmt::format(
        "; it has {} values, and groups show the beginning they share. A hierarchy of your own loses less",
        column.values.size());
  } else if (shown == Shown::by_their_beginning) {
    made.keys = kMasking;
    made.reason += "; groups show the beginning they share. A hierarchy of your own loses less";
  } else {
    made.reason += "; groups show a set of values";
  }
}

Proposal propose(const engine::Table& table, const engine::Column& column,
                 std::span<const engine::SafeHarborHint> hints, const JobDraftRequest& request, Shown shown) {
  const auto meaning = meaning_of(column.name);
  if (column.values.size() == 1) return {Class::insensitive, "it has the same value in every record", ""};
  const auto hint = std::ranges::find_if(hints, [&](const engine::SafeHarborHint& it) {
    return it.column == column.name && is_identifying(it.item) && it.matching_values > 0;
  });
  if (meaning && class_of(*meaning) == Class::identifier)
    return {Class::identifier, fmt::format("its name is that of {}", describe(*meaning)), ""};
  if (hint != hints.end())
    return {Class::identifier, fmt::format("its values look like: {}", engine::meaning(hint->item)), ""};
  if (column.values.size() == table.rows() && table.rows() >= kEnoughRecords)
    return {Class::identifier, "every record has a value of its own", ""};
  if (is_key_name(column.name)) return {Class::identifier, "its name is that of a key", ""};
  if (meaning && class_of(*meaning) == Class::sensitive)
    return {Class::sensitive, fmt::format("its name is that of {}", describe(*meaning)),
            ", l_diversity: {distinct: 2}", true};
  Proposal made{Class::quasi_identifier,
                meaning ? fmt::format("its name is that of {}", describe(*meaning))
                        : "it says nothing about itself, so others may know it",
                "", meaning.has_value()};
  propose_shape(column, request, meaning, shown, made);
  if (made.keys != kMasking) return made;
  const auto longest = longest_value(column);
  return longest > engine::kMaxHeight ? too_long_to_mask(longest) : made;
}

bool is_looked_at(const Proposal& proposal) {
  return proposal.of_column == Class::quasi_identifier || proposal.of_column == Class::sensitive;
}

// A job looks at a limited number of columns. Those whose names say nothing are the first to be left out.
void leave_out_too_many(std::vector<Proposal>& proposals) {
  std::vector<Proposal*> looked_at;
  for (auto& it : proposals) {
    if (is_looked_at(it)) looked_at.push_back(&it);
  }
  if (looked_at.size() <= engine::kMaxAttributes) return;
  std::ranges::stable_partition(looked_at, [](const Proposal* it) { return it->has_meaning; });
  const auto reason = fmt::format(
      "a job can have {} quasi-identifiers and sensitive columns together, so this one is not published. To "
      "publish it, let another one be an identifier",
      engine::kMaxAttributes);
  for (auto* it : std::span(looked_at).subspan(engine::kMaxAttributes)) *it = {Class::identifier, reason, ""};
}

std::vector<Proposal> propose_all(const engine::Table& table, const JobDraftRequest& request, Shown shown) {
  const auto hints = engine::safe_harbor_hints(table, request.null_text);
  std::vector<Proposal> proposals;
  for (const auto& column : table.columns) proposals.push_back(propose(table, column, hints, request, shown));
  leave_out_too_many(proposals);
  return proposals;
}

// Whether a reader of the published table could take a value for a set.
bool has_brace(const engine::Table& table, std::span<const Proposal> proposals) {
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    if (proposals[i].of_column == Class::quasi_identifier &&
        std::ranges::any_of(table.columns[i].values, [](const auto& it) { return it.starts_with('{'); }))
      return true;
  }
  return false;
}

// The file's name without folder and ending.
std::string stem_of(const std::string& file) {
  const auto slash = file.rfind('/');
  const auto name = slash == std::string::npos ? file : file.substr(slash + 1);
  const auto dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

// Lower-case letters, digits and underscores of the file's name.
std::string job_name(const std::string& file) {
  std::string name;
  for (const char c : lower(stem_of(file))) {
    const bool is_plain = is_lower(c) || is_digit(c);
    if (is_plain) name += c;
    if (!is_plain && !name.empty() && name.back() != '_') name += '_';
  }
  if (name.empty() || is_digit(name.front())) name = "job_" + name;
  name.resize(std::min(name.size(), kMostOfName));
  while (name.back() == '_') name.pop_back();
  return name;
}

std::string output_name(const std::string& file, std::uint64_t k) {
  return fmt::format("{}_k{}.csv", stem_of(file), k);
}

std::string separator_key(char separator) {
  if (separator == ',') return "";
  return separator == '\t' ? ", separator: tab" : fmt::format(", separator: \"{}\"", separator);
}

}  // namespace

std::string draft_job(const engine::Table& table, const JobDraftRequest& request) {
  auto proposals = propose_all(table, request, Shown::as_sets);
  const bool shows_no_sets = has_brace(table, proposals);
  if (shows_no_sets) proposals = propose_all(table, request, Shown::by_their_beginning);
  std::string attributes;
  std::size_t quasi_identifiers = 0;
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    const auto& column = table.columns[i];
    const auto& made = proposals[i];
    quasi_identifiers += made.of_column == Class::quasi_identifier ? 1 : 0;
    attributes += comment(in_comment(column.name) + ": " + made.reason + ".", "  ");
    attributes +=
        fmt::format("  {}: {{class: {}{}}}\n", yaml_name(column.name), word_of(made.of_column), made.keys);
  }
  std::string text = comment(
      "A draft: read what it says of each column, and change it where you know better. An identifier is "
      "never published. Others may know a quasi-identifier of a person, so groups of k records share it. "
      "A sensitive column is published as it is, and each group has several of its values. An "
      "insensitive column is published as it is. docs/anonymize.md has every key.");
  if (request.nameless > 0)
    text += comment(fmt::format(
        "Columns of the file without a name: {}. No job can name them, so they are not published. pandas "
        "writes its index so.",
        request.nameless));
  if (quasi_identifiers == 0)
    text += comment("No column looks like one that others know, and a job needs one. Change a class below.");
  text += fmt::format("version: 1\nname: {}\ninput: {{file: {}{}{}}}\nattributes:\n{}k: {}\n",
                      yaml_name(job_name(request.file)), yaml_name(request.file),
                      separator_key(request.separator),
                      request.null_text ? fmt::format(", \"null\": {}", yaml_name(*request.null_text)) : "",
                      attributes, request.k);
  text += comment("Groups of similar records, which lose little (docs/least-loss.md).");
  text += "algorithm: least_loss\n";
  if (shows_no_sets) {
    text += comment("Some values begin with {, as a set of values does, so no sets are shown.");
    text += "least_loss: {ranges: tight}\n";
  }
  text += fmt::format("output: {{file: {}}}\n", yaml_name(output_name(request.file, request.k)));
  return text;
}

bool begins_with_data(const engine::Table& table) {
  const auto is_number_or_date = [](const std::string& text) {
    return engine::decimal_of(text) || engine::looks_like_date(text);
  };
  const auto like_values = std::ranges::count_if(table.columns, [&](const engine::Column& column) {
    const auto fits = [&](const std::string& value) { return value.empty() || is_number_or_date(value); };
    return is_number_or_date(column.name) && std::ranges::all_of(column.values, fits);
  });
  const auto among_values = std::ranges::count_if(table.columns, [&](const engine::Column& column) {
    return !is_number_or_date(column.name) &&
           std::ranges::find(column.values, column.name) != column.values.end();
  });
  const bool all_are = static_cast<std::size_t>(like_values + among_values) == table.columns.size();
  return all_are || (like_values > 0 && among_values > 0);
}

char guess_separator(std::string_view beginning) {
  const auto end = beginning.rfind('\n');
  const auto whole = end == std::string_view::npos ? beginning : beginning.substr(0, end + 1);
  char best = ',';
  std::size_t most = 1;
  for (const char separator : std::array{',', ';', '\t', '|'}) {
    const auto read = engine::read_named_columns(whole, separator);
    const auto columns = read ? read->table.columns.size() + read->nameless : 0;
    if (columns <= most) continue;
    most = columns;
    best = separator;
  }
  return best;
}

}  // namespace pgveil::draft
