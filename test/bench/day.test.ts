import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { logmillRequest, postgresRequest, type Question, texts } from '../../bench/day/questions.ts';
import { type Batch, type Step, sectionOf } from '../../bench/day/schedule.ts';
import { SentEvents } from '../../bench/day/sentEvents.ts';

const startMs = Date.UTC(2026, 4, 1, 12, 30, 5);
const seconds = 4;
const section = (number = 1, asked = true) => sectionOf(number, startMs, { seconds, asked });
const questionsOf = (steps: readonly Step[]) => steps.flatMap((step) => (step.kind === 'ask' ? [step.question] : []));
const batchesOf = (steps: readonly Step[]) => steps.flatMap((step) => (step.kind === 'send' ? [step.batch] : []));

/** A section as a text to compare. */
const digestOf = (steps: readonly Step[]) =>
  JSON.stringify(steps.map((step) => (step.kind === 'ask' ? step : hash('sha256', step.batch.body))));

describe('the schedule of a day of dashboards', () => {
  it('is the same each time it is made, and another one in another section', () => {
    expect(digestOf(section())).toBe(digestOf(section()));
    expect(digestOf(section(2))).not.toBe(digestOf(section()));
  });

  it('is in order of time, with every kind of question, which both sides can be asked', () => {
    const steps = section();
    const times = steps.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const questions = questionsOf(steps);
    expect(new Set(questions.map(({ kind }) => kind))).toEqual(
      new Set(['newest', 'day', 'week', 'sql', 'lql', 'search']),
    );
    for (const question of questions) {
      expect(JSON.stringify([logmillRequest(question), postgresRequest(question)])).not.toContain('{search}');
      expect(Object.keys(texts)).toContain(question.text);
    }
  });

  it('has 500 events in each second of the day, in order of time and with the id that is noted', () => {
    const batches = batchesOf(section(1, false));
    const bodies = batches.map(({ body }) => JSON.parse(body.toString()) as { id: string; timestamp: number }[]);
    const count = bodies.reduce((sum, { length }) => sum + length, 0);
    expect(count / (seconds * 2)).toBeGreaterThan(450);
    expect(count / (seconds * 2)).toBeLessThan(550);
    for (const [n, { projects }] of batches.entries()) {
      const events = bodies[n] ?? [];
      expect(events.map(({ timestamp }) => timestamp)).toEqual(
        events.map(({ timestamp }) => timestamp).toSorted((a, b) => a - b),
      );
      expect([...projects.values()].reduce((sum, each) => sum + each.count, 0)).toBe(events.length);
      expect([...projects.values()].map(({ newestId }) => newestId)).toContain(events.at(-1)?.id);
    }
  });
});

describe('a comparison of answers with the events sent', () => {
  const batch = (newestId: string, count: number): Batch => ({
    source: 'edge_logs',
    body: Buffer.alloc(0),
    projects: new Map([['p', { newestId, count }]]),
  });
  const question = (kind: Question['kind']): Question => ({ kind, text: '', project: 'p', after: null, search: null });
  const newest = (...ids: readonly string[]) => Buffer.from(JSON.stringify({ result: ids.map((id) => ({ id })) }));
  const chart = (events: number) =>
    Buffer.from(JSON.stringify({ result: [{ hour: '2026-05-01T12:00:00.000000Z', events }] }));
  const opened = () => new SentEvents('2026-05-01T12:00:00Z', new Map([['p', 5]]));

  it('finds newest rows that lack what was acknowledged before they were asked for', () => {
    const sent = opened();
    expect(sent.knownOf(question('newest'))).toBeNull();
    const [first, second] = [batch('a', 1), batch('b', 1)];
    sent.willSend(first);
    sent.acknowledged(first);
    const known = sent.knownOf(question('newest'));
    sent.willSend(second);
    sent.acknowledged(second);
    expect(known?.lackOf(newest('a'))).toBeNull();
    expect(known?.lackOf(newest('b'))).toBeNull();
    expect(known?.lackOf(newest('z'))).toContain('lacks the event a');
    expect(sent.knownOf(question('newest'))?.lackOf(newest('a'))).toContain('lacks the event b');
  });

  it('finds charts that count too few or too many', () => {
    const sent = opened();
    const first = batch('a', 3);
    sent.willSend(first);
    const before = sent.knownOf(question('day'));
    expect([5, 8].map((events) => before?.lackOf(chart(events)))).toEqual([null, null]);
    sent.acknowledged(first);
    const after = sent.knownOf(question('day'));
    expect(after?.lackOf(chart(8))).toBeNull();
    expect(after?.lackOf(chart(5))).toContain('counts 5 events');
    expect(after?.lackOf(chart(9))).toContain('counts 9 events');
  });
});
