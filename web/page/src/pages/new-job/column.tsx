// One column of the table: what is known of it, its class, and what the class needs.
import type {ColumnInfo} from "../../page-jobs-api.js";
import {kClasses, type Attribute, type Class} from "../../job/form.js";
import {hintOf} from "../../job/hints.js";
import {Choice} from "./fields.js";
import {HierarchyOf} from "./hierarchy.js";
import {ModelsOf} from "./models.js";

export function Column({
  attribute,
  info,
  rows,
  isMondrian,
  edit,
}: {
  attribute: Attribute;
  info: ColumnInfo | undefined;
  rows: number;
  isMondrian: boolean;
  edit: (attribute: Attribute) => void;
}) {
  const set = (change: Partial<Attribute>) => edit({...attribute, ...change});
  return (
    <fieldset>
      <legend>{attribute.name}</legend>
      <p class="hint wide">{info ? hintOf(info, rows) : ""}</p>
      <Choice<Class>
        label={`Class of ${attribute.name}`}
        value={attribute.class}
        values={kClasses}
        onChange={(own) => set({class: own, isChosen: true})}
      />
      {attribute.class === "quasi_identifier" ? (
        <HierarchyOf
          column={attribute.name}
          hierarchy={attribute.hierarchy}
          isMondrian={isMondrian}
          edit={(hierarchy) => set({hierarchy})}
        />
      ) : null}
      {attribute.class === "sensitive" ? (
        <ModelsOf column={attribute.name} models={attribute} isMondrian={isMondrian} set={set} />
      ) : null}
    </fieldset>
  );
}
