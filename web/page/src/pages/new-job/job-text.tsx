// The text that the form has become, to read and to keep.
import {saveText} from "../../download.js";
import type {JobForm} from "../../job/form.js";
import {sparkCommand, sparkOf} from "../../job/spark.js";
import {tablesOf, yamlOf} from "../../job/text.js";

export function JobsText({form}: {form: JobForm}) {
  const plan = sparkOf(form);
  const tables = Object.entries(tablesOf(form));
  return (
    <details>
      <summary>The job's text</summary>
      <pre tabIndex={0}>{yamlOf(form)}</pre>
      {plan ? (
        <>
          <p class="hint">
            The same elsewhere, with a cluster of your own (docs/spark.md); of a table of a database also
            --url and --user:
          </p>
          <pre tabIndex={0}>{sparkCommand(plan, `${form.name}.yaml`)}</pre>
        </>
      ) : null}
      {tables.length > 0 ? (
        <p class="actions">
          Files that it needs beside it:
          {tables.map(([name, text]) => (
            <button key={name} type="button" onClick={() => saveText(name, text)}>
              Save {name}
            </button>
          ))}
        </p>
      ) : null}
    </details>
  );
}
