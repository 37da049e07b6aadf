// The columns of a policy of the text, with what the database says of them.
import {useState} from "preact/hooks";
import type {DesignPolicy} from "../api.js";
import {readForm} from "../policy-text/form.js";
import {withForm} from "../policy-text/write.js";
import {protectApi} from "../protect/api.js";
import {Trouble, useLoaded, Waiting} from "../ui.js";
import {Board} from "./protect/board.js";

interface Chosen {
  text: string;
  policy: DesignPolicy;
  edit: (text: string) => void;
}

function Columns({text, policy: {name, database, table}, edit}: Chosen) {
  const {value, problem, isBusy} = useLoaded(`columns ${database} ${table}`, () =>
    protectApi.draft(database, table),
  );
  const reading = readForm(text, name);
  if ("reason" in reading)
    return <p class="note">These columns can only be edited as YAML, because {reading.reason}.</p>;
  return (
    <>
      <Waiting isBusy={isBusy} />
      <Trouble problem={problem} />
      {value ? (
        <Board
          form={reading.form}
          columns={value.columns}
          put={form => edit(withForm(text, name, form))}
        />
      ) : null}
    </>
  );
}

/** Asks the database only when somebody opens it: the text may be of a table that is not meant yet. */
export function DesignColumns(chosen: Chosen) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={it => setOpen(it.currentTarget.open)}>
      <summary>Columns of {chosen.policy.table} in {chosen.policy.database}</summary>
      {isOpen ? <Columns {...chosen} /> : null}
    </details>
  );
}
