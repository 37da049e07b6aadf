#include "daemon/statements/deep_stack.hpp"

#include "proxy/net/thread_group.hpp"
#include "rewriter/pipeline/pipeline.hpp"

namespace pgveil::app {

Result<void> on_deep_stack(const std::function<void()>& work) {
  net::ThreadGroup thread;
  auto started = thread.add("rewrite", rewriter::kParserStackBytes, work);
  if (!started) return started.error();
  thread.join();
  return {};
}

}  // namespace pgveil::app
