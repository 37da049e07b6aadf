// Shortcuts of the keyboard, as a function from one key to the next state and what is to be done.
import type {Entry, PageName} from "./menu.js";

export type KeyAction =
  {kind: "open"; page: PageName} | {kind: "palette"} | {kind: "help"} | {kind: "nothing"};

export interface Keys {
  /** g was pressed at that time; null: it was not. */
  since: number | null;
}

export interface Press {
  key: string;
  hasControl: boolean;
  hasAlt: boolean;
  /** What is typed goes into a field, or a dialog is open. */
  isTyping: boolean;
  /** Milliseconds. */
  at: number;
}

const kPatience = 1500;

export const kNoKeys: Keys = {since: null};

/** Single characters do something only where arePlain is on: speech input types them by accident. */
export function press(keys: Keys, it: Press, entries: Entry[], arePlain: boolean): [Keys, KeyAction] {
  if (it.hasControl && !it.hasAlt && it.key.toLowerCase() === "k") return [kNoKeys, {kind: "palette"}];
  if (it.isTyping || it.hasControl || it.hasAlt || !arePlain) return [kNoKeys, {kind: "nothing"}];
  if (keys.since !== null && it.at - keys.since <= kPatience) {
    const entry = entries.find(one => one.key === it.key.toLowerCase());
    if (entry) return [kNoKeys, {kind: "open", page: entry.page}];
  }
  if (it.key === "g") return [{since: it.at}, {kind: "nothing"}];
  if (it.key === "?") return [kNoKeys, {kind: "help"}];
  return [kNoKeys, {kind: "nothing"}];
}
