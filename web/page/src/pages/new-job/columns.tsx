// The columns of the table, one row for each: what is known of it, its class, and what the class needs.
import type {ColumnInfo} from "../../page-jobs-api.js";
import type {Attribute, Class, Generalization} from "../../job/form.js";
import {kClasses} from "../../policy-text/form.js";
import {hintOf} from "../../job/hints.js";
import {HierarchyOf, LevelsOf} from "./hierarchy.js";
import {ModelsOf, MoreModels} from "./models.js";

const kClassNames: Record<Class, string> = {
  identifier: "identifier",
  quasi_identifier: "quasi-identifier",
  sensitive: "sensitive",
  insensitive: "insensitive",
};

function ClassOf({attribute, set}: {attribute: Attribute; set: (change: Partial<Attribute>) => void}) {
  return (
    <select
      aria-label={`Class of ${attribute.name}`}
      value={attribute.class}
      onChange={(it) => set({class: it.currentTarget.value as Class, isChosen: true})}
    >
      {kClasses.map((it) => (
        <option key={it} value={it}>
          {kClassNames[it]}
        </option>
      ))}
    </select>
  );
}

interface Props {
  attribute: Attribute;
  generalization: Generalization;
  set: (change: Partial<Attribute>) => void;
}

const kNotPrivate =
  "Differential privacy publishes no such column. Make it a quasi-identifier, or an identifier.";

function Settings({attribute, generalization, set}: Props) {
  switch (attribute.class) {
    case "quasi_identifier":
      return (
        <HierarchyOf
          column={attribute.name}
          hierarchy={attribute.hierarchy}
          generalization={generalization}
          edit={(hierarchy) => set({hierarchy})}
        />
      );
    case "sensitive":
      return generalization === "fixed" ? (
        <span class="hint">{kNotPrivate}</span>
      ) : (
        <ModelsOf
          column={attribute.name}
          models={attribute}
          makesGroups={generalization === "grouped"}
          set={set}
        />
      );
    case "identifier":
      return <span class="hint">is not published</span>;
    case "insensitive":
      return <span class="hint">{generalization === "fixed" ? kNotPrivate : "is published as it is"}</span>;
  }
}

function More({attribute, set}: Omit<Props, "generalization">) {
  switch (attribute.class) {
    case "quasi_identifier":
      return (
        <LevelsOf
          column={attribute.name}
          hierarchy={attribute.hierarchy}
          edit={(hierarchy) => set({hierarchy})}
        />
      );
    case "sensitive":
      return <MoreModels column={attribute.name} models={attribute} set={set} />;
    case "identifier":
    case "insensitive":
      return null;
  }
}

function Column({attribute, info, rows, generalization, set}: Props & {info: ColumnInfo | undefined; rows: number}) {
  return (
    <tr class={attribute.class}>
      <th scope="row">
        {attribute.name}
        <p class="hint">{info ? hintOf(info, rows) : ""}</p>
      </th>
      <td>
        <ClassOf attribute={attribute} set={set} />
      </td>
      <td>
        <Settings attribute={attribute} generalization={generalization} set={set} />
        {generalization === "fixed" ? null : <More attribute={attribute} set={set} />}
      </td>
    </tr>
  );
}

/** rows: of the table; negative: not known. */
export function Columns({attributes, infos, rows, generalization, edit}: {
  attributes: Attribute[];
  infos: ColumnInfo[];
  rows: number;
  generalization: Generalization;
  edit: (attributes: Attribute[]) => void;
}) {
  return (
    <table class="columns">
      <caption class="hidden">Columns of the table</caption>
      <thead>
        <tr>
          <th scope="col">column</th>
          <th scope="col">class</th>
          <th scope="col">how it is generalized, or what must hold</th>
        </tr>
      </thead>
      <tbody>
        {attributes.map((attribute, at) => (
          <Column
            key={attribute.name}
            attribute={attribute}
            info={infos[at]}
            rows={rows}
            generalization={generalization}
            set={(change) =>
              edit(attributes.map((it, other) => (other === at ? {...attribute, ...change} : it)))
            }
          />
        ))}
      </tbody>
    </table>
  );
}
