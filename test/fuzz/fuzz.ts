import { parseArgs } from 'node:util';
import { killAll } from '../acceptance/startedService.ts';
import { fuzzCalls } from './callFuzz.ts';
import type { Finding, FuzzReport, FuzzRun } from './finding.ts';
import { fuzzIngest } from './ingestFuzz.ts';
import { fuzzLql } from './lqlFuzz.ts';
import { fuzzOtlp } from './otlpFuzz.ts';
import { fuzzSql } from './sqlFuzz.ts';
import { fuzzTenants } from './tenantFuzz.ts';

interface Fuzzer {
  readonly run: (run: FuzzRun) => Promise<FuzzReport>;
  /** Of the time. */
  readonly share: number;
}

const fuzzers: Readonly<Record<string, Fuzzer>> = {
  sql: { run: fuzzSql, share: 0.3 },
  lql: { run: fuzzLql, share: 0.1 },
  tenants: { run: fuzzTenants, share: 0.2 },
  ingest: { run: fuzzIngest, share: 0.15 },
  otlp: { run: fuzzOtlp, share: 0.1 },
  calls: { run: fuzzCalls, share: 0.15 },
};

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now()) },
    seconds: { type: 'string', default: '60' },
    only: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

const names = values.only === undefined ? Object.keys(fuzzers) : [values.only];
const total = names.reduce((sum, name) => sum + (fuzzers[name]?.share ?? 0), 0);
if (total === 0) throw new Error(`--only is one of ${Object.keys(fuzzers).join(', ')}`);

console.log(`npm run fuzz -- --seed ${values.seed} --seconds ${values.seconds}`);
let findings = 0;
for (const name of names) {
  const fuzzer = fuzzers[name];
  if (fuzzer === undefined) continue;
  const endsMs = performance.now() + (Number(values.seconds) * 1000 * fuzzer.share) / total;
  const report = await fuzzer.run({ seed: values.seed, isOver: () => performance.now() > endsMs, found: show });
  findings += report.findings.length;
  console.log(`${name}: ${report.inputs} inputs, ${report.findings.length} findings`);
  const counts = [...report.counts].sort(([, a], [, b]) => b - a);
  for (const [outcome, count] of values.verbose ? counts : counts.slice(0, 12)) {
    console.log(`  ${String(count).padStart(7)}  ${outcome}`);
  }
}
killAll();
process.exitCode = findings === 0 ? 0 : 1;

function show(finding: Finding): void {
  console.log(`\nFOUND: ${finding.rule}\n${finding.detail}\ninput: ${JSON.stringify(finding.input.slice(0, 4000))}\n`);
}
