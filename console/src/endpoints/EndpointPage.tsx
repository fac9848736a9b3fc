import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { callApi, serviceBase } from '../api/callApi.ts';
import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import type { Answers } from '../api/types.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { ParameterForm, valuesIn } from '../parts/ParameterForm.tsx';
import { useLast } from '../parts/useLast.ts';
import { useProjectNames } from '../projects/useProjects.ts';
import { ResultPanel } from '../query/ResultPanel.tsx';
import { goTo, hrefOf, parseRoute, useHash } from '../route/route.ts';
import { useRowsCalls } from '../shell/calls.ts';
import { useSignedIn } from '../shell/session.ts';
import { curlOf, pythonOf, typescriptOf } from './clientSnippets.ts';
import { EndpointSource, EndpointVersions } from './EndpointSource.tsx';

const tabNames = ['run', 'source', 'versions'] as const;
const titles = { run: 'Run', source: 'Source', versions: 'Versions' } as const;

/** One endpoint: a form made from its parameters and its result; its definition and versions for managers. */
export function EndpointPage({ endpoint }: { readonly endpoint: DescribedEndpoint }) {
  const { described } = useSignedIn();
  const hash = useHash();
  const route = useMemo(() => parseRoute(hash), [hash]);
  const isManaged = described.operations.has('endpoints.read');
  const tab = tabNames.find((name) => name === route.search.get('tab') && isManaged) ?? 'run';
  const to = (name: string) =>
    hrefOf(['endpoints', endpoint.id], { ...Object.fromEntries(route.search), tab: name === 'run' ? null : name });
  const definition = useQuery({
    queryKey: ['endpoint', endpoint.id],
    enabled: isManaged && tab !== 'run',
    queryFn: async ({ signal }) =>
      (await callApi(`/api/endpoints/${endpoint.id}`, { signal })).body as unknown as Answers['endpoints.read'],
  });
  return (
    <div className="page">
      <header>
        <p className="small">
          <a href="#/endpoints">Endpoints</a>
        </p>
        <div className="bar">
          <h1>{endpoint.name}</h1>
          <span className="muted">version {endpoint.version}</span>
          <span className="spacer" />
          {isManaged && (
            <nav className="tabs" aria-label="Parts of the endpoint">
              {tabNames.map((name) => (
                <a key={name} href={to(name)} aria-current={name === tab ? 'page' : undefined}>
                  {titles[name]}
                </a>
              ))}
            </nav>
          )}
        </div>
        <p className="muted">{endpoint.description}</p>
      </header>
      {definition.error !== null && <ErrorBox error={definition.error} />}
      {tab === 'run' && <Run endpoint={endpoint} />}
      {tab === 'source' && definition.data !== undefined && <EndpointSource definition={definition.data} />}
      {tab === 'versions' && definition.data !== undefined && <EndpointVersions definition={definition.data} />}
    </div>
  );
}

const snippets = [
  ['curl', curlOf],
  ['TypeScript', typescriptOf],
  ['Python', pythonOf],
] as const;

function Run({ endpoint }: { readonly endpoint: DescribedEndpoint }) {
  const calls = useRowsCalls();
  const hash = useHash();
  const route = useMemo(() => parseRoute(hash), [hash]);
  const { names } = useProjectNames();
  const asked = route.search.has('run') ? valuesIn(route.search) : null;
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() => valuesIn(route.search));
  const preset =
    endpoint.parameters.some(({ name }) => name === 'project') && names[0] !== undefined ? { project: names[0] } : {};
  const values = Object.fromEntries(Object.entries({ ...preset, ...typed }).filter(([, value]) => value !== ''));
  const [run, setRun] = useState(0);
  const [language, setLanguage] = useState(0);
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
  const [, write] = snippets[language] ?? snippets[0];
  const text = write(endpoint, values, serviceBase());
  return (
    <>
      <div className="run-form">
        <form onSubmit={submit}>
          <ParameterForm
            parameters={endpoint.parameters}
            values={{ ...preset, ...typed }}
            onValue={(name, value) => setTyped({ ...typed, [name]: value })}
          />
          <button type="submit" className="primary" disabled={result.isFetching}>
            {result.isFetching ? 'Running' : 'Run'}
          </button>
        </form>
        <section className="snippet" aria-label="The same call elsewhere">
          <div className="bar">
            <div className="tabs" role="group" aria-label="Language">
              {snippets.map(([name], index) => (
                <button key={name} type="button" aria-pressed={index === language} onClick={() => setLanguage(index)}>
                  {name}
                </button>
              ))}
            </div>
            <span className="spacer" />
            <CopyButton text={text} />
          </div>
          <pre tabIndex={0}>{text}</pre>
        </section>
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
