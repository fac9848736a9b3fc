// npm run conformance:record [-- family …]: asks GoogleSQL's reference evaluator every query of
// test/conformance/queries/ and writes its answers to test/conformance/data/recorded/.
import { families, queriesOf } from '../test/conformance/queryFiles.ts';
import { type Recording, writeRecordings } from '../test/conformance/recordings.ts';
import { referenceQuery } from '../test/conformance/referenceTables.ts';
import { installReference } from '../test/reference/install.ts';
import { EvaluatorError, ReferenceEvaluator } from '../test/reference/referenceEvaluator.ts';

const asked = process.argv.slice(2);
const reference = installReference();
let evaluator = await ReferenceEvaluator.start(reference);
let failures = 0;
for (const family of asked.length === 0 ? families : asked) {
  const recordings: Record<string, Recording> = {};
  for (const query of queriesOf(family).filter(({ byHand }) => byHand === null)) {
    const recording = await record(query.reference);
    const isEmpty = recording.rows?.length === 0;
    if (isEmpty || (recording.error !== undefined) !== query.fails) {
      failures += 1;
      console.error(
        `${family}/${query.name}: ${recording.error ?? (isEmpty ? 'its answer is empty' : 'is answered, not failed')}`,
      );
    }
    recordings[query.name] = recording;
  }
  writeRecordings(family, recordings);
  console.log(`${family}: ${Object.keys(recordings).length} answers recorded`);
}
await evaluator.close();
process.exitCode = failures === 0 ? 0 : 1;

async function record(sql: string): Promise<Recording> {
  try {
    return { reference: sql, ...(await evaluator.run(referenceQuery(sql))) };
  } catch (error) {
    if (!(error instanceof EvaluatorError)) throw error;
    // A failed check ends its process.
    if (!evaluator.isRunning) evaluator = await ReferenceEvaluator.start(reference);
    return { reference: sql, error: error.message };
  }
}
