import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { errorCatalogue } from '../../../src/core/errorCatalogue.ts';
import type { Observation } from '../../../src/core/observation.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

const example = (path: string) => readFileSync(join(import.meta.dirname, '..', '..', '..', 'examples', path), 'utf8');

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}
interface AlertRules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

/** What names a query: metrics, labels that it compares or groups by, and the values that it compares with. */
interface QueryNames {
  readonly metrics: readonly string[];
  readonly labels: readonly string[];
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
  readonly errors: number;
}

function namesOf(expr: string): QueryNames {
  const metrics: string[] = [];
  const labels: string[] = [];
  const matchers: { label: string; operator: string; value: string }[] = [];
  let errors = 0;
  parser.parse(expr).iterate({
    enter: ({ name, type, from, to, node }) => {
      const text = expr.slice(from, to);
      if (type.isError) errors++;
      if (name === 'Identifier') metrics.push(text);
      if (name === 'LabelName') labels.push(text);
      if (name !== 'UnquotedLabelMatcher') return;
      const [label = '', operator = '', value = ''] = ['LabelName', 'MatchOp', 'StringLiteral'].map((part) => {
        const found = node.getChild(part);
        return found === null ? '' : expr.slice(found.from, found.to);
      });
      matchers.push({ label, operator, value: value.slice(1, -1) });
    },
  });
  return { metrics, labels, matchers, errors };
}

/** What Prometheus adds to every series, and the bounds of a histogram. */
const added = ['instance', 'job', 'le'];

let service: WholeService;
let known: ReadonlySet<string>;
/** Series of every metric with labels, as they look once everything has happened: name → label → values. */
let series: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

beforeAll(async () => {
  service = await startWholeService({ nowMicros: at('2026-05-01T12:00:00Z') });
  const headers = { authorization: `Bearer ${service.adminToken}` };
  const text = await (await fetch(`${service.url}/metrics`, { headers })).text();
  known = new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) => seriesNames(name, type)),
  );
  series = seriesOf(`${text}\n${await everythingCounted()}`);
});
afterAll(() => service.close());

function seriesNames(name: string, type: string | undefined): readonly string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

function seriesOf(text: string): ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Map<string, Set<string>>>();
  for (const [, name = '', inner = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    const labels = found.get(name) ?? new Map<string, Set<string>>();
    found.set(name, labels);
    for (const [, label = '', value = ''] of inner.matchAll(/(\w+)="([^"]*)"/g)) {
      labels.set(label, (labels.get(label) ?? new Set()).add(value));
    }
  }
  return found;
}

/** The metrics of a service in which everything happened that is counted. */
function everythingCounted(): Promise<string> {
  const metrics = new Metrics();
  const call = { endpoint: { id: '', name: 'logs.all', version: 1 } };
  const happened = [
    ...[200, 503].map((status) => ({
      kind: 'request.completed',
      route: 'endpoints.query',
      status,
      elapsedMs: 1,
      errorCode: 'x',
    })),
    { kind: 'query.ended', endpoint: 'logs.all', waitedMs: 1, elapsedMs: 1, outcome: 'answered' },
    { kind: 'call.slow', call },
    { kind: 'usage.dropped', reason: 'full', calls: 1 },
    ...['hit', 'miss'].map((outcome) => ({ kind: 'cache.answered', outcome, savedMs: 1 })),
    { kind: 'cache.refreshed' },
    { kind: 'cache.skipped', reason: 'too_large' },
    { kind: 'cache.evicted', reason: 'space', entries: 1 },
    { kind: 'ingest.stored', source: 'edge_logs', accepted: 1, rejected: 1, bytes: 1 },
    { kind: 'engine.killed', reason: 'memory' },
    ...['rotated', 'sealed', 'merged', 'damaged', 'missing'].map((change) => ({ kind: `file.${change}` })),
  ];
  for (const observation of happened) metrics.observe(observation as unknown as Observation);
  return metrics.text();
}

function problemsOf(expr: string): readonly string[] {
  const { metrics, labels, matchers, errors } = namesOf(expr);
  const problems: string[] = errors > 0 ? ['is no PromQL'] : [];
  const own = metrics.filter((name) => name !== 'up');
  problems.push(...own.filter((name) => !known.has(name)).map((name) => `there is no metric ${name}`));
  const has = (label: string) => own.some((name) => series.get(name)?.has(label));
  problems.push(
    ...labels.filter((label) => !added.includes(label) && !has(label)).map((label) => `there is no label ${label}`),
  );
  for (const { label, operator, value } of matchers) {
    if (added.includes(label) || label === 'status') continue;
    const values = label === 'code' ? new Set<string>(Object.keys(errorCatalogue)) : valuesOf(own, label);
    const wanted = operator.endsWith('~') ? value.split('|') : [value];
    problems.push(...wanted.filter((each) => !values.has(each)).map((each) => `${label} is never ${each}`));
  }
  return problems;
}

function valuesOf(names: readonly string[], label: string): ReadonlySet<string> {
  return new Set(names.flatMap((name) => [...(series.get(name)?.get(label) ?? [])]));
}

describe('the dashboard and the alerts of examples/', () => {
  it('ask for metrics, labels and values that there are', () => {
    const { panels } = JSON.parse(example('grafana/dashboard.json')) as Dashboard;
    const { groups } = parse(example('prometheus/alerts.yaml')) as AlertRules;
    const queries = [
      ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
      ...groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const)),
    ];
    expect(queries.length).toBeGreaterThan(25);
    for (const [title, expr] of queries) {
      // Grafana puts a duration there before Prometheus sees it.
      expect([title, problemsOf(expr.replaceAll('$__rate_interval', '1m'))]).toEqual([title, []]);
    }
  });

  it.each([
    ['sum(rate(logmill_nothing_total[1m]))', 'there is no metric logmill_nothing_total'],
    ['sum by (project) (logmill_event_files)', 'there is no label project'],
    ['logmill_event_files{kind="frozen"}', 'kind is never frozen'],
    ['rate(logmill_http_errors_total{code=~"query.overloaded|query.late"}[1m])', 'code is never query.late'],
    ['sum(rate(logmill_queries_total[1m])', 'is no PromQL'],
  ])('would be found out: %s', (expr, problem) => {
    expect(problemsOf(expr)).toContain(problem);
  });

  it('are read where Prometheus looks for them, with the scope that metrics need', () => {
    const config = parse(example('prometheus/prometheus.yaml'));
    expect(config.rule_files).toEqual(['alerts.yaml']);
    expect(config.scrape_configs).toEqual([
      expect.objectContaining({ metrics_path: '/metrics', authorization: expect.objectContaining({ type: 'Bearer' }) }),
    ]);
  });
});
