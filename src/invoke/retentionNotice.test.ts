import { describe, expect, it } from 'vitest';
import type { ParameterValue } from '../googlesql/resolve/parameterValue.ts';
import { retentionNotice } from './retentionNotice.ts';

const declaration = {
  parameter: 'project_tier',
  start: 'iso_timestamp_start',
  days: { FREE: 1, PRO: 7, PAYG: 90, ENTERPRISE: 90 },
  otherwise: 1,
};
const dayMicros = 86_400_000_000;
const now = Date.UTC(2026, 4, 1) * 1000;

function noticesOf(tier: string | null, startMicros: number | null) {
  const values = new Map<string, ParameterValue>([
    ['project_tier', tier === null ? { kind: 'null' } : { kind: 'string', value: tier }],
    ['iso_timestamp_start', startMicros === null ? { kind: 'null' } : { kind: 'timestamp', micros: startMicros }],
  ]);
  return retentionNotice(declaration, values, now);
}

describe('retentionNotice', () => {
  it.each([
    ['FREE', 1],
    ['PRO', 7],
    ['PAYG', 90],
    ['ENTERPRISE', 90],
    ['pro', 1],
    ['toString', 1],
    [null, 1],
  ] as const)('tier %s: says it for a start before %s days ago, and not from there on', (tier, days) => {
    const edge = now - days * dayMicros;
    expect(noticesOf(tier, edge - 1)).toMatchObject([{ code: 'retention.clamped', parameter: 'iso_timestamp_start' }]);
    expect(noticesOf(tier, edge)).toEqual([]);
    expect(noticesOf(tier, now)).toEqual([]);
  });

  it('says from when on rows are returned', () => {
    expect(noticesOf('PRO', 0)[0]?.message).toContain('2026-04-24T00:00:00.000000Z');
  });

  it('says nothing without an explicit start, nor for a definition without retention', () => {
    expect(noticesOf('FREE', null)).toEqual([]);
    expect(retentionNotice(null, new Map(), now)).toEqual([]);
  });
});
