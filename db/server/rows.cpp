#include "db/server/rows.hpp"

#include <libpq-fe.h>

namespace pgveil::db {
namespace {

std::size_t count_of(int number) {
  return number < 0 ? 0 : static_cast<std::size_t>(number);
}

}  // namespace

Field Row::operator[](size_type column) const {
  if (column >= size()) throw UnexpectedAnswer("a row with fewer columns than it must have");
  const int row = static_cast<int>(number_);
  const int at = static_cast<int>(column);
  return {PQgetvalue(rows_.get(), row, at), count_of(PQgetlength(rows_.get(), row, at)),
          PQgetisnull(rows_.get(), row, at) == 1};
}

Row::size_type Row::size() const {
  return count_of(PQnfields(rows_.get()));
}

Rows::size_type Rows::size() const {
  return count_of(PQntuples(rows_.get()));
}

Rows::size_type Rows::columns() const {
  return count_of(PQnfields(rows_.get()));
}

Row Rows::operator[](size_type number) const {
  if (number >= size()) throw UnexpectedAnswer("fewer rows than there must be");
  return {rows_, number};
}

Rows::size_type Rows::affected_rows() const {
  // libpq takes no pointer to const here, and changes nothing.
  const std::string_view count(PQcmdTuples(const_cast<PGresult*>(rows_.get())));
  size_type number = 0;
  std::from_chars(count.data(), count.data() + count.size(), number);
  return number;
}

}  // namespace pgveil::db
