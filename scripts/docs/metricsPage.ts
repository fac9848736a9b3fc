import { Metrics } from '../../src/observe/metrics.ts';

/** The page of metrics, from what the service itself says of them at a scrape. */
export async function metricsPage(): Promise<string> {
  const metrics = new Metrics();
  metrics.readFrom(() => ({
    queriesRunning: 0,
    queriesWaiting: 0,
    cacheEntries: 0,
    cacheBytes: 0,
    serviceMemoryBytes: 0,
    engineMemoryBytes: [],
    activeFiles: 0,
    sealedFiles: 0,
    diskFreeBytes: 0,
    isDiskLow: false,
  }));
  const text = await metrics.text();
  const rows = [...text.matchAll(/^# HELP (\S+) (.+)\n# TYPE \S+ (\S+)$/gm)].map(
    ([, name, help, type]) => `| \`${name}\` | ${type} | ${help} |`,
  );
  return `# Metrics

\`GET /metrics\` answers in the text format of Prometheus. It needs a token with the scope \`observe\` that is not restricted to projects, sent
as \`Authorization: Bearer <token>\` or \`X-API-KEY\`. Counters begin at 0 with each start of the service.

Labels are operations (as in [HTTP operations](http.md)), statuses, [error codes](errors.md), sources and names of endpoints: never a value of a
parameter, a project or a token.

| metric | type | |
| --- | --- | --- |
${rows.sort().join('\n')}
`;
}
