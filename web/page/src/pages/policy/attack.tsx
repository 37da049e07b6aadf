// What readers can compute or guess of the cells that this version hides.
import {useState} from "preact/hooks";
import {api, type AttackColumn, type Attacker, type AttackReport} from "../../api.js";
import {saveText} from "../../download.js";
import {count, percent} from "../../ui/format.js";
import {Badge, Button, Card, Trouble, useAction} from "../../ui.js";

/** The one whose guesses are the best founded of those who have no data beside the answers. */
const kGuesser = 1;

function Certain({report}: {report: AttackReport}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="What is certain">
      <table>
        <caption>Hidden cells that can be computed</caption>
        <thead>
          <tr>
            <th scope="col">attacker</th>
            <th scope="col">has</th>
            <th scope="col" class="number">hidden</th>
            <th scope="col" class="number">claimed</th>
            <th scope="col" class="number">true</th>
          </tr>
        </thead>
        <tbody>
          {report.attackers.map(it => (
            <tr key={it.attacker}>
              <th scope="row">{it.attacker}</th>
              <td>{it.has}</td>
              <td class="number">{count(it.hidden)}</td>
              <td class="number">{count(it.claimed)}</td>
              <td class="number">{count(it.true)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const share = (part: number | undefined, whole: number) =>
  part === undefined ? "not tried" : whole === 0 ? "" : percent(part / whole);

function Guesses({attacker}: {attacker: Attacker}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Guesses">
      <table>
        <caption>Guesses of a {attacker.attacker}, as shares of all hidden cells</caption>
        <thead>
          <tr>
            <th scope="col">column</th>
            <th scope="col" class="number">hidden</th>
            <th scope="col" class="number">right by the most frequent value</th>
            <th scope="col" class="number">right with the tree</th>
          </tr>
        </thead>
        <tbody>
          {attacker.columns.map((it: AttackColumn) => (
            <tr key={it.column}>
              <th scope="row">{it.column}</th>
              <td class="number">{count(it.hidden)}</td>
              <td class="number">{share(it.prior_right, it.hidden)}</td>
              <td class="number">{share(it.guessed_right, it.hidden)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Persons({persons}: {persons: NonNullable<AttackReport["known_persons"]>}) {
  const columns = persons.known_columns.join(", ");
  if (persons.persons === undefined) {
    return (
      <p>
        Persons whose {columns} are known were not tried, because there are too many ways to look at.
      </p>
    );
  }
  return (
    <p>
      Somebody who knows {columns} of every person: {count(persons.unique ?? 0)} of{" "}
      {count(persons.persons)} persons are alone with these values. At least {count(persons.fewest_rows ?? 0)} rows can be those of a
      person. The class of {count(persons.in_one_class ?? 0)} persons is certain, and{" "}
      {count(persons.claimed ?? 0)} of their other {count(persons.unknown_cells ?? 0)} cells follow.
    </p>
  );
}

function Report({report}: {report: AttackReport}) {
  const guesser = report.attackers[kGuesser];
  return (
    <div class="stack">
      <p>
        {report.is_anything_computable ? (
          <Badge tone="bad">A reader can compute something that is hidden</Badge>
        ) : (
          <Badge tone="good">The attacks that were tried compute nothing</Badge>
        )}
      </p>
      <Certain report={report} />
      {guesser ? <Guesses attacker={guesser} /> : null}
      {report.known_persons ? <Persons persons={report.known_persons} /> : null}
      {report.together ? (
        <p>
          Readers of {report.together.policies.join(", ")} together:{" "}
          {count(report.together.small_classes)} joint classes have fewer than {count(report.together.required)} units.
        </p>
      ) : null}
      <h3>Not tried</h3>
      <ul>
        {report.not_tried.map(it => (
          <li key={it}>{it}</li>
        ))}
      </ul>
    </div>
  );
}

/** columns: the quasi-identifiers, of which an attacker may know some. */
export function Attack({policy, columns}: {policy: string; columns: readonly string[]}) {
  const [known, setKnown] = useState<readonly string[]>([]);
  const [found, setFound] = useState<{report: AttackReport; known: readonly string[]} | null>(null);
  const attack = useAction(async () => {
    setFound(null);
    setFound({report: await api.attack(policy, known), known});
  });
  const save = useAction(async () => {
    if (found) saveText(`${policy}-attack.html`, await api.attackPage(policy, found.known));
  });
  const turn = (name: string, isKnown: boolean) =>
    setKnown(columns.filter(it => (it === name ? isKnown : known.includes(it))));
  return (
    <Card
      title="What an attacker learns"
      actions={
        <>
          {found ? <Button isBusy={save.isBusy} onClick={save.run}>Save the report</Button> : null}
          <Button kind="primary" isBusy={attack.isBusy} onClick={attack.run}>Attack this version</Button>
        </>
      }
    >
      <p class="hint">
        This attacks the version as a reader could, and compares each claim with the table. The report has
        counts and names of columns, and no value.
      </p>
      <fieldset>
        <legend>Columns that an attacker also knows of every person</legend>
        {columns.map(it => (
          <label key={it}>
            <input
              type="checkbox"
              checked={known.includes(it)}
              onChange={event => turn(it, event.currentTarget.checked)}
            />{" "}
            {it}
          </label>
        ))}
      </fieldset>
      <Trouble problem={attack.problem ?? save.problem} />
      <div role="status">{found ? <Report report={found.report} /> : null}</div>
    </Card>
  );
}
