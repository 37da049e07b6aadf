// What can come between Apply and the first answer.
import {ApiError, type PolicyNow} from "../api.js";
import type {FileNow} from "./api.js";

export interface FileConflictNow {
  /** Null: the file is gone. */
  now: FileNow | null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Another file than the one that was looked at; null: the error is something else. */
export function fileConflictOf(thrown: unknown): FileConflictNow | null {
  if (!(thrown instanceof ApiError) || thrown.problem.status !== 409) return null;
  const body = thrown.body;
  if (!isRecord(body) || !("now" in body)) return null;
  const now = body["now"];
  if (!isRecord(now)) return {now: null};
  const [name, tag, yaml] = [now["name"], now["tag"], now["yaml"]];
  return typeof name === "string" && typeof tag === "string" && typeof yaml === "string"
    ? {now: {name, tag, yaml}}
    : null;
}

/** Somebody built or loaded another state of the policy; null: the error is something else. */
export function policyConflictOf(thrown: unknown): PolicyNow | null {
  return thrown instanceof ApiError ? thrown.problem.now ?? null : null;
}

/** The request may have arrived, but no answer did. */
export const isLost = (thrown: unknown) => thrown instanceof ApiError && thrown.problem.status === 0;

/** What is to be done with a policy, by its state as the server tells it. */
export type Next = "nothing" | "wait" | "build";

export function nextFor(state: PolicyNow): Next {
  if (state.building !== null) return "wait";
  return state.number > 0 && state.closed_because === null ? "nothing" : "build";
}
