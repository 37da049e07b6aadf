#include "web/api/questions.hpp"

#include <doctest/doctest.h>

#include <memory>

namespace pgveil::app {
namespace {

TEST_CASE("a newer question of a session ends the older one, and no other") {
  Questions questions;
  auto first = std::make_unique<Questions::Question>(questions, 1);
  const Questions::Question other(questions, 2);
  CHECK_FALSE(first->is_ended());
  const Questions::Question second(questions, 1);
  CHECK(first->is_ended());
  CHECK_FALSE(second.is_ended());
  CHECK_FALSE(other.is_ended());
  first.reset();
  CHECK(questions.cancel(1));
  CHECK(second.is_ended());
  CHECK_FALSE(other.is_ended());
}

TEST_CASE("only a question that is asked can be cancelled") {
  Questions questions;
  CHECK_FALSE(questions.cancel(1));
  { const Questions::Question question(questions, 1); }
  CHECK_FALSE(questions.cancel(1));
}

}  // namespace
}  // namespace pgveil::app
