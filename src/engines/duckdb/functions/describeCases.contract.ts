import { beforeAll, describe, expect, test } from 'vitest';
import type { FunctionName } from '../../../googlesql/functions/catalogue.ts';
import { expectedEngineType, type Given, openCaseDatabase, selectScalar, shapes } from './functionCases.contract.ts';

/** The result as the engine casts it to text, null for NULL, or the sentence of an error. */
export type Expected = string | null | RegExp;
export type FunctionCase = readonly [name: FunctionName, given: readonly Given[], expected: Expected];

const describeGiven = (given: Given): string => {
  if (typeof given !== 'object') return typeof given === 'string' ? `'${given.slice(0, 40)}'` : String(given);
  return given.kind === 'part' ? given.part : given.sql.slice(0, 60);
};

/**
 * Runs every case on a real engine with its arguments as literals, as columns, as long expressions
 * and inside a correlated subquery. A case that fails must give NULL under SAFE.
 */
export function describeCases(title: string, cases: readonly FunctionCase[]): void {
  describe(title, () => {
    let run: Awaited<ReturnType<typeof openCaseDatabase>>;
    beforeAll(async () => {
      run = await openCaseDatabase();
    });
    for (const [name, given, expected] of cases) {
      test(`${name}(${given.map(describeGiven).join(', ')}) is ${String(expected)}`, async () => {
        const type = expectedEngineType(name, given);
        for (const shape of shapes) {
          const text = selectScalar(name, given, shape);
          if (expected instanceof RegExp) {
            await expect(run(text), `${shape}: ${text}`).rejects.toThrow(expected);
            const rows = await run(selectScalar(name, given, shape, { safe: true }));
            expect(rows[0]?.[0], `SAFE, ${shape}`).toBeNull();
            continue;
          }
          const rows = await run(text).catch((error: unknown) => [[String(error), text]]);
          expect(rows[0]?.[0], `${shape}: ${text}`).toBe(expected);
          if (expected !== null) expect(rows[0]?.[1], `type, ${shape}`).toBe(type);
        }
      });
    }
  });
}
