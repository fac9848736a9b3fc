import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../../core/concurrency/turns.ts';
import { recordsInSteps } from './recordsProfile.ts';

type Form = 'record' | 'object';

/** The rule of the profile on parsed values. */
function wrapped(value: unknown, isTopObject: boolean): unknown {
  if (Array.isArray(value)) return value.map((element) => wrapped(element, true));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, wrapped(member, false)]));
  return isTopObject ? members : [members];
}

const rewrite = (rows: readonly unknown[], forms: readonly Form[]): unknown => {
  const text = rows.map((row) => JSON.stringify(row)).join(',');
  const columns = forms.map((recordForm) => ({ recordForm }));
  return JSON.parse(`[${Buffer.from(atOnce(recordsInSteps(Buffer.from(text), columns))).toString()}]`);
};

describe('the records profile', () => {
  it('wraps every object but the row, elements of arrays and top objects of their own form', () => {
    const name = fc.constantFrom('a', 'b"', 'c\\', '{', '[', ',');
    const json = fc.jsonValue({ maxDepth: 4 });
    const rows = fc.array(fc.tuple(json, json), { maxLength: 4 });
    fc.assert(
      fc.property(rows, fc.tuple(name, name), (values, [first, second]) => {
        const keys = [`1${first}`, `2${second}`];
        const forms: Form[] = ['record', 'object'];
        const objects = values.map((row) => Object.fromEntries(row.map((value, i) => [keys[i] ?? '', value])));
        const want = objects.map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([key, value], i) => [key, wrapped(value, forms[i] === 'object')]),
          ),
        );
        expect(rewrite(objects, forms)).toEqual(JSON.parse(JSON.stringify(want)));
      }),
    );
  });

  it('is the same in several steps', () => {
    const text = '{"a":{"b":"\\\\\\""}},'.repeat(20_000).slice(0, -1);
    const steps = recordsInSteps(Buffer.from(text), [{ recordForm: 'record' }]);
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count++;
    expect(count).toBe(Math.ceil(text.length / (64 * 1024)));
    expect(Buffer.from(step.value).toString()).toBe(text.replaceAll('{"b', '[{"b').replaceAll('}}', '}]}'));
  });

  it('leaves no rows as no rows', () => {
    expect(rewrite([], ['record'])).toEqual([]);
  });
});
