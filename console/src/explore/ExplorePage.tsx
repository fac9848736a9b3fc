import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError } from '../api/callApi.ts';
import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import type { Row } from '../api/rowsProtocol.ts';
import { may } from '../api/session.ts';
import { tableOf, timesOf, withClause, withColumn, withTable, withTimes, wordsOf } from '../lql/clauses.ts';
import { copyText } from '../parts/copyText.ts';
import { ErrorBox } from '../parts/ErrorBox.tsx';
import { RunButton } from '../parts/RunButton.tsx';
import type { useProjectNames } from '../projects/useProjects.ts';
import { goTo, parseRoute, type SearchValues, useHash, withValues } from '../route/route.ts';
import { rememberFirst } from '../shell/remembered.ts';
import { useSignedIn } from '../shell/session.ts';
import { useKeys } from '../shell/useKeys.ts';
import { type Micros, nowMicros, parseInstant, printInstant, type Zone } from '../time/instant.ts';
import { barsOf, type LqlPeriod } from '../time/periods.ts';
import { EmptySearch, NoProject } from './EmptySearch.tsx';
import { FieldList } from './FieldList.tsx';
import { FindBar } from './FindBar.tsx';
import { Histogram } from './Histogram.tsx';
import { OtherRows } from './OtherRows.tsx';
import { ResultBar } from './ResultBar.tsx';
import { RowList, rowKey } from './RowList.tsx';
import { RowPane } from './RowPane.tsx';
import { SearchBox } from './SearchBox.tsx';
import { type SearchForm, SearchForms } from './SearchForms.tsx';
import { ProjectPicker, StreamPicker } from './StreamPicker.tsx';
import type { ShownColumn } from './searchPlan.ts';
import type { SearchTarget } from './searchTarget.ts';
import { TimePicker } from './TimePicker.tsx';
import { rangeOfRun, rowsMaxUsual, useHistogram, useRows, useTableShape } from './useSearch.ts';
import { useTail } from './useTail.ts';

interface ExplorePageProps {
  readonly endpoints: readonly DescribedEndpoint[];
  readonly endpoint: DescribedEndpoint;
  readonly hasProject: boolean;
  readonly project: string;
  /** The names of projects that can be chosen. */
  readonly projects: ReturnType<typeof useProjectNames>;
}

const defaultTime = 't:last@1h';
const noColumns: readonly ShownColumn[] = [];
const views = ['table', 'json', 'chart'] as const;

