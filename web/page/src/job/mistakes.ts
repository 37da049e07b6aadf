// What is wrong with a form, as far as it can be told without asking pgveil.
import {privacyMistake} from "./differential-privacy.js";
import {generalizationOf, isOfGroups, type Attribute, type JobForm} from "./form.js";
import {tableMistake} from "./levels.js";
import {modelsMistake, notOfGroups} from "./models.js";
import {numbers, tablesOf} from "./text.js";

const isNumber = (text: string) => /^\d+(\.\d+)?$/.test(text);

/** Of all files that the text will name. */
function namesOf(form: JobForm): string[] {
  const brought = form.attributes.flatMap(({class: own, hierarchy}) =>
    own === "quasi_identifier" && hierarchy.kind === "file" && hierarchy.upload
      ? [hierarchy.upload.name]
      : [],
  );
  return [...(form.file ? [form.file.name] : []), ...brought, ...Object.keys(tablesOf(form))];
}

function sensitiveMistake(attribute: Attribute, makesGroups: boolean): string | null {
  const mistake = modelsMistake(attribute);
  if (mistake !== null) return `${attribute.name}: ${mistake}.`;
  const others = makesGroups ? notOfGroups(attribute) : [];
  if (others.length === 0) return null;
  return `${attribute.name}: an algorithm that makes groups can't keep ${others.join(", ")}. Leave ${others.length > 1 ? "them" : "it"} empty, or choose an algorithm that searches levels, such as flash.`;
}

/** Two parts of a table can keep a delta each by itself, and break it together. */
function recodingMistake({attributes, algorithm, localRecoding}: JobForm): string | null {
  if (isOfGroups(algorithm) || localRecoding === 0) return null;
  const broken = attributes.find(it => it.class === "sensitive" && it.delta !== "");
  return broken
    ? `${broken.name}: delta-disclosure can't be kept with further transformations for suppressed records. Leave one of them out.`
    : null;
}

/** Groups show ranges of numbers: widths are not asked for. */
function hierarchyMistake({name, hierarchy}: Attribute, makesGroups: boolean): string | null {
  switch (hierarchy.kind) {
    case "intervals": {
      const widths = numbers(hierarchy.widths);
      return makesGroups || (widths.length > 0 && widths.every(isNumber))
        ? null
        : `${name}: intervals need widths, numbers with commas between them.`;
    }
    case "dates":
      return hierarchy.steps.length > 0 ? null : `${name}: choose at least one step of dates.`;
    case "file":
      return hierarchy.upload ? null : `${name}: upload its hierarchy, or choose another kind.`;
    case "table": {
      if (hierarchy.rows.length === 0) return `${name} has too many values for a table.`;
      const mistake = tableMistake(hierarchy.rows);
      return mistake ? `${name}: ${mistake}.` : null;
    }
    case "masking":
    case "hide":
      return null;
  }
}

function attributeMistake(attribute: Attribute, makesGroups: boolean): string | null {
  switch (attribute.class) {
    case "quasi_identifier":
      return hierarchyMistake(attribute, makesGroups);
    case "sensitive":
      return sensitiveMistake(attribute, makesGroups);
    case "identifier":
    case "insensitive":
      return null;
  }
}

/** Null: nothing is wrong. */
export function formMistake(form: JobForm): string | null {
  if (!form.file && !form.table) return "Upload a table first.";
  if (form.target !== "" && !/^[^.]+\.[^.]+$/.test(form.target))
    return "The table to publish to is written schema.table.";
  const names = namesOf(form);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `Two files are called ${twice}: rename one, and upload it again.`;
  if (!form.attributes.some(it => it.class === "quasi_identifier"))
    return "No column is a quasi-identifier: without one there is nothing to generalize.";
  const makesGroups = isOfGroups(form.algorithm);
  if (generalizationOf(form) === "fixed") return privacyMistake(form, makesGroups, form.attributes);
  for (const attribute of form.attributes) {
    const mistake = attributeMistake(attribute, makesGroups);
    if (mistake) return mistake;
  }
  return recodingMistake(form);
}
