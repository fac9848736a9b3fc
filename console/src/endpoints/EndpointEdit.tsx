import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { parse, stringify } from 'yaml';
import { ApiError, bodyOf } from '../api/callApi.ts';
import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import { isObject, type Json } from '../api/losslessJson.ts';
import type { RowsAnswer } from '../api/rowsProtocol.ts';
import type { Endpoint } from '../api/types.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { ParameterForm } from '../parts/ParameterForm.tsx';
import { useDebounced } from '../parts/useDebounced.ts';
import { ResultTable } from '../query/ResultTable.tsx';
import { useRowsCalls } from '../shell/calls.ts';
import { countText } from '../text/countText.ts';
import { ChangeReport, isEmptyDiff } from './ChangeReport.tsx';
import { DeployBar } from './DeployBar.tsx';

/** What the service keeps about a version, which is not part of the definition. */
const ownMembers = new Set(['version', 'created_at', 'updated_at', 'author', 'note', 'deleted_at', 'query']);

/** The definition without its query, as its file. */
function yamlOf(definition: Endpoint): string {
  return stringify(Object.fromEntries(Object.entries(definition).filter(([name]) => !ownMembers.has(name))));
}

interface Typed {
  readonly yaml: string;
  readonly query: string;
}

/** Throws an error whose message names the line. */
function fieldsOf({ yaml, query }: Typed): Readonly<Record<string, Json>> {
  // Without a loss of digits.
  const fields: unknown = parse(yaml, { intAsBigInt: true });
  if (!isObject(fields as Json)) throw new Error('The settings must be fields: one “name: value” in each line.');
  return { ...(fields as Readonly<Record<string, Json>>), query };
}

interface EndpointEditProps {
  readonly endpoint: DescribedEndpoint;
  readonly definition: Endpoint;
  /** Of the version that is edited. */
  readonly tag: string;
  readonly values: Readonly<Record<string, string>>;
  readonly onDeployed: () => void;
}

const settleMs = 400;

/** The definition as its two files. While it is typed, the service says what the change would do; nothing is stored. */
export default function EndpointEdit({ endpoint, definition, tag, values, onDeployed }: EndpointEditProps) {
  const client = useQueryClient();
  const [typed, setTyped] = useState<Typed>(() => ({ yaml: yamlOf(definition), query: definition.query }));
  const settled = useDebounced(typed, settleMs);
  const put = async (text: Typed, query: Readonly<Record<string, string>>, signal?: AbortSignal) => {
    const call = { method: 'PUT', headers: { 'If-Match': tag }, query, body: fieldsOf(text), signal } as const;
    return await bodyOf<'endpoints.replace'>(`/api/endpoints/${definition.id}`, call);
  };
  const report = useQuery({
    queryKey: ['edit', definition.id, tag, settled],
    retry: false,
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => await put(settled, { dry_run: 'true' }, signal),
  });
  const deploy = async (query: Readonly<Record<string, string>>) => {
    await put(typed, query);
    await client.invalidateQueries({ queryKey: ['endpoint', definition.id] });
    await client.refetchQueries({ queryKey: ['openapi'] });
    onDeployed();
  };
  const isCurrent = typed.yaml === settled.yaml && typed.query === settled.query && !report.isPlaceholderData;
  const diff = report.data?.diff ?? null;
  const isChanged = report.data !== undefined && report.data.outcome !== 'unchanged';
  return (
    <div className="edit">
      <div className="edit-files">
        <File
          label="Query"
          name={`${definition.name}.sql`}
          text={typed.query}
          onText={(query) => setTyped({ ...typed, query })}
        />
        <File
          label="Settings"
          name={`${definition.name}.yaml`}
          text={typed.yaml}
          onText={(yaml) => setTyped({ ...typed, yaml })}
        />
      </div>
      <section className={isCurrent ? '' : 'old'} aria-label="What the change does">
        <h2>What the change does</h2>
        {report.error !== null ? (
          <Refused error={report.error} query={settled.query} />
        ) : diff === null || isEmptyDiff(diff) ? (
          <p className="muted">{isChanged ? 'It answers by its name.' : 'Nothing is changed yet.'}</p>
        ) : (
          <ChangeReport diff={diff} callers={report.data?.callers ?? null} notices={report.data?.notices ?? []} />
        )}
        {report.error === null && isChanged && (
          <DeployBar
            action={`Deploy version ${definition.version + 1}`}
            isBreaking={(diff?.breaking.length ?? 0) > 0}
            isDisabled={!isCurrent}
            onDeploy={deploy}
          />
        )}
      </section>
      <Trial endpoint={endpoint} typed={typed} values={values} isValid={report.error === null} />
    </div>
  );
}

function Refused({ error, query }: { readonly error: Error; readonly query: string }) {
  if (error instanceof ApiError) return <ErrorBox error={error} source={query} />;
  return (
    <p role="alert" className="box error-box">
      {error.message}
    </p>
  );
}

interface FileProps {
  readonly label: string;
  readonly name: string;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function File({ label, name, text, onText }: FileProps) {
  return (
    <label className="file">
      <span className="bar">
        <strong>{label}</strong> <span className="muted small">{name}</span>
      </span>
      <textarea
        rows={Math.min(Math.max(text.split('\n').length + 1, 8), 24)}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        wrap="off"
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
    </label>
  );
}

interface TrialProps {
  readonly endpoint: DescribedEndpoint;
  readonly typed: Typed;
  readonly values: Readonly<Record<string, string>>;
  readonly isValid: boolean;
}

/** Runs the typed definition, which is stored nowhere, beside the current version. */
function Trial({ endpoint, typed, values, isValid }: TrialProps) {
  const calls = useRowsCalls();
  const [given, setGiven] = useState(values);
  const [result, setResult] = useState<{ readonly now: RowsAnswer; readonly next: RowsAnswer } | Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      const parameters = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
      const body = { definition: fieldsOf(typed), parameters };
      const [next, now] = await Promise.all([
        calls.call({ path: '/api/endpoints/run', body, charsMax }),
        calls.call({ path: endpoint.path, body: parameters, charsMax }),
      ]);
      setResult({ now, next });
    } catch (error) {
      setResult(error instanceof Error ? error : new Error('It did not run.'));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section aria-label="Test">
      <h2>Test</h2>
      <ParameterForm
        parameters={endpoint.parameters}
        values={given}
        onValue={(name, value) => setGiven({ ...given, [name]: value })}
      />
      <div className="bar">
        <button type="button" disabled={isBusy || !isValid} onClick={() => void run()}>
          {isBusy ? 'Testing' : 'Run the new version'}
        </button>
        <span role="status">
          {result !== null &&
            !(result instanceof Error) &&
            `${runText(result.next)}. The current version has ${runText(result.now)}.`}
        </span>
      </div>
      {result instanceof Error && <ErrorBox error={result} />}
      {result !== null && !(result instanceof Error) && (
        <div className="result">
          <ResultTable answer={result.next} />
        </div>
      )}
    </section>
  );
}

const runText = ({ rows, elapsedMs }: RowsAnswer): string =>
  `${countText(rows.length, 'row')} in ${Math.round(elapsedMs)} ms`;

/** Rows are only looked at. */
const charsMax = 300;
