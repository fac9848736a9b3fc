import { Activity, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { parseRoute, useHash } from '../route/route.ts';
import { NotForToken } from './NotForToken.tsx';
import { PageGuard } from './PageGuard.tsx';
import { pages } from './pages.ts';
import { Rail } from './Rail.tsx';
import { Shortcuts } from './Shortcuts.tsx';
import { SignIn } from './SignIn.tsx';
import {
  type SignedIn,
  SignedInContext,
  useDescription,
  useKeptAnswers,
  useSession,
  useTokenOfEndedSession,
} from './session.ts';

export function App() {
  const hash = useHash();
  const { session, error } = useSession();
  const description = useDescription(session);
  const tokenOfEnded = useTokenOfEndedSession();
  // A one-time code signs in anew, whoever is signed in.
  const isCode = /^#code=/.test(hash);
  const signedIn =
    session === null || session === undefined || description.data === undefined || isCode
      ? null
      : { session, described: description.data };
  // Whoever signs in again with the same token finds what was typed.
  const last = useRef<SignedIn | null>(null);
  if (signedIn !== null) last.current = signedIn;
  else if (isCode || last.current?.session.tokenId !== (session?.tokenId ?? tokenOfEnded)) last.current = null;
  const shown = last.current;
  const problem = error ?? description.error;
  useKeptAnswers(signedIn === null && shown !== null);
  return (
    <>
      {signedIn !== null ? null : session === null || (isCode && session !== undefined) ? (
        <SignIn />
      ) : problem === null ? (
        <Waiting />
      ) : (
        <Failed error={problem} />
      )}
      {shown !== null && (
        <Activity mode={signedIn === null ? 'hidden' : 'visible'}>
          <Console signedIn={shown} hash={hash} />
        </Activity>
      )}
    </>
  );
}

function Console({ signedIn, hash }: { readonly signedIn: SignedIn; readonly hash: string }) {
  const usable = pages.filter(({ isFor }) => isFor(signedIn));
  const route = parseRoute(hash);
  const asked = pages.find(({ name }) => name === route.parts[0]);
  const page = asked ?? usable[0];
  // A dialog that is hidden would keep the sign-in from the keyboard.
  useEffect(() => closeDialogs, []);
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

function closeDialogs(): void {
  for (const dialog of document.querySelectorAll('dialog')) dialog.close();
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
