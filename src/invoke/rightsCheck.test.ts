import { expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { cachingEndpoint, tokenOf } from './cachedCalls.fixture.ts';
import { calledEndpoint } from './calledEndpoint.ts';
import type { EndpointFinder } from './findEndpoint.ts';
import { rightsCheck } from './rightsCheck.ts';

const token = tokenOf('t');
const open = cachingEndpoint();
const clock = new ManualClock(0);
const changed = (what: string) => new ServiceError('tail.changed', `${what} changed.`);
const call = { idOrName: open.id, parameters: [], token };

/** Definitions that begin to redact while a look-up, such as the first one, waits for the store. */
function changingAt(lookUp: number): EndpointFinder & { other(): void } {
  let [current, revision, lookUps] = [open, {}, 0];
  const find = async () => {
    const found = current;
    if (++lookUps === lookUp) [current, revision] = [{ ...open, version: 2, redactPii: true }, {}];
    return found;
  };
  return {
    findById: find,
    findByName: find,
    findVersion: find,
    list: async () => [current],
    revision: () => revision,
    other: () => {
      revision = {};
    },
  };
}

it('tells of an endpoint that changed while the call found it', async () => {
  const services = { clock, endpoints: changingAt(1) };
  const found = await calledEndpoint(call, token, services);
  expect(found.endpoint.redactPii).toBe(false);
  const check = rightsCheck({ call, found, authenticateAgain: async () => token, changed }, services);
  await expect(check()).rejects.toThrow('The endpoint changed.');
});

it('tells of an endpoint that changed while an earlier check found it, because of another change', async () => {
  const services = { clock, endpoints: changingAt(2) };
  const found = await calledEndpoint(call, token, services);
  const check = rightsCheck({ call, found, authenticateAgain: async () => token, changed }, services);
  await check();
  services.endpoints.other();
  await check();
  await expect(check()).rejects.toThrow('The endpoint changed.');
});
