import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError } from '../api/callApi.ts';
import { type DescribedEndpoint, titleOf } from '../api/describedEndpoints.ts';
import { may } from '../api/session.ts';
import { ErrorBox, placeOf } from '../parts/ErrorBox.tsx';
import { ParameterForm, valuesIn } from '../parts/ParameterForm.tsx';
import { RunButton } from '../parts/RunButton.tsx';
import { SaveLink } from '../parts/SaveLink.tsx';
import { useLast } from '../parts/useLast.ts';
import { projectOf, useProjectNames } from '../projects/useProjects.ts';
import { goTo, parseRoute, type SearchValues, useHash, withValues } from '../route/route.ts';
import { useRowsCalls } from '../shell/calls.ts';
import { remember, remembered, rememberedList, rememberFirst } from '../shell/remembered.ts';
import { useSignedIn } from '../shell/session.ts';
import { nowMicros } from '../time/instant.ts';
import { formatSql } from './formatSql.ts';
import { offeredIn } from './offered.ts';
import { ResultPanel, type View } from './ResultPanel.tsx';
import { largeRead, tablesIn } from './readTables.ts';
import { useCheck } from './useCheck.ts';
import { useFields, useFunctions } from './useFields.ts';

const Editor = lazy(() => import('./Editor.tsx'));

interface QueryPageProps {
  readonly endpoints: readonly DescribedEndpoint[];
  readonly endpoint: DescribedEndpoint;
}

type Language = 'sql' | 'lql';

const firstQueries = (table: string): Readonly<Record<Language, string>> => ({
  sql: `select timestamp_trunc(timestamp, hour) as hour, count(*) as requests\nfrom ${table}\ngroup by hour\norder by hour`,
  lql: `f:${table} t:last@24h c:count(*) c:group_by(t::hour)`,
});

const pastMax = 200;

