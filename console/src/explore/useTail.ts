import { useEffect, useMemo, useRef, useState } from 'react';
import { textOf } from '../api/losslessJson.ts';
import type { Row } from '../api/rowsProtocol.ts';
import { withTimes } from '../lql/clauses.ts';
import { useRowsCalls } from '../shell/calls.ts';
import { type Micros, nowMicros, parseInstant, printInstant } from '../time/instant.ts';
import { columnNames, idOf, planSearch } from './searchPlan.ts';
import { cellCharsMax, type SearchTarget } from './searchTarget.ts';
import type { TableShape } from './tableShape.ts';

const pollMs = 1000;
/** Events may arrive this late, so this much is read again each time. */
const overlapMicros: Micros = 10e6;
const rowsMax = 5000;

export interface Tail {
  /** Rows that arrived, newest first, and are shown. */
  readonly rows: readonly Row[];
  /** Rows that arrived while the list was held. */
  readonly waiting: number;
  readonly problem: Error | null;
  /** Shows the waiting rows. */
  readonly release: () => void;
}

interface TailInputs {
  readonly target: SearchTarget;
  readonly lql: string;
  readonly shape: TableShape | undefined;
  readonly isOn: boolean;
  /** Whether rows are read or chosen now, so that nothing may move. */
  readonly isHeld: () => boolean;
  /** When the rows of the search were read. */
  readonly asOf: string | undefined;
  /** Rows of the search, which are not shown twice. */
  readonly known: readonly Row[];
  readonly isFresh: boolean;
}

/** New rows of a search, asked for each second. */
export function useTail({ target, lql, shape, isOn, isHeld, asOf, known, isFresh }: TailInputs): Tail {
  const calls = useRowsCalls();
  const [arrived, setArrived] = useState<readonly Row[]>([]);
  const [shown, setShown] = useState(0);
  const [problem, setProblem] = useState<Error | null>(null);
  const held = useRef(isHeld);
  held.current = isHeld;
  const seen = useRef(new Set<string>());
  const begin = useMemo(() => parseInstant(asOf ?? '') ?? nowMicros(), [asOf]);
  const of = useRef(begin);
  useEffect(() => {
    if (of.current !== begin) {
      of.current = begin;
      seen.current = new Set();
      setArrived([]);
      setShown(0);
    }
    // Newest first. Older ones are not read again.
    for (const row of known) {
      if ((parseInstant(textOf(row[columnNames.time])) ?? 0) < begin - overlapMicros) break;
      seen.current.add(idOf(row));
    }
  }, [known, begin]);
  useEffect(() => {
    if (!isOn || shape === undefined || !shape.isLog) return;
    const controller = new AbortController();
    let from = begin - overlapMicros;
    const poll = async () => {
      const since = withTimes(lql, [`t:>=${printInstant(Math.floor(from / 1e6) * 1e6)}`]);
      const { lql: asked } = planSearch(since, shape);
      const body = { ...target.parameters, lql: asked };
      const { rows, meta } = await calls.call({
        path: target.endpoint.path,
        body,
        charsMax: cellCharsMax,
        isFresh,
        signal: controller.signal,
      });
      from = (parseInstant(meta.cache.as_of) ?? from) - overlapMicros;
      const fresh = rows.filter((row) => !seen.current.has(idOf(row)));
      for (const row of fresh) seen.current.add(idOf(row));
      if (fresh.length === 0) return;
      setArrived((before) => [...fresh, ...before].slice(0, rowsMax));
      if (!held.current()) setShown((before) => Math.min(before + fresh.length, rowsMax));
    };
    let timer: ReturnType<typeof setTimeout>;
    const next = () => {
      timer = setTimeout(() => {
        poll()
          .then(() => setProblem(null))
          .catch((error: unknown) => {
            if (!controller.signal.aborted) setProblem(error instanceof Error ? error : new Error('The tail failed.'));
          })
          .finally(() => {
            if (!controller.signal.aborted) next();
          });
      }, pollMs);
    };
    next();
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [isOn, shape, lql, target, begin, calls, isFresh]);
  // The rows that wait are the newest, at the beginning.
  const waiting = arrived.length - Math.min(shown, arrived.length);
  return {
    rows: useMemo(() => arrived.slice(waiting), [arrived, waiting]),
    waiting,
    problem,
    release: () => setShown(arrived.length),
  };
}
