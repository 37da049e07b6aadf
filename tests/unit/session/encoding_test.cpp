// A client whose encoding is not UTF8: its statements are judged in UTF-8, and what is sent is ASCII,
// whatever the server takes the bytes for.
#include <doctest/doctest.h>

#include "tests/unit/session/script.hpp"

namespace pgveil::session::encoding_test {

using namespace pgveil::session::testing;

namespace {

constexpr const char* kSet = "SET client_encoding LATIN1";

Script with_latin1() {
  Script script = Script::logged_in();
  script.client(query(kSet), {.to_backend = std::string("Q(ok: ") + kSet + ")"})
      .backend(complete("SET") + parameter("client_encoding", "LATIN1") + ready('I'),
               {.to_client = "C(SET) S(client_encoding=LATIN1) Z(I)"});
  return script;
}

}  // namespace

TEST_CASE("a statement is judged in UTF-8 and sent in ASCII") {
  with_latin1()
      .client(query("SELECT '\xe9'"), {.to_backend = "Q(ascii: SELECT 'é')"})
      .backend(row_description("\xe9") + row("\xe9") + complete("SELECT 1") + ready('I'),
               {.to_client = "T(\xe9:7/3) D(\xe9) C(SELECT 1) Z(I)"})
      .client(parse("s", "SELECT '\xe9'") + bind_message("", "s") + execute("") + sync_message(),
              {.to_backend = "P(s,ascii: SELECT 'é') B(,s) E(,0) S"})
      .backend(frames(wire::ParseComplete{}, wire::BindComplete{}) + complete("SELECT 1") + ready('I'),
               {.to_client = "1 2 C(SELECT 1) Z(I)"})
      .check();
}

TEST_CASE("what follows the SET in a pipeline is sent in ASCII before the server has answered") {
  Script::logged_in()
      .client(parse("", kSet) + bind_message("", "") + execute("") + parse("", "SELECT '\xc3\xa9'") +
                  sync_message(),
              {.to_backend = std::string("P(,ok: ") + kSet + ") B(,) E(,0) P(,ascii: SELECT 'é') S"})
      .backend(frames(wire::ParseComplete{}, wire::BindComplete{}) + complete("SET") +
                   frames(wire::ParseComplete{}) + parameter("client_encoding", "LATIN1") + ready('I'),
               {.to_client = "1 2 C(SET) 1 S(client_encoding=LATIN1) Z(I)"})
      .check();
}

TEST_CASE("it stays ASCII when the encoding is UTF8 again") {
  with_latin1()
      .client(query("SET client_encoding UTF8"), {.to_backend = "Q(ascii: SET client_encoding UTF8)"})
      .backend(complete("SET") + parameter("client_encoding", "UTF8") + ready('I'),
               {.to_client = "C(SET) S(client_encoding=UTF8) Z(I)"})
      .client(query("SELECT 'é'"), {.to_backend = "Q(ascii: SELECT 'é')"})
      .check();
}

TEST_CASE("names in messages must be ASCII, because the server would read them in its present encoding") {
  with_latin1()
      .client(parse("\xe9", "SELECT 1") + sync_message(),
              {.to_client =
                   "E(ERROR 0A000 names of statements and portals must be ASCII in a session that changed "
                   "client_encoding) Z(I)"})
      .client(bind_message("\xe9", "") + sync_message(),
              {.to_client =
                   "E(ERROR 0A000 names of statements and portals must be ASCII in a session that changed "
                   "client_encoding) Z(I)"})
      .check();
}

TEST_CASE("words of our own come in the client's encoding") {
  Script script = Script::logged_in();
  script.client(query("SET client_encoding WIN1252"), {.to_backend = "Q(ok: SET client_encoding WIN1252)"})
      .backend(complete("SET") + parameter("client_encoding", "WIN1252") + ready('I'),
               {.to_client = "C(SET) S(client_encoding=WIN1252) Z(I)"})
      .client(query("SELECT '\x81'"),
              {.to_client =
                   "E(ERROR 22021 the statement has a byte that is no character in encoding \"WIN1252\") "
                   "Z(I)"})
      .client(parse("", "SELECT '\x81'") + sync_message(),
              {.to_client =
                   "E(ERROR 22021 the statement has a byte that is no character in encoding \"WIN1252\") "
                   "Z(I)"})
      .client(query("unknown \xe9"), {.to_client = "E(ERROR 42703 no column caf\xe9) Z(I)"})
      .check();
}

TEST_CASE("a server that changes the encoding by itself ends the session") {
  for (const char* encoding : {"LATIN1", "SJIS", "GBK", ""}) {
    CAPTURE(encoding);
    Script::logged_in()
        .backend(parameter("client_encoding", encoding),
                 {.to_client = "E(FATAL 08P01 the database server changed a pinned setting)",
                  .to_backend = "X",
                  .commands = "CloseBackend CloseClient"})
        .check();
  }
}

}  // namespace pgveil::session::encoding_test
