import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SuiteResult } from '../../bench/suite/suiteResult.ts';
import { build } from '../acceptance/startedService.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'logmill-suite-test-'));
/** Where packages are found like from the sources (scripts/bench.mjs). */
const bundles = join(root, 'node_modules', '.cache', `logmill-bench-${process.pid}`);
const bundle = join(bundles, 'bench.mjs');

beforeAll(() => {
  build();
  mkdirSync(bundles, { recursive: true });
  execFileSync(process.execPath, [join(root, 'scripts', 'bundleBench.mjs'), 'bench/suite/suite.ts', bundle]);
});
afterAll(() => {
  for (const each of [folder, bundles]) rmSync(each, { recursive: true, force: true });
});

/** As `npm run bench` does. */
function runSuite(...args: readonly string[]): SuiteResult {
  const output = join(folder, 'result.json');
  execFileSync(process.execPath, ['--enable-source-maps', bundle, '--quick', '--output', output, ...args], {
    cwd: root,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return JSON.parse(readFileSync(output, 'utf8')) as SuiteResult;
}

describe('the suite of benchmarks', () => {
  it('runs on few events, and leaves nothing but the prepared events', () => {
    const result = runSuite('--events', '3000', '--only', 'endpoints');
    expect(result.failures).toEqual([]);
    expect(result.events.map(({ events }) => events)).toEqual([3000]);
    expect(result.figures.filter(({ part }) => part === 'stored endpoints')).toHaveLength(21);
    for (const { what, measured, beside, further } of result.figures) {
      for (const value of [measured, beside?.value, ...Object.values(further)]) expect(value, what).toBeGreaterThan(0);
    }
    const titlesWith = (how: string) => result.figures.filter(({ further }) => how in further).map(({ what }) => what);
    const cached = titlesWith('cached');
    expect(cached.every((what) => /^(functions\.invocation-stats|usage\.api-counts) /.test(what))).toBe(true);
    expect(cached).toHaveLength(15);
    const unchanged = titlesWith('unchanged');
    expect(unchanged.every((what) => /^logs\.all, /.test(what))).toBe(true);
    expect(unchanged).toHaveLength(3);
    expect(readdirSync(join(folder, 'logmill-bench'))).toEqual([expect.stringMatching(/^events-3000-[0-9a-f]{12}$/)]);
  }, 600_000);

  it('refuses parts that there are not', () => {
    expect(() => runSuite('--events', '3000', '--only', 'start,mixd')).toThrow(
      'no part mixd; there are ingestion, start,',
    );
  });
});
