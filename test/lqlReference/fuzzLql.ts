// npm run fuzz:lql [-- --seed … --seconds …]: compares answers to random queries in LQL with the reference evaluator's.
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { call } from './calls.ts';
import { compare } from './compare.ts';
import { hostileText } from './mutations.ts';
import { LqlStore } from './store.ts';
import { lqlText } from './texts.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    seconds: { type: 'string', default: '60' },
    findings: { type: 'string', default: '20' },
  },
});

console.log(`npm run fuzz:lql -- --seed ${values.seed} --seconds ${values.seconds}`);
const endsMs = performance.now() + Number(values.seconds) * 1000;
const store = await LqlStore.open(Number(values.seed) % 1000);
const counts = new Map<string, number>();
const known = new Set<string>();
let inputs = 0;
try {
  for (let round = 0; performance.now() < endsMs && known.size < Number(values.findings); round++) {
    // Every third round is of hostile texts.
    const texts = round % 3 === 2 ? hostileText : lqlText;
    const samples = fc.sample(fc.tuple(texts, call), { numRuns: 50, seed: Number(values.seed) + round });
    for (const [text, of] of samples) {
      const { outcome, difference } = await compare(text, of, store);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      inputs++;
      const key = difference?.replaceAll(/'.*?'|\d+/g, '#').slice(0, 60);
      if (difference === null || key === undefined || known.has(key)) continue;
      known.add(key);
      console.log(`\nFOUND: ${JSON.stringify(text)} ${JSON.stringify(of)}\n${difference.slice(0, 1500)}`);
    }
  }
} finally {
  await store.close();
}
console.log(`${inputs} queries, ${known.size} findings`);
for (const [outcome, count] of counts) console.log(`  ${String(count).padStart(7)}  ${outcome}`);
process.exitCode = known.size === 0 ? 0 : 1;
