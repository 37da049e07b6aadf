import type {ComponentChildren} from "preact";

export interface Crumb {
  title: string;
  href: string;
}

/** The one h1 of a page. crumbs: the pages above this one. */
export function PageHeader({title, lead, actions, crumbs = []}: {
  title: ComponentChildren;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  crumbs?: Crumb[];
}) {
  return (
    <div class="page-head">
      <div>
        {crumbs.length > 0 ? (
          <nav aria-label="Breadcrumbs">
            <ol class="crumbs">
              {crumbs.map(crumb => (
                <li key={crumb.href}>
                  <a href={crumb.href}>{crumb.title}</a>
                </li>
              ))}
            </ol>
          </nav>
        ) : null}
        <h1 tabIndex={-1}>{title}</h1>
        {lead ? <p class="lead">{lead}</p> : null}
      </div>
      {actions ? <div class="actions">{actions}</div> : null}
    </div>
  );
}
