import { describeCases } from './describeCases.contract.ts';
import { array, json, nul, nullArray, ts } from './functionCases.contract.ts';

describeCases('conditions', [
  ['if', [true, 'yes', 'no'], 'yes'],
  ['if', [nul('BOOL'), 'yes', 'no'], 'no'],
  ['if', [false, 1n, nul('INT64')], null],
  ['ifnull', [nul('STRING'), '??'], '??'],
  ['ifnull', ['a', '??'], 'a'],
  ['coalesce', [nul('INT64'), nul('INT64'), 3n], '3'],
  ['coalesce', [nul('INT64')], null],
  ['coalesce', [nullArray('INT64'), array('INT64', [])], '[]'],
  ['nullif', ['', ''], null],
  ['nullif', ['a', nul('STRING')], 'a'],
  ['nullif', [json('1'), json('1.0')], null],
  ['greatest', [1n, 3n, 2n], '3'],
  ['greatest', [1n, nul('INT64')], null],
  ['greatest', ['a', 'b'], 'b'],
  ['least', [1.5, 0.5], '0.5'],
  ['least', [1.5, Number.NaN], 'nan'],
  ['greatest', [Number.NaN, Number.POSITIVE_INFINITY], 'nan'],
  ['least', [Number.NaN, nul('FLOAT64')], null],
  ['least', [ts('2026-05-01 00:00:00'), nul('TIMESTAMP')], null],
]);