/** Search in one table: `q` in the URL is the only truth, and everything on the page edits it. */
export function ExplorePage({ endpoints, endpoint, hasProject, project, projects }: ExplorePageProps) {
  const client = useQueryClient();
  const { session } = useSignedIn();
  const hash = useHash();
  const route = useMemo(() => parseRoute(hash), [hash]);
  const values = route.search;
  const table = tableOf(values.get('q') ?? '') ?? endpoint.tables[0] ?? '';
  const lql = values.get('q') ?? `f:${table} ${defaultTime}`;
  const zone: Zone = values.get('tz') === 'local' ? 'local' : 'UTC';
  const open = values.get('row');
  const isWrapped = values.get('wrap') === '1';
  const tab = (['tree', 'raw', 'context'] as const).find((each) => each === values.get('view')) ?? 'tree';
  const form: SearchForm = (['filters', 'sql'] as const).find((each) => each === values.get('form')) ?? 'lql';
  const [draft, setDraft] = useState(lql);
  const [run, setRun] = useState(0);
  /** Only where the window is too narrow for the list of fields. */
  const [areFieldsOpen, setFieldsOpen] = useState(false);
  /** Whether paths are being completed: the service then reads thousands of rows for them. */
  const [arePathsWanted, setPathsWanted] = useState(false);
  const [current, setCurrent] = useState<string | null>(open);
  /** What is looked for in the loaded rows; null while nothing is. */
  const [find, setFind] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => setDraft(lql), [lql]);

  const isReady = !hasProject || project !== '';
  const target: SearchTarget = useMemo(
    () => ({ endpoint, parameters: hasProject ? { project } : {}, table }),
    [endpoint, hasProject, project, table],
  );
  const shape = useTableShape(target, isReady, arePathsWanted);
  const rows = useRows(target, lql, isReady ? shape.data : undefined, run);
  const first = rows.data?.pages[0]?.answer;
  const asOf = first?.meta.cache.as_of;
  // Bars and field values wait for the rows of this search. Otherwise they would delay the rows, and show the range of
  // the previous run.
  const asOfRows = rows.areOfSearch ? asOf : undefined;
  const histogram = useHistogram(target, lql, shape.data, asOfRows);
  const all: readonly Row[] = useMemo(() => rows.data?.pages.flatMap((page) => page.rows) ?? [], [rows.data]);
  const error = shape.error ?? rows.error;
  const isTailing = values.get('tail') === '1';
  const tail = useTail({
    target,
    lql,
    shape: shape.data,
    isOn: isTailing && asOf !== undefined,
    isHeld: () => open !== null || isListHeld(),
    asOf,
    known: all,
    isFresh: may(session, 'query:fresh'),
  });
  const listed = useMemo(() => (tail.rows.length === 0 ? all : [...tail.rows, ...all]), [tail.rows, all]);

  const go = useCallback(
    (changed: SearchValues, how: 'push' | 'replace' = 'push') =>
      goTo(withValues(parseRoute(location.hash || '#/explore'), changed), how),
    [],
  );
  /** Runs a text. One without a time gets the default first, where it is seen. */
  const search = useCallback(
    (text: string) => {
      const whole = withTable(
        timesOf(text).length === 0 ? `${text} ${defaultTime}`.trim() : text,
        tableOf(text) ?? table,
      );
      rememberFirst('searches', whole, 200);
      // The rows must not wait for completions that are not needed any more.
      setPathsWanted(false);
      void client.cancelQueries({ queryKey: ['fields'] });
      setDraft(whole);
      if (whole === lql) setRun((before) => before + 1);
      go({ q: whole, row: null, view: null });
    },
    [go, lql, table, client],
  );
  // Stable values, so that typing does not draw rows, bars and fields again.
  const words = useMemo(() => (find === null || find === '' ? wordsOf(lql) : [...wordsOf(lql), find]), [lql, find]);
  const zoom = useCallback(
    (from: Micros, before: Micros) =>
      search(withTimes(lql, [`t:>=${printInstant(from)}`, `t:<${printInstant(before)}`])),
    [search, lql],
  );
  const addClause = useCallback((clause: string) => search(withClause(lql, clause)), [search, lql]);
  const addColumn = useCallback((path: string) => search(withColumn(lql, path, true)), [search, lql]);
  const removeColumn = useCallback((path: string) => search(withColumn(lql, path, false)), [search, lql]);
  const choose = useCallback((row: Row) => setCurrent(rowKey(row)), []);
  const openRow = useCallback(
    (row: Row) => {
      setCurrent(rowKey(row));
      go({ row: rowKey(row) }, 'replace');
    },
    [go],
  );
  const close = useCallback(() => {
    go({ row: null, view: null }, 'replace');
    document.querySelector<HTMLElement>('.rows')?.focus();
  }, [go]);
  const more = useCallback(() => {
    if (rows.hasNextPage && !rows.isFetching) void rows.fetchNextPage();
  }, [rows.hasNextPage, rows.isFetching, rows.fetchNextPage]);
  const move = (by: number) => {
    const at = current === null ? -1 : listed.findIndex((row) => rowKey(row) === current);
    const row = listed[Math.min(listed.length - 1, Math.max(0, at + by))];
    if (row === undefined) return;
    setCurrent(rowKey(row));
    if (open !== null) go({ row: rowKey(row) }, 'replace');
  };
  const wantPaths = useCallback(() => setPathsWanted(true), []);
  const shift = (by: number) => {
    const range = rangeOfRun(lql, parseInstant(asOf ?? '') ?? 0);
    if (range === null) return;
    const span = Math.max(range.to - range.from, 1);
    const start = range.from + by * span;
    search(withTimes(lql, [`t:>=${printInstant(start)}`, `t:<${printInstant(start + span)}`]));
  };
  const absolute = (): string => {
    const range = rangeOfRun(lql, parseInstant(asOf ?? '') ?? 0);
    const fixed =
      range === null ? lql : withTimes(lql, [`t:>=${printInstant(range.from)}`, `t:<=${printInstant(range.to)}`]);
    return new URL(withValues(route, { p: project, q: fixed, tz: zone }), location.href).href;
  };
  useKeys({
    '/': () => field.current?.focus(),
    j: () => move(1),
    k: () => move(-1),
    o: () => current !== null && go({ row: current }, 'replace'),
    e: () => current !== null && go({ row: current, view: 'context' }, 'replace'),
    t: () => document.querySelector<HTMLElement>('[data-key="t"]')?.click(),
    '[': () => shift(-1),
    ']': () => shift(1),
    w: () => go({ wrap: isWrapped ? null : '1' }, 'replace'),
    p: () => (tail.waiting > 0 ? tail.release() : go({ tail: isTailing ? null : '1' }, 'replace')),
    y: () => void copyText(absolute()),
    Y: () => void copyText(location.href),
    '+': () => pressNear('+'),
    '-': () => pressNear('-'),
  });

  const isOld = rows.isPlaceholderData || (rows.isFetching && !rows.isFetchingNextPage) || error !== null;
  const plan = rows.data?.pages[0]?.plan;
  const isLog = plan?.isLog ?? true;
  return (
    <div className={['explore', open === null ? '' : 'with-pane', areFieldsOpen ? 'with-fields' : ''].join(' ')}>
      <h1 className="unseen">Explore</h1>
      <div className="bar">
        {hasProject && <ProjectPicker projects={projects} project={project} onProject={(p) => go({ p, row: null })} />}
        <StreamPicker
          endpoints={endpoints}
          endpoint={endpoint}
          table={table}
          onStream={(next, name) =>
            go({
              e: next.name === 'logs.all' && next.isPrimary ? null : next.id,
              q: withTable(withoutFields(lql), name),
              row: null,
            })
          }
        />
        <TimePicker
          lql={lql}
          zone={zone}
          onTimes={(times) => search(withTimes(draft, times))}
          onZone={(tz) => go({ tz }, 'replace')}
        />
        <button
          type="button"
          className="fields-button"
          aria-expanded={areFieldsOpen}
          onClick={() => setFieldsOpen(!areFieldsOpen)}
        >
          Fields
        </button>
        <span className="spacer" />
        {isLog && (
          <button
            type="button"
            aria-pressed={isWrapped}
            title="Show long messages on several lines (w)"
            onClick={() => go({ wrap: isWrapped ? null : '1' }, 'replace')}
          >
            Wrap
          </button>
        )}
        <button
          type="button"
          aria-pressed={isTailing}
          title="Follow new rows (p)"
          onClick={() => go({ tail: isTailing ? null : '1' }, 'replace')}
        >
          {isTailing ? 'Pause' : 'Tail'}
        </button>
        <ShareButton absolute={absolute} />
      </div>
      <div className="bar search">
        <SearchBox
          ref={field}
          text={draft}
          onText={setDraft}
          onRun={() => search(draft)}
          shape={shape.data}
          tables={endpoint.tables}
          isWrong={error instanceof ApiError && error.status === 400}
          onPathsWanted={wantPaths}
        />
        <RunButton
          isRunning={rows.isFetching && !rows.isFetchingNextPage}
          isDisabled={!isReady}
          onRun={() => search(draft)}
          onCancel={() => void client.cancelQueries({ queryKey: ['rows'] })}
        />
      </div>
      <SearchForms
        endpoint={endpoint}
        parameters={target.parameters}
        lql={draft}
        ran={lql}
        shape={shape.data}
        form={form}
        onForm={(next) => go({ form: next === 'lql' ? null : next }, 'replace')}
        onSearch={search}
        period={periodOf(draft, asOf, endpoint)}
        onPathsWanted={wantPaths}
      />
      {error !== null && (
        <ErrorBox
          error={error}
          source={lql}
          onRetry={() => (shape.error === null ? search(draft) : void shape.refetch())}
        />
      )}
      {!isReady && !projects.isLoading && <NoProject error={projects.error} />}
      {isReady && isLog && histogram.error !== null && error === null && <ErrorBox error={histogram.error} />}
      {isReady && isLog && <Histogram data={histogram.data} zone={zone} onZoom={zoom} onClause={addClause} />}
      {isReady && (
        <div className="found">
          {shape.data !== undefined && isLog && (
            <FieldList
              target={target}
              shape={shape.data}
              lql={lql}
              asOf={asOfRows}
              onClause={addClause}
              onColumn={addColumn}
              onPathsWanted={wantPaths}
            />
          )}
          <div className="list">
            {first !== undefined && !isLog && (
              <OtherRows
                answer={first}
                isOld={isOld}
                zone={zone}
                name={endpoint.name}
                view={views.find((each) => each === values.get('as')) ?? null}
                onView={(as) => go({ as }, 'replace')}
              />
            )}
            {isLog && listed.length > 0 && (
              <FindBar
                text={find}
                onText={setFind}
                rows={listed}
                columns={plan?.columns ?? noColumns}
                current={current}
                onCurrent={choose}
              />
            )}
            {first !== undefined && isLog && listed.length > 0 && shape.data !== undefined && (
              <RowList
                rows={listed}
                columns={plan?.columns ?? noColumns}
                shape={shape.data}
                zone={zone}
                words={words}
                isOld={isOld}
                isWrapped={isWrapped}
                current={current}
                onCurrent={choose}
                onOpen={openRow}
                onEnd={more}
                onRemoveColumn={removeColumn}
              />
            )}
            {asOfRows !== undefined && isLog && listed.length === 0 && error === null && (
              <EmptySearch target={target} lql={lql} asOf={asOfRows} onSearch={search} />
            )}
            {(first === undefined || (asOfRows === undefined && listed.length === 0)) && error === null && (
              <div className="rows muted" role="status">
                {rows.isFetching || shape.isFetching ? 'Loading rows' : 'Cancelled'}
              </div>
            )}
            {isTailing && (
              <div className="tail-bar" role="status">
                {tail.problem !== null ? (
                  <span className="warning-text">The tail is interrupted: {tail.problem.message}</span>
                ) : (
                  <span className="muted">Following new rows</span>
                )}
                {tail.waiting > 0 && (
                  <button type="button" className="pill" onClick={tail.release}>
                    {tail.waiting.toLocaleString('en')} new
                  </button>
                )}
              </div>
            )}
            {isLog && (
              <ResultBar
                pages={rows.data?.pages ?? []}
                shown={listed.length}
                total={
                  histogram.isPlaceholderData ? undefined : histogram.data?.total.reduce((sum, each) => sum + each, 0)
                }
                isFetchingMore={rows.isFetchingNextPage}
                hasMore={rows.hasNextPage}
                onMore={more}
              />
            )}
          </div>
          {open !== null && (
            <RowPane
              key={open}
              target={target}
              rowKey={open}
              zone={zone}
              tab={tab}
              onTab={(view) => go({ view }, 'replace')}
              onClose={close}
              onClause={addClause}
              onColumn={addColumn}
              onRow={(row) => {
                setCurrent(row);
                go({ row }, 'replace');
              }}
            />
          )}
        </div>
      )}
    </div>
  );
}

