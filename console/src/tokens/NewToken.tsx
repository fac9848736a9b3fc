import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { bodyOf } from '../api/callApi.ts';
import { titleOf } from '../api/describedEndpoints.ts';
import { may } from '../api/session.ts';
import type { Answers } from '../api/types.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { PageFrame } from '../parts/PageFrame.tsx';
import { useProjectNames } from '../projects/useProjects.ts';
import { hrefOf } from '../route/route.ts';
import { useSignedIn } from '../shell/session.ts';
import { useSources } from '../sources/useSources.ts';
import { lifetimesWithin } from './lifetimes.ts';
import { tokenSentences } from './restrictionSentences.ts';
import { SecretBox } from './SecretBox.tsx';
import { formFor, restrictionsOf, scopesOf, type TokenForm, tokenRequest } from './tokenForm.ts';

const scopes = [
  ['query', 'Call endpoints'],
  ['query:fresh', 'Skip the cache for fresh rows'],
  ['query:version', 'Call old versions of endpoints'],
  ['query:stream', 'Stream rows of its own queries'],
  ['query:explain', 'Have queries checked and described'],
  ['ingest', 'Send events'],
  ['observe', 'Read metrics and running queries'],
  ['manage', 'Change endpoints, sources and tokens'],
] as const;

type CountMember = 'maxRows' | 'concurrency' | 'requests' | 'seconds';

