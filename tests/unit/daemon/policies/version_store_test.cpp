#include <doctest/doctest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "common/files/whole_file.hpp"
#include "daemon/policies/version_store.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

policy::PolicyVersion version_of(const std::string& policy, std::uint64_t number) {
  policy::PolicyVersion version;
  version.policy = policy;
  version.number = number;
  version.spec_hash = std::string(64, 'a');
  version.shape = {16384, 16384, "public", "people", {{1, "city", 25, -1, 100}}};
  version.tree.k = 2;
  version.tree.attributes = {{"city", 1}};
  version.tree.nodes = {{std::nullopt, 0, 0, 5, 5}};
  version.disclosure.rows = version.disclosure.units = version.disclosure.cells = 5;
  version.disclosure.cohorts = 1;
  version.disclosure.smallest_cohort = 5;
  version.disclosure.disclosed_by_attribute = {0};
  version.disclosure.computable_by_attribute = {0};
  version.disclosure.equal_by_attribute = {0};
  version.built_at = "2026-01-31T12:00:00Z";
  return version;
}

std::uint64_t save_next(const VersionStore& store, const std::string& policy) {
  const auto lock = store.lock("demo");
  REQUIRE(lock.has_value());
  const auto number = store.next_number(*lock, "demo", policy);
  REQUIRE(number.has_value());
  const auto saved = store.save(*lock, "demo", version_of(policy, *number));
  REQUIRE_MESSAGE(saved.has_value(), one_line(saved.error()));
  return *number;
}

TEST_CASE("versions are stored privately and come back whole, with rising numbers") {
  const TemporaryFolder folder;
  const VersionStore store(folder.path("deep/state"));
  CHECK(store.load("demo", "p").value().version == nullptr);
  CHECK(save_next(store, "p") == 1);
  CHECK(save_next(store, "p") == 2);
  CHECK(save_next(store, "q") == 1);
  const auto stored = store.load("demo", "p");
  REQUIRE(stored.has_value());
  CHECK(*stored->version == version_of("p", 2));
  struct stat status {};
  REQUIRE(::stat(store.path_of("demo", "p").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  REQUIRE(::stat(folder.path("deep/state/demo").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  CHECK_FALSE(std::filesystem::exists(store.path_of("demo", "p") + ".new"));
}

TEST_CASE("a withdrawn policy stays closed until the next version, also for another process") {
  const TemporaryFolder folder;
  const VersionStore store(folder.path());
  save_next(store, "p");
  const auto before = store.stamp("demo", "p");
  {
    const auto lock = store.lock("demo");
    REQUIRE(store.withdraw(*lock, "demo", "p", "fewer than k units").has_value());
  }
  CHECK(store.stamp("demo", "p") != before);
  CHECK(VersionStore(folder.path()).load("demo", "p").value().withdrawn == "fewer than k units");
  CHECK(save_next(store, "p") == 2);
  CHECK_FALSE(store.load("demo", "p").value().withdrawn.has_value());
}

TEST_CASE("a retired version is read by nobody any more, and is still there for people") {
  const TemporaryFolder folder;
  const VersionStore store(folder.path());
  save_next(store, "p");
  {
    const auto lock = store.lock("demo");
    REQUIRE(store.withdraw(*lock, "demo", "p", "fewer than k units").has_value());
  }
  REQUIRE(store.retire("demo", "p").has_value());
  const auto stored = store.load("demo", "p").value();
  CHECK(stored.version == nullptr);
  CHECK_FALSE(stored.withdrawn.has_value());
  CHECK(read_whole(store.path_of("demo", "p") + ".imported", 1 << 20).value().has_value());
  CHECK(store.retire("demo", "p").has_value());
  CHECK(store.retire("demo", "never built").has_value());
}

TEST_CASE("database and policy names can't leave the folder or meet each other") {
  const VersionStore store("/state");
  CHECK(store.path_of("../etc", "p") == "/state/%2e%2e%2fetc/p.json");
  CHECK(store.path_of("a/b", "p") != store.path_of("a%2fb", "p"));
  CHECK(store.path_of("Demo", "p") != store.path_of("demo", "p"));
}

TEST_CASE("damaged, foreign and unreadable files are errors, never versions") {
  const TemporaryFolder folder;
  const VersionStore store(folder.path());
  save_next(store, "p");
  const std::string good = folder.read("demo/p.json");
  for (const std::string& text :
       {std::string(), std::string("{"), good.substr(0, good.size() / 2), good + "x"}) {
    folder.write("demo/p.json", text);
    CHECK(store.load("demo", "p").has_error());
    const auto lock = store.lock("demo");
    CHECK(store.next_number(*lock, "demo", "p").has_error());
  }
  folder.write("demo/q.json", good);
  const auto foreign = store.load("demo", "q");
  REQUIRE(foreign.has_error());
  CHECK(one_line(foreign.error()).find("another policy") != std::string::npos);
  std::filesystem::create_directory(folder.path("demo/r.json"));
  CHECK(store.load("demo", "r").has_error());
}

TEST_CASE("what a crash left beside a version neither harms it nor stays") {
  const TemporaryFolder folder;
  const VersionStore store(folder.path());
  save_next(store, "p");
  folder.write("demo/p.json.new", "half a ver");
  CHECK(store.load("demo", "p").value().version->number == 1);
  CHECK(save_next(store, "p") == 2);
  CHECK_FALSE(std::filesystem::exists(folder.path("demo/p.json.new")));
}

TEST_CASE("a reader sees whole versions only, and two writers never share a number") {
  const TemporaryFolder folder;
  const VersionStore store(folder.path());
  save_next(store, "p");
  constexpr int kSaves = 60;
  std::atomic<bool> is_done{false};
  std::atomic<int> failures{0};
  std::thread reader([&] {
    std::uint64_t last = 0;
    while (!is_done) {
      const auto stored = store.load("demo", "p");
      if (!stored || !stored->version || stored->version->number < last) ++failures;
      if (stored && stored->version) last = stored->version->number;
    }
  });
  const auto write = [&] {
    for (int i = 0; i < kSaves; ++i) {
      const auto lock = store.lock("demo");
      const auto number = store.next_number(*lock, "demo", "p");
      if (!number || !store.save(*lock, "demo", version_of("p", *number))) ++failures;
    }
  };
  std::thread one(write);
  std::thread two(write);
  one.join();
  two.join();
  is_done = true;
  reader.join();
  CHECK(failures == 0);
  CHECK(store.load("demo", "p").value().version->number == 1 + 2 * kSaves);
}

TEST_CASE("a folder that can't be written is an error that names the file") {
  const auto lock = VersionStore("/proc/nothing").lock("demo");
  REQUIRE(lock.has_error());
  CHECK(one_line(lock.error()).find("/proc/nothing") != std::string::npos);
}

}  // namespace
}  // namespace pgveil::app
