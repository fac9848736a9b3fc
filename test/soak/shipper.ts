import { setTimeout as delay } from 'node:timers/promises';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { type SoakBatch, soakBatch } from './soakBatch.ts';
import type { SoakRun } from './soakRun.ts';

const pauseMs = { afterAnswer: 150, afterFailure: 200 };

/** Share of the requests whose connection the shipper breaks, and of the rejected batches that it gives up. */
const cutShare = 0.04;
const giveUpShare = 0.2;

/** How long a batch is repeated at the end of a soak. */
const settleWithinMs = 120_000;

/** Sends one batch after another, each until it is settled, like a log shipper. */
export async function ship(run: SoakRun, sender: number, seed: string, isOver: () => boolean): Promise<void> {
  const random = new SeededRandom(`${seed} shipper ${sender}`);
  for (let number = 0; !isOver(); number++) {
    const batch = soakBatch(random, sender, number, Date.now() * 1000);
    run.ledger.begin(batch.expected);
    await settle(run, batch, random, isOver);
    await delay(pauseMs.afterAnswer * (0.5 + random.next()));
  }
}

async function settle(run: SoakRun, batch: SoakBatch, random: SeededRandom, isOver: () => boolean): Promise<void> {
  const { name } = batch.expected;
  let mayBeStored = false;
  let giveUpAtMs = Number.POSITIVE_INFINITY;
  for (;;) {
    const outcome = await attempt(run, batch, random);
    if (outcome === 'acknowledged' || outcome === 'refused') {
      run.ledger.settle(name, outcome, performance.now());
      return;
    }
    if (outcome === 'lost') mayBeStored = true;
    if (outcome === 'lost' && batch.recognition === 'none') {
      run.ledger.settle(name, 'unsettled', performance.now());
      return;
    }
    if (!mayBeStored && random.chance(giveUpShare)) {
      run.ledger.settle(name, 'refused', performance.now());
      return;
    }
    if (isOver()) giveUpAtMs = Math.min(giveUpAtMs, performance.now() + settleWithinMs);
    if (performance.now() > giveUpAtMs) {
      run.find(`batch ${name} could not be settled`, `not within ${settleWithinMs} ms after the last fault`);
      run.ledger.settle(name, 'unsettled', performance.now());
      return;
    }
    await delay(pauseMs.afterFailure);
  }
}

/** `lost`: no answer, so it may be stored. `later`: the service promised that nothing was stored. */
async function attempt(
  run: SoakRun,
  batch: SoakBatch,
  random: SeededRandom,
): Promise<'acknowledged' | 'refused' | 'later' | 'lost'> {
  const cut = new AbortController();
  const timer = random.chance(cutShare) ? setTimeout(() => cut.abort(), random.integer(0, 40)) : undefined;
  const { tenant } = batch.expected;
  const token = batch.isRestricted ? run.tokens.restricted.get(tenant) : run.tokens.ingest;
  const refusal = batch.isOtlp ? '400 ingest.batch_invalid' : '422 ingest.batch_invalid';
  const reply = await run.send(
    batch.isOtlp ? 'export of OTLP' : 'batch',
    batch.path,
    {
      method: 'POST',
      headers: { 'x-api-key': token ?? '', ...batch.headers },
      body: batch.body,
      signal: cut.signal,
    },
    batch.status === 200 ? ['200'] : [refusal],
  );
  clearTimeout(timer);
  if (reply === null) return 'lost';
  if (reply.status === 200) {
    checkAnswer(run, batch, reply.text);
    return 'acknowledged';
  }
  return `${reply.status} ${reply.code}` === refusal ? 'refused' : 'later';
}

function checkAnswer(run: SoakRun, { expected, rejected, isOtlp, headers }: SoakBatch, text: string): void {
  if (isOtlp && headers['content-type'] !== 'application/json') return;
  const answer = JSON.parse(text);
  const told = isOtlp
    ? { accepted: expected.events, rejected: Number(answer.partialSuccess?.rejectedLogRecords ?? 0) }
    : { accepted: answer.accepted, rejected: answer.rejected?.length };
  if (told.accepted === expected.events && told.rejected === rejected) return;
  run.find(
    `batch ${expected.name} was acknowledged with other numbers`,
    `${expected.events} accepted and ${rejected} rejected were expected: ${text}`,
  );
}
