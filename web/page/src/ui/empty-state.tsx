import type {ComponentChildren} from "preact";
import {Icon, type IconName} from "./icon.js";

/** Instead of an empty table: what is not there, why, and what to do about it. */
export function EmptyState({title, text, action, icon = "info"}: {
  title: string;
  text?: ComponentChildren;
  action?: ComponentChildren;
  icon?: IconName;
}) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h3>{title}</h3>
      {text ? <p>{text}</p> : null}
      {action ?? null}
    </div>
  );
}
