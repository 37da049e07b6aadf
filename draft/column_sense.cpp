#include "draft/column_sense.hpp"

#include <algorithm>
#include <array>

namespace pgveil::draft {
namespace {

using engine::SafeHarborItem;

constexpr double kSentenceBytes = 40;  // mean

bool is_of(const rewriter::Column& column, std::initializer_list<std::string_view> types) {
  return column.type_schema == "pg_catalog" && std::ranges::find(types, column.type_name) != types.end();
}

// The English list of engine/risk/safe_harbor.hpp knows some that are not in meaning.cpp.
std::optional<Meaning> meaning_of_item(SafeHarborItem item) {
  switch (item) {
    case SafeHarborItem::social_security:
    case SafeHarborItem::certificate: return Meaning::national_id;
    case SafeHarborItem::medical_record:
    case SafeHarborItem::health_plan: return Meaning::record_number;
    case SafeHarborItem::account: return Meaning::account;
    case SafeHarborItem::vehicle:
    case SafeHarborItem::device:
    case SafeHarborItem::url:
    case SafeHarborItem::ip_address: return Meaning::device;
    case SafeHarborItem::biometric:
    case SafeHarborItem::photograph: return Meaning::picture;
    case SafeHarborItem::telephone:
    case SafeHarborItem::fax: return Meaning::telephone;
    case SafeHarborItem::email: return Meaning::email;
    // Too many things have a name, a date or a place for these words to be more than those of meaning.cpp.
    case SafeHarborItem::name:
    case SafeHarborItem::geography:
    case SafeHarborItem::date:
    case SafeHarborItem::other_identifier: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Meaning> meaning_of_hints(const std::string& name) {
  engine::Table named;
  named.columns.emplace_back().name = name;
  for (const auto& hint : engine::safe_harbor_hints(named, std::nullopt)) {
    if (const auto meaning = meaning_of_item(hint.item)) return meaning;
  }
  return std::nullopt;
}

// What a column of dates or times can be.
Meaning dated(std::optional<Meaning> named, TypeKind kind) {
  if (named == Meaning::birth_date || named == Meaning::death_date) return *named;
  if (named == Meaning::birth_part) return Meaning::birth_date;  // "birthday"
  if (named == Meaning::moment && kind == TypeKind::moment) return Meaning::moment;
  return Meaning::event_date;
}

bool is_number(Meaning meaning) {
  switch (meaning) {
    case Meaning::given_name:
    case Meaning::family_name:
    case Meaning::name:
    case Meaning::email:
    case Meaning::free_text:
    case Meaning::picture:
    case Meaning::birth_date:
    case Meaning::death_date: return false;
    case Meaning::national_id:
    case Meaning::telephone:
    case Meaning::street:
    case Meaning::login:
    case Meaning::secret:
    case Meaning::account:
    case Meaning::record_number:
    case Meaning::device:
    case Meaning::position:
    case Meaning::sex:
    case Meaning::birth_year:
    case Meaning::birth_part:
    case Meaning::age:
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
    case Meaning::category:
    case Meaning::other_person: return true;
  }
  return true;
}

// "p_channel_email char(1)" says yes or no.
bool is_a_few_characters(const rewriter::Column& column) {
  constexpr std::int32_t kHeader = 4;  // that PostgreSQL adds to a length
  constexpr std::int32_t kFew = 3;
  return is_of(column, {"bpchar", "varchar"}) && column.typmod > kHeader && column.typmod <= kHeader + kFew;
}
bool needs_characters(Meaning meaning) {
  constexpr std::array kLong{Meaning::given_name, Meaning::family_name, Meaning::name,   Meaning::email,
                             Meaning::telephone,  Meaning::national_id, Meaning::street, Meaning::login,
                             Meaning::account,    Meaning::free_text,   Meaning::device, Meaning::picture};
  return std::ranges::find(kLong, meaning) != kLong.end();
}

// "tax_id" is a number of a person, "address_id" is the key of something else.
bool survives_a_surrogate(Meaning meaning) {
  constexpr std::array kSurvivors{Meaning::national_id, Meaning::record_number, Meaning::login,
                                  Meaning::device,      Meaning::account,       Meaning::secret,
                                  Meaning::other_person};
  return std::ranges::find(kSurvivors, meaning) != kSurvivors.end();
}

std::optional<SafeHarborItem> look_of(const TableFacts& table, std::size_t column) {
  if (kind_of(table.columns[column].column) != TypeKind::text) return std::nullopt;
  engine::Table one;
  one.columns.push_back(table.sample->columns[column]);
  one.columns.front().name.clear();  // only values count here
  for (const auto& hint : engine::safe_harbor_hints(one, kSampleNull)) {
    switch (hint.item) {
      case SafeHarborItem::telephone:
      case SafeHarborItem::email:
      case SafeHarborItem::social_security:
      case SafeHarborItem::account:
      case SafeHarborItem::device:
      case SafeHarborItem::ip_address: return hint.item;
      case SafeHarborItem::name:
      case SafeHarborItem::geography:
      case SafeHarborItem::date:
      case SafeHarborItem::fax:
      case SafeHarborItem::medical_record:
      case SafeHarborItem::health_plan:
      case SafeHarborItem::certificate:
      case SafeHarborItem::vehicle:
      case SafeHarborItem::url:
      case SafeHarborItem::biometric:
      case SafeHarborItem::photograph:
      case SafeHarborItem::other_identifier: break;
    }
  }
  return std::nullopt;
}

}  // namespace

TypeKind kind_of(const rewriter::Column& column) {
  if (is_of(column, {"bool"})) return TypeKind::boolean;
  if (is_of(column, {"date"})) return TypeKind::date;
  if (is_of(column, {"timestamp", "timestamptz"})) return TypeKind::moment;
  if (column.type_category == 'N') return TypeKind::number;
  if (column.type_category == 'S' || column.type_kind == 'e') return TypeKind::text;
  return TypeKind::other;
}

bool is_document(const rewriter::Column& column) {
  return is_of(column, {"json", "jsonb", "xml", "bytea", "tsvector", "oid"}) || column.type_name == "hstore";
}

bool holds_anything(const rewriter::Column& column) {
  return is_document(column) || column.type_category == 'A' || column.type_kind == 'c' ||
         column.type_category == 'C';
}

std::optional<Meaning> sense_of(const ColumnFacts& facts) {
  const TypeKind kind = kind_of(facts.column);
  auto named = meaning_of(facts.column.name);
  if (kind == TypeKind::date || kind == TypeKind::moment) return dated(named, kind);
  if (is_surrogate_name(facts.column.name) && named && !survives_a_surrogate(*named)) named.reset();
  if (!named) named = meaning_of_hints(facts.column.name);
  if (!named) return std::nullopt;
  if (kind == TypeKind::boolean) {
    const bool is_private = named == Meaning::health || named == Meaning::offence;
    return is_private ? *named : Meaning::category;
  }
  const bool is_of_numbers = named == Meaning::amount || named == Meaning::quantity;
  if (kind == TypeKind::text && is_of_numbers) return Meaning::category;  // "payment method"
  if (kind == TypeKind::number && !is_number(*named)) return std::nullopt;
  if (is_a_few_characters(facts.column) && needs_characters(*named)) return Meaning::category;
  return named;
}

void look_at_sample(TableFacts& table) {
  if (!table.sample) return;
  for (std::size_t i = 0; i < table.columns.size(); ++i) table.columns[i].looks_like = look_of(table, i);
}

bool is_free_text(const TableFacts& table, std::size_t column) {
  const auto& facts = table.columns[column];
  if (kind_of(facts.column) != TypeKind::text || facts.column.type_kind == 'e') return false;
  if (facts.width && *facts.width > kSentenceBytes) return true;
  if (!table.sample || column >= table.sample->columns.size()) return false;
  const auto& values = table.sample->columns[column].values;
  std::size_t bytes = 0;
  for (const std::string& value : values) bytes += value.size();
  return !values.empty() && static_cast<double>(bytes) / static_cast<double>(values.size()) > kSentenceBytes;
}

}  // namespace pgveil::draft
