// Coarser values that can be chosen by clicking (docs/policy-language.md, "Levels"), and how they look.
import type {Level} from "./form.js";

export interface Support {
  choices: Level[];
  /** Coarser values may take the place of the exact ones; if not, they need a column of their own. */
  isInPlace: boolean;
  /** Why there is no choice, as a sentence; null: there are some. */
  reason: string | null;
}

const width = (of: number): Level => ({kind: "width", width: of, column: null});
const period = (of: "day" | "week" | "month" | "quarter" | "year" | "decade"): Level =>
  ({kind: "period", period: of, column: null});
const prefix = (of: number): Level => ({kind: "prefix", length: of, column: null});

const kNone = {choices: [], isInPlace: false};

/** type: as PostgreSQL's format_type writes it. */
export function levelsFor(type: string): Support {
  const base = type.replace(/\(.*?\)/, "").trim();
  const whole = [5, 10, 20, 50, 100, 1000].map(width);
  switch (base) {
    case "integer":
    case "bigint":
      return {choices: whole, isInPlace: true, reason: null};
    case "smallint":
      return {choices: whole, isInPlace: false, reason: null};
    case "numeric":
      return {choices: whole, isInPlace: !type.includes("("), reason: null};
    case "date":
      return {
        choices: [period("month"), period("quarter"), period("year"), period("decade")],
        isInPlace: true,
        reason: null,
      };
    case "timestamp without time zone":
    case "timestamp with time zone":
    case "timestamp":
    case "timestamptz":
      return {
        choices: [period("day"), period("month"), period("quarter"), period("year"), period("decade")],
        isInPlace: false,
        reason: null,
      };
    case "text":
    case "character varying":
    case "varchar":
      return {choices: [1, 2, 3, 4, 5].map(prefix), isInPlace: true, reason: null};
    case "real":
    case "double precision":
      return {...kNone, reason: "Columns of floating-point numbers have no levels. Make the column numeric."};
    default:
      return {...kNone, reason: `Columns of type ${type} have no levels that can be chosen here.`};
  }
}

/** On the button: "decade", "width 10", "first 3 characters". */
export function levelName(level: Level): string {
  switch (level.kind) {
    case "width":
      return `steps of ${level.width}`;
    case "period":
      return level.period;
    case "prefix":
      return level.length === 1 ? "first character" : `first ${level.length} characters`;
    case "other":
      return level.text;
  }
}

const kLabels = {
  day: "1987-05-04",
  week: "1987-W19",
  month: "1987-05",
  quarter: "1987-Q2",
  year: "1987",
  decade: "1980s",
};

const kStarts = {
  day: "1987-05-04",
  week: "1987-05-04",
  month: "1987-05-01",
  quarter: "1987-04-01",
  year: "1987-01-01",
  decade: "1980-01-01",
};

/** An exact value of nobody, and what is shown of it; null: that can't be told. */
export function exampleOf(level: Level): [exact: string, shown: string] | null {
  switch (level.kind) {
    case "width": {
      const exact = Math.floor(level.width * 3.7);
      const start = Math.floor(exact / level.width) * level.width;
      const shown = level.column === null ? String(start) : `[${start},${start + level.width})`;
      return [String(exact), shown];
    }
    case "period":
      return ["1987-05-04", level.column === null ? kStarts[level.period] : kLabels[level.period]];
    case "prefix":
      return ["Hamburg", `${"Hamburg".slice(0, level.length)}*`];
    case "other":
      return null;
  }
}

export const isSameLevel = (a: Level, b: Level) =>
  JSON.stringify({...a, column: null}) === JSON.stringify({...b, column: null});

/** The levels after a click on one: it is chosen, or no more. */
export function toggled(levels: readonly Level[], choice: Level, column: string | null): Level[] {
  const isThere = levels.some(it => isSameLevel(it, choice));
  if (isThere) return levels.filter(it => !isSameLevel(it, choice));
  return [choice.kind === "other" ? choice : {...choice, column}];
}

/** A statement that adds the column of a level, which readers see and nobody fills. */
export function columnStatement(table: [string, string], column: string): string {
  const quoted = (name: string) =>
    /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
  return `ALTER TABLE ${table.map(quoted).join(".")} ADD COLUMN ${quoted(column)} text;`;
}
