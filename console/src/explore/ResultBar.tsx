import { useRef } from 'react';
import type { Meta } from '../api/types.ts';
import { countText } from '../text/countText.ts';
import { SafeText } from '../text/SafeText.tsx';
import { agoText, nowMicros, parseInstant } from '../time/instant.ts';
import { utcMinute } from '../time/utcText.ts';
import type { SearchPage } from './rowPages.ts';

interface ResultBarProps {
  readonly pages: readonly SearchPage[];
  readonly shown: number;
  /** All rows of the search, if they could be counted. */
  readonly total: number | undefined;
  readonly isFetchingMore: boolean;
  readonly hasMore: boolean;
  readonly onMore: () => void;
}

/** How many rows there are, how long they took, and whatever makes them less than asked for. */
export function ResultBar({ pages, shown, total, isFetchingMore, hasMore, onMore }: ResultBarProps) {
  const answer = pages.at(-1)?.answer;
  const [first] = pages;
  const said = useRef('');
  if (answer === undefined || first === undefined) return <div className="result-bar" />;
  const { meta } = answer;
  const of = total !== undefined && total > shown ? ` of ${total.toLocaleString('en')}` : '';
  const counted = `${shown.toLocaleString('en')}${of} ${shown === 1 && of === '' ? 'row' : 'rows'}`;
  // One polite sentence per run, not one per page.
  if (pages.length === 1) said.current = `${counted} in ${Math.round(first.answer.elapsedMs)} ms`;
  return (
    <div className="result-bar">
      <span className="unseen" role="status">
        {said.current}
      </span>
      <span>{counted}</span>
      {hasMore && (
        <button type="button" className="quiet" disabled={isFetchingMore} onClick={onMore}>
          {isFetchingMore ? 'Loading older' : 'Load older'}
        </button>
      )}
      <Partial meta={meta} hasMore={hasMore} />
      <Notices meta={first.answer.meta} />
      <span className="spacer" />
      <Cost meta={meta} elapsedMs={first.answer.elapsedMs} />
    </div>
  );
}

/** Whether values were redacted, how long the answer took, and what was read for it. */
export function Cost({ meta, elapsedMs }: { readonly meta: Meta; readonly elapsedMs: number }) {
  return (
    <>
      {meta.redaction.applied && <span className="chip redacted">redacted</span>}
      <span className="muted">
        {Math.round(elapsedMs)} ms
        {meta.query.rows_scanned !== undefined && `, ${meta.query.rows_scanned.toLocaleString('en')} rows read`}
      </span>
    </>
  );
}

/** What was cut, is old or was removed. */
export function Partial({ meta, hasMore = false }: { readonly meta: Meta; readonly hasMore?: boolean }) {
  const begins = Object.entries(meta.data_begins ?? {});
  const isStale = meta.cache.outcome === 'stale' || meta.cache.outcome === 'hit';
  return (
    <>
      {meta.truncated && !hasMore && (
        <span className="warning-text" title="The answer has fewer rows than the query.">
          cut: {meta.truncated_by ?? 'rows'}
        </span>
      )}
      {begins.map(([source, from]) => (
        <span key={source} className="warning-text" title="Events before this time were removed.">
          {source} begins {utcMinute(from)} UTC
        </span>
      ))}
      {isStale && (
        <span className="warning-text">
          Rows from {meta.cache.as_of.slice(11, 16)} UTC, {agoText(parseInstant(meta.cache.as_of) ?? 0, nowMicros())}
        </span>
      )}
    </>
  );
}

export function Notices({ meta }: { readonly meta: Meta }) {
  if (meta.notices.length === 0) return null;
  return (
    <details className="menu">
      <summary className="warning-text">{countText(meta.notices.length, 'notice')}</summary>
      <ul className="menu-body">
        {meta.notices.map((notice) => (
          <li key={`${notice.code} ${notice.message}`}>
            <SafeText text={notice.message} /> <code>{notice.code}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
