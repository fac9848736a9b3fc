import type { ReactNode } from 'react';
import { hrefOf } from '../route/route.ts';

/** Pages that list entries with a page each. */
const lists = {
  endpoints: 'Endpoints',
  projects: 'Projects',
  sources: 'Sources',
  tokens: 'Tokens',
} as const;

interface PageFrameProps {
  readonly title: ReactNode;
  /** The list that it is an entry of. */
  readonly parent?: keyof typeof lists;
  /** Beside the title, such as a state or tabs. */
  readonly beside?: ReactNode;
  /** At the right edge: what can be done with all of it. */
  readonly actions?: ReactNode;
  /** What it is, below the title. */
  readonly about?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its head: where it belongs, its title, what it is, and what can be done with it. */
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
