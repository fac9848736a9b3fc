import { useRef } from 'react';
import { hrefOf } from '../route/route.ts';
import { Mark, PageIcon } from './PageIcon.tsx';
import type { Page } from './pages.ts';
import { useSignedIn, useSignOut } from './session.ts';

/** Pages of the bottom bar at 390 px; the others are under More. */
const inBar = 3;

export function Rail({ pages, current }: { readonly pages: readonly Page[]; readonly current: string }) {
  const link = (page: Page) => (
    <li key={page.name}>
      <a href={hrefOf([page.name])} aria-current={page.name === current ? 'page' : undefined}>
        <PageIcon name={page.name} />
        {page.title}
      </a>
    </li>
  );
  return (
    <header className="rail">
      <button type="button" className="skip" onClick={skip}>
        Skip to the page
      </button>
      <span className="brand">
        <Mark />
        Logmill
      </span>
      <nav aria-label="Pages">
        <ul>
          {pages.slice(0, inBar).map(link)}
          <li className="more">
            <Account isInBar pages={pages.slice(inBar)} current={current} />
          </li>
          <li className="rest">
            <ul>{pages.slice(inBar).map(link)}</ul>
          </li>
        </ul>
      </nav>
      <div className="account">
        <Account pages={[]} current={current} />
      </div>
    </header>
  );
}

/** A link would change the place that follows `#`. */
function skip(): void {
  document.getElementById('main')?.focus();
}

interface AccountProps {
  readonly isInBar?: boolean;
  readonly pages: readonly Page[];
  readonly current: string;
}

function Account({ isInBar = false, pages, current }: AccountProps) {
  const { session } = useSignedIn();
  const signOut = useSignOut();
  const menu = useRef<HTMLDetailsElement>(null);
  const name = session.description === '' ? session.tokenId : session.description;
  return (
    <details ref={menu} className="menu">
      <summary title={name}>
        {isInBar && <PageIcon name="more" />}
        <span>{isInBar ? 'More' : name}</span>
      </summary>
      <div className="menu-body">
        {pages.length > 0 && (
          <ul>
            {pages.map((page) => (
              <li key={page.name}>
                <a
                  href={hrefOf([page.name])}
                  aria-current={page.name === current ? 'page' : undefined}
                  onClick={() => menu.current?.removeAttribute('open')}
                >
                  <PageIcon name={page.name} />
                  {page.title}
                </a>
              </li>
            ))}
          </ul>
        )}
        <p className="muted">
          Token <code>{session.tokenId}</code>
          {session.projects !== null && `, reads ${session.projects.join(', ')} only`}
          {session.isRedacted && ', redacted'}
        </p>
        <button type="button" onClick={() => void signOut(false)}>
          Sign out
        </button>
        <button type="button" onClick={() => void signOut(true)}>
          Sign out everywhere
        </button>
      </div>
    </details>
  );
}
