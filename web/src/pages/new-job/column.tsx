// One column of the table: what is known of it, its class, and what the class needs.
import type {ColumnInfo} from "../../desk-api.js";
import {kClasses, type Attribute, type Class} from "../../job/form.js";
import {hintOf} from "../../job/hints.js";
import {Choice} from "./fields.js";
import {HierarchyOf} from "./hierarchy.js";

export function Column({attribute, info, rows, isMondrian, edit}: {
  attribute: Attribute; info: ColumnInfo | undefined; rows: number; isMondrian: boolean; edit: (attribute: Attribute) => void;
}) {
  const set = (change: Partial<Attribute>) => edit({...attribute, ...change});
  return (
    <fieldset>
      <legend>{attribute.name}</legend>
      <p class="hint wide">{info ? hintOf(info, rows) : ""}</p>
      <Choice<Class> label={`Class of ${attribute.name}`} value={attribute.class} values={kClasses} onChange={own => set({class: own, isChosen: true})} />
      {attribute.class === "quasi_identifier" ? (
        <HierarchyOf column={attribute.name} hierarchy={attribute.hierarchy} isMondrian={isMondrian} edit={hierarchy => set({hierarchy})} />
      ) : null}
      {attribute.class === "sensitive" ? (
        <>
          <label>l: different values in each class<input inputMode="numeric" value={attribute.l} onInput={it => set({l: it.currentTarget.value.trim()})} /></label>
          <label>t: distance from all records, 0 to 1<input inputMode="decimal" value={attribute.t} onInput={it => set({t: it.currentTarget.value.trim()})} /></label>
          {isMondrian && attribute.t !== "" ? <p class="hint">Mondrian can't keep t: leave it empty, or choose another algorithm.</p> : null}
        </>
      ) : null}
    </fieldset>
  );
}
