import { describe, expect, it, vi } from 'vitest';
import { byTurns } from '../../bench/suite/byTurns.ts';
import { figure, ratioOf } from '../../bench/suite/figure.ts';
import { pageTables } from '../../bench/suite/pageTables.ts';
import type { SuiteResult } from '../../bench/suite/suiteResult.ts';
import { type TargetName, target, targets } from '../../bench/suite/targets.ts';
import { verdicts, verdictText } from '../../bench/suite/verdicts.ts';

const beside = (what: string, measured: number, value: number, events: number) =>
  figure({
    part: 'beside PostgreSQL',
    events,
    what,
    measured,
    unit: 'ms',
    beside: { what: 'PostgreSQL, perfect index', value },
    target: target('postgresLong', measured, value),
  });

const figures = [
  beside('top-paths', 5, 50, 1_000_000),
  beside('error-rate', 10, 20, 1_000_000),
  figure({
    part: 'stored endpoints',
    events: 1_000_000,
    what: 'logs.all | large',
    measured: 4,
    unit: 'ms',
    beside: { what: 'bare engine', value: 2 },
    pairedRatio: 1.9,
    further: { cold: 40 },
  }),
  figure({ part: 'stored endpoints', events: 1_000_000, what: 'usage.api-counts', measured: 3, unit: 'ms' }),
  figure({ part: 'stored endpoints', events: 5_000_000, what: 'logs.all | large', measured: 6, unit: 'ms' }),
  figure({ part: 'start and memory', what: 'idle', measured: 100, unit: 'MB', target: target('memoryIdle', 100) }),
];

const result: SuiteResult = {
  startedAt: '2026-05-01T12:30:05',
  minutes: 3,
  commit: '0123456789ab',
  machine: { cpu: 'a processor', cores: 2, memoryGiB: 8, kernel: 'linux 6', node: 'v20.19.0', duckdb: 'v1.5.5' },
  load: { before: { processes: 4, loopMs: 80 }, after: { processes: 0.2, loopMs: 60 } },
  events: [{ events: 1_000_000, loadSeconds: 30, mergeSeconds: 5 }],
  figures,
  failures: ['mixed: no answer'],
};

describe('figures of the suite', () => {
  it('take the ratio of the rounds where there is one, else that of the medians', () => {
    expect(figures.map(ratioOf)).toEqual([0.1, 0.5, 1.9, null, null, null]);
  });

  it('are judged by every target, with the worst named and what is not measured said', () => {
    const found = new Map(verdicts(figures).map((verdict) => [verdict.name, verdict]));
    expect([...found.keys()]).toEqual(Object.keys(targets));
    const long = found.get('postgresLong');
    expect(long).toMatchObject({ figures: 2, met: 1, measured: 'median 0.1×, worst 0.5× (error-rate, 1 M)' });
    expect(long && verdictText(long)).toBe('MISSED: 1 of 2 met');
    const idle = found.get('memoryIdle');
    expect(idle).toMatchObject({ measured: '100 MB' });
    expect(idle && verdictText(idle)).toBe('met');
    const start = found.get('start');
    expect(start && verdictText(start)).toBe('not measured');
  });

  type Pair = readonly [measured: number, beside: number];
  const bounds: readonly (readonly [TargetName, met: Pair, missed: Pair])[] = [
    ['storedEndpoint', [15, 10], [15.1, 10]],
    ['storedEndpoint', [3.5, 1], [3.6, 1]],
    ['callerDay', [1.8, 1], [1.9, 1]],
    ['postgresShort', [0.9, 1], [1, 1]],
    ['cachedRate', [75, 100], [74, 100]],
    ['storedBytes', [17.5, 100], [17.6, 100]],
  ];
  it.each(bounds)('are met at the bound of %s, and missed beyond it', (name, met, missed) => {
    expect(target(name, ...met).isMet).toBe(true);
    expect(target(name, ...missed).isMet).toBe(false);
  });

  it('where more is better, the least is the worst', () => {
    const rates = [0.9, 0.3].map((ratio) =>
      figure({
        part: 'cached answers',
        what: `rate ${ratio}`,
        measured: ratio * 1000,
        unit: 'calls/s',
        beside: { what: 'bare Fastify route', value: 1000 },
        target: target('cachedRate', ratio),
      }),
    );
    expect(verdicts(rates).find(({ name }) => name === 'cachedRate')?.measured).toBe(
      'median 0.9×, worst 0.3× (rate 0.3)',
    );
  });

  it('stand on the page with their peers, sizes side by side, the load and what failed', () => {
    const page = pageTables(result);
    expect(page).toContain('The machine is busy (load 4.0 on 2 cores)');
    expect(page).toContain('Parts that failed: mixed: no answer');
    expect(page).toContain('| error-rate | 10 ms | 20 ms | 0.5× |');
    expect(page).toContain('| logs.all \\| large | 4 ms | 40 ms | 2 ms | 1.9× |');
    expect(page).toContain('| logs.all \\| large | 4 ms | 6 ms | 1.5× |');
    const rows = page.split('\n').filter((line) => line.startsWith('|'));
    const widths = rows.map((line) => line.replaceAll('\\|', '').split('|').length);
    const headings = rows.flatMap((line, n) => (line.startsWith('| ---') ? [n - 1] : []));
    for (const [n, width] of widths.entries()) {
      const heading = headings.filter((each) => each <= n).at(-1) ?? 0;
      expect(width, rows[n]).toBe(widths[heading]);
    }
  });
});

describe('rounds by turns', () => {
  it('ask each work once in every round, in an order that moves on, and leave rounds to warm up out', async () => {
    const asked: string[] = [];
    const work = (name: string) => async () => asked.push(name);
    const times = await byTurns({ a: work('a'), b: work('b'), c: work('c') }, { rounds: 2, warmRounds: 1 });
    expect(asked.join('')).toBe('abcbcacab');
    expect(times).toEqual({ a: [6, 8], b: [4, 9], c: [5, 7] });
  });

  it('are fewer, but five, where they take seconds', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const slow = async () => {
      clock.mockReturnValue(performance.now() + 1500);
      return 1;
    };
    const times = await byTurns({ slow }, { rounds: 15, warmRounds: 2 }).finally(() => clock.mockRestore());
    expect(times.slow).toHaveLength(5);
  });
});
