import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import { parseRoute, useHash } from '../route/route.ts';
import { NotForToken } from './NotForToken.tsx';
import { PageGuard } from './PageGuard.tsx';
import { pages } from './pages.ts';
import { Rail } from './Rail.tsx';
import { Shortcuts } from './Shortcuts.tsx';
import { SignIn } from './SignIn.tsx';
import { SignedInContext, useDescription, useSession } from './session.ts';

export function App() {
  const hash = useHash();
  const { session, error } = useSession();
  const description = useDescription(session);
  if (session === undefined) return error === null ? <Waiting /> : <Failed error={error} />;
  // A one-time code signs in anew, whoever is signed in.
  if (session === null || /^#code=/.test(hash)) return <SignIn />;
  if (description.data === undefined)
    return description.error === null ? <Waiting /> : <Failed error={description.error} />;
  const signedIn = { session, described: description.data };
  const usable = pages.filter(({ isFor }) => isFor(signedIn));
  const route = parseRoute(hash);
  const asked = pages.find(({ name }) => name === route.parts[0]);
  const page = asked ?? usable[0];
  return (
    <SignedInContext value={signedIn}>
      <title>{page === undefined ? 'Logmill' : `${page.title} – Logmill`}</title>
      <Rail pages={usable} current={page?.name ?? ''} />
      <Main place={route.parts.join('/')}>
        {page === undefined || usable.length === 0 ? (
          <NothingToDo />
        ) : !usable.includes(page) ? (
          <NotForToken title={page.title} needs={page.needs} />
        ) : (
          <PageGuard key={page.name} place={hash}>
            <Suspense fallback={<Waiting />}>
              <page.Content />
            </Suspense>
          </PageGuard>
        )}
      </Main>
      <Shortcuts pages={usable} />
    </SignedInContext>
  );
}

interface MainProps {
  readonly place: string;
  readonly children: ReactNode;
}

/** The page. It takes the focus when another one is opened, so that Tab and a screen reader go on in it. */
function Main({ place, children }: MainProps) {
  const main = useRef<HTMLElement>(null);
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    if (main.current?.contains(document.activeElement) === false) main.current.focus({ preventScroll: true });
  }, [place]);
  return (
    <main id="main" ref={main} tabIndex={0}>
      {children}
    </main>
  );
}

function Waiting() {
  return (
    <p className="waiting" role="status">
      Loading
    </p>
  );
}

function Failed({ error }: { readonly error: Error }) {
  return (
    <div className="alone" role="alert">
      <h1>The console cannot start</h1>
      <p>{error.message}</p>
      <button type="button" onClick={() => location.reload()}>
        Try again
      </button>
    </div>
  );
}

function NothingToDo() {
  return (
    <div className="alone">
      <h1>Nothing to show with this token</h1>
      <p>
        The pages of the console need the scope <code>query</code>, <code>ingest</code>, <code>observe</code> or{' '}
        <code>manage</code>, and what the token is restricted to must exist. Ask whoever gave you the token for one with
        more rights, or sign in with another one.
      </p>
    </div>
  );
}
