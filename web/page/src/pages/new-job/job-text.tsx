// The text that the form has become, to read and to keep.
import {saveText} from "../../download.js";
import type {JobForm} from "../../job/form.js";
import {tablesOf, yamlOf} from "../../job/text.js";

export function JobsText({form}: {form: JobForm}) {
  const tables = Object.entries(tablesOf(form));
  return (
    <details>
      <summary>The job's text</summary>
      <pre tabIndex={0}>{yamlOf(form)}</pre>
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
