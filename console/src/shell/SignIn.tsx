import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/callApi.ts';
import { goTo, hrefOf } from '../route/route.ts';
import { useSignIn, useTokenOfEndedSession } from './session.ts';

/** Signs in with a pasted token, or with the one-time code in the link that `npm start` prints. */
export function SignIn() {
  const signIn = useSignIn();
  const isOver = useTokenOfEndedSession() !== undefined;
  const field = useRef<HTMLInputElement>(null);
  const tried = useRef(false);
  const [state, setState] = useState<'idle' | 'busy'>('idle');
  const [problem, setProblem] = useState('');

  const enter = async (credential: { token: string } | { code: string }) => {
    setState('busy');
    setProblem('');
    try {
      await signIn(credential);
    } catch (error) {
      setProblem(problemText(error, 'code' in credential));
      field.current?.focus();
    } finally {
      setState('idle');
    }
  };

  useEffect(() => {
    const code = /^#code=([\w-]+)/.exec(location.hash)?.[1];
    if (code === undefined || tried.current) return;
    tried.current = true;
    // At once, so that the code stays in no history.
    goTo(hrefOf([]), 'replace');
    void enter({ code });
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? '';
    if (token === '') return;
    if (field.current !== null) field.current.value = '';
    void enter({ token });
  };

  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <h1>Logmill</h1>
        {isOver && <p role="status">Your session is over. Sign in again to go on where you were.</p>}
        <label htmlFor="token">Token</label>
        <input
          ref={field}
          id="token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder="lm_…"
          aria-describedby="token-help token-problem"
          aria-invalid={problem !== ''}
        />
        <p id="token-problem" role="alert" className="problem-text">
          {problem}
        </p>
        <button type="submit" className="primary" disabled={state === 'busy'}>
          {state === 'busy' ? 'Signing in' : 'Sign in'}
        </button>
        <div id="token-help" className="muted">
          <p>
            The token is exchanged for a session and not kept in the browser. The first start of the service writes one
            to <code>admin-token</code> in its data folder.
          </p>
          <p>
            <code>npm start</code> also prints a link that signs in by itself.
          </p>
        </div>
      </form>
    </main>
  );
}

function problemText(error: unknown, isCode: boolean): string {
  if (!(error instanceof ApiError)) return 'Signing in failed.';
  if (isCode && (error.status === 401 || error.status === 400)) {
    return 'This link was used already, or it is older than ten minutes. Paste a token, or start the service again for a new link.';
  }
  return error.message;
}
