import { setTimeout as delay } from 'node:timers/promises';
import type { Expected } from './ledger.ts';
import { sources, tenants } from './soakBatch.ts';
import type { SoakRun } from './soakRun.ts';

interface StoredBatch {
  readonly batch: string;
  readonly events: number;
  readonly messages: number;
  readonly amount: number;
}

export interface Reconciliation {
  readonly batches: number;
  readonly events: number;
  /** Acknowledged but not stored. */
  readonly lost: number;
  /** Events that are stored more than once. */
  readonly doubled: number;
  /** Refused, never sent, or not as sent. */
  readonly wrong: number;
  /** Quarantined with a file that was damaged on purpose. */
  readonly setAside: number;
}

const pageRows = 1000;
const batchName = "split(event_message, '/')[offset(1)]";
const perBatch = `select ${batchName} as batch, count(*) as events, count(distinct event_message) as messages,
  sum(cast(split(event_message, '/')[offset(3)] as int64)) as amount`;

/** Compares everything stored, batch by batch, with the ledger. No batch may be in progress. */
export async function reconcile(run: SoakRun, when: string): Promise<Reconciliation> {
  const stored = new Map<string, StoredBatch>();
  for (const tenant of tenants) {
    for (const source of sources) {
      for await (const batch of storedBatches(run, tenant, source)) {
        const expected = run.ledger.states.get(batch.batch)?.expected;
        if (expected?.tenant !== tenant || expected.source !== source || stored.has(batch.batch)) {
          run.find(`a batch stood where it does not belong, ${when}`, `${batch.batch} in ${source} of ${tenant}`);
        }
        stored.set(batch.batch, batch);
      }
    }
  }
  const tally = { batches: stored.size, events: 0, lost: 0, doubled: 0, wrong: 0, setAside: 0 };
  for (const { events } of stored.values()) tally.events += events;
  const examples: Record<'lost' | 'doubled' | 'wrong', string[]> = { lost: [], doubled: [], wrong: [] };
  for (const [name, { expected, state, isExcused }] of run.ledger.states) {
    const found = stored.get(name);
    stored.delete(name);
    const mustBeThere = state === 'acknowledged' && expected.events > 0;
    if (found === undefined) {
      if (mustBeThere && isExcused) tally.setAside += expected.events;
      else if (mustBeThere) {
        tally.lost += expected.events;
        examples.lost.push(name);
      }
      continue;
    }
    const problem = problemOf(found, expected, state !== 'refused');
    if (problem === undefined) continue;
    if (problem === 'lost') tally.lost += expected.events - found.events;
    else if (problem === 'doubled') tally.doubled += found.events - found.messages;
    else tally.wrong += found.events;
    examples[problem].push(`${name}: ${JSON.stringify(found)} for ${JSON.stringify(expected)}, ${state}`);
  }
  for (const [problem, names] of Object.entries(examples)) {
    if (names.length > 0) run.find(`${names.length} batches were ${problem}, ${when}`, names.slice(0, 5).join('; '));
  }
  if (stored.size > 0)
    run.find(`batches were there that nobody sent, ${when}`, [...stored.keys()].slice(0, 5).join(', '));
  return tally;
}

function problemOf(
  found: StoredBatch,
  expected: Expected,
  mayBeThere: boolean,
): 'lost' | 'doubled' | 'wrong' | undefined {
  if (!mayBeThere || expected.events === 0) return 'wrong';
  if (found.events !== found.messages) return 'doubled';
  if (found.events < expected.events) return 'lost';
  return found.events === expected.events && found.amount === expected.amount ? undefined : 'wrong';
}

async function* storedBatches(run: SoakRun, tenant: string, source: string): AsyncGenerator<StoredBatch> {
  for (let last = ''; ; ) {
    const sql = `${perBatch} from ${source} where ${batchName} > '${last}' group by batch order by batch limit ${pageRows}`;
    const rows = await ask(run, tenant, sql);
    yield* rows;
    if (rows.length < pageRows) return;
    last = rows.at(-1)?.batch ?? '';
  }
}

/** Repeats the query if a file was just found damaged or the engine is restarting, up to a limit. */
async function ask(run: SoakRun, tenant: string, sql: string): Promise<readonly StoredBatch[]> {
  const path = `/api/endpoints/query/logs.all?${new URLSearchParams({ project: tenant, sql })}`;
  for (let attempt = 0; attempt < 20; attempt++) {
    const reply = await run.send('reconciliation', path, { headers: { 'x-api-key': run.tokens.query } });
    if (reply?.status === 200) return JSON.parse(reply.text).result;
    await delay(500);
  }
  run.find('the service gave no answer for the reconciliation', sql);
  return [];
}
