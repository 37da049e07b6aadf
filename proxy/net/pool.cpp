#include "proxy/net/pool.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/assert.hpp"

namespace pgveil::net {
namespace {

using session::PoolMode;

std::string mode_name(PoolMode mode) {
  switch (mode) {
    case PoolMode::none: return "none";
    case PoolMode::session: return "session";
    case PoolMode::transaction: return "transaction";
  }
  PGVEIL_ASSERT(false);
}

}  // namespace

// ---- getting a connection

Pools::Pool& Pools::pool_of(const Name& name) {
  const auto found = pools_.find(name);
  if (found != pools_.end()) return found->second;
  Pool& pool = pools_[name];
  pool.settings = rules_(name.second, name.first);
  return pool;
}

bool Pools::paused(const std::string& database) const {
  return is_closed_ || paused_.contains("") || paused_.contains(database);
}

// The reserve is for sessions that have waited.
std::size_t Pools::limit(const Pool& pool, Clock::time_point now) {
  const PoolSettings& settings = pool.settings;
  if (settings.mode == PoolMode::none) return std::numeric_limits<std::size_t>::max();
  const bool has_waited =
      !pool.waiting.empty() && now - pool.waiting.front()->since >= settings.reserve_after;
  return settings.size + (has_waited ? settings.reserve_size : 0);
}

bool Pools::is_worn(const BackendConnection& connection, const Pool& pool, Clock::time_point now) const {
  const auto reconnected = [&](const std::string& database) {
    const auto found = reconnected_.find(database);
    return found != reconnected_.end() && connection.generation < found->second;
  };
  return reconnected("") || reconnected(connection.lender.database) ||
         now - connection.opened_at >= pool.settings.server_lifetime;
}

std::unique_ptr<PoolSlot> Pools::take_slot(const Name& name, Pool& pool) {
  ++pool.open;
  return std::make_unique<PoolSlot>([this, name] { release_slot(name); });
}

void Pools::release_slot(const Name& name) {
  Afterwards afterwards;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = pools_.find(name);
    PGVEIL_ASSERT(found != pools_.end() && found->second.open > 0);
    --found->second.open;
    serve(name, found->second, afterwards);
    if (found->second.open == 0 && found->second.waiting.empty()) pools_.erase(found);
  }
  changed_.notify_all();
  finish(std::move(afterwards));
}

BackendPtr Pools::take_idle(Pool& pool, const Waiter& waiter, Afterwards& afterwards) {
  const auto now = Clock::now();
  const auto fits = [&](const BackendPtr& each) { return each->lender == waiter.lender; };
  const auto is_near = [&](const BackendPtr& each) {
    return fits(each) && each->link.socket().get_executor() == waiter.executor;
  };
  for (;;) {
    auto found = std::find_if(pool.idle.rbegin(), pool.idle.rend(), is_near);
    if (found == pool.idle.rend()) found = std::find_if(pool.idle.rbegin(), pool.idle.rend(), fits);
    if (found == pool.idle.rend()) return nullptr;
    BackendPtr connection = std::move(*found);
    pool.idle.erase(std::next(found).base());
    if (!is_worn(*connection, pool, now) && is_quiet(*connection)) return connection;
    afterwards.closing.push_back(std::move(connection));
  }
}

Pools::Grant Pools::grant_for(const Name& name, Pool& pool, const Waiter& waiter, Afterwards& afterwards) {
  if (paused(name.first)) return {};
  if (!waiter.must_be_new) {
    if (BackendPtr idle = take_idle(pool, waiter, afterwards)) return idle;
  }
  if (pool.open < limit(pool, Clock::now())) return take_slot(name, pool);
  if (pool.idle.empty()) return {};
  BackendPtr oldest = std::move(pool.idle.front());  // it has other settings, or the client can't use it
  pool.idle.pop_front();
  std::unique_ptr<PoolSlot> slot = std::move(oldest->slot);
  afterwards.closing.push_back(std::move(oldest));
  return slot;
}

