import type {ComponentChildren, JSX} from "preact";
import {Icon, type IconName} from "./icon.js";

export type ButtonKind = "primary" | "secondary" | "quiet" | "danger";

type Rest = Omit<JSX.HTMLAttributes<HTMLButtonElement>, "icon" | "class" | "label">;

/** Busy: it can't be pressed again, and says so. A button of an icon alone needs a label. */
export function Button({kind = "secondary", isBusy = false, isDisabled = false, type = "button", icon, label,
  children, ...rest}: Rest & {
  kind?: ButtonKind;
  isBusy?: boolean;
  isDisabled?: boolean;
  type?: "button" | "submit";
  icon?: IconName;
  label?: string;
  children?: ComponentChildren;
}) {
  const isIconOnly = children === undefined;
  return (
    <button
      type={type}
      class={`button ${kind}${isIconOnly ? " icon-only" : ""}`}
      disabled={isBusy || isDisabled}
      aria-busy={isBusy ? "true" : undefined}
      aria-label={label}
      title={isIconOnly ? label : undefined}
      {...rest}
    >
      {isBusy ? <span class="spinner" aria-hidden="true" /> : icon ? <Icon name={icon} /> : null}
      {children}
    </button>
  );
}

/** Goes somewhere, looks like a button. */
export function ButtonLink({kind = "secondary", href, icon, children}: {
  kind?: ButtonKind;
  href: string;
  icon?: IconName;
  children: ComponentChildren;
}) {
  return (
    <a class={`button ${kind}`} href={href}>
      {icon ? <Icon name={icon} /> : null}
      {children}
    </a>
  );
}
