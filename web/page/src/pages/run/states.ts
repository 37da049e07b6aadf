// How the states of a run look.
import type {Run} from "../../page-jobs-api.js";
import type {Tone} from "../../ui.js";

export const kStateTones: Record<Run["state"], Tone> = {
  running: "info",
  done: "good",
  cancelled: "warn",
  failed: "bad",
};
