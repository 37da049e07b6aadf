#include "draft/roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "draft/column_sense.hpp"
#include "draft/meaning.hpp"
#include "draft/sample.hpp"
#include "rewriter/mask/comparable_type.hpp"

namespace pgveil::draft {
namespace {

constexpr int kEnoughSigns = 3;
constexpr double kMostRowsOfAPerson = 50;  // on average; a value of more rows is a kind, such as an insurance
constexpr double kSmallTable = 1000;       // rows; all of its texts are likely to be words of a list

struct Sign {
  Meaning meaning;
  int weight;
  bool is_of_organisations;  // an organisation has it as well
};
constexpr std::array<Sign, 20> kSigns{{{Meaning::given_name, 3, false},
                                       {Meaning::family_name, 3, false},
                                       {Meaning::national_id, 3, true},
                                       {Meaning::birth_date, 3, false},
                                       {Meaning::birth_year, 2, false},
                                       {Meaning::death_date, 2, false},
                                       {Meaning::age, 2, false},
                                       {Meaning::email, 3, true},
                                       {Meaning::login, 2, false},
                                       {Meaning::telephone, 1, true},
                                       {Meaning::street, 1, true},
                                       {Meaning::sex, 1, false},
                                       {Meaning::marital_status, 1, false},
                                       {Meaning::household, 1, false},
                                       {Meaning::occupation, 1, true},
                                       {Meaning::education, 1, false},
                                       {Meaning::nationality, 1, false},
                                       {Meaning::belief, 1, false},
                                       {Meaning::salutation, 1, false},
                                       {Meaning::income, 1, false}}};

// A table's meanings, by column.
using Senses = std::vector<std::optional<Meaning>>;

Senses senses_of(const TableFacts& table) {
  Senses senses;
  for (const auto& column : table.columns) senses.push_back(sense_of(column));
  return senses;
}

bool has_sense(const Senses& senses, Meaning meaning) {
  return std::ranges::find(senses, std::optional(meaning)) != senses.end();
}

int signs_of(const TableFacts& table, const Senses& senses, TableMeaning kind) {
  int signs = kind == TableMeaning::persons ? 2 : 0;
  for (const auto& sign : kSigns) {
    if (kind == TableMeaning::organisations && sign.is_of_organisations) continue;
    if (has_sense(senses, sign.meaning)) signs += sign.weight;
  }
  const bool is_organisation = kind == TableMeaning::organisations;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!senses[i] && !is_organisation && table.columns[i].looks_like == engine::SafeHarborItem::email)
      signs += 3;
    if (table.columns[i].looks_like == engine::SafeHarborItem::social_security) signs += 3;
  }
  return signs;
}

// Whether the rows are all combinations of their values, each once: a list of what persons can be like, as
// in TPC-DS. Nobody is meant by a row.
bool is_cross_product(const TableFacts& table, const Senses& senses) {
  for (const Meaning who :
       {Meaning::given_name, Meaning::family_name, Meaning::national_id, Meaning::birth_date, Meaning::email,
        Meaning::login, Meaning::telephone, Meaning::street}) {
    if (has_sense(senses, who)) return false;
  }
  if (!table.rows || *table.rows < 2 || table.primary_key.size() != 1) return false;
  double combinations = 1;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i == table.primary_key.front()) continue;
    const auto distinct = distinct_of(table, i);
    if (!distinct) return false;
    combinations *= std::max(1.0, *distinct);
  }
  constexpr double kClose = 0.02;  // the numbers are estimates
  return std::abs(combinations - *table.rows) <= kClose * *table.rows;
}

// An empty table is not small: nobody knows what will be in it.
bool is_small(const TableFacts& table) {
  return table.rows && *table.rows >= 1 && *table.rows <= kSmallTable;
}

// How a table points to a person.
struct PersonKey {
  std::size_t column = 0;
  std::optional<std::size_t> table;  // nullopt: only the name says so
  bool is_of_a_worker = false;       // "doctor_id" beside "patient_id"
  std::string reason;
};

