#include "policy/level/level_advice.hpp"

namespace pgveil::policy {

LevelAdvice level_advice(std::uint32_t type_oid) {
  switch (type_oid) {
    case 1082:  // date
    case 1114:  // timestamp
    case 1184:  // timestamptz
      return LevelAdvice::period;
    case 20:    // int8
    case 21:    // int2
    case 23:    // int4
    case 1700:  // numeric
      return LevelAdvice::width;
    case 25:    // text
    case 1043:  // varchar
      return LevelAdvice::prefix;
    default: return LevelAdvice::none;  // a type that levels do not know, not a forgotten choice of ours
  }
}

}  // namespace pgveil::policy
