#include "proxy/net/thread_group.hpp"

#include <cstring>
#include <memory>
#include <utility>

#include "common/sqlstate.hpp"

namespace pgveil::net {
namespace {

using Body = std::function<void()>;

void* run_body(void* argument) {
  const std::unique_ptr<Body> body(static_cast<Body*>(argument));
  (*body)();
  return nullptr;
}

Error no_thread(std::size_t stack_bytes, int code) {
  return {ErrorKind::limit, std::string(sqlstate::kInternalError),
          "no thread with a stack of " + std::to_string(stack_bytes >> 20) + " MB: " + std::strerror(code),
          "raise the limits on processes and on virtual memory (ulimit -u, ulimit -v)"};
}

}  // namespace

Result<void> ThreadGroup::add(const std::string& name, std::size_t stack_bytes, Body body) {
  auto owned = std::make_unique<Body>(std::move(body));
  threads_.reserve(threads_.size() + 1);
  pthread_attr_t attributes;
  if (const int code = pthread_attr_init(&attributes)) return no_thread(stack_bytes, code);
  pthread_t thread{};
  int code = pthread_attr_setstacksize(&attributes, stack_bytes);
  if (code == 0) code = pthread_create(&thread, &attributes, run_body, owned.get());
  pthread_attr_destroy(&attributes);
  if (code != 0) return no_thread(stack_bytes, code);
  static_cast<void>(owned.release());  // run_body frees it
  threads_.push_back(thread);
  pthread_setname_np(thread, name.substr(0, 15).c_str());
  return {};
}

void ThreadGroup::join() {
  for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
  threads_.clear();
}

}  // namespace pgveil::net
