import type { ReactNode } from 'react';
import { hrefOf } from '../route/route.ts';

/** Pages whose entries have pages of their own. */
const lists = {
  endpoints: 'Endpoints',
  projects: 'Projects',
  sources: 'Sources',
  tokens: 'Tokens',
} as const;

interface PageFrameProps {
  readonly title: ReactNode;
  /** The list that this page belongs to. */
  readonly parent?: keyof typeof lists;
  /** Beside the title, such as a state or tabs. */
  readonly beside?: ReactNode;
  /** At the right edge: actions on the whole page. */
  readonly actions?: ReactNode;
  /** Description below the title. */
  readonly about?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its header: a link to its list, the title, actions and a description. */
export function PageFrame({ title, parent, beside, actions, about, children }: PageFrameProps) {
  return (
    <div className="page">
      <header>
        {parent !== undefined && (
          <p className="small">
            <a href={hrefOf([parent])}>{lists[parent]}</a>
          </p>
        )}
        <div className="bar">
          <h1>{title}</h1>
          {beside}
          {actions !== undefined && (
            <>
              <span className="spacer" />
              {actions}
            </>
          )}
        </div>
        {about !== undefined && <p className="muted">{about}</p>}
      </header>
      {children}
    </div>
  );
}
