import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/jsonValue.ts';
import { parseJson } from '../../core/losslessJson.ts';
import { DistinctEstimate } from './distinctEstimate.ts';
import { FrequentValues } from './frequentValues.ts';
import { comparePaths, pathText } from './memberPath.ts';
import { defaultTallyBounds, MemberTally } from './memberTally.ts';

const rowOf = (metadata: unknown): JsonObject => ({ metadata: parseJson(JSON.stringify(metadata)) });

function tallied(events: readonly unknown[], bounds = defaultTallyBounds) {
  const tally = new MemberTally(['metadata'], bounds);
  for (const [i, event] of events.entries()) tally.add(rowOf(event), 1, i);
  return { tally, members: new Map([...tally.members()].map((member) => [pathText(member.path), member])) };
}

describe('MemberTally', () => {
  it('knows types, rows, values and times of every member, at any depth', () => {
    const { members } = tallied([
      { a: { b: 1 }, 'odd key': 'x', list: [{ c: true }, { c: null }] },
      { a: { b: 'one' }, 'odd key': 'x' },
      { a: null, n: 1.5 },
    ]);
    expect([...members].map(([path, { types, weight }]) => [path, types, weight])).toEqual([
      ['metadata', ['OBJECT'], 3],
      ['metadata.a', ['OBJECT', 'NULL'], 3],
      ['metadata.a.b', ['STRING', 'INT64'], 2],
      ['metadata.list', ['ARRAY'], 1],
      ['metadata.list[]', ['OBJECT'], 1],
      ['metadata.list[].c', ['BOOL', 'NULL'], 1],
      ['metadata.n', ['FLOAT64'], 1],
      ['metadata.`odd key`', ['STRING'], 2],
    ]);
    expect(members.get('metadata.a.b')).toMatchObject({ distinct: 2, firstMicros: 0, lastMicros: 1 });
    expect(members.get('metadata.`odd key`')?.values).toEqual([{ value: 'x', weight: 2 }]);
  });

  it('keeps every digit of large integers, and names that JavaScript knows otherwise', () => {
    const tally = new MemberTally(['metadata']);
    tally.add(
      { metadata: parseJson('{"id": 9223372036854775807, "__proto__": 1, "constructor": 2, "7": 3}') },
      1,
      null,
    );
    expect([...tally.members()].map(({ path, values }) => [path.at(-1), values[0]?.value])).toEqual([
      ['metadata', undefined],
      ['7', 3],
      ['__proto__', 1],
      ['constructor', 2],
      ['id', 9223372036854775807n],
    ]);
  });

  it('weighs a row as the rows that it stands for', () => {
    const tally = new MemberTally(['metadata']);
    tally.add(rowOf({ a: 'often' }), 90, 1);
    tally.add(rowOf({ a: 'seldom', b: 1 }), 10, 2);
    const [, a, b] = tally.members();
    expect([a?.weight, b?.weight]).toEqual([100, 10]);
    expect(a?.values).toEqual([
      { value: 'often', weight: 90 },
      { value: 'seldom', weight: 10 },
    ]);
  });

  it('stays within its limits whatever senders name their members, and says that it left some out', () => {
    const bounds = { membersMax: 50, valuesPerRowMax: 200, depthMax: 5, nameCharsMax: 20 };
    const deep = (levels: number): unknown => (levels === 0 ? 1 : { x: deep(levels - 1) });
    const wide = (from: number) => Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${from + i}`, i]));
    for (const events of [
      [wide(0), wide(1000)],
      [deep(20)],
      [{ ['n'.repeat(21)]: 1 }],
      [{ list: Array.from({ length: 1000 }, () => 1) }],
    ]) {
      const { tally, members } = tallied(events, bounds);
      expect(tally.hasLeftOut).toBe(true);
      expect(members.size).toBeLessThanOrEqual(51);
      expect(Math.max(...[...tally.members()].map(({ path }) => path.length))).toBeLessThanOrEqual(5);
    }
    expect(tallied([{ a: 1 }, deep(3)], bounds).tally.hasLeftOut).toBe(false);
  });

  it('lists members in the order of `comparePaths`, so that pages neither repeat nor skip one', () => {
    const names = fc.constantFrom('a', 'b', 'B', '', 'a.b', '[]', 'ä', '`');
    const event = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(names, tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.array(fc.dictionary(names, event), { maxLength: 5 }), (events) => {
        const paths = [...tallied(events).tally.members()].map(({ path }) => path);
        for (const [i, path] of paths.entries()) {
          const next = paths[i + 1];
          if (next !== undefined) expect(comparePaths(path, next)).toBeLessThan(0);
        }
        expect(new Set(paths.map(pathText)).size).toBe(paths.length);
      }),
    );
  });
});

describe('DistinctEstimate', () => {
  it('is exact for few values, and within a fifth for many', () => {
    for (const count of [0, 1, 300, 20_000]) {
      const estimate = new DistinctEstimate();
      for (let pass = 0; pass < 2; pass++) for (let i = 0; i < count; i++) estimate.add(`value ${i}`);
      expect(Math.abs(estimate.count - count)).toBeLessThanOrEqual(count <= 300 ? 0 : count / 5);
    }
  });
});

describe('DistinctEstimate of values that all differ', () => {
  it('is not larger than their number', () => {
    const estimate = new DistinctEstimate();
    for (let count = 1; count <= 5_000; count++) {
      estimate.add(`value ${count}`);
      expect(estimate.count).toBeLessThanOrEqual(count);
    }
  });
});

describe('FrequentValues', () => {
  it('finds a value that is a tenth of many distinct ones', () => {
    const values = new FrequentValues();
    for (let i = 0; i < 10_000; i++) values.add(i % 10 === 0 ? 'frequent' : `rare ${i}`, 1);
    expect(values.top(1)).toEqual([{ value: 'frequent', weight: expect.any(Number) }]);
  });

  it('tells 200 from "200", and cuts long texts between characters', () => {
    const values = new FrequentValues();
    values.add(200, 1);
    values.add('200', 2);
    values.add(`${'x'.repeat(98)}😀${'y'.repeat(50)}`, 3);
    expect(values.top(5).map(({ value }) => value)).toEqual([`${'x'.repeat(98)}…`, '200', 200]);
  });
});
