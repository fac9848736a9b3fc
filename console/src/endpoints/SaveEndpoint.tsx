import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { bodyOf } from '../api/callApi.ts';
import { endpointOf } from '../api/describedEndpoints.ts';
import type { Json } from '../api/losslessJson.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { PageFrame } from '../parts/PageFrame.tsx';
import { valuesIn } from '../parts/ParameterForm.tsx';
import { useDebounced } from '../parts/useDebounced.ts';
import { goTo, hrefOf, parseRoute, useHash } from '../route/route.ts';
import { useSignedIn } from '../shell/session.ts';
import { DraftTest } from './DraftTest.tsx';
import { MarkedSql, parameterSpans } from './MarkedSql.tsx';
import { ProposedParameters } from './ProposedParameters.tsx';
import { suggestedName } from './suggestedName.ts';
import {
  type Conversion,
  convertOnce,
  type ParameterChoice,
  type ProposedParameter,
  useConversion,
  type Wanted,
} from './useConversion.ts';

const namePattern = '[a-z0-9_\\-]+(\\.[a-z0-9_\\-]+)*';
const settleMs = 200;

/** A search or a query becomes an endpoint: its parameters are chosen, and it is named, tested and deployed. */
export function SaveEndpoint() {
  const { described } = useSignedIn();
  const client = useQueryClient();
  const hash = useHash();
  const { search } = useMemo(() => parseRoute(hash), [hash]);
  const source = endpointOf(described.endpoints, search.get('e') ?? 'logs.all');
  const query = {
    endpoint: source?.id ?? search.get('e') ?? 'logs.all',
    language: search.get('lang') === 'lql' ? ('lql' as const) : ('sql' as const),
    text: search.get('q') ?? '',
  };
  const project = search.get('p') ?? '';
  const values = { ...(project === '' ? {} : { project }), ...valuesIn(search) };
  const [typedName, setName] = useState<string | null>(null);
  const [description, setDescription] = useState('');
  const [choices, setChoices] = useState<Readonly<Record<string, ParameterChoice>>>({});
  const [problem, setProblem] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);

  const proposal = useConversion(query, null);
  const proposed = proposal.data?.parameters ?? [];
  const name = typedName ?? (proposal.data === undefined ? '' : suggestedName(proposal.data, described.endpoints));
  const isNamed = new RegExp(`^${namePattern}$`).test(name);
  const choiceOf = (parameter: ProposedParameter): ParameterChoice => choices[parameter.name] ?? asProposed(parameter);
  const wanted: Wanted = {
    name: isNamed ? name : 'new.endpoint',
    description,
    parameters:
      Object.keys(choices).length === 0
        ? null
        : Object.fromEntries(proposed.map((parameter) => [parameter.name, sent(choiceOf(parameter))])),
  };
  const settled = useDebounced(wanted, settleMs);
  const chosen = useConversion(query, settled, proposal.data !== undefined);
  const shown = chosen.data ?? proposal.data;
  const error = proposal.error ?? chosen.error;
  const refused = error === null && shown !== undefined && shown.definition === null ? shown.problem : null;

  const deploy = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      // What is typed now, which may be newer than what is shown.
      const { definition, problem: why } = await convertOnce(client, query, wanted);
      if (definition === null) throw new Error(why ?? 'Your token may not change endpoints.');
      const { endpoint } = await bodyOf<'endpoints.create'>('/api/endpoints', {
        method: 'POST',
        query: { note: 'Saved in the console' },
        body: definition.fields as Json,
      });
      await client.refetchQueries({ queryKey: ['openapi'] });
      goTo(hrefOf(['endpoints', endpoint.id], { ...declaredOf(values, definition), run: '1', made: '1' }));
    } catch (failed) {
      setProblem(failed instanceof Error ? failed : new Error('It was not deployed.'));
      setBusy(false);
    }
  };
  if (query.text === '') {
    return (
      <div className="alone">
        <h1>Save as endpoint</h1>
        <p>
          Search in <a href="#/explore">Explore</a> or write a <a href="#/query">query</a>, and press{' '}
          <em>Save as endpoint</em> there.
        </p>
      </div>
    );
  }
  const isOn = new Set(proposed.filter((parameter) => choiceOf(parameter).on).map((parameter) => parameter.name));
  return (
    <PageFrame
      title="Save as endpoint"
      parent="endpoints"
      actions={
        <button
          type="submit"
          form="save"
          className="primary"
          disabled={isBusy || !isNamed || proposal.data === undefined}
        >
          {isBusy ? 'Deploying' : 'Deploy'}
        </button>
      }
      about="Anyone with a token for it gets these rows with one GET request."
    >
      {problem !== null && <ErrorBox error={problem} />}
      {error !== null && <ErrorBox error={error} source={query.text} />}
      {refused !== null && (
        <p role="alert" className="box error-box">
          {refused}
        </p>
      )}
      <div className="save-form">
        <form id="save" onSubmit={(event) => void deploy(event)}>
          <div className="field">
            <label htmlFor="endpoint-name">Name</label>
            <input
              id="endpoint-name"
              type="text"
              required
              pattern={namePattern}
              autoComplete="off"
              spellCheck={false}
              value={name}
              aria-invalid={name !== '' && !isNamed}
              aria-describedby="endpoint-name-help"
              onChange={(event) => setName(event.target.value)}
            />
            <p id="endpoint-name-help" className="muted small">
              Lower-case letters, digits, - and _, in parts with dots between them.
              {described.endpoints.some((each) => each.name === name) && ' Another endpoint has this name already.'}
            </p>
          </div>
          <div className="field">
            <label htmlFor="endpoint-description">Description</label>
            <input
              id="endpoint-description"
              type="text"
              autoComplete="off"
              value={description}
              placeholder="What the rows are, for those who call it"
              onChange={(event) => setDescription(event.target.value)}
            />
          </div>
          {proposal.isLoading && <p role="status">Loading the parameters</p>}
          {proposal.data !== undefined && (
            <ProposedParameters
              proposed={proposed}
              choiceOf={choiceOf}
              onChoice={(of, choice) => setChoices({ ...choices, [of]: choice })}
              kept={keptIn(shown)}
            />
          )}
        </form>
        {proposal.data !== undefined && (
          <section aria-label="Query">
            <div className="bar">
              <h2>Query</h2>
              <span className="muted small">in GoogleSQL; marked values become parameters</span>
            </div>
            <MarkedSql
              label="Query in GoogleSQL"
              text={proposal.data.sql}
              spans={proposal.data.literals
                .filter(({ parameter }) => parameter !== null && isOn.has(parameter))
                .map(({ offset, length, parameter }) => ({ offset, length, title: `@${parameter}` }))}
            />
          </section>
        )}
      </div>
      {shown?.definition != null && (
        <>
          <DraftTest
            endpoint={source}
            query={query}
            values={values}
            fields={shown.definition.fields as Json}
            parameters={shown.parameters.map((parameter, index) => ({
              ...parameter,
              proposed: proposed[index]?.default,
            }))}
          />
          <Files name={name} shown={shown} />
        </>
      )}
    </PageFrame>
  );
}

