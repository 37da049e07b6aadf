#include "bench/paper/options.hpp"

#include <sstream>
#include <stdexcept>

namespace pgveil::bench::paper {
namespace {

std::vector<std::string> parts(const std::string& list) {
  std::vector<std::string> made;
  std::istringstream text(list);
  for (std::string part; std::getline(text, part, ',');) made.push_back(part);
  if (made.empty()) throw std::runtime_error("a list is empty");
  return made;
}

}  // namespace

Options read_options(std::span<char*> arguments) {
  Options options;
  for (const std::string argument : arguments) {
    const auto equals = argument.find('=');
    const auto key = argument.substr(0, equals);
    const auto value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (key == "--full") {
      options.sets = {"adult", "cup", "fars", "atus", "ihis"};
      options.ks = {2, 3, 4, 5, 6, 7, 8, 9, 10};
      options.limit_s = 600;
    } else if (key == "--quick") {
      options.sets = {"adult"};
      options.ks = {5};
      options.renamings = 3;
    } else if (key == "--sets") {
      options.sets = parts(value);
    } else if (key == "--k") {
      options.ks.clear();
      for (const auto& k : parts(value)) options.ks.push_back(std::stoull(k));
    } else if (key == "--limit") {
      options.limit_s = std::stod(value);
    } else if (key == "--renamings") {
      options.renamings = std::stoull(value);
    } else {
      throw std::runtime_error("unknown option " + argument);
    }
  }
  return options;
}

}  // namespace pgveil::bench::paper
