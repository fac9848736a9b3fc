import { type FormEvent, useId, useState } from 'react';
import { bodyOf } from '../api/callApi.ts';
import { endpointOf, titleOf } from '../api/describedEndpoints.ts';
import type { Answers } from '../api/types.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { ParameterForm } from '../parts/ParameterForm.tsx';
import { useSignedIn } from '../shell/session.ts';
import { SafeText } from '../text/SafeText.tsx';

type Explanation = Answers['tokens.explain'];

const words = { allowed: 'allowed', refused: 'refused', not_reached: 'not reached' } as const;

/** Says what would happen to a call with a token, rule by rule. The call is not made. */
export function ExplainCall({ id }: { readonly id: string }) {
  const { described } = useSignedIn();
  const field = useId();
  const [chosen, setChosen] = useState('logs.all');
  const endpoint = endpointOf(described.endpoints, chosen) ?? described.endpoints[0];
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [address, setAddress] = useState('');
  const [answer, setAnswer] = useState<Explanation | null>(null);
  const [error, setError] = useState<Error | null>(null);
  if (endpoint === undefined) return null;
  const explain = async (event: FormEvent) => {
    event.preventDefault();
    setError(null);
    try {
      const declared = endpoint.parameters.map(({ name }) => name);
      const parameters = Object.fromEntries(
        Object.entries(values).filter(([name, value]) => value !== '' && declared.includes(name)),
      );
      const body = { endpoint: endpoint.id, parameters, address: address === '' ? null : address };
      const path = `/api/tokens/${encodeURIComponent(id)}/explain`;
      setAnswer(await bodyOf<'tokens.explain'>(path, { method: 'POST', body }));
    } catch (failed) {
      setAnswer(null);
      setError(failed instanceof Error ? failed : new Error('The call was not explained.'));
    }
  };
  return (
    <section aria-label="Try a call">
      <h2>Try a call</h2>
      <p className="muted">Says for each rule what would happen to a call with this token. The call is not made.</p>
      <form className="explain-form" onSubmit={(event) => void explain(event)}>
        <div className="parameters">
          <div className="parameter">
            <label htmlFor={`${field}-endpoint`}>Endpoint</label>
            <select
              id={`${field}-endpoint`}
              value={endpoint.id}
              onChange={(event) => {
                setChosen(event.target.value);
                setAnswer(null);
              }}
            >
              {described.endpoints.map((each) => (
                <option key={each.id} value={each.id}>
                  {titleOf(each)}
                </option>
              ))}
            </select>
          </div>
          <div className="parameter">
            <label htmlFor={`${field}-address`}>From the address</label>
            <input
              id={`${field}-address`}
              type="text"
              value={address}
              placeholder="any"
              onChange={(event) => setAddress(event.target.value)}
            />
          </div>
        </div>
        <ParameterForm
          parameters={endpoint.parameters.map((each) => ({ ...each, isRequired: false }))}
          values={values}
          onValue={(name, value) => setValues({ ...values, [name]: value })}
        />
        <div>
          <button type="submit">Explain</button>
        </div>
      </form>
      {error !== null && <ErrorBox error={error} />}
      <div role="status">
        {answer !== null && (
          <p className={answer.outcome === 'allowed' ? 'allowed-text' : 'problem-text'}>
            {answer.outcome === 'allowed'
              ? 'The call would be allowed.'
              : `The call would be refused with ${answer.status} ${answer.code ?? ''}.`}
          </p>
        )}
      </div>
      {answer !== null && (
        <ol className="rules" aria-label="Rules">
          {answer.rules.map(({ rule, outcome, why }) => (
            <li key={rule} className={outcome}>
              <span className="outcome">{words[outcome]}</span>
              <span className="rule">{rule.replaceAll('_', ' ')}</span>
              <span>
                <SafeText text={why} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