class Roles {
 public:
  explicit Roles(const Database& database) : database_(database), out_(database.tables.size()) {
    for (const auto& table : database.tables) {
      senses_.push_back(senses_of(table));
      kinds_.push_back(table_meaning(table.name));
      heads_.push_back(head_of_table(table.name));
      own_keys_.push_back(table.primary_key.size() == 1
                              ? own_word_of_key(table.columns[table.primary_key.front()].column.name)
                              : "");
    }
    for (std::size_t i = 0; i < count(); ++i) {
      for (const auto& reference : table(i).references) {
        if (reference.table != i) referenced_.insert(reference.table);
      }
    }
  }

  std::vector<TableRole> judge() {
    for (std::size_t i = 0; i < count(); ++i) find_persons(i);
    find_addresses();
    const auto persons = tables_where([&](std::size_t i) { return out_[i].role == Role::persons; });
    for (std::size_t i = 0; i < count(); ++i) find_keys(i, persons);
    for (std::size_t i = 0; i < count(); ++i) find_events(i);
    find_indirect();
    for (std::size_t i = 0; i < count(); ++i) finish(i);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::size_t count() const { return database_.tables.size(); }
  [[nodiscard]] const TableFacts& table(std::size_t i) const { return database_.tables[i]; }
  [[nodiscard]] const std::string& column(std::size_t i, std::size_t c) const {
    return table(i).columns[c].column.name;
  }

  [[nodiscard]] bool is_referenced(std::size_t target) const { return referenced_.contains(target); }
  [[nodiscard]] bool is_single_key(std::size_t i, std::size_t c) const {
    return table(i).primary_key.size() == 1 && table(i).primary_key.front() == c;
  }
  // The first of these tables whose key a column is called like.
  [[nodiscard]] std::optional<std::size_t> key_of(std::size_t i, std::size_t c,
                                                  const std::vector<std::size_t>& targets) const {
    const auto subject = subject_of_key(column(i, c));
    const std::string own = own_word_of_key(column(i, c));
    if (!subject && own.empty()) return std::nullopt;
    for (const std::size_t t : targets) {
      if (t == i || table(t).primary_key.size() != 1) continue;
      const bool is_named_so =
          (subject && is_same_thing(*subject, heads_[t])) || (!own.empty() && own == own_keys_[t]);
      const auto& key = table(t).columns[table(t).primary_key.front()].column;
      if (is_named_so && kind_of(key) == kind_of(table(i).columns[c].column)) return t;
    }
    return std::nullopt;
  }
  template <class Test>
  [[nodiscard]] std::vector<std::size_t> tables_where(Test test) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < count(); ++i) {
      if (test(i)) found.push_back(i);
    }
    return found;
  }

  // ---- tables of persons

  void find_persons(std::size_t i) {
    const int signs = signs_of(table(i), senses_[i], kinds_[i]);
    if (signs < kEnoughSigns) return;
    if (is_referenced(i) && is_cross_product(table(i), senses_[i])) {
      note(i, Role::reference, "it has each combination of its values once, so a row is no person");
      return;
    }
    if (kinds_[i] == TableMeaning::persons) {
      note(i, Role::persons, "its name and its columns are those of persons");
    } else {
      note(i, Role::persons, fmt::format("it has columns that persons have: {}", signs_in_words(i)));
    }
  }

  [[nodiscard]] std::string signs_in_words(std::size_t i) const {
    std::string out;
    for (std::size_t c = 0; c < senses_[i].size(); ++c) {
      const auto sign = std::ranges::find_if(
          kSigns, [&](const Sign& it) { return senses_[i][c] == it.meaning && it.weight > 0; });
      if (sign != kSigns.end()) out += (out.empty() ? "" : ", ") + column(i, c);
    }
    return out.empty() ? "values that look like those of persons" : out;
  }

  // Addresses of persons: a table of persons points to them, or they are called so.
  void find_addresses() {
    for (std::size_t i = 0; i < count(); ++i) {
      const bool is_address = kinds_[i] == TableMeaning::addresses && has_sense(senses_[i], Meaning::street);
      if (!is_address || out_[i].role == Role::persons) continue;
      const bool is_called_so = names_a_person(table(i).name);
      if (is_called_so || is_pointed_to_by_persons(i))
        note(i, Role::persons, "a row is where somebody lives");
    }
  }

  [[nodiscard]] bool is_pointed_to_by_persons(std::size_t target) const {
    for (std::size_t i = 0; i < count(); ++i) {
      if (out_[i].role != Role::persons) continue;
      for (const auto& reference : table(i).references) {
        if (reference.table == target) return true;
      }
    }
    return false;
  }

  // ---- keys of persons

  void find_keys(std::size_t i, const std::vector<std::size_t>& persons) {
    std::vector<PersonKey> keys;
    for (std::size_t c = 0; c < table(i).columns.size(); ++c) {
      if (auto key = person_key(i, c, persons)) keys.push_back(std::move(*key));
    }
    for (const auto& key : keys) out_[i].persons.push_back(key.column);
    keys_.push_back(std::move(keys));
  }

  [[nodiscard]] std::optional<PersonKey> person_key(std::size_t i, std::size_t c,
                                                    const std::vector<std::size_t>& persons) const {
    PersonKey key{c, std::nullopt, senses_[i][c] == Meaning::other_person, ""};
    const auto declared = std::ranges::find(table(i).references, c, &Reference::column);
    if (declared != table(i).references.end()) {
      if (out_[declared->table].role != Role::persons || !declared->is_whole) return std::nullopt;
      key.table = declared->table;
      key.reason = "references " + name_of(table(declared->table));
      return key;
    }
    const bool is_of_persons = out_[i].role == Role::persons;
    if (is_of_persons && is_single_key(i, c)) return std::nullopt;
    if (const auto target = key_of(i, c, persons)) {
      key.table = target;
      key.reason = fmt::format("is called like the key of {}", name_of(table(*target)));
      return key;
    }
    if (!is_person_key(column(i, c)) || is_of_persons) return std::nullopt;
    key.reason = "is called like a key of persons";
    return key;
  }

  // ---- what happened to persons

  void find_events(std::size_t i) {
    if (out_[i].role == Role::reference || kinds_[i] == TableMeaning::organisations) return;
    const auto* key = unit_of(i);
    if (key == nullptr) return;
    const bool is_person_table = out_[i].role == Role::persons;
    const bool is_own_key = is_single_key(i, key->column);
    if (is_person_table && (kinds_[i] == TableMeaning::persons || kinds_[i] == TableMeaning::addresses))
      return;
    note(i, Role::events, fmt::format("{} {}", column(i, key->column), key->reason));
    out_[i].unit = key->column;
    out_[i].unit_reason = is_own_key ? "the key of a person: one row each"
                                     : "a person can have several rows, so k counts persons and not rows";
  }

  // Whose events they are: not those of who worked on them; of several the largest table of persons.
  [[nodiscard]] const PersonKey* unit_of(std::size_t i) const {
    const PersonKey* best = nullptr;
    for (const auto& key : keys_[i]) {
      if (key.is_of_a_worker || key.table == i || !can_compare(i, key.column)) continue;
      if (best == nullptr || weight_of(key) > weight_of(*best)) best = &key;
    }
    return best;
  }
  [[nodiscard]] double weight_of(const PersonKey& key) const {
    return key.table ? 1 + table(*key.table).rows.value_or(0) : 0;
  }

  // ---- what belongs to an event

  void find_indirect() {
    for (bool has_changed = true; std::exchange(has_changed, false);) {
      const auto events =
          tables_where([&](std::size_t i) { return out_[i].role == Role::events || indirect_.contains(i); });
      for (std::size_t i = 0; i < count(); ++i) {
        if (out_[i].role == Role::persons || out_[i].role == Role::events || indirect_.contains(i)) continue;
        const auto target = event_pointed_to(i, events);
        if (!target) continue;
        indirect_.insert(i);
        has_changed = true;
        note(
            i, Role::closed,
            fmt::format(
                "its rows belong to rows of {}, and no column says to which person; add the person's key, or "
                "publish both as one table",
                name_of(table(*target))));
      }
    }
  }

  [[nodiscard]] std::optional<std::size_t> event_pointed_to(std::size_t i,
                                                            const std::vector<std::size_t>& events) const {
    for (const auto& reference : table(i).references) {
      if (reference.table == i) continue;
      const Role role = out_[reference.table].role;
      if (role == Role::events || indirect_.contains(reference.table)) return reference.table;
      if (role == Role::persons && !reference.is_whole) return reference.table;
    }
    if (out_[i].role == Role::reference) return std::nullopt;
    for (std::size_t c = 0; c < table(i).columns.size(); ++c) {
      const bool is_declared =
          std::ranges::find(table(i).references, c, &Reference::column) != table(i).references.end();
      if (is_declared || is_single_key(i, c)) continue;
      if (const auto target = key_of(i, c, events)) return target;
    }
    return std::nullopt;
  }

  // ---- everything else

  void finish(std::size_t i) {
    auto& role = out_[i];
    role.is_health = is_health(i);
    role.is_about_persons = role.role == Role::persons || role.role == Role::events || indirect_.contains(i);
    if (const std::string why = obstacle(i); !why.empty()) {
      note(i, Role::closed, why);
      return;
    }
    if (role.role == Role::persons && !role.unit) find_repeated_person(i);
    if (role.role == Role::persons || role.role == Role::events || indirect_.contains(i)) return;
    if (!keys_[i].empty()) {
      note(i, Role::closed,
           fmt::format("{} says which person worked on it; open it if everybody may know that",
                       column(i, keys_[i].front().column)));
      return;
    }
    const std::string why = why_not_open(i);
    if (!why.empty()) {
      note(i, Role::closed, why);
    } else if (role.role != Role::reference) {
      note(i, Role::reference,
           is_referenced(i) ? "a list that other tables refer to, without persons"
                            : "no column is about persons");
    }
  }

  [[nodiscard]] std::string obstacle(std::size_t i) const {
    switch (table(i).obstacle) {
      case Obstacle::none: return "";
      case Obstacle::no_right:
        return fmt::format(
            "you may not read it: let its owner run GRANT SELECT ON {} to you, then run pgveil init again",
            name_of(table(i)));
      case Obstacle::row_security: return "it has row-level security, which would hide rows from the counts";
      case Obstacle::inheritance: return "it has inheritance children, which show its rows under other names";
      case Obstacle::unwritable_name: return "its schema or name has a character that open_tables can't have";
    }
    return "";
  }

  // A table of persons without a row each: the person's number repeats.
  void find_repeated_person(std::size_t i) {
    for (std::size_t c = 0; c < table(i).columns.size(); ++c) {
      const auto sense = senses_[i][c];
      const bool tells_persons = sense == Meaning::national_id || sense == Meaning::email ||
                                 sense == Meaning::record_number || is_person_key(column(i, c));
      const auto sample = sample_of(table(i), c);
      if (!tells_persons || table(i).columns[c].is_unique || is_single_key(i, c)) continue;
      if (!sample || sample->rows < kLeastRowsToJudge || sample->rows < table(i).sample->rows()) continue;
      if (is_nearly_unique(table(i), c) || !can_compare(i, c)) continue;
      const auto distinct = distinct_of(table(i), c);
      if (distinct && table(i).rows && *distinct * kMostRowsOfAPerson < *table(i).rows) continue;
      out_[i].unit = c;
      out_[i].unit_reason = "it repeats, so a person can have several rows";
      return;
    }
  }
  [[nodiscard]] bool can_compare(std::size_t i, std::size_t c) const {
    return rewriter::comparable_type(table(i).columns[c].column).has_value();
  }

  [[nodiscard]] bool is_health(std::size_t i) const {
    if (names_health(table(i).name) || has_sense(senses_[i], Meaning::health)) return true;
    return std::ranges::any_of(
        keys_[i], [&](const PersonKey& key) { return key.table && names_health(table(*key.table).name); });
  }

  // Empty: nothing speaks against opening it.
  [[nodiscard]] std::string why_not_open(std::size_t i) const {
    const bool is_organisation = kinds_[i] == TableMeaning::organisations;
    const bool is_list = is_referenced(i) || is_small(table(i));
    const bool is_log = names_a_log(table(i).name);
    if (!is_organisation && has_sense(senses_[i], Meaning::name)) {
      for (const Meaning trait : {Meaning::sex, Meaning::age, Meaning::death_date, Meaning::marital_status,
                                  Meaning::belief, Meaning::salutation, Meaning::body}) {
        if (has_sense(senses_[i], trait))
          return fmt::format("a name stands beside {}; open it if they are nobody's", describe(trait));
      }
    }
    for (std::size_t c = 0; c < table(i).columns.size(); ++c) {
      const auto& facts = table(i).columns[c];
      if (!is_organisation && kind_of(facts.column) == TypeKind::text && names_somebody(facts.column.name))
        return fmt::format("{} may name somebody; open it if that is nobody's", facts.column.name);
      const auto sense = senses_[i][c];
      // The number of a clerk, of whom there is no table, is nobody's name.
      const bool is_number_of_somebody =
          sense == Meaning::other_person && kind_of(facts.column) != TypeKind::text;
      if (sense && !is_number_of_somebody && may_be_personal(*sense, is_organisation))
        return fmt::format("{} may be {}; open it if that is nobody's", facts.column.name, describe(*sense));
      if (const auto seen = facts.looks_like; seen && !(is_organisation && senses_[i][c]))
        return fmt::format("values of {} look like {}", facts.column.name, engine::meaning(*seen));
      const bool is_text = is_free_text(table(i), c) || senses_[i][c] == Meaning::free_text;
      if (is_document(facts.column) || ((!is_list || is_log) && (is_text || holds_anything(facts.column)))) {
        return fmt::format("{} can hold anything; open the table if nothing in it is about persons",
                           facts.column.name);
      }
    }
    return "";
  }

  // "patient", "patient_name", "full_name": not the key of a person.
  static bool names_somebody(std::string_view name) {
    const auto words = words_of(name);
    const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
    return (names_a_person(name) && !is_key_name(name)) || (has("full") && has("name"));
  }

  static bool may_be_personal(Meaning meaning, bool is_organisation) {
    switch (meaning) {
      case Meaning::given_name:
      case Meaning::family_name:
      case Meaning::birth_date:
      case Meaning::birth_year:
      case Meaning::login:
      case Meaning::secret:
      case Meaning::account:
      case Meaning::other_person: return true;
      case Meaning::national_id:
      case Meaning::email:
      case Meaning::telephone:
      case Meaning::street:
      case Meaning::position: return !is_organisation;
      case Meaning::name:
      case Meaning::record_number:
      case Meaning::device:
      case Meaning::picture:
      case Meaning::free_text:
      case Meaning::sex:
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
      case Meaning::health:
      case Meaning::income:
      case Meaning::wealth:
      case Meaning::offence:
      case Meaning::amount:
      case Meaning::quantity:
      case Meaning::event_date:
      case Meaning::moment:
      case Meaning::category: return false;
    }
    return true;
  }

  void note(std::size_t i, Role role, std::string reason) {
    out_[i].role = role;
    out_[i].reason = std::move(reason);
  }

  const Database& database_;
  std::vector<TableRole> out_;
  std::vector<Senses> senses_;
  std::vector<TableMeaning> kinds_;
  std::vector<std::vector<PersonKey>> keys_;
  std::vector<std::string> heads_;
  std::vector<std::string> own_keys_;  // words of single primary keys
  std::set<std::size_t> referenced_;
  std::set<std::size_t> indirect_;
};

}  // namespace

std::vector<TableRole> roles_of(const Database& database) {
  return Roles(database).judge();
}

std::string name_of(const TableFacts& table) {
  return table.schema + "." + table.name;
}

}  // namespace pgveil::draft
