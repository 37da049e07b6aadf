#include "cli/statements/deep_stack.hpp"

#include "proxy/net/thread_group.hpp"
#include "rewriter/pipeline.hpp"

namespace pgveil::cli {

Result<void> on_deep_stack(const std::function<void()>& work) {
  net::ThreadGroup thread;
  auto started = thread.add("rewrite", rewriter::kParserStackBytes, work);
  if (!started) return started.error();
  thread.join();
  return {};
}

}  // namespace pgveil::cli
