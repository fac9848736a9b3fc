import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { call, named, setUp } from './ingest.fixture.ts';
import { defaultIngestLimits } from './ingest.ts';

const seed = 43;
const limits = { ...defaultIngestLimits, eventBytesMax: 5000 };
const ndjson = 'application/x-ndjson';

const deep = (depth: number) => `${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`;
const member = fc.oneof(
  fc.constantFrom(
    '"project":"mine"',
    '"project":"theirs"',
    '"project":["mine"]',
    '"project_ref":"theirs"',
    '"metadata":{"project":"theirs"}',
    '"metadata":[{"project_ref":"mine","project_ref":"theirs"}]',
    '"metadata":{"__proto__":{"project":"theirs"},"project":""}',
    '"metadata":{"project":null,"project_ref":null}',
    '"metadata":5',
    '"__proto__":{"project":"theirs","project_ref":"theirs"}',
    '"PROJECT":"theirs"',
    '"pro\\u006aect":"mine"',
    '"project":"mine\\u0000"',
    '"project":"\\ud800"',
    '"a":1,"a":2',
    '"2":2,"1":1,"a":0',
  ),
  fc.constantFrom(
    '"n":-0',
    '"n":1e400',
    '"n":-1e400',
    '"n":1e21',
    '"n":9007199254740993',
    '"n":18446744073709551616',
    '"s":"\\ud83d\\ude00\\udc00"',
    '"s":"\u2028é😀"',
    '"toJSON":1,"constructor":{},"hasOwnProperty":null',
    `"${'k'.repeat(4000)}":1`,
    `"${'k'.repeat(6000)}":1`,
    `"d":${deep(90)}`,
    `"d":${deep(110)}`,
    '"id":"i"',
    '"id":""',
    '"timestamp":1777629630',
    '"timestamp":"yesterday"',
  ),
);
const event = fc
  .array(member, { maxLength: 4 })
  .map((members) => `{"project":"mine",${members.join(',')}}`.replace(',}', '}'));
const anyLine = fc.oneof(
  { arbitrary: event, weight: 5 },
  fc.constantFrom(
    '{}',
    '[]',
    'null',
    '5',
    '"text"',
    '-',
    '{"project":"mine"} x',
    '{"project":"mine"},',
    '{"a":1',
    '\u0000x',
    '\u0000{"project":"mine"}',
  ),
);
const lineEnd = fc.constantFrom('\n', '\r\n', '\n\n', '\n \t\r\n');
const mark = fc.constantFrom('', '\ufeff');

/** What is stored, and the codes of what is not by index; or the error of the whole. */
async function outcomeOf(body: string | Uint8Array, contentType: string, source = 'edge_logs') {
  const { ingest, eventLog } = setUp({ limits });
  const sent = call(Buffer.from(body), { contentType, sourceCandidates: named(source), projects: ['mine'] });
  try {
    const { rejected } = await ingest.accept(sent);
    return { events: eventLog.events, rejected: rejected.map(({ index, code }) => ({ index, code })) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(eventLog.events).toEqual([]);
    if (error.code !== 'ingest.batch_invalid') return { events: [], rejected: error.code };
    return { events: [], rejected: error.errors.map(({ index, code }) => ({ index, code })) };
  }
}

describe('lines', () => {
  test('are each what they are by themselves, whatever stands around them', async () => {
    let stored = 0;
    await fc.assert(
      fc.asyncProperty(
        mark,
        fc.array(fc.tuple(anyLine, lineEnd), { minLength: 1, maxLength: 8 }),
        async (start, lines) => {
          const alone = await Promise.all(lines.map(([line]) => outcomeOf(line, ndjson)));
          const whole = await outcomeOf(start + lines.map(([line, end]) => line + end).join(''), ndjson);
          stored += whole.events.length;
          expect(whole.events).toEqual(alone.flatMap(({ events }) => events));
          const told = alone.flatMap(({ rejected }, index) =>
            Array.isArray(rejected) ? rejected.map(({ code }) => ({ index, code })) : [],
          );
          expect(whole.rejected).toEqual(told);
        },
      ),
      { seed, numRuns: 400 },
    );
    expect(stored).toBeGreaterThan(300);
  });

  test('that are events are the same as a list, as a batch and one after another', async () => {
    const forms = (events: readonly string[]) => [
      `[${events.join(' ,\r\n')}]`,
      `{"batch":[${events.join(',')}]}`,
      events.join(''),
      `\ufeff${events.join('\n\n')}\r\n`,
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 2, maxLength: 6 }), async (events) => {
        // What is nested too deep is no JSON to a body that is one value.
        fc.pre(!events.some((each) => each.includes(deep(100))));
        const lines = await outcomeOf(events.join('\n'), ndjson);
        for (const form of forms(events)) expect(await outcomeOf(form, 'application/json')).toEqual(lines);
      }),
      { seed, numRuns: 300 },
    );
  });
});

test.each(['edge_logs', 'function_logs', 'storage_logs', 'realtime_logs'])(
  'of a token of one project no event of %s of another one is stored, however it is written',
  async (source) => {
    let stored = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 6 }), async (lines) => {
        const { events } = await outcomeOf(lines.join('\n'), ndjson, source);
        stored += events.length;
        for (const { project, metadata } of events) {
          expect(project).toBe('mine');
          const inside = JSON.parse(metadata ?? '{}');
          if (source === 'function_logs') expect(inside.project_ref).toBe('mine');
          else if (source !== 'edge_logs') expect(inside.project).toBe('mine');
        }
      }),
      { seed, numRuns: 300 },
    );
    expect(stored).toBeGreaterThan(100);
  },
);