void Pools::serve(const Name& name, Pool& pool, Afterwards& afterwards) {
  while (!pool.waiting.empty()) {
    const WaiterPtr first = pool.waiting.front();
    Grant grant = grant_for(name, pool, *first, afterwards);
    if (std::holds_alternative<std::monostate>(grant)) return;
    first->grant = std::move(grant);
    afterwards.waking.push_back(first->wake);
    pool.waiting.pop_front();
  }
}

void Pools::finish(Afterwards afterwards) {
  for (const auto& connection : afterwards.closing) connection->link.close();
  afterwards.closing.clear();
  for (const auto& wake : afterwards.waking) wake();
}

Pools::WaiterPtr Pools::ask(session::Lender lender, bool must_be_new, const Executor& executor,
                            std::function<void()> wake) {
  const Name name(lender.database, lender.role);
  const auto waiter = std::make_shared<Waiter>(
      Waiter{std::move(lender), must_be_new, executor, std::move(wake), Clock::now(), {}});
  Afterwards afterwards;
  {
    const std::scoped_lock lock(mutex_);
    Pool& pool = pool_of(name);
    if (pool.waiting.empty()) waiter->grant = grant_for(name, pool, *waiter, afterwards);
    if (std::holds_alternative<std::monostate>(waiter->grant)) pool.waiting.push_back(waiter);
  }
  finish(std::move(afterwards));
  return waiter;
}

Pools::Grant Pools::take_grant(const WaiterPtr& waiter) {
  const std::scoped_lock lock(mutex_);
  return std::exchange(waiter->grant, {});
}

void Pools::abandon(const WaiterPtr& waiter) {
  Grant unused;
  {
    const std::scoped_lock lock(mutex_);
    unused = std::exchange(waiter->grant, {});
    const Name name(waiter->lender.database, waiter->lender.role);
    if (const auto found = pools_.find(name); found != pools_.end()) {
      Pool& pool = found->second;
      std::erase(pool.waiting, waiter);
      if (pool.open == 0 && pool.waiting.empty()) pools_.erase(found);
    }
  }
  if (auto* connection = std::get_if<BackendPtr>(&unused)) give_back(std::move(*connection));
}

// ---- giving it back

void Pools::put_idle(BackendPtr connection, Pool& pool, Afterwards& afterwards) {
  const auto now = Clock::now();
  const bool is_wanted = !paused(connection->lender.database) && !is_worn(*connection, pool, now) &&
                         (pool.open <= pool.settings.size || !pool.waiting.empty());
  if (!is_wanted) return afterwards.closing.push_back(std::move(connection));
  connection->idle_since = now;
  pool.idle.push_back(std::move(connection));
}

void Pools::give_back(BackendPtr connection) {
  const Name name(connection->lender.database, connection->lender.role);
  Afterwards afterwards;
  {
    const std::scoped_lock lock(mutex_);
    Pool& pool = pools_.at(name);  // its slot keeps the pool in the map
    put_idle(std::move(connection), pool, afterwards);
    serve(name, pool, afterwards);
  }
  finish(std::move(afterwards));
}

void Pools::note(const BackendConnection& connection, Cleaning cleaning) {
  const std::scoped_lock lock(mutex_);
  Pool& pool = pools_.at({connection.lender.database, connection.lender.role});
  cleaning == Cleaning::begins ? ++pool.cleaning : --pool.cleaning;
}

// ---- operators

void Pools::pause(const std::string& database) {
  Afterwards afterwards;
  {
    const std::scoped_lock lock(mutex_);
    paused_.insert(database);
    for (auto& [name, pool] : pools_) {
      if (!paused(name.first)) continue;
      std::ranges::move(pool.idle, std::back_inserter(afterwards.closing));
      pool.idle.clear();
    }
  }
  finish(std::move(afterwards));
}

bool Pools::wait_for_pause(const std::string& database) {
  std::unique_lock lock(mutex_);
  const auto is_over = [&] { return is_closed_ || !paused_.contains(database); };
  const auto is_empty = [&] {
    return std::ranges::all_of(pools_, [&](const auto& each) {
      return (!database.empty() && each.first.first != database) || each.second.open == 0;
    });
  };
  changed_.wait(lock, [&] { return is_over() || is_empty(); });
  return !is_over();
}

