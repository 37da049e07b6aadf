#include "common/process/password_command.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/unit/temporary_folder.hpp"

namespace pgveil {
namespace {

using std::chrono::milliseconds;

// A command that prints how often it has run.
class Counting {
 public:
  explicit Counting(milliseconds every, const std::string& more = "")
      : command_({"a.key",
                  {"sh", "-c", "echo x >> " + runs_ + "; " + more + "wc -l < " + runs_},
                  every,
                  milliseconds(20'000)}) {}
  PasswordCommand& command() { return command_; }
  std::size_t runs() const {
    std::ifstream file(runs_);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return text.size() / 2;
  }

 private:
  app::TemporaryFolder folder_;
  std::string runs_ = folder_.path("runs");
  PasswordCommand command_;
};

TEST_CASE("a password is kept until it is due, and then fetched again") {
  Counting counting(milliseconds(600'000));
  CHECK_FALSE(counting.command().kept().has_value());
  CHECK(*counting.command().get() == "1");
  CHECK(*counting.command().get() == "1");
  CHECK(counting.command().kept() == "1");
  CHECK(counting.runs() == 1);
  Counting always(milliseconds(0));
  CHECK(*always.command().get() == "1");
  CHECK_FALSE(always.command().kept().has_value());
  CHECK(*always.command().get() == "2");
}

TEST_CASE("a refused password is fetched again, unless another is kept or it was just fetched") {
  Counting counting(milliseconds(600'000));
  CHECK(*counting.command().get() == "1");
  counting.command().forget("1");
  CHECK(*counting.command().get() == "1");  // just fetched
  std::this_thread::sleep_for(milliseconds(1'100));
  counting.command().forget("0");
  CHECK(*counting.command().get() == "1");
  counting.command().forget("1");
  CHECK_FALSE(counting.command().kept().has_value());
  CHECK(*counting.command().get() == "2");
}

TEST_CASE("whoever waits for the command shares its outcome, a failure too") {
  for (const bool fails : {false, true}) {
    CAPTURE(fails);
    Counting counting(milliseconds(600'000), fails ? "sleep 0.5; exit 7; " : "sleep 0.5; ");
    std::atomic<int> good{0}, bad{0};
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] { counting.command().get().has_value() ? ++good : ++bad; });
    }
    CHECK(counting.runs() == 1);
    CHECK(good == (fails ? 0 : 8));
    CHECK(bad == (fails ? 8 : 0));
  }
  Counting failing(milliseconds(600'000), "exit 7; ");
  const auto first = failing.command().get();
  REQUIRE(first.has_error());
  CHECK(first.error().public_message == "a.key: the command ended with status 7");
  CHECK(failing.command().get().has_error());
  CHECK(failing.runs() == 2);  // a later caller tries again
}

}  // namespace
}  // namespace pgveil
