import { SafeText } from '../text/SafeText.tsx';
import type { ParameterChoice, ProposedParameter } from './useConversion.ts';

/** Types that a value in a query can have as a parameter. */
const types = ['string', 'int64', 'float64', 'bool', 'timestamp', 'date', 'enum', 'regex'];

interface ProposedParametersProps {
  readonly proposed: readonly ProposedParameter[];
  readonly choiceOf: (parameter: ProposedParameter) => ParameterChoice;
  readonly onChoice: (proposed: string, choice: ParameterChoice) => void;
  /** Names of the parameters that the tables need. */
  readonly kept: readonly string[];
}

/** The values of the query that can become parameters: which do, under which name, of which type, with which default. */
export function ProposedParameters({ proposed, choiceOf, onChoice, kept }: ProposedParametersProps) {
  return (
    <fieldset className="proposed">
      <legend>Parameters</legend>
      <p className="muted small">
        A checked value becomes a parameter. A call without it gets the default, which is the value in the query.
      </p>
      {proposed.length > 0 && (
        <div className="proposed-head muted small" aria-hidden="true">
          <span />
          <span>Name</span>
          <span>Type</span>
          <span>Default</span>
          <span>Required</span>
        </div>
      )}
      <ul>
        {proposed.map((parameter) => {
          const choice = choiceOf(parameter);
          const of = `of ${parameter.name}`;
          const change = (changed: Partial<ParameterChoice>) => onChoice(parameter.name, { ...choice, ...changed });
          return (
            <li key={parameter.name} className={choice.on ? '' : 'off'}>
              <input
                type="checkbox"
                aria-label={`Make ${parameter.name} a parameter`}
                checked={choice.on}
                onChange={(event) => change({ on: event.target.checked })}
              />
              <input
                type="text"
                aria-label={`Name ${of}`}
                autoComplete="off"
                spellCheck={false}
                required
                disabled={!choice.on}
                pattern="[A-Za-z][A-Za-z0-9_]*"
                maxLength={64}
                value={choice.name}
                onChange={(event) => change({ name: event.target.value })}
              />
              <select
                aria-label={`Type ${of}`}
                disabled={!choice.on}
                value={choice.type}
                onChange={(event) => change({ type: event.target.value })}
              >
                {(types.includes(parameter.type) ? types : [parameter.type, ...types])
                  .filter((type) => type !== 'enum' || parameter.type === 'enum')
                  .map((type) => (
                    <option key={type}>{type}</option>
                  ))}
              </select>
              <input
                type="text"
                aria-label={`Default ${of}`}
                autoComplete="off"
                spellCheck={false}
                disabled={!choice.on || choice.required === true}
                placeholder={choice.required === true ? 'none' : parameter.name === 'end' ? 'now' : ''}
                value={choice.required === true ? '' : (choice.default ?? '')}
                onChange={(event) => change({ default: event.target.value })}
              />
              <label className="required">
                <input
                  type="checkbox"
                  aria-label={`Require ${parameter.name}`}
                  disabled={!choice.on}
                  checked={choice.required === true}
                  onChange={(event) => change({ required: event.target.checked })}
                />
                <span aria-hidden="true">required</span>
              </label>
              <p className="muted small">
                <SafeText text={parameter.description} />
              </p>
            </li>
          );
        })}
      </ul>
      {kept.length > 0 && (
        <p className="muted small">
          From the tables that the query reads: {kept.map((name) => `@${name}`).join(', ')}.
        </p>
      )}
    </fieldset>
  );
}
