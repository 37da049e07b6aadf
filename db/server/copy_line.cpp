#include "db/server/copy_line.hpp"

namespace pgveil::db {
namespace {

char unescaped(char letter) {
  switch (letter) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    default: return letter;
  }
}

}  // namespace

void split_copy_line(std::string& line, std::vector<CopyField>& fields) {
  fields.clear();
  char* const end = line.data() + line.size();
  char* from = line.data();
  char* to = from;  // never beyond `from`
  while (true) {
    char* const begin = to;
    bool is_null = false;
    while (from != end && *from != '\t') {
      if (*from == '\\' && from + 1 != end) {
        ++from;
        is_null = *from == 'N';  // in no other case an N follows a backslash
        *to++ = unescaped(*from++);
      } else {
        *to++ = *from++;
      }
    }
    fields.push_back(is_null ? CopyField() : CopyField({begin, static_cast<std::size_t>(to - begin)}));
    if (from == end) return;
    ++from;
    ++to;
  }
}

}  // namespace pgveil::db
