#pragma once
// A visitor made of lambdas, one per alternative.

namespace pgveil::engine {

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

}  // namespace pgveil::engine
