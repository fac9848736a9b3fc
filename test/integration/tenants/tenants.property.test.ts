import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../src/demo/seededRandom.ts';
import { FuzzLog } from '../../fuzz/finding.ts';
import { TenantFuzz, tenantInput } from '../../fuzz/tenantFuzz.ts';
import { TenantCalls } from '../../fuzz/tenantQuery.ts';
import { countOfRun, onEngine } from '../../support/enginesUnderTest.ts';

let log: FuzzLog;
let fuzz: TenantFuzz;
beforeAll(async () => {
  log = new FuzzLog(() => undefined);
  fuzz = await TenantFuzz.open(log);
});
afterAll(async () => {
  await fuzz.close();
});

/** How often a call was answered so. */
const counted = (pattern: RegExp) =>
  [...log.counts].reduce((sum, [outcome, count]) => sum + (pattern.test(outcome) ? count : 0), 0);

describe(onEngine('a tenant gets the same answer, to the byte, whether others have events or not'), () => {
  it('for random calls of all endpoints, with queries of its own, restricted or not', async () => {
    const random = new SeededRandom('a sample of tenants');
    const calls = new TenantCalls(random);
    const count = countOfRun(250, { of: 8 });
    for (let n = 0; n < count; n++) await fuzz.check(...tenantInput(calls, random));
    expect(log.findings).toEqual([]);
    // Enough of them must have run, and some must have failed on the tenant's own events.
    expect(counted(/ 200 /)).toBeGreaterThan(0.6 * count);
    expect(counted(/ 400 sql\.data/)).toBeGreaterThan(0.04 * count);
    for (const endpoint of ['logs.all', '6827ba9b', 'functions', 'usage']) {
      expect(counted(new RegExp(`^${endpoint}.* 200 `))).toBeGreaterThan(0.02 * count);
    }
  });
});
