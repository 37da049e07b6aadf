#include "proxy/session/relay_books.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/unit/session/frames.hpp"

namespace pgveil::session::relay_books_test {

using namespace pgveil::session::testing;

namespace {

template <class Use>
void each_frame(const std::string& bytes, Use use) {
  wire::Framer framer(1 << 20);
  framer.feed(bytes);
  for (;;) {
    const auto frame = framer.peek();
    REQUIRE(frame.has_value());
    if (!*frame) return;
    use(**frame);
    framer.pop(**frame);
  }
}

// Numbers what is sent, and says what was answered: "1:3 4:0!22012".
class Books {
 public:
  void say(const std::string& bytes) {
    each_frame(bytes, [&](const wire::FrameView& frame) { books.on_sent(frame, ++number_); });
  }
  std::string hear(const std::string& bytes) {
    std::string out;
    each_frame(bytes, [&](const wire::FrameView& frame) {
      for (const auto& answer : books.on_received(frame)) {
        out += fmt::format("{}{}:{}", out.empty() ? "" : " ", answer.request, answer.rows);
        if (!answer.sqlstate.empty()) out += "!" + answer.sqlstate;
      }
    });
    return out;
  }
  RelayBooks books;

 private:
  std::uint64_t number_ = 0;
};

const std::string kParsed = frames(wire::ParseComplete{});
const std::string kBound = frames(wire::BindComplete{});
const std::string kCopyIn = frames(wire::CopyInResponse{});
const std::string kCopyDone = frames(wire::CopyDone{});
const std::string kData = frames(wire::CopyData{});

}  // namespace

TEST_CASE("a query is answered when the server is ready, with the rows of all its statements") {
  Books books;
  CHECK_FALSE(books.books.is_busy());
  books.say(query("SELECT 1; SELECT 2; UPDATE t"));
  CHECK(books.books.is_busy());
  CHECK(books.hear(complete("SELECT 1") + complete("SELECT 2") + complete("UPDATE 4")).empty());
  CHECK(books.hear(ready('T')) == "1:7");
  CHECK(books.books.status() == wire::TransactionStatus::in_block);
  books.say(query("x"));
  CHECK(books.hear(complete("INSERT 0 5") + server_error("22012", "division") + ready('E')) == "2:5!22012");
  books.say(query(""));
  CHECK(books.hear(frames(wire::EmptyQueryResponse{}) + ready('I')) == "3:0");
  CHECK_FALSE(books.books.is_busy());
}

TEST_CASE("queries may be sent ahead of their answers") {
  Books books;
  books.say(query("a") + query("b") + frames(wire::FunctionCall{}));
  CHECK(books.hear(complete("SELECT 1") + ready('I') + complete("SELECT 2") + ready('I') + ready('I')) ==
        "1:1 2:2 3:0");
}

TEST_CASE("each Execute is answered by itself, and what an error drops with its SQLSTATE") {
  Books books;
  books.say(parse("s", "x") + bind_message("", "s") + execute("") + execute("") + sync_message());
  CHECK(books.hear(kParsed + kBound + row("x") + frames(wire::PortalSuspended{})) == "3:0");
  CHECK(books.hear(complete("SELECT 9")) == "4:9");
  CHECK(books.hear(ready('I')).empty());
  books.say(bind_message("", "s") + execute("") + execute("") + sync_message() + execute("") +
            sync_message());
  CHECK(books.hear(kBound + server_error("22012", "division")) == "7:0!22012 8:0!22012");
  CHECK(books.hear(ready('I') + complete("SELECT 1") + ready('I')) == "10:1");
}

TEST_CASE("what is sent after an error and before Sync is never owed") {
  Books books;
  books.say(parse("s", "bad"));
  CHECK(books.hear(server_error("42601", "syntax error")).empty());
  books.say(execute("") + query("dropped too") + sync_message());
  CHECK(books.hear(ready('I')).empty());
  CHECK_FALSE(books.books.is_busy());
}

TEST_CASE("Sync in the middle of COPY data is dropped, before and after the server says so") {
  Books books;
  books.say(parse("", "COPY") + bind_message("", "") + execute("") + sync_message());
  CHECK(books.hear(kParsed + kBound + kCopyIn).empty());
  books.say(kData + sync_message() + kData + kCopyDone + sync_message());
  CHECK(books.hear(complete("COPY 2") + ready('I')) == "3:2");
  CHECK_FALSE(books.books.is_busy());
  // The same, all of it sent at once.
  books.say(parse("", "COPY") + bind_message("", "") + execute("") + sync_message() + kData + kCopyDone +
            sync_message());
  CHECK(books.hear(kParsed + kBound + kCopyIn + complete("COPY 1") + ready('I')) == "12:1");
  CHECK_FALSE(books.books.is_busy());
  // As a query, failed by the client.
  books.say(query("COPY") + kData + frames(wire::CopyFail{}));
  CHECK(books.hear(kCopyIn + server_error("57014", "COPY from stdin failed") + ready('I')) == "17:0!57014");
  CHECK_FALSE(books.books.is_busy());
  books.say(query("next"));
  CHECK(books.hear(complete("SELECT 1") + ready('I')) == "20:1");
}

TEST_CASE("ends of data that nobody reads are forgotten") {
  Books books;
  books.say(query("a") + kCopyDone + query("b"));
  CHECK(books.hear(complete("SELECT 1") + ready('I') + complete("SELECT 2") + ready('I')) == "1:1 3:2");
}

TEST_CASE("a server that answers what nobody asked changes nothing") {
  Books books;
  CHECK(books.hear(complete("SELECT 1") + kCopyIn + ready('I') + server_error("57P01", "end")).empty());
  CHECK_FALSE(books.books.is_busy());
}

TEST_CASE("rows are the last number of a tag") {
  CHECK(counted_rows("SELECT 12") == 12);
  CHECK(counted_rows("INSERT 0 3") == 3);
  CHECK(counted_rows("CREATE TABLE") == 0);
  CHECK(counted_rows("SELECT 12x") == 0);
  CHECK(counted_rows("") == 0);
}

}  // namespace pgveil::session::relay_books_test
