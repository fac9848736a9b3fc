import { expect, test } from 'vitest';
import type { CallExpr, Expr } from '../../../googlesql/resolve/tree.ts';
import { STRING, TIMESTAMP } from '../../../googlesql/types.ts';
import { isCertain } from './certainConditions.ts';
import { call, read } from './conditions.fixture.ts';
import { ExpressionWriter } from './expressions.ts';
import type { EventTable, HeldBounds } from './fetch.ts';

const column = (id: number, name: string, type: Expr['type']) => ({ id, name, type });
const time = column(1, 'timestamp', TIMESTAMP);
const project = column(2, 'project', STRING);
const message = column(3, 'event_message', STRING);
const literal = (value: bigint | string | null, type: Expr['type'] = TIMESTAMP): Expr => ({
  kind: 'literal',
  type,
  value,
});
const text = (value: string | null): Expr => literal(value, STRING);

const place = new ExpressionWriter(
  new Map([
    [time, { kind: 'value', sql: 'toUnixTimestamp64Micro(t)', stored: 't', isFinite: false }],
    [project, { kind: 'value', sql: 'toString(p)', stored: 'p', isFinite: false }],
    [message, { kind: 'value', sql: 'm', isFinite: false }],
  ]),
  [],
);

function certain(condition: Expr, bounds: HeldBounds | null = held): boolean {
  const columns = { timestamp: 't', project: 'p', id: 'i', event_message: 'm', metadata: 'd' };
  const table: EventTable = {
    from: 'e',
    columns,
    arrival: 'a',
    hot: new Map(),
    conditions: [],
    bounds,
    isIrregular: () => 'false',
  };
  return isCertain(condition, place, table);
}

const held: HeldBounds = { projects: ['a', 'b'], fromMicros: 10n, toMicros: 20n };
const open: HeldBounds = { projects: null, fromMicros: null, toMicros: null };

test('a comparison with the time is certain if the bounds are at least as strict', () => {
  for (let at = 8n; at <= 22n; at++) {
    const compared = (fn: CallExpr['fn']) => certain(call(fn, read(time), literal(at)));
    expect([compared('$ge'), compared('$gt')]).toEqual([at <= 10n, at < 10n]);
    expect([compared('$le'), compared('$lt')]).toEqual([at >= 20n, at > 20n]);
    expect([compared('$eq'), compared('$ne')]).toEqual([false, false]);
    expect(certain(call('$between', read(time), literal(at), literal(20n)))).toBe(at <= 10n);
    expect(certain(call('$between', read(time), literal(10n), literal(at)))).toBe(at >= 20n);
  }
});

test('a list of projects is certain if it has all that the bounds permit', () => {
  expect(certain(call('$in', read(project), text('b'), text('c'), text('a')))).toBe(true);
  expect(certain(call('$in', read(project), text('b'), text('c')))).toBe(false);
  expect(certain(call('$eq', read(project), text('a')))).toBe(false);
  expect(certain(call('$eq', read(project), text('a')), { ...held, projects: ['a'] })).toBe(true);
  expect(certain(call('$ne', read(project), text('a')), { ...held, projects: ['a'] })).toBe(false);
});

test('AND is certain if all of it is, and OR if a part is', () => {
  const [yes, no] = [call('$ge', read(time), literal(10n)), call('$ge', read(time), literal(11n))];
  expect([certain(call('$and', yes, yes)), certain(call('$and', yes, no))]).toEqual([true, false]);
  expect([certain(call('$or', no, yes)), certain(call('$or', no, no))]).toEqual([true, false]);
});

test('nothing else is', () => {
  const after = call('$ge', read(time), literal(10n));
  expect([certain(after, open), certain(after, null)]).toEqual([false, false]);
  expect(certain(call('$not', after))).toBe(false);
  expect(certain(call('$ge', read(time), literal(null)))).toBe(false);
  expect(certain(call('$ge', read(time), read(time)))).toBe(false);
  expect(certain(call('$ge', literal(30n), read(time)))).toBe(false);
  expect(certain(call('$in', read(message), text('a'), text('b')))).toBe(false);
  expect(certain(call('$in', read(project), read(message)))).toBe(false);
});
