// npm run fuzz:conformance [-- --seed … --seconds …]: compares answers to random queries with the reference evaluator's.
import { parseArgs } from 'node:util';
import { installReference } from '../reference/install.ts';
import { fuzzReference } from './referenceFuzz.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now()) },
    seconds: { type: 'string', default: '60' },
    verbose: { type: 'boolean', default: false },
  },
});

console.log(`npm run fuzz:conformance -- --seed ${values.seed} --seconds ${values.seconds}`);
const endsMs = performance.now() + Number(values.seconds) * 1000;
const report = await fuzzReference(
  {
    seed: values.seed,
    isOver: () => performance.now() > endsMs,
    found: ({ rule, detail, input }) => console.log(`\nFOUND: ${rule}\n${detail}\n${input.slice(0, 4000)}\n`),
  },
  installReference(),
);
console.log(`${report.inputs} queries, ${report.findings.length} findings`);
const counts = [...report.counts].sort(([, a], [, b]) => b - a);
for (const [outcome, count] of values.verbose ? counts : counts.slice(0, 12)) {
  console.log(`  ${String(count).padStart(7)}  ${outcome}`);
}
process.exitCode = report.findings.length === 0 ? 0 : 1;
