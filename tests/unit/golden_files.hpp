#pragma once
// Golden files of tests/golden/<folder>: each is text that holds questions and their answers. UPDATE_GOLDEN=1
// writes them anew; the diff is reviewed.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace pgveil::test {

// answer_all: the same text with the answers of today. fewest: so many files there must be.
inline void check_golden_files(const std::string& folder, std::size_t fewest,
                               const std::function<std::string(const std::string&)>& answer_all) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PGVEIL_SOURCE_DIR "/tests/golden/" + folder)) {
    CAPTURE(entry.path());
    std::ifstream in(entry.path());
    const std::string expected((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const std::string found = answer_all(expected);
    if (std::getenv("UPDATE_GOLDEN") != nullptr)
      std::ofstream(entry.path()) << found;
    else
      CHECK(found == expected);
    ++files;
  }
  CHECK(files >= fewest);
}

}  // namespace pgveil::test