/** An editor and its result. A run puts the query into the URL; typing does not. */
export function QueryPage({ endpoints, endpoint }: QueryPageProps) {
  const { session } = useSignedIn();
  const calls = useRowsCalls();
  const hash = useHash();
  const route = useMemo(() => parseRoute(hash), [hash]);
  const language: Language = route.search.get('lang') === 'lql' ? 'lql' : 'sql';
  const asked = route.search.get('q');
  const view = (['table', 'json', 'chart'] as const).find((each) => each === route.search.get('as')) ?? 'table';
  const zone = route.search.get('tz') === 'local' ? 'local' : 'UTC';
  // The list is a new one each time, and a change of the values checks the text again.
  const declared = endpoint.parameters;
  const [firstName] = useProjectNames(projectOf(endpoint)).names;
  const values: Readonly<Record<string, string>> = useMemo(() => {
    const project = route.search.get('p') ?? firstName;
    const hasProject = declared.some(({ name }) => name === 'project');
    return { ...(hasProject && project !== undefined ? { project } : {}), ...valuesIn(route.search) };
  }, [route, declared, firstName]);
  const hasAll = declared.every(({ name, isRequired }) => !isRequired || (values[name] ?? '') !== '');
  const table = endpoint.tables[0] ?? '';
  const draftName = `draft.${language}.${endpoint.id}`;
  const [draft, setDraft] = useState(() => asked ?? remembered(draftName) ?? firstQueries(table)[language]);
  const [run, setRun] = useState(0);
  /** A query that waits for a second word, because it may read very much. */
  const [warned, setWarned] = useState<{ readonly of: string; readonly rows: number } | null>(null);
  useEffect(() => {
    if (asked !== null) setDraft(asked);
  }, [asked]);

  const go = (changed: SearchValues, how: 'push' | 'replace' = 'push') =>
    goTo(withValues(parseRoute(location.hash), changed), how);
  const result = useQuery({
    queryKey: ['query', endpoint.id, language, asked, values, run],
    enabled: asked !== null && hasAll,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 120_000,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      await calls.call({ path: endpoint.path, body: { ...values, [language]: asked }, signal }),
  });
  const shown = useLast(result.data, endpoint.id);
  const start = () => {
    const read = fields
      .flatMap(({ tables }) => tables)
      .filter(({ name }) => tablesIn(draft, endpoint.tables).includes(name));
    const rows = largeRead(draft, language, read);
    if (rows !== null && warned?.of !== draft) setWarned({ of: draft, rows });
    else begin();
  };
  const begin = () => {
    setWarned(null);
    rememberFirst('queries', JSON.stringify({ language, e: endpoint.id, q: draft }), pastMax);
    if (draft === asked) setRun((before) => before + 1);
    go({ q: draft, lang: language === 'sql' ? null : language });
  };
  const edit = (text: string) => {
    setDraft(text);
    remember(draftName, text);
  };
  const format = () => {
    const formatted = language === 'sql' ? formatSql(draft) : null;
    if (formatted !== null && formatted !== draft) edit(formatted);
  };
  const checked = useCheck(endpoint, language, draft, values, hasAll && may(session, 'query:explain'));
  const place =
    checked ?? (result.error instanceof ApiError && draft === asked ? placeOf(result.error.problem) : undefined);
  const fields = useFields(endpoint, draft, values, hasAll);
  const functions = useFunctions();
  const offered = useMemo(
    () => offeredIn(endpoint, fields, functions, language),
    [endpoint, fields, functions, language],
  );
  const isRunning = result.isFetching;
  const elapsed = useElapsed(isRunning);
  return (
    <div className="query">
      <h1 className="unseen">Query</h1>
      <div className="bar">
        <div className="tabs" role="group" aria-label="Language">
          {(['sql', 'lql'] as const).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === language}
              onClick={() => {
                setDraft(remembered(`draft.${each}.${endpoint.id}`) ?? firstQueries(table)[each]);
                go({ lang: each === 'sql' ? null : each, q: null });
              }}
            >
              {each.toUpperCase()}
            </button>
          ))}
        </div>
        <select
          aria-label="Endpoint whose tables are read"
          value={endpoint.id}
          onChange={(event) => go({ e: event.target.value, q: null })}
        >
          {endpoints.map((each) => (
            <option key={each.id} value={each.id}>
              {titleOf(each)}
            </option>
          ))}
        </select>
        <PastQueries
          onChoose={(past) => go({ e: past.e, lang: past.language === 'sql' ? null : past.language, q: past.q })}
        />
        <span className="spacer" />
        {language === 'sql' && (
          <button type="button" title="Lay out the query (Shift and Alt with F)" onClick={format}>
            Format
          </button>
        )}
        <SaveLink endpoint={endpoint} language={language} text={draft} values={values} />
        <RunButton
          isRunning={isRunning}
          onRun={start}
          onCancel={() => go({ q: null }, 'replace')}
          title="Ctrl or ⌘ with Enter"
          elapsed={elapsed}
        />
      </div>
      <ParameterForm
        parameters={declared}
        values={values}
        onValue={(name, value) => go(name === 'project' ? { p: value } : { [`v.${name}`]: value }, 'replace')}
      />
      <Suspense fallback={<div className="editor" />}>
        <Editor
          language={language}
          text={draft}
          onText={edit}
          onRun={start}
          onFormat={format}
          wrong={place}
          offered={offered}
        />
      </Suspense>
      <p className="editor-help muted small" role="status">
        {place === undefined ? (
          `Tables: ${endpoint.tables.join(', ')}`
        ) : (
          <span className="problem-text">
            {place.line}:{place.column} {place.message}
          </span>
        )}
      </p>
      {warned?.of === draft && (
        <div className="box warning-box bar" role="alert">
          <span>
            This query may read {warned.rows.toLocaleString('en')} rows. A condition on the time, such as{' '}
            <code>{language === 'sql' ? 'where timestamp > …' : 't:last@1h'}</code>, makes it faster.
          </span>
          <span className="spacer" />
          <button type="button" onClick={begin}>
            Run anyway
          </button>
          <button type="button" className="quiet" onClick={() => setWarned(null)}>
            Do not run
          </button>
        </div>
      )}
      {result.error !== null && asked !== null && <ErrorBox error={result.error} source={asked} onRetry={start} />}
      {shown === undefined ? (
        asked === null && <p className="empty muted">Run the query to see its rows here.</p>
      ) : (
        <ResultPanel
          answer={shown}
          view={view}
          zone={zone}
          name={endpoint.name}
          isOld={result.isPlaceholderData || result.error !== null}
          onView={(as: View) => go({ as: as === 'table' ? null : as }, 'replace')}
        />
      )}
    </div>
  );
}

/** Milliseconds since something began, as text, ten times a second. */
function useElapsed(isRunning: boolean): string {
  const [text, setText] = useState('');
  useEffect(() => {
    setText('');
    if (!isRunning) return;
    const from = nowMicros();
    const timer = setInterval(() => setText(`${((nowMicros() - from) / 1e6).toFixed(1)} s`), 100);
    return () => clearInterval(timer);
  }, [isRunning]);
  return text;
}

interface PastQuery {
  readonly language: Language;
  readonly e: string;
  readonly q: string;
}

/** Null for what an earlier release, or somebody else, left in the browser. */
function pastQueryOf(text: string): PastQuery | null {
  try {
    const { language, e, q } = JSON.parse(text);
    if (typeof q !== 'string' || typeof e !== 'string') return null;
    return { language: language === 'lql' ? 'lql' : 'sql', e, q };
  } catch {
    return null;
  }
}

function PastQueries({ onChoose }: { readonly onChoose: (past: PastQuery) => void }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const past = rememberedList('queries').flatMap((text) => pastQueryOf(text) ?? []);
  if (past.length === 0) return null;
  return (
    <details ref={menu} className="menu past">
      <summary>History</summary>
      <ul className="menu-body">
        {past.slice(0, 30).map((each) => (
          <li key={`${each.e} ${each.q}`}>
            <button
              type="button"
              onClick={() => {
                menu.current?.removeAttribute('open');
                onChoose(each);
              }}
            >
              <code>{each.q.replace(/\s+/g, ' ').slice(0, 90)}</code>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
