import { expect, test } from 'vitest';
import { compileStored } from '../compile.ts';

const compiled = (call: string): unknown =>
  compileStored(`SELECT ${call}`, { sources: new Map(), parameters: new Map() }).columns.map(({ name }) => name);

test.each([
  "JSON_KEYS(JSON '{}', mode => 'lax')",
  "JSON_KEYS(JSON '{}', 1, mode => 'lax')",
  "JSON_KEYS(JSON '{}', 1, MODE => 'lax')",
  "JSON_KEYS(JSON '{}', NULL)",
])('accepts an argument by its name: %s', (call) => {
  expect(compiled(call)).toHaveLength(1);
});

test.each([
  ["JSON_KEYS(JSON '{}', 1, 'lax')", /takes mode by its name: mode => value/],
  ["JSON_KEYS(JSON '{}', mode => 'lax', 1)", /arguments without a name come before/],
  ["JSON_KEYS(JSON '{}', mode => 'lax', mode => 'lax')", /is given mode twice/],
  ["JSON_KEYS(JSON '{}', made => 'lax')", /has no named argument made; it has mode/],
  ["JSON_KEYS(mode => 'lax')", /needs the argument json/],
  ['ABS(x => 1)', /does not accept named arguments; give them by position/],
])('refuses %s', (call, message) => {
  expect(() => compiled(call)).toThrow(message);
});
