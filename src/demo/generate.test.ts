import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectEqual } from '../../test/support/expectEqual.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../core/jsonValue.ts';
import { builtinSources } from '../sources/builtin.ts';
import type { DemoEvent } from './demoEvent.ts';
import { demoProjects, generate } from './generate.ts';

const hourMicros = 3_600_000_000;
const dayMicros = 24 * hourMicros;
const mondayMicros = Date.UTC(2026, 4, 4) * 1000;

const day: readonly DemoEvent[] = [...generate(demoProjects, mondayMicros, mondayMicros + dayMicros)];

function text(event: DemoEvent): string {
  return JSON.stringify(event, (_name, value) => (typeof value === 'bigint' ? `${value}n` : value));
}

/** Whether the value or one within it is wanted. */
function holds(value: JsonValue, isWanted: (value: JsonValue) => boolean): boolean {
  if (isWanted(value)) return true;
  if (isJsonArray(value)) return value.some((element) => holds(element, isWanted));
  return isJsonObject(value) && Object.values(value).some((member) => holds(member, isWanted));
}

function at(value: JsonValue | undefined, ...path: string[]): JsonValue | undefined {
  let found = value;
  for (const step of path) found = isJsonObject(found) ? found[step] : undefined;
  return found;
}

const textOf = (value: JsonValue | undefined) => (typeof value === 'string' ? value : '');
const ofSource = (source: string) => day.filter((event) => event.source === source);
const metadata = (event: DemoEvent, ...path: string[]) => at(event.event, 'metadata', ...path);

describe('generate', () => {
  it('gives at least 50,000 events for a day, on a weekend too', () => {
    expect(day.length).toBeGreaterThan(50_000);
    const sunday = Array.from(generate(demoProjects, mondayMicros - dayMicros, mondayMicros));
    expect(sunday.length).toBeGreaterThan(50_000);
    expect(sunday.length).toBeLessThan(200_000);
  });

  it('gives the same events however an interval is cut', () => {
    const span = fc.tuple(
      fc.integer({ min: 0, max: 60 * 60_000_000 }),
      fc.array(fc.integer({ min: 0, max: 10 * 60_000_000 }), { maxLength: 4 }),
    );
    fc.assert(
      fc.property(span, ([offset, steps]) => {
        const from = mondayMicros + offset;
        const parts: string[] = [];
        let at = from;
        for (const step of steps) {
          parts.push(...Array.from(generate(demoProjects, at, at + step), text));
          at += step;
        }
        expectEqual(parts, Array.from(generate(demoProjects, from, at), text));
      }),
      { numRuns: 40 },
    );
  });

  it('stays inside its interval and in the order of time', () => {
    const times = day.map(({ timestampMicros }) => timestampMicros);
    expect(times[0]).toBeGreaterThanOrEqual(mondayMicros);
    expect(times.at(-1)).toBeLessThan(mondayMicros + dayMicros);
    expect(times.every((time, index) => index === 0 || (times[index - 1] ?? 0) <= time)).toBe(true);
  });

  it('tells of all nine streams and both projects, in every hour', () => {
    for (const { name } of builtinSources) {
      const texts = ofSource(name).map(text);
      for (const ref of demoProjects) {
        expect(texts.filter((each) => each.includes(ref)).length, `${name} of ${ref}`).toBeGreaterThan(200);
      }
      const hours = new Set(ofSource(name).map(({ timestampMicros }) => Math.floor(timestampMicros / hourMicros)));
      expect(hours.size, name).toBe(24);
    }
  });

  it('is busier in the afternoon than at night', () => {
    const hour = (of: number) =>
      day.filter(({ timestampMicros }) => Math.floor((timestampMicros - mondayMicros) / hourMicros) === of).length;
    expect(hour(14)).toBeGreaterThan(1.7 * hour(2));
  });

  it('carries the project where its stream is matched', () => {
    for (const { name, projectField } of builtinSources) {
      const projects = ofSource(name).map((event) =>
        projectField.kind === 'column' ? event.event.project : metadata(event, projectField.member),
      );
      expect([...new Set(projects)].sort(), name).toEqual([...demoProjects].sort());
    }
  });

  it('gives every event its own id and its timestamp in microseconds', () => {
    expect(new Set(day.map(({ event }) => event.id)).size).toBe(day.length);
    expect(
      day.every(
        ({ event, timestampMicros }) => event.timestamp === timestampMicros && String(timestampMicros).length === 16,
      ),
    ).toBe(true);
  });

  it('covers the four API areas, function calls that fail, and slow ones', () => {
    const paths = ofSource('edge_logs').map((event) => textOf(metadata(event, 'request', 'path')));
    for (const area of ['/rest', '/storage', '/auth', '/realtime']) {
      expect(paths.filter((path) => path.startsWith(area)).length, area).toBeGreaterThan(500);
    }
    const calls = ofSource('function_edge_logs');
    expect(new Set(calls.map((event) => metadata(event, 'function_id'))).size).toBe(10);
    const failed =
      calls.filter((event) => Number(metadata(event, 'response', 'status_code')) >= 400).length / calls.length;
    expect(failed).toBeGreaterThan(0.01);
    expect(failed).toBeLessThan(0.2);
  });

  it('holds the traps of the streams: texts of digits, 64-bit and negative integers, nulls, empty objects, arrays, missing metadata, long and multi-line messages', () => {
    const queryIds = ofSource('database_logs').map((event) => metadata(event, 'parsed', 'query_id'));
    expect(queryIds.some((id) => typeof id === 'bigint' && id < -(2n ** 53n))).toBe(true);
    expect(queryIds.some((id) => typeof id === 'bigint' && id > 2n ** 53n)).toBe(true);
    const statuses = new Set(ofSource('auth_logs').map((event) => typeof metadata(event, 'status')));
    expect(statuses).toEqual(new Set(['number', 'string']));
    const isAnywhere = (isWanted: (value: JsonValue) => boolean) =>
      day.some(({ event }) => event.metadata !== undefined && holds(event.metadata, isWanted));
    expect(isAnywhere((value) => value === null)).toBe(true);
    expect(isAnywhere((value) => isJsonObject(value) && Object.keys(value).length === 0)).toBe(true);
    expect(isAnywhere((value) => isJsonArray(value) && typeof value[0] === 'string')).toBe(true);
    expect(day.some(({ event }) => !Object.hasOwn(event, 'metadata'))).toBe(true);
    const messages = day.map(({ event }) => textOf(event.event_message));
    expect(messages.some((message) => message.includes('\n'))).toBe(true);
    const longest = Math.max(...messages.map((message) => message.length));
    expect(longest).toBeGreaterThan(50_000);
    expect(longest).toBeLessThanOrEqual(100_000);
  });

  it('names only addresses and domains that are reserved for documentation', () => {
    const everything = day
      .filter((_event, index) => index % 20 === 0)
      .map(text)
      .join('\n');
    for (const [address] of everything.matchAll(/\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g)) {
      if (isIP(address) === 4 && !/Firefox|Version/.test(address))
        expect(address).toMatch(/^(192\.0\.2|198\.51\.100|203\.0\.113)\./);
    }
    for (const [, host] of everything.matchAll(/https:\/\/([a-z0-9.-]+)/g)) expect(host).toMatch(/(^|\.)example\.com$/);
  });
});
