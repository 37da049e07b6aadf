import assert from "node:assert/strict";
import {test} from "node:test";
import {
  editedFrom,
  fileNameOf,
  hasPlace,
  mistakeWords,
  textOf,
  uploadsOfText,
  withFile,
  withoutFile,
  withYaml,
  type EditedText,
} from "../src/job/edited.js";
import {kNewForm, type JobForm} from "../src/job/form.js";
import {keepText, keptText, type Store} from "../src/job/kept-text.js";
import {attributeOf} from "../src/job/suggestions.js";
import {yamlOf} from "../src/job/text.js";

const form = (more: Partial<JobForm> = {}): JobForm => ({
  ...kNewForm,
  file: {id: "u1", name: "people.csv", separator: ","},
  attributes: [
    {
      ...attributeOf(
        {name: "town", distinct: 2, empty: 0, kind: "text", values: ["a", "b"], hints: []},
        100,
        "",
      ),
      class: "quasi_identifier",
    },
  ],
  ...more,
});
const begun = editedFrom(form(), {"levels_1.csv": "u2"});

test("the text begins as the form's, with its files", () => {
  assert.deepEqual(begun, {
    yaml: yamlOf(form()),
    files: {"people.csv": "u1", "levels_1.csv": "u2"},
    isTouched: false,
  });
});

test("what was edited is what is run, and is lost by going back", () => {
  const changed = withYaml(begun, "version: 1\n");
  assert.equal(changed.isTouched, true);
  assert.deepEqual(textOf(changed), {yaml: "version: 1\n", files: begun.files});
  for (const it of [withFile(begun, "more.csv", "u3"), withoutFile(begun, "people.csv")])
    assert.equal(it.isTouched, true);
  assert.equal(begun.isTouched, false);
});

test("files have the names that the text gives them, one upload each", () => {
  assert.deepEqual(withFile(begun, "more.csv", "u3").files, {...begun.files, "more.csv": "u3"});
  assert.equal(withFile(begun, "people.csv", "u3").files["people.csv"], "u3");
  assert.deepEqual(withoutFile(begun, "levels_1.csv").files, {"people.csv": "u1"});
  assert.deepEqual(
    Object.entries(withFile(begun, "__proto__", "u3").files).find(([name]) => name === "__proto__"),
    ["__proto__", "u3"],
  );
});

test("uploads of the form outlive the text, its own do not", () => {
  assert.deepEqual(uploadsOfText(withFile(begun, "more.csv", "u3"), form()), ["u2", "u3"]);
  const brought = form();
  brought.attributes[0]!.hierarchy = {
    ...brought.attributes[0]!.hierarchy,
    kind: "file",
    upload: {id: "u4", name: "town.csv", separator: ";"},
  };
  assert.deepEqual(uploadsOfText(editedFrom(brought, {}), brought), []);
});

test("its file is called as the job", () => {
  assert.equal(fileNameOf(begun.yaml), "my_job.yaml");
  for (const line of ["name: other", "name: 'other'  # mine", 'name: "other"'])
    assert.equal(fileNameOf(`version: 1\n${line}\nk: 2`), "other.yaml", line);
  for (const text of ["", "name: ../x", "  name: inner", 'name: "other'])
    assert.equal(fileNameOf(text), "job.yaml", text);
});

test("a mistake is told with its place, if it has one", () => {
  const mistake = {line: 3, column: 5, message: "unknown key", hint: ""};
  assert.equal(mistakeWords(mistake), "Line 3, column 5: unknown key");
  assert.equal(mistakeWords({...mistake, line: 1, column: 1, hint: "upload it"}), "unknown key (upload it)");
  assert.deepEqual(
    [
      [1, 1],
      [1, 2],
      [2, 1],
    ].map(([line = 0, column = 0]) => hasPlace({line, column})),
    [false, true, true],
  );
});

function storeWith(value: string | null = null): Store & {value: string | null} {
  return {
    value,
    getItem() { return this.value; },
    setItem(_, text) { this.value = text; },
    removeItem() { this.value = null; },
  };
}

test("a reload finds the text again, for the role that wrote it", () => {
  const store = storeWith();
  const edited: EditedText = withFile(withYaml(begun, "k: 2"), "__proto__", "u3");
  keepText(store, {role: "operator", edited});
  assert.deepEqual(keptText(store, "operator"), edited);
  assert.equal(keptText(store, "somebody"), null);
  assert.equal(store.value, null, "another's text is forgotten");
  keepText(store, {role: "operator", edited});
  keepText(store, null);
  assert.equal(store.value, null);
  assert.equal(keptText(store, "operator"), null);
});

test("a text that an earlier release kept is read without its choice of a cluster", () => {
  const plan = {workers: 2, sample: 10, partition_by: "quantiles"};
  for (const spark of [plan, null, {workers: "8"}, 7]) {
    const kept = {yaml: "k: 2", files: {"people.csv": "u1"}, isOnSpark: true, spark, isTouched: true};
    const read = keptText(storeWith(JSON.stringify({role: "operator", edited: kept})), "operator");
    assert.deepEqual(read, {yaml: "k: 2", files: {"people.csv": "u1"}, isTouched: true});
    assert.deepEqual(textOf(read!), {yaml: "k: 2", files: {"people.csv": "u1"}}, "nor is it sent");
  }
});

test("what the browser kept is not trusted, and one that keeps nothing is none the worse", () => {
  for (const text of [
    "",
    "{",
    "[]",
    "7",
    '{"role":"operator"}',
    '{"role":"operator","edited":{"yaml":7,"files":{}}}',
    '{"role":"operator","edited":{"yaml":"a"}}',
  ])
    assert.equal(keptText(storeWith(text), "operator"), null, text);
  const odd = storeWith(
    JSON.stringify({role: "operator", edited: {yaml: "a", files: {one: "u1", two: 2}}}),
  );
  assert.deepEqual(keptText(odd, "operator"), {yaml: "a", files: {one: "u1"}, isTouched: true});
  const full: Store = {
    ...storeWith(),
    getItem() {
      throw new Error("no");
    },
    setItem() {
      throw new Error("full");
    },
  };
  for (const store of [full, null]) {
    keepText(store, {role: "operator", edited: begun});
    assert.equal(keptText(store, "operator"), null);
  }
});
