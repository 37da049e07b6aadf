#include "rewriter/pipeline/pass.hpp"

namespace pgveil::rewriter {

std::string_view name(Pass pass) {
  switch (pass) {
    case Pass::parse: return "parse";
    case Pass::resolve: return "resolve";
    case Pass::check_depth: return "check_depth";
    case Pass::choose_masks: return "choose_masks";
    case Pass::print: return "print";
    case Pass::verify: return "verify";
    case Pass::put_masks: return "put_masks";
    case Pass::verify_sent: return "verify_sent";
  }
  return "";
}

}  // namespace pgveil::rewriter
