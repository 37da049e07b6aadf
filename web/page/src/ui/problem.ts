import {ApiError, type Problem} from "../api.js";

export function problemFrom(thrown: unknown): Problem {
  if (thrown instanceof ApiError) return thrown.problem;
  return {status: 0, message: "this page has failed", hint: "reload the page"};
}
