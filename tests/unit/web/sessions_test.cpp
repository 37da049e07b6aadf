#include <doctest/doctest.h>

#include "web/api/sessions.hpp"

namespace pgveil::app {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Touch = WebSessions::Touch;

const WebTime kStart{};

WebSession session(const char* role) {
  return {1, role, "csrf", "verifier"};
}

TEST_CASE("a session is found by its token alone") {
  WebSessions sessions;
  sessions.begin("token", session("operator"), kStart);
  REQUIRE(sessions.find("token", kStart, Touch::rests));
  CHECK(sessions.find("token", kStart, Touch::rests)->role == "operator");
  CHECK_FALSE(sessions.find("Token", kStart, Touch::rests));
  CHECK_FALSE(sessions.find("", kStart, Touch::rests));
  sessions.end("token");
  CHECK_FALSE(sessions.find("token", kStart, Touch::rests));
}

TEST_CASE("a session ends when it rested long enough; looking on is rest") {
  WebSessions sessions;
  sessions.begin("token", session("operator"), kStart);
  const auto almost = kStart + WebSessions::kIdle - seconds(1);
  CHECK(sessions.find("token", almost, Touch::goes_on));
  CHECK(sessions.find("token", almost + WebSessions::kIdle - seconds(1), Touch::rests));
  CHECK_FALSE(sessions.find("token", almost + WebSessions::kIdle, Touch::rests));
}

TEST_CASE("a password that was given again counts once for its session, and not for long") {
  WebSessions sessions;
  sessions.begin("token", session("operator"), kStart);
  sessions.begin("other", session("operator"), kStart);
  CHECK_FALSE(sessions.take_proof("token", kStart));
  sessions.prove("token", kStart);
  sessions.prove("nobody", kStart);
  CHECK_FALSE(sessions.take_proof("other", kStart));
  CHECK_FALSE(sessions.take_proof("nobody", kStart));
  CHECK(sessions.take_proof("token", kStart + WebSessions::kProved - seconds(1)));
  CHECK_FALSE(sessions.take_proof("token", kStart + WebSessions::kProved - seconds(1)));
  sessions.prove("token", kStart);
  CHECK_FALSE(sessions.take_proof("token", kStart + WebSessions::kProved));
  sessions.prove("token", kStart);
  sessions.end("token");
  CHECK_FALSE(sessions.take_proof("token", kStart));
}

TEST_CASE("a try that was right can be taken back") {
  SignInLimit limit;
  for (std::size_t i = 0; i < SignInLimit::kPerRole; ++i) CHECK(limit.may_try("operator", kStart));
  CHECK_FALSE(limit.may_try("operator", kStart));
  limit.take_back("watcher", kStart);
  CHECK_FALSE(limit.may_try("operator", kStart));
  limit.take_back("operator", kStart);
  CHECK(limit.may_try("operator", kStart));
  CHECK_FALSE(limit.may_try("operator", kStart));
}

TEST_CASE("a session that never rests ends all the same") {
  WebSessions sessions;
  sessions.begin("token", session("operator"), kStart);
  auto now = kStart;
  for (; now - kStart < WebSessions::kLongest; now += minutes(10))
    CHECK(sessions.find("token", now, Touch::goes_on));
  CHECK_FALSE(sessions.find("token", now, Touch::goes_on));
}

TEST_CASE("of too many sessions the one that rested longest ends") {
  WebSessions sessions;
  for (std::size_t i = 0; i < WebSessions::kMost; ++i)
    sessions.begin("token" + std::to_string(i), session("operator"), kStart + seconds(i));
  CHECK(sessions.find("token0", kStart + seconds(200), Touch::goes_on));
  sessions.begin("one more", session("operator"), kStart + seconds(201));
  CHECK(sessions.find("token0", kStart + seconds(201), Touch::rests));
  CHECK_FALSE(sessions.find("token1", kStart + seconds(201), Touch::rests));
  CHECK(sessions.find("one more", kStart + seconds(201), Touch::rests));
}

TEST_CASE("numbers of sessions rise from above those of the protocol") {
  WebSessions sessions;
  CHECK(sessions.next_number() == WebSessions::kFirstNumber + 1);
  CHECK(sessions.next_number() == WebSessions::kFirstNumber + 2);
}

TEST_CASE("sign-ins are limited per role and in all, and the limit passes") {
  SignInLimit limit;
  for (std::size_t i = 0; i < SignInLimit::kPerRole; ++i) CHECK(limit.may_try("operator", kStart));
  CHECK_FALSE(limit.may_try("operator", kStart));
  CHECK(limit.may_try("watcher", kStart));
  for (std::size_t i = SignInLimit::kPerRole + 1; i < SignInLimit::kInAll; ++i)
    CHECK(limit.may_try("role " + std::to_string(i), kStart));
  CHECK_FALSE(limit.may_try("somebody else", kStart));
  CHECK_FALSE(limit.may_try("somebody else", kStart + SignInLimit::kWindow - seconds(1)));
  CHECK(limit.may_try("operator", kStart + SignInLimit::kWindow));
}

}  // namespace
}  // namespace pgveil::app
