import { describe, expect, it } from 'vitest';
import { type InstantForms, readInstant } from './instantText.ts';

const strict: InstantForms = {
  offset: 'optional',
  offsetHoursMax: 23,
  allowsDateAlone: true,
  allowsLeapSecond: true,
  allowsBlankForPlus: true,
  isLoose: false,
};
const noon = 1_777_636_800;

describe('texts of instants', () => {
  it.each([
    ['2026-05-01T12:00:00Z', strict, noon, 0],
    ['2026-05-01T12:00:00.0000019', { ...strict, offset: 'forbidden' as const }, noon, 1],
    ['2026-05-01T14:00:00 02:00', strict, noon, 0],
    ['1969-12-31T23:59:59.5Z', strict, -1, 500_000],
    ['2026-5-1 12:0:0. UTC', { ...strict, isLoose: true }, noon, 0],
    ['2026-05-01 14:00:00 +2', { ...strict, isLoose: true }, noon, 0],
    ['2026-05-01T17:30:00+0530', { ...strict, isLoose: true }, noon, 0],
    ['2016-12-31T23:59:60Z', strict, 1_483_228_800, 0],
  ])('reads %s', (text, forms, seconds, micros) => {
    expect(readInstant(text, forms)).toMatchObject({ seconds, micros });
  });

  it.each([
    ['2026-05-01T12:00:00', { ...strict, offset: 'required' as const }],
    ['2026-05-01T12:00:00Z', { ...strict, offset: 'forbidden' as const }],
    ['2026-05-01', { ...strict, allowsDateAlone: false }],
    ['2016-12-31T23:59:60Z', { ...strict, allowsLeapSecond: false }],
    ['2016-12-31T23:59:60Z', { ...strict, allowsLeapSecond: false, isLoose: true }],
    ['2026-05-01T14:00:00 02:00', { ...strict, allowsBlankForPlus: false }],
    ['2026-05-01T14:00:00 02:00', { ...strict, isLoose: true }],
    ['2026-05-01T14:00:00+15:00', { ...strict, offsetHoursMax: 14 }],
    ['2026-5-1', strict],
    ['2026-05-01T12:00:00.Z', strict],
    ['2026-05-01T12:00:00+02', strict],
    ['0000-05-01T12:00:00Z', strict],
    ['0001-01-01T00:00:00+00:01', { ...strict, isLoose: true }],
    ['9999-12-31T23:59:59-00:01', strict],
  ])('refuses %s if that form is not allowed', (text, forms) => {
    expect(readInstant(text, forms)).toBeUndefined();
  });
});
