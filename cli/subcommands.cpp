#include <cstdio>

#include "cli/subcommands.hpp"

namespace pgveil::app {

int report(const Error& error) {
  std::fprintf(stderr, "pgveil: %s\n", one_line(error).c_str());
  return kMistake;
}

}  // namespace pgveil::app
