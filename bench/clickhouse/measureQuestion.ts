import type { TestClickHouse } from '../../test/clickhouse/startClickHouse.ts';
import type { BenchedService } from '../benchedService.ts';
import { ofAnswer, ofClickHouse } from '../comparableRows.ts';
import { median } from '../percentile.ts';
import { processorSeconds } from '../processorTime.ts';
import { requireEqualRows } from '../sameRows.ts';
import { byTurns, timed } from '../suite/byTurns.ts';
import type { CountingProxy, SeenStatement } from './countingProxy.ts';
import { type HandClient, rowsOf } from './handClient.ts';
import type { Question } from './questions.ts';

/** What came back from ClickHouse for one call of the service. */
export interface CameBack {
  readonly statements: readonly SeenStatement[];
  readonly answerRows: number;
  readonly answerBytes: number;
}

export interface MeasuredQuestion {
  readonly group: Question['group'];
  readonly what: string;
  readonly serviceMs: number;
  readonly byHandMs: number;
  readonly isMet: boolean;
  /** Processor time of a call: of the node, and of ClickHouse's process; and of ClickHouse for the statement by hand. */
  readonly nodeProcessorMs: number;
  readonly clickhouseProcessorMs: number;
  readonly byHandProcessorMs: number;
  readonly answerRows: number;
  readonly answerBytes: number;
  readonly byHandBytes: number;
  readonly fetchedRows: number;
  readonly fetchedBytes: number;
  readonly statements: number;
}

/** The whole target: at most this ratio of the statement by hand, or these milliseconds more. */
const ratioMax = 1.3;
const moreMsMax = 6;

/** Processor time is known in steps of 10 ms, so many calls are made. */
const processorSecondsMin = 0.5;
const processorCallsMin = 10;

/** Asks through a node behind a proxy what comes back from ClickHouse; null with the reason if the service refuses. */
export async function cameBack(
  url: string,
  proxy: CountingProxy,
  question: Question,
): Promise<CameBack | { readonly refusal: string }> {
  // The first call learns what later ones know, such as that no notice about paths is due.
  for (const isFirst of [true, false]) {
    proxy.take();
    try {
      const body = await question.ask(url);
      if (isFirst) continue;
      return { statements: proxy.take(), answerRows: ofAnswer(body).length, answerBytes: body.length };
    } catch (cause) {
      return { refusal: cause instanceof Error ? cause.message : String(cause) };
    }
  }
  throw new Error('there is a second call');
}

/** Tries, because a time bucket can end between the two answers. */
const comparisons = 3;

/** Throws unless the service answers with the rows of the statement by hand. */
export async function requireSame(url: string, hand: HandClient, question: Question): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await compare(url, hand, question);
    } catch (cause) {
      if (tries === comparisons) throw cause;
    }
  }
}

async function compare(url: string, hand: HandClient, question: Question): Promise<void> {
  const answer = ofAnswer(await question.ask(url));
  const expected = ofClickHouse(rowsOf(await hand.ask(question.byHand)), answer);
  const { compared } = question;
  const picked = (rows: readonly (readonly unknown[])[]) =>
    compared === undefined ? rows : rows.map((row) => compared.map((column) => row[column]));
  requireEqualRows(question.what, picked(answer), picked(expected));
}

/** Measures a call and its statement by hand in turn, then the processor time of the node. */
export async function measureQuestion(
  node: BenchedService,
  hand: HandClient,
  clickhouse: TestClickHouse,
  question: Question,
  back: CameBack,
  effort: { readonly rounds: number; readonly warmRounds: number },
): Promise<MeasuredQuestion> {
  let byHandBytes = 0;
  const times = await byTurns(
    {
      service: timed(() => question.ask(node.url)),
      byHand: timed(async () => {
        byHandBytes = (await hand.ask(question.byHand)).length;
      }),
    },
    effort,
  );
  const enginePid = (await clickhouse.standIn?.state())?.enginePid ?? undefined;
  const ofClickHouse = () => processorSeconds(enginePid) * 1000;
  const [nodeProcessorMs, clickhouseProcessorMs] = await processorMsOf(
    [() => node.processorMs(), ofClickHouse],
    async () => await question.ask(node.url),
  );
  const [byHandProcessorMs] = await processorMsOf([ofClickHouse], async () => await hand.ask(question.byHand));
  const serviceMs = median(times.service);
  const byHandMs = median(times.byHand);
  return {
    group: question.group,
    what: question.what,
    serviceMs,
    byHandMs,
    isMet: serviceMs <= Math.max(byHandMs * ratioMax, byHandMs + moreMsMax),
    nodeProcessorMs,
    clickhouseProcessorMs,
    byHandProcessorMs,
    answerRows: back.answerRows,
    answerBytes: back.answerBytes,
    byHandBytes,
    fetchedRows: back.statements.reduce((sum, { rows }) => sum + rows, 0),
    fetchedBytes: back.statements.reduce((sum, { bytes }) => sum + bytes, 0),
    statements: back.statements.length,
  };
}

/** Processor time that each clock shows for a call, milliseconds. */
export async function processorMsOf<const T extends readonly (() => number)[]>(
  clocks: T,
  call: () => Promise<unknown>,
): Promise<{ readonly [K in keyof T]: number }> {
  const before = clocks.map((clock) => clock());
  const startedMs = performance.now();
  let calls = 0;
  while (calls < processorCallsMin || performance.now() - startedMs < processorSecondsMin * 1000) {
    await call();
    calls += 1;
  }
  const each = clocks.map((clock, n) => (clock() - (before[n] ?? 0)) / calls);
  return each as unknown as { readonly [K in keyof T]: number };
}
