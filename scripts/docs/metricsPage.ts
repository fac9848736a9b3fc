import { Metrics } from '../../src/observe/metrics.ts';

/** The page of metrics, from the help texts of a scrape. */
export async function metricsPage(): Promise<string> {
  const metrics = new Metrics();
  metrics.describeProcess('');
  metrics.readFrom(() => ({
    queriesRunning: 0,
    queriesWaiting: 0,
    tailsOpen: 0,
    cacheEntries: 0,
    cacheBytes: 0,
    serviceMemoryBytes: 0,
    engineMemoryBytes: [],
    activeFiles: 0,
    sealedFiles: 0,
    diskFreeBytes: 0,
    isDiskLow: false,
    nodesAlive: 1,
    outOfContactSeconds: 0,
    store: { isAway: false, ageMs: 0, isTooOld: false },
  }));
  const text = await metrics.text();
  const rows = [...text.matchAll(/^# HELP (\S+) (.+)\n# TYPE \S+ (\S+)$/gm)].map(
    ([, name, help, type]) => `| \`${name}\` | ${type} | ${help} |`,
  );
  return `# Metrics

\`GET /metrics\` returns metrics in the text format of Prometheus. The token needs the scope \`observe\` and must not be restricted to projects:

\`\`\`sh
curl -H "Authorization: Bearer $LOGMILL_TOKEN" "$LOGMILL_URL/metrics"
\`\`\`

[Operating](../guides/operating.md) has a configuration for Prometheus and alerts. Counters begin at 0 at each start of the service.

Labels contain [operations](http.md), statuses, [error codes](errors.md), sources and names of endpoints. They never contain parameter values,
projects or tokens.

| metric | type | |
| --- | --- | --- |
${rows.sort().join('\n')}
`;
}
