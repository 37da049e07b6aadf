// A job over an uploaded table or, for whom the configuration lists, over a table of a database: a form that
// becomes the text which `pgveil anonymize` reads, or that text, edited.
import {useEffect, useRef, useState} from "preact/hooks";
import {editedFrom, uploadsOfText, type EditedText} from "../job/edited.js";
import {formDraft, kNewDraft, type Draft} from "../job/draft.js";
import type {JobForm} from "../job/form.js";
import {keepText, keptText, tabStore} from "../job/kept-text.js";
import {FormOfJob} from "./new-job/form.js";
import {dropUploads, uploadedTables} from "./new-job/form-tables.js";
import {TextEditor} from "./new-job/text-editor.js";
import {PageHeader} from "../ui.js";

/** What was left here, or the text that a reload has left. */
function begun(role: string): Draft {
  const draft = formDraft.read();
  return draft.edited ? draft : {...draft, edited: keptText(tabStore(), role)};
}

export function NewJob({role, mayUseTables}: {role: string; mayUseTables: boolean}) {
  const [draft, setDraft] = useState(() => begun(role));
  const hasTurned = useRef(false);
  const {form, edited} = draft;
  useEffect(() => {
    formDraft.write(draft);
    keepText(tabStore(), draft.edited ? {role, edited: draft.edited} : null);
  }, [draft]);
  const turn = (to: EditedText | null) => {
    hasTurned.current = true;
    setDraft((was) => ({...was, edited: to}));
  };
  const toText = async (of: JobForm) => turn(editedFrom(of, await uploadedTables(of)));
  const toForm = () => {
    if (edited) dropUploads(uploadsOfText(edited, form));
    turn(null);
  };
  const dropOfText = (id: string) => {
    if (edited && uploadsOfText(edited, form).includes(id)) dropUploads([id]);
  };
  return (
    <section>
      <PageHeader
        title="Set up a job"
        crumbs={[{title: "Jobs", href: "#/jobs"}]}
        lead="Bring a table as delimited text with a header (CSV in UTF-8, 64 MiB at most). Only you can use it, and it is removed after an hour without use. No column is published unless you say so."
      />
      {edited ? (
        <TextEditor
          edited={edited}
          isFormEmpty={!form.file && !form.table}
          mayUseTables={mayUseTables}
          takesFocus={hasTurned.current}
          dropFile={dropOfText}
          onBack={toForm}
          edit={(change) => setDraft((was) => (was.edited ? {...was, edited: change(was.edited)} : was))}
        />
      ) : (
        <FormOfJob
          draft={draft}
          mayUseTables={mayUseTables}
          takesFocus={hasTurned.current}
          change={setDraft}
          clear={() => setDraft(kNewDraft)}
          onEdit={toText}
        />
      )}
    </section>
  );
}