/** A form whose every choice is told in words. */
export function NewToken() {
  const { session, described } = useSignedIn();
  const client = useQueryClient();
  const { names } = useProjectNames();
  const { data: listed } = useSources();
  const [form, setForm] = useState<TokenForm>(() => ({
    ...formFor(session),
    scopes: may(session, 'query') ? ['query'] : [],
  }));
  const lifetimes = lifetimesWithin(session.endsAt);
  const [made, setMade] = useState<Answers['tokens.create'] | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const set = (changed: Partial<TokenForm>) => setForm({ ...form, ...changed });
  const asked = scopesOf(form);
  const isManager = form.scopes.includes('manage');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setError(null);
    try {
      setMade(
        await bodyOf<'tokens.create'>('/api/tokens', { method: 'POST', body: tokenRequest(form, session.endsAt) }),
      );
      await client.invalidateQueries({ queryKey: ['tokens'] });
    } catch (failed) {
      setError(failed instanceof Error ? failed : new Error('The token was not created.'));
    }
  };
  /** A field for a number. Without a placeholder, which says what an empty one means, it needs one. */
  const count = (title: string, member: CountMember, help: string, placeholder?: string) => (
    <Field title={title} help={help}>
      {(props) => (
        <input
          {...props}
          type="text"
          inputMode="numeric"
          pattern="[0-9]*"
          required={placeholder === undefined}
          value={form[member]}
          placeholder={placeholder}
          onChange={(event) => set({ [member]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <PageFrame title="New token" parent="tokens">
      {made !== null && (
        <>
          <SecretBox secret={made.token} text={`The token “${made.description}”.`} onClose={() => setMade(null)} />
          <p>
            <a href={hrefOf(['tokens', made.id])}>Try a call with it</a>
          </p>
        </>
      )}
      {error !== null && <ErrorBox error={error} />}
      <div className="token-form">
        <form onSubmit={(event) => void submit(event)}>
          <Field title="Name" help="Lists and the audit trail show it. Say who uses the token, and for what.">
            {(props) => (
              <input
                {...props}
                type="text"
                required
                maxLength={200}
                value={form.description}
                placeholder="dashboard"
                onChange={(event) => set({ description: event.target.value })}
              />
            )}
          </Field>
          <fieldset>
            <legend>May</legend>
            {scopes
              .filter(([scope]) => may(session, scope))
              .map(([scope, title]) => (
                <Check
                  key={scope}
                  isOn={form.scopes.includes(scope)}
                  onChange={(isOn) =>
                    set({ scopes: isOn ? [...form.scopes, scope] : form.scopes.filter((each) => each !== scope) })
                  }
                >
                  {title} <code className="muted">{scope}</code>
                </Check>
              ))}
          </fieldset>
          <Field
            title="Only the projects"
            help="It reads and sends events of these projects only, whatever a query says. Separate several with spaces. Without one, it reads every project."
          >
            {(props) => (
              <>
                <input
                  {...props}
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
              </>
            )}
          </Field>
          {form.scopes.includes('query') && (
            <Field title="Only the endpoint" help="For this token, other endpoints do not exist.">
              {(props) => (
                <select {...props} value={form.endpoint} onChange={(event) => set({ endpoint: event.target.value })}>
                  <option value="">every endpoint</option>
                  {described.endpoints.map((each) => (
                    <option key={each.id} value={each.id}>
                      {titleOf(each)}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          )}
          {form.scopes.includes('ingest') && (
            <Field title="Only the source" help="Events for other sources are refused.">
              {(props) => (
                <select {...props} value={form.source} onChange={(event) => set({ source: event.target.value })}>
                  <option value="">every source</option>
                  {(listed?.sources ?? []).map(({ name }) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              )}
            </Field>
          )}
          <Field
            title="Ends"
            help={`Calls with an expired token are refused. A rotation does not change when it ends.${session.endsAt === null ? '' : ' It cannot outlive your own token.'}`}
          >
            {(props) => (
              <select {...props} value={form.days} onChange={(event) => set({ days: event.target.value })}>
                {lifetimes.map(([days, says]) => (
                  <option key={days} value={days}>
                    {says}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <fieldset>
            <legend>Queries and values</legend>
            <Check
              isOn={form.takesOwnQueries || isManager}
              isOff={isManager}
              help="If not, it only runs the stored queries of endpoints."
              onChange={(takesOwnQueries) => set({ takesOwnQueries })}
            >
              May send queries of its own
            </Check>
            <Check
              isOn={form.isRedacted && !isManager}
              isOff={session.isRedacted || isManager}
              help="Personal data and secrets are replaced before it sees a row."
              onChange={(isRedacted) => set({ isRedacted })}
            >
              Gets only redacted rows
            </Check>
            <Check
              isOn={form.isStrict}
              help="If not, parameters that an endpoint does not declare are ignored."
              onChange={(isStrict) => set({ isStrict })}
            >
              Unknown parameters are refused
            </Check>
            {isManager && (
              <p className="muted small">
                A token that manages sends queries of its own and sees every value, because it could define an endpoint
                that does.
              </p>
            )}
          </fieldset>
          <details>
            <summary>Limits, networks and fixed parameters</summary>
            <div className="more-fields">
              {count(
                'Most rows of an answer',
                'maxRows',
                'Longer answers are cut, and say so in meta.truncated.',
                'as the endpoint says',
              )}
              {count('Most queries at the same time', 'concurrency', 'Further queries wait.', 'no limit of its own')}
              <div className="pair">
                {count('Most requests', 'requests', 'More are refused with 429.', 'no limit of its own')}
                {count('In seconds', 'seconds', 'Time over which requests are counted.')}
              </div>
              <Field title="Only from networks" help="Calls from other addresses are refused.">
                {(props) => (
                  <input
                    {...props}
                    type="text"
                    value={form.networks}
                    placeholder="10.0.0.0/8 192.0.2.7/32"
                    onChange={(event) => set({ networks: event.target.value })}
                  />
                )}
              </Field>
              <Field
                title="Fixed parameters"
                help="A line for each, such as interval=daily. Calls with other values are refused. To keep tenants apart, use the projects above."
              >
                {(props) => (
                  <textarea
                    {...props}
                    rows={3}
                    spellCheck={false}
                    disabled={isManager}
                    value={isManager ? '' : form.parameters}
                    onChange={(event) => set({ parameters: event.target.value })}
                  />
                )}
              </Field>
            </div>
          </details>
          <div>
            <button type="submit" className="primary" disabled={asked.length === 0}>
              Create token
            </button>
          </div>
        </form>
        <section className="box" aria-label="In words">
          <h2>In words</h2>
          <ul className="sentences">
            {tokenSentences(asked, restrictionsOf(form)).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
            <li>It ends {lifetimes.find(([days]) => days === form.days)?.[1]}.</li>
          </ul>
        </section>
      </div>
    </PageFrame>
  );
}

interface FieldProps {
  readonly title: string;
  /** What the choice means, in a sentence or two. */
  readonly help: string;
  readonly children: (props: { readonly id: string; readonly 'aria-describedby': string }) => ReactNode;
}

function Field({ title, help, children }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{title}</label>
      {children({ id, 'aria-describedby': `${id}-help` })}
      <p id={`${id}-help`} className="muted small">
        {help}
      </p>
    </div>
  );
}

interface CheckProps {
  readonly isOn: boolean;
  readonly isOff?: boolean;
  readonly help?: string;
  readonly onChange: (isOn: boolean) => void;
  readonly children: ReactNode;
}

function Check({ isOn, isOff = false, help, onChange, children }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={isOn} disabled={isOff} onChange={(event) => onChange(event.target.checked)} />
      <span>
        {children}
        {help !== undefined && <span className="muted small block">{help}</span>}
      </span>
    </label>
  );
}
