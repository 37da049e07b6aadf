#pragma once
// A benchmark ends where something fails.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "common/error.hpp"

namespace pgveil::bench::utility {

template <class T>
T must(Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "{} {}\n", one_line(result.error()), result.error().private_detail);
  std::exit(1);
}

}  // namespace pgveil::bench::utility
