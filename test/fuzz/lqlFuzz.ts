import fc from 'fast-check';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { queryText } from '../../src/lql/testing/queryTexts.ts';
import { pairs } from '../integration/lql/sameAsSql.ts';
import { FuzzLog, type FuzzReport, type FuzzRun } from './finding.ts';
import { lqlLanguage } from './language.ts';
import { mutateText } from './mutateText.ts';
import { SqlFuzz } from './sqlFuzz.ts';

const corpus = pairs.map(({ lql }) => (lql.includes('f:') ? lql : `${lql} f:edge_logs`)) as [string, ...string[]];

/** Hostile, garbled and random texts in LQL through the front end and a real engine. */
export async function fuzzLql({ seed, isOver, found }: FuzzRun): Promise<FuzzReport> {
  const random = new SeededRandom(`lql/${seed}`);
  const log = new FuzzLog(found);
  const fuzz = await SqlFuzz.open(log, lqlLanguage);
  let inputs = 0;
  try {
    for (; !isOver(); inputs++) {
      const [sample = ''] = random.chance(0.2)
        ? fc.sample(queryText, { numRuns: 1, seed: random.integer(0, 2 ** 31) })
        : [];
      await fuzz.check(sample === '' ? mutateText(random, corpus) : `f:edge_logs ${sample}`);
    }
  } finally {
    await fuzz.close();
  }
  return { name: 'lql', inputs, counts: log.counts, findings: log.findings };
}