/** The periods of a chart over the time of a text, for the clock of the last run. */
function periodOf(lql: string, asOf: string | undefined, { pageRowsMax }: DescribedEndpoint): LqlPeriod {
  const range = rangeOfRun(lql, parseInstant(asOf ?? '') ?? nowMicros());
  const bars = range === null ? null : barsOf(range.from, range.to, pageRowsMax ?? rowsMaxUsual);
  return bars?.period ?? 'minute';
}

/** Whether the list is scrolled, pointed at or selected in: then nothing in it may move. */
function isListHeld(): boolean {
  const list = document.querySelector('.rows');
  if (list === null) return false;
  const selection = getSelection();
  const isSelected = selection !== null && !selection.isCollapsed && list.contains(selection.anchorNode);
  return list.scrollTop > 0 || list.matches(':hover') || isSelected;
}

/** Only the times stay if the table changes, because its members are others. */
function withoutFields(lql: string): string {
  return timesOf(lql).join(' ');
}

/** Presses the button for this key beside the focus. */
function pressNear(key: string): void {
  const near = document.activeElement?.closest('li')?.querySelector<HTMLButtonElement>(`[data-key="${key}"]`);
  near?.click();
}

function ShareButton({ absolute }: { readonly absolute: () => string }) {
  const [text, setText] = useState('Share');
  const share = async () => {
    setText((await copyText(absolute())) ? 'Link copied' : 'Not copied');
    setTimeout(() => setText('Share'), 1500);
  };
  return (
    <button type="button" title="Copy a link to these rows, with absolute times (y)" onClick={() => void share()}>
      {text}
    </button>
  );
}
