import { describe, expect, it } from 'vitest';
import { ScriptedRefusal, type Spend, stepsMax } from './scriptedFunction.ts';
import { scriptedFunctions } from './scriptedFunctions.ts';

const long = 1_000_000;
const megabyte = (text: string): string => text.repeat(Math.ceil(long / text.length));

/**
 * The worst known values of a megabyte for each function. A new function without a row fails below: list its values
 * that cost more than their bytes, and have it spend them before it does the work (scriptedFunction.ts).
 */
const worst: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  FARM_FINGERPRINT: [[new Uint8Array(long)]],
  SHA512: [[new Uint8Array(long)]],
  NORMALIZE: [
    [megabyte('\u0345') + megabyte('\u0334'), 'NFC'],
    [megabyte('\u0315\u0300'), 'NFKD'],
    [megabyte(`a${'\u0315\u0300'.repeat(5_000)}`), 'NFD'],
  ],
  REGEXP_INSTR: [
    [megabyte('a'), '(?:[ab]?[ac]?[ad]?){300}[^a]', 1n, 1n, 0n],
    // Each match is searched up to the end of the text.
    [megabyte('a'), 'a(?:.*b)?', 1n, 1_000_000n, 0n],
    [megabyte('a '), '\\b', 1n, 1_000_000n, 1n],
    [megabyte('a'), '(?:a?){1000}b', 500_000n, 1n, 0n],
  ],
  // Its output is limited; the rest is one check of each character.
  FORMAT: [
    [
      `${'%.10000f'.repeat(50_000)}${megabyte('%%')}`,
      JSON.stringify(Array.from({ length: 50_000 }, () => ({ kind: 'FLOAT64' }))),
      JSON.stringify(Array.from({ length: 50_000 }, () => ['5e-324', null, null]).flat()),
    ],
  ],
  // Its output is limited, although every path has the long name.
  JSON_KEYS: [
    [`{"${'x'.repeat(long / 2)}":{${Array.from({ length: 40_000 }, (_, i) => `"${i}":[]`).join()}}}`, 200n, 'strict'],
  ],
};

const harmless: Readonly<Record<string, readonly unknown[]>> = {
  FARM_FINGERPRINT: [new Uint8Array(long)],
  SHA512: [new Uint8Array(long)],
  NORMALIZE: [megabyte('e\u0301 \u1100\u1161\u11a8 \ufdfa '), 'NFKC'],
  REGEXP_INSTR: [megabyte('GET /rest/v1/users '), 'status=(\\d+)', 1n, 3n, 0n],
  FORMAT: [
    '%s: %d',
    '[{"kind":"STRING"},{"kind":"INT64"}]',
    JSON.stringify([megabyte('GET '), null, null, '200', null, null]),
  ],
  JSON_KEYS: [`[${megabyte('{"request":{"method":"GET","path":"/rest/v1"}},')}1]`, 200n, 'lax'],
};

/** Counts, and fails like the engine process: work is spent before it is done. */
function countingMeter(): { readonly spend: Spend; readonly asked: () => number } {
  let asked = 0;
  const spend: Spend = (steps) => {
    asked += steps;
    if (asked > stepsMax) throw new ScriptedRefusal('too many steps');
  };
  return { spend, asked: () => asked };
}

describe.each(scriptedFunctions.map((fn) => [fn.label, fn] as const))('%s', (label, fn) => {
  it('takes no more steps than it may for any value of a megabyte', () => {
    const rows = worst[label];
    if (rows === undefined) throw new Error(`say what is the worst that ${label} can be given`);
    for (const args of rows) {
      const { spend, asked } = countingMeter();
      const evaluate = () => fn.evaluate(args as Parameters<typeof fn.evaluate>[0], spend);
      if (rows.length > 1) expect(evaluate).toThrow(ScriptedRefusal);
      else evaluate();
      expect(asked() > stepsMax).toBe(rows.length > 1);
    }
  });

  it('is worked out for a megabyte of what logs hold', () => {
    const { spend, asked } = countingMeter();
    fn.evaluate(harmless[label] as Parameters<typeof fn.evaluate>[0], spend);
    expect(asked()).toBeLessThan(stepsMax / 5);
  });
});

it('counts patterns that come from rows, each of which has to be compiled', () => {
  const { spend } = countingMeter();
  const fn = scriptedFunctions.find(({ label }) => label === 'REGEXP_INSTR');
  const compileMany = () => {
    for (let i = 0; i < 100; i++) fn?.evaluate(['a', `(?i)[\\x{80}-\\x{ffff}]{3}${i}`, 1n, 1n, 0n], spend);
  };
  expect(compileMany).toThrow(ScriptedRefusal);
});