function asProposed({ on, name, type, default: value, required }: ProposedParameter): ParameterChoice {
  return {
    on,
    name,
    type,
    ...(value === undefined ? {} : { default: value }),
    ...(required === true ? { required } : {}),
  };
}

/** An empty default is none, except of texts. */
function sent({ default: value, ...choice }: ParameterChoice): ParameterChoice {
  return value === undefined || (value === '' && choice.type !== 'string') ? choice : { ...choice, default: value };
}

/** Parameters that the definition has because of its tables. */
function keptIn(shown: Conversion | undefined): readonly string[] {
  const declared = Object.keys((shown?.definition?.fields.parameters as object | undefined) ?? {});
  const own = new Set(shown?.parameters.map(({ name }) => name));
  return declared.filter((name) => !own.has(name));
}

/** The values of parameters that the definition declares, for the place of its page. */
function declaredOf(values: Readonly<Record<string, string>>, { fields }: NonNullable<Conversion['definition']>) {
  const declared = Object.keys((fields.parameters as object | undefined) ?? {});
  return Object.fromEntries(declared.flatMap((name) => (name in values ? [[`v.${name}`, values[name]]] : [])));
}

/** The two files of the definition. */
function Files({ name, shown }: { readonly name: string; readonly shown: Conversion }) {
  const [isSql, setSql] = useState(true);
  if (shown.definition === null) return null;
  const { yaml, sql } = shown.definition;
  return (
    <section aria-label="Definition">
      <div className="bar">
        <h2>Definition</h2>
        <div className="tabs" role="group" aria-label="File">
          <button type="button" aria-pressed={isSql} onClick={() => setSql(true)}>
            .sql
          </button>
          <button type="button" aria-pressed={!isSql} onClick={() => setSql(false)}>
            .yaml
          </button>
        </div>
        <span className="spacer" />
        <CopyButton text={isSql ? sql : yaml} />
      </div>
      <MarkedSql
        label={isSql ? `${name}.sql` : `${name}.yaml`}
        text={isSql ? sql : yaml}
        spans={
          isSql
            ? parameterSpans(
                sql,
                shown.parameters.filter(({ on }) => on).map((each) => each.name),
              )
            : []
        }
      />
    </section>
  );
}
