import { expect, test } from 'vitest';
import { turnsTaken } from '../../test/support/turnsTaken.ts';
import { Turns } from '../core/concurrency/turns.ts';
import { plainJson, readJsonBody } from './jsonBody.ts';

const headers = { 'content-type': 'application/json' };
const read = async (text: string) =>
  plainJson(await readJsonBody({ headers, body: Buffer.from(text), turns: new Turns() }));
const filler = ' '.repeat(100_000);

test.each([
  ['{"a":[1,"é",null,{"b":true}]}', { a: [1, 'é', null, { b: true }] }],
  ['{"__proto__":1}', JSON.parse('{"__proto__":1}')],
  [`{"a":"${'\\ud83d\\ude00'.repeat(30_000)}"}`, { a: '😀'.repeat(30_000) }],
])('parses a body exactly, short or long', async (text, value) => {
  expect(await read(text)).toEqual(value);
  expect(await read(filler + text)).toEqual(value);
});

test.each([
  ['{"a":1,"a":2}', 'request.duplicate_key'],
  ['{"a":"\\ud83d"}', 'request.malformed'],
  ['{"a":', 'request.malformed'],
  [`${'['.repeat(40)}${']'.repeat(40)}`, 'request.malformed'],
])('%s gets the same message, short or long', async (text, code) => {
  const refusal = async (sent: string) => {
    const error: unknown = await read(sent).catch((thrown: unknown) => thrown);
    // The places differ by what stands before.
    return { code: (error as { code: string }).code, message: String(error).replaceAll(/\d+/g, 'n') };
  };
  expect(await refusal(filler + text)).toEqual(await refusal(text));
  expect(await refusal(text)).toMatchObject({ code });
});

test('a long body is read in turns', async () => {
  const escapes = `{"a":"${'\\ud83d\\ude00'.repeat(300_000)}","b":[${'{"c":1},'.repeat(100_000)}1]}`;
  expect(await turnsTaken(() => read(escapes).catch(() => undefined))).toBeGreaterThan(5);
});

test('a body with an object of more members than anyone means is refused', async () => {
  const text = `{${Array.from({ length: 20_001 }, (_, n) => `"k${n}":1`).join(',')}}`;
  await expect(read(text)).rejects.toMatchObject({ code: 'request.malformed', message: /more than 20000 members/ });
});

test.each([
  ['elements', `[${'1,'.repeat(200_001)}1]`],
  ['lists', `[${'[1],'.repeat(100_001)}1]`],
])('a body with too many values is refused: %s', async (_what, text) => {
  await expect(read(text)).rejects.toMatchObject({ code: 'request.malformed', message: /more than 200000 values/ });
});
