import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type FormEvent, lazy, Suspense, useMemo, useState } from 'react';
import { callApi } from '../api/callApi.ts';
import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import type { Answers } from '../api/types.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { PageFrame } from '../parts/PageFrame.tsx';
import { ParameterForm, valuesIn } from '../parts/ParameterForm.tsx';
import { useLast } from '../parts/useLast.ts';
import { projectOf, useProjectNames } from '../projects/useProjects.ts';
import { ResultPanel } from '../query/ResultPanel.tsx';
import { goTo, hrefOf, parseRoute, useHash } from '../route/route.ts';
import { useRowsCalls } from '../shell/calls.ts';
import { useSignedIn } from '../shell/session.ts';
import { EndpointCallers } from './EndpointCallers.tsx';
import { EndpointSource } from './EndpointSource.tsx';
import { EndpointVersions } from './EndpointVersions.tsx';
import { SnippetBox } from './SnippetBox.tsx';

/** With a reader of YAML, which only those need who edit. */
const EndpointEdit = lazy(() => import('./EndpointEdit.tsx'));

const tabNames = ['run', 'source', 'edit', 'versions', 'callers'] as const;
const titles = { run: 'Run', source: 'Source', edit: 'Edit', versions: 'Versions', callers: 'Callers' } as const;

/** One endpoint: a form made from its parameters and its result; its definition and versions for managers. */
export function EndpointPage({ endpoint }: { readonly endpoint: DescribedEndpoint }) {
  const { described } = useSignedIn();
  const { names } = useProjectNames(projectOf(endpoint));
  const hash = useHash();
  const route = useMemo(() => parseRoute(hash), [hash]);
  const isManaged = described.operations.has('endpoints.read');
  const tab = tabNames.find((name) => name === route.search.get('tab') && isManaged) ?? 'run';
  const to = (name: string) =>
    hrefOf(['endpoints', endpoint.id], { ...Object.fromEntries(route.search), tab: name === 'run' ? null : name });
  const managed = useQuery({
    queryKey: ['endpoint', endpoint.id],
    enabled: isManaged && tab !== 'run',
    queryFn: async ({ signal }) => {
      const { body, headers } = await callApi(`/api/endpoints/${endpoint.id}`, { signal });
      return { definition: body as unknown as Answers['endpoints.read'], tag: headers.get('etag') ?? '*' };
    },
  });
  const definition = managed.data?.definition;
  return (
    <PageFrame
      title={endpoint.name}
      parent="endpoints"
      beside={<span className="muted">version {endpoint.version}</span>}
      actions={
        isManaged && (
          <nav className="tabs" aria-label="Parts of the endpoint">
            {tabNames.map((name) => (
              <a key={name} href={to(name)} aria-current={name === tab ? 'page' : undefined}>
                {titles[name]}
              </a>
            ))}
          </nav>
        )
      }
      about={endpoint.description}
    >
      {route.search.has('made') && tab === 'run' && (
        <p role="status" className="box made-box">
          <strong>{endpoint.name} is deployed.</strong> The line below calls it.
        </p>
      )}
      {managed.error !== null && <ErrorBox error={managed.error} />}
      {managed.isLoading && <p role="status">Loading the definition</p>}
      {tab === 'run' && <Run endpoint={endpoint} />}
      {tab === 'source' && definition !== undefined && (
        <EndpointSource definition={definition} tables={endpoint.tables} />
      )}
      {tab === 'edit' && managed.data !== undefined && (
        <Suspense fallback={<p role="status">Loading</p>}>
          <EndpointEdit
            key={managed.data.tag}
            endpoint={endpoint}
            {...managed.data}
            values={presetValues(endpoint, names, valuesIn(route.search))}
            onDeployed={() => goTo(to('versions'))}
          />
        </Suspense>
      )}
      {tab === 'versions' && definition !== undefined && <EndpointVersions definition={definition} />}
      {tab === 'callers' && <EndpointCallers id={endpoint.id} />}
    </PageFrame>
  );
}

/** The values that were given, and the first project if none was. */
function presetValues(
  { parameters }: DescribedEndpoint,
  projects: readonly string[],
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [project] = projects;
  const hasProject = parameters.some(({ name }) => name === 'project');
  return { ...(hasProject && project !== undefined ? { project } : {}), ...given };
}

function Run({ endpoint }: { readonly endpoint: DescribedEndpoint }) {
  const calls = useRowsCalls();
  const hash = useHash();
  const route = useMemo(() => parseRoute(hash), [hash]);
  const { names } = useProjectNames(projectOf(endpoint));
  const asked = route.search.has('run') ? valuesIn(route.search) : null;
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() => valuesIn(route.search));
  const shownValues = presetValues(endpoint, names, typed);
  const values = Object.fromEntries(Object.entries(shownValues).filter(([, value]) => value !== ''));
  const [run, setRun] = useState(0);
  const view = (['table', 'json', 'chart'] as const).find((each) => each === route.search.get('as')) ?? 'table';
  const result = useQuery({
    queryKey: ['run', endpoint.id, asked, run],
    enabled: asked !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 120_000,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => await calls.call({ path: endpoint.path, body: { ...asked }, signal }),
  });
  const go = (as: string | null, how: 'push' | 'replace') =>
    goTo(
      hrefOf(['endpoints', endpoint.id], {
        ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`v.${name}`, value])),
        run: '1',
        as,
      }),
      how,
    );
  const shown = useLast(result.data, endpoint.id);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setRun((before) => before + 1);
    go(route.search.get('as'), 'push');
  };
  return (
    <>
      <div className={route.search.has('made') ? 'run-form made' : 'run-form'}>
        <form onSubmit={submit}>
          <ParameterForm
            parameters={endpoint.parameters}
            values={shownValues}
            onValue={(name, value) => setTyped({ ...typed, [name]: value })}
          />
          <button type="submit" className="primary" disabled={result.isFetching}>
            {result.isFetching ? 'Running' : 'Run'}
          </button>
        </form>
        <SnippetBox endpoint={endpoint} values={values} />
      </div>
      {result.error !== null && <ErrorBox error={result.error} />}
      {shown !== undefined && (
        <ResultPanel
          answer={shown}
          view={view}
          zone="UTC"
          name={endpoint.name}
          isOld={result.isPlaceholderData || result.error !== null}
          onView={(as) => go(as === 'table' ? null : as, 'replace')}
        />
      )}
    </>
  );
}
