import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import { systemRandomness } from '../core/ids.ts';
import type { ChangeOrigin, EndpointChange } from '../endpoints/endpointStore.ts';
import { EndpointManagement, type ManagementServices } from './endpointManagement.ts';

it('lets authors take turns with their changes, and gives up a change whose caller has left, or at the end', async () => {
  const order: (string | null)[] = [];
  const store = {
    findById: async () => undefined,
    async tryOut([change]: readonly [{ readonly definition: { readonly id: string } }], { author }: ChangeOrigin) {
      order.push(author);
      await nextTurn();
      return [{ id: change.definition.id }];
    },
  } as unknown as ManagementServices['store'];
  const clock = new ManualClock(0);
  const services = { store, sources: new Map(), own: new Map(), clock, randomness: systemRandomness };
  const manage = new EndpointManagement(services as unknown as ManagementServices);
  const ask = (author: string, signal = new AbortController().signal) =>
    manage.create({ name: 'a.name', query: 'select 1 as n', parameters: {} }, { ...dryRunBy(author), signal });
  const leaving = new AbortController();
  const asked = ['busy', 'busy', 'busy', 'other'].map((author) => ask(author));
  const left = expect(ask('left', leaving.signal)).rejects.toThrow('the caller has left');
  leaving.abort(new Error('the caller has left'));
  await left;
  await Promise.all(asked);
  expect(order).toEqual(['busy', 'busy', 'other', 'busy']);
  const atLast = [ask('a'), ask('a')].map((change) => expect(change).rejects.toThrow('the service stops'));
  manage.close(new ServiceError('service.draining', 'the service stops'));
  await Promise.all(atLast);
  await expect(ask('a')).rejects.toThrow('the service stops');
  expect(order).toHaveLength(4);
});

it('compiles definitions in the turns of whoever asks', async () => {
  const definition = { name: 'a.name', query: 'select 1 as n', parameters: {} };
  const version = { ...definition, id: 'i', version: 1, primary: true, parameters: [], sandbox: false };
  const store = {
    findById: async () => undefined,
    findVersion: async () => version,
    tryOut: async ([change]: readonly EndpointChange[]) => [
      { ...version, id: change?.kind === 'create' ? change.definition.id : '' },
    ],
  };
  const turns = new NotedTurns();
  const manage = new EndpointManagement({
    store,
    sources: new Map(),
    own: new Map(),
    clock: new ManualClock(0),
    randomness: systemRandomness,
    turns,
  } as unknown as ManagementServices);
  await manage.check(definition, 'check');
  await manage.readDraft(definition, 'draft');
  await manage.create(definition, dryRunBy('create'));
  expect([...turns.owners]).toEqual(['check', 'draft', 'create']);
});

const dryRunBy = (author: string) => ({
  author,
  requestId: null,
  note: '',
  allowBreaking: false,
  isDryRun: true,
  ifMatch: null,
  callersOnly: null,
});

/** Notes whose turns were taken. */
class NotedTurns extends Turns {
  readonly owners = new Set<string>();

  override next(owner = ''): Promise<void> {
    this.owners.add(owner);
    return super.next(owner);
  }
}
