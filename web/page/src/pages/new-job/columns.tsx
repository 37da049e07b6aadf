// The columns of the table, one row for each: what is known of it, its class, and what the class needs.
import type {ColumnInfo} from "../../page-jobs-api.js";
import type {Attribute, Class} from "../../job/form.js";
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
  makesGroups: boolean;
  set: (change: Partial<Attribute>) => void;
}

function Settings({attribute, makesGroups, set}: Props) {
  switch (attribute.class) {
    case "quasi_identifier":
      return (
        <HierarchyOf
          column={attribute.name}
          hierarchy={attribute.hierarchy}
          makesGroups={makesGroups}
          edit={(hierarchy) => set({hierarchy})}
        />
      );
    case "sensitive":
      return <ModelsOf column={attribute.name} models={attribute} makesGroups={makesGroups} set={set} />;
    case "identifier":
      return <span class="hint">is not published</span>;
    case "insensitive":
      return <span class="hint">is published as it is</span>;
  }
}

function More({attribute, set}: Omit<Props, "makesGroups">) {
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

function Column({attribute, info, rows, makesGroups, set}: Props & {info: ColumnInfo | undefined; rows: number}) {
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
        <Settings attribute={attribute} makesGroups={makesGroups} set={set} />
        <More attribute={attribute} set={set} />
      </td>
    </tr>
  );
}

/** rows: of the table; negative: not known. */
export function Columns({attributes, infos, rows, makesGroups, edit}: {
  attributes: Attribute[];
  infos: ColumnInfo[];
  rows: number;
  makesGroups: boolean;
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
            makesGroups={makesGroups}
            set={(change) =>
              edit(attributes.map((it, other) => (other === at ? {...attribute, ...change} : it)))
            }
          />
        ))}
      </tbody>
    </table>
  );
}
