#include "daemon/policies/build_progress.hpp"

namespace pgveil::app {

void show_step(ProgressLine& line, const BuildStep& step) {
  if (step.share)
    line.show_share(step.stage, *step.share);
  else
    line.show(step.stage, step.done);
}

}  // namespace pgveil::app
