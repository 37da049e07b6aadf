#include "draft/personal.hpp"

#include "draft/column_sense.hpp"

namespace pgveil::draft {
namespace {

enum class Tells { who, what, nothing };

Tells tells_of(Meaning meaning) {
  switch (meaning) {
    case Meaning::given_name:
    case Meaning::family_name:
    case Meaning::name:
    case Meaning::national_id:
    case Meaning::email:
    case Meaning::telephone:
    case Meaning::street:
    case Meaning::login:
    case Meaning::account:
    case Meaning::record_number:
    case Meaning::picture: return Tells::who;
    case Meaning::sex:
    case Meaning::birth_date:
    case Meaning::birth_year:
    case Meaning::birth_part:
    case Meaning::age:
    case Meaning::death_date:
    case Meaning::nationality:
    case Meaning::marital_status:
    case Meaning::household:
    case Meaning::occupation:
    case Meaning::education:
    case Meaning::belief:
    case Meaning::salutation:
    case Meaning::body:
    case Meaning::health:
    case Meaning::income:
    case Meaning::wealth:
    case Meaning::offence: return Tells::what;
    // Things have them as well.
    case Meaning::secret:
    case Meaning::device:
    case Meaning::position:
    case Meaning::free_text:
    case Meaning::city:
    case Meaning::postcode:
    case Meaning::region:
    case Meaning::country:
    case Meaning::language:
    case Meaning::employer:
    case Meaning::amount:
    case Meaning::quantity:
    case Meaning::event_date:
    case Meaning::moment:
    case Meaning::category:
    case Meaning::other_person: return Tells::nothing;
  }
  return Tells::nothing;
}

}  // namespace

std::vector<PersonalColumn> personal_columns(const std::vector<ColumnFacts>& columns) {
  std::vector<PersonalColumn> found;
  for (const Tells wanted : {Tells::who, Tells::what}) {
    for (const auto& facts : columns) {
      const auto sense = sense_of(facts);
      if (sense && tells_of(*sense) == wanted) found.push_back({facts.column.name, describe(*sense)});
    }
  }
  return found;
}

}  // namespace pgveil::draft
