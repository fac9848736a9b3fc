import { expect, it } from 'vitest';
import { builtinSources } from '../../../sources/builtin.ts';
import { ClickHouseFailure } from '../connection/failure.ts';
import { readFacts } from './eventFacts.ts';

const source = builtinSources.find(({ name }) => name === 'edge_logs');
const read = (text: string) => {
  if (source === undefined) throw new Error('there is no edge_logs');
  return readFacts(text, source);
};
const hot = source?.hotColumns.length ?? 0;
const whole = JSON.stringify({ data: [['12', ['metadata.a'], hot, '0']], rows: 1 });

it('reads the paths at which events are irregular', () => {
  expect(read(whole).irregular).toEqual(new Set(['metadata.a']));
});

it('takes every cut or changed answer for a damaged one, and repeats nothing of it', () => {
  const cut = Array.from({ length: whole.length }, (_, at) => whole.slice(0, at));
  const others = [
    'null',
    '[]',
    '{}',
    '{"data":5}',
    '{"data":[5]}',
    '{"data":[[]]}',
    `${whole}${whole}`,
    '<html>anna</html>',
  ];
  for (const text of [...cut, ...others]) {
    let thrown: unknown = null;
    try {
      read(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown, text).toBeInstanceOf(ClickHouseFailure);
    expect(thrown, text).toMatchObject({ kind: 'damaged', message: 'an answer with facts is not complete' });
  }
});
