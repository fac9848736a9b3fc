import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { callApi } from '../api/callApi.ts';
import type { Json } from '../api/losslessJson.ts';
import { may } from '../api/session.ts';
import type { Answers } from '../api/types.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { useProjectNames } from '../projects/useProjects.ts';
import { useSignedIn } from '../shell/session.ts';
import { nowMicros, printInstant } from '../time/instant.ts';
import { tokenSentences } from './restrictionSentences.ts';
import { SecretBox } from './SecretBox.tsx';

const scopes = [
  ['query', 'Call endpoints'],
  ['query:fresh', 'Ask for fresh rows'],
  ['query:explain', 'Have queries described'],
  ['ingest', 'Send events'],
  ['observe', 'Read metrics and running queries'],
  ['manage', 'Change endpoints, sources and tokens'],
] as const;

const lifetimes = [
  ['1', '1 day'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['', 'never'],
] as const;

interface Form {
  readonly description: string;
  readonly scopes: readonly string[];
  readonly projects: string;
  readonly endpoints: string;
  readonly days: string;
  readonly isRedacted: boolean;
  readonly takesOwnQueries: boolean;
  readonly maxRows: string;
}

/** A form whose every choice is told in words. */
export function NewToken() {
  const { session, described } = useSignedIn();
  const client = useQueryClient();
  const { names } = useProjectNames();
  const [form, setForm] = useState<Form>({
    description: '',
    scopes: ['query'],
    projects: session.projects?.join(' ') ?? '',
    endpoints: '',
    days: '90',
    isRedacted: session.isRedacted,
    takesOwnQueries: true,
    maxRows: '',
  });
  const [made, setMade] = useState<Answers['tokens.create'] | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const set = (changed: Partial<Form>) => setForm({ ...form, ...changed });
  const asked = scopesOf(form);
  const restrictions = restrictionsOf(form);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setError(null);
    try {
      const expires =
        form.days === ''
          ? {}
          : { expires_at: printInstant(Math.floor(nowMicros() / 1e6) * 1e6 + Number(form.days) * 86_400e6) };
      const body: Json = { description: form.description, scopes: [...asked], restrictions, ...expires };
      const answer = await callApi('/api/tokens', { method: 'POST', body });
      setMade(answer.body as unknown as Answers['tokens.create']);
      await client.invalidateQueries({ queryKey: ['tokens'] });
    } catch (failed) {
      setError(failed instanceof Error ? failed : new Error('The token was not created.'));
    }
  };
  return (
    <div className="page">
      <header>
        <p className="small">
          <a href="#/tokens">Tokens</a>
        </p>
        <h1>New token</h1>
      </header>
      {made !== null && (
        <SecretBox secret={made.token} text={`The token “${made.description}”.`} onClose={() => setMade(null)} />
      )}
      {error !== null && <ErrorBox error={error} />}
      <div className="token-form">
        <form onSubmit={(event) => void submit(event)}>
          <div className="field">
            <label htmlFor="description">Name</label>
            <input
              id="description"
              type="text"
              required
              maxLength={200}
              value={form.description}
              placeholder="dashboard"
              onChange={(event) => set({ description: event.target.value })}
            />
          </div>
          <fieldset>
            <legend>May</legend>
            {scopes
              .filter(([scope]) => may(session, scope))
              .map(([scope, title]) => (
                <label key={scope} className="check">
                  <input
                    type="checkbox"
                    checked={form.scopes.includes(scope)}
                    onChange={(event) =>
                      set({
                        scopes: event.target.checked
                          ? [...form.scopes, scope]
                          : form.scopes.filter((each) => each !== scope),
                      })
                    }
                  />
                  {title} <code className="muted">{scope}</code>
                </label>
              ))}
          </fieldset>
          <div className="field">
            <label htmlFor="endpoint">Only the endpoint</label>
            <select id="endpoint" value={form.endpoints} onChange={(event) => set({ endpoints: event.target.value })}>
              <option value="">every endpoint</option>
              {described.endpoints.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <div className="field">
            <label htmlFor="projects">Only the projects</label>
            <input
              id="projects"
              type="text"
              list="project-names"
              value={form.projects}
              placeholder="every project"
              onChange={(event) => set({ projects: event.target.value })}
            />
            <datalist id="project-names">
              {names.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
            <p className="muted small">Separate several with spaces. Without one, the token reads every project.</p>
          </div>
          <div className="field">
            <label htmlFor="ends">Ends after</label>
            <select id="ends" value={form.days} onChange={(event) => set({ days: event.target.value })}>
              {lifetimes.map(([days, title]) => (
                <option key={title} value={days}>
                  {title}
                </option>
              ))}
            </select>
          </div>
          <div className="field">
            <label htmlFor="max-rows">Most rows of an answer</label>
            <input
              id="max-rows"
              type="text"
              inputMode="numeric"
              pattern="[0-9]*"
              value={form.maxRows}
              placeholder="as the endpoint says"
              onChange={(event) => set({ maxRows: event.target.value })}
            />
          </div>
          <label className="check">
            <input
              type="checkbox"
              checked={form.takesOwnQueries}
              onChange={(event) => set({ takesOwnQueries: event.target.checked })}
            />
            May send queries of its own
          </label>
          <label className="check">
            <input
              type="checkbox"
              checked={form.isRedacted}
              disabled={session.isRedacted}
              onChange={(event) => set({ isRedacted: event.target.checked })}
            />
            Gets only redacted rows
          </label>
          <div>
            <button type="submit" className="primary" disabled={asked.length === 0}>
              Create token
            </button>
          </div>
        </form>
        <section className="box" aria-label="In words">
          <h2>In words</h2>
          <ul>
            {tokenSentences(asked, restrictions).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
            <li>
              {form.days === ''
                ? 'It never ends.'
                : `It ends after ${lifetimes.find(([days]) => days === form.days)?.[1]}.`}
            </li>
          </ul>
        </section>
      </div>
    </div>
  );
}

/** The scope for all endpoints becomes the one for the chosen endpoint. */
function scopesOf({ scopes: chosen, endpoints }: Form): readonly string[] {
  return chosen.map((scope) => (scope === 'query' && endpoints !== '' ? `query:endpoint:${endpoints}` : scope));
}

function restrictionsOf({ projects, isRedacted, takesOwnQueries, maxRows }: Form): { readonly [name: string]: Json } {
  const names = projects.split(/\s+/).filter((name) => name !== '');
  return {
    ...(names.length === 0 ? {} : { projects: names }),
    ...(isRedacted ? { redact: true } : {}),
    ...(takesOwnQueries ? {} : { caller_queries: false }),
    ...(maxRows === '' ? {} : { max_rows: Number(maxRows) }),
  };
}