bool Pools::resume(const std::string& database) {
  Afterwards afterwards;
  bool was_paused = false;
  {
    const std::scoped_lock lock(mutex_);
    was_paused = database.empty() ? !paused_.empty() : paused_.contains(database);
    database.empty() ? paused_.clear() : static_cast<void>(paused_.erase(database));
    for (auto& [name, pool] : pools_) serve(name, pool, afterwards);
  }
  changed_.notify_all();
  finish(std::move(afterwards));
  return was_paused;
}

void Pools::reconnect(const std::string& database) {
  Afterwards afterwards;
  {
    const std::scoped_lock lock(mutex_);
    reconnected_[database] = ++generation_;
    for (auto& [name, pool] : pools_) {
      if (!database.empty() && name.first != database) continue;
      std::ranges::move(pool.idle, std::back_inserter(afterwards.closing));
      pool.idle.clear();
    }
  }
  finish(std::move(afterwards));
}

std::string Pools::mode_of(const std::string& role, const std::string& database) const {
  return mode_name(rules_(role, database).mode);
}

bool Pools::is_paused(const std::string& database) const {
  const std::scoped_lock lock(mutex_);
  return paused(database);
}

std::vector<console::PoolInfo> Pools::pools() const {
  std::vector<console::PoolInfo> out;
  const std::scoped_lock lock(mutex_);
  const auto now = Clock::now();
  for (const auto& [name, pool] : pools_) {
    console::PoolInfo info;
    info.database = name.first;
    info.role = name.second;
    info.mode = mode_name(pool.settings.mode);
    info.open = pool.open;
    info.idle = pool.idle.size();
    info.cleaning = pool.cleaning;
    info.waiting = pool.waiting.size();
    info.size = pool.settings.size;
    info.reserve_size = pool.settings.reserve_size;
    info.is_paused = paused(name.first);
    if (!pool.waiting.empty()) {
      const auto waited = now - pool.waiting.front()->since;
      info.longest_wait_us = std::chrono::duration_cast<std::chrono::microseconds>(waited).count();
    }
    out.push_back(std::move(info));
  }
  return out;
}

std::vector<console::IdleServer> Pools::idle_servers() const {
  std::vector<console::IdleServer> out;
  const std::scoped_lock lock(mutex_);
  for (const auto& [name, pool] : pools_) {
    for (const auto& each : pool.idle) {
      console::IdleServer info;
      info.connection = each->facts;
      info.database = name.first;
      info.role = name.second;
      info.pid = each->state->pid;
      info.prepared_statements = each->state->statements.size();
      out.push_back(std::move(info));
    }
  }
  return out;
}

// ---- time

void Pools::sweep() {
  Afterwards afterwards;
  {
    const std::scoped_lock lock(mutex_);
    const auto now = Clock::now();
    for (auto& [name, pool] : pools_) {
      std::deque<BackendPtr> kept;
      for (auto& each : pool.idle) {
        const bool is_old =
            is_worn(*each, pool, now) || now - each->idle_since >= pool.settings.server_idle_timeout;
        if (is_old || !is_quiet(*each)) {
          afterwards.closing.push_back(std::move(each));
        } else {
          kept.push_back(std::move(each));
        }
      }
      pool.idle = std::move(kept);
      serve(name, pool, afterwards);
    }
  }
  finish(std::move(afterwards));
}

void Pools::close() {
  Afterwards afterwards;
  {
    const std::scoped_lock lock(mutex_);
    is_closed_ = true;
    for (auto& [name, pool] : pools_) {
      std::ranges::move(pool.idle, std::back_inserter(afterwards.closing));
      pool.idle.clear();
      pool.waiting.clear();
    }
  }
  changed_.notify_all();
  finish(std::move(afterwards));
}

}  // namespace pgveil::net
