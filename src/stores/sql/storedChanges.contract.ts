import { parseDefinition } from '../../endpoints/parseDefinition.ts';
import { changeFeedContract } from '../../ports/changeFeed.contract.ts';
import { SqlChangeFeed } from './sqlChangeFeed.ts';
import { SqlDeletionStore } from './sqlDeletionStore.ts';
import { SqlEndpointStore } from './sqlEndpointStore.ts';
import { SqlRetentionStore } from './sqlRetentionStore.ts';
import { SqlSourceStore } from './sqlSourceStore.ts';
import { SqlTokenStore } from './sqlTokenStore.ts';
import { tokenRecord } from './tokenRecord.fixture.ts';
import type { StoreUnderTest } from './twoConnections.fixture.ts';

const record = tokenRecord('there');
const deletion = {
  token: 1,
  id: 'd',
  project: 'p',
  source: null,
  beforeMicros: null,
  requestedMicros: 1,
  requestedBy: 'aaaaaaaaaaaa',
};
/** The audit trail refuses this entry, just as a full disk refuses any entry: the change fails in its commit. */
const refused = () => [
  {
    atMicros: 5,
    actor: 'aaaaaaaaaaaa',
    action: 'token.create',
    target: 'bbbbbbbbbbbb',
    version: null,
    requestId: 'r',
    count: 0,
  } as const,
];

/** The stores of one database as ChangeFeed. */
export function storedChangesContract({ name, openTwice }: StoreUnderTest): void {
  changeFeedContract(name, async () => {
    const { first, second, close } = await openTwice();
    const endpoints = new SqlEndpointStore(first);
    const tokens = new SqlTokenStore(first);
    const sources = new SqlSourceStore(first);
    const retention = new SqlRetentionStore(first);
    const deletions = new SqlDeletionStore(first);
    const rule = [{ source: 's', project: null, days: 3 }];
    const source = { name: 's', projectField: { kind: 'column' }, description: '' } as const;
    return {
      feed: new SqlChangeFeed(first),
      elsewhere: new SqlChangeFeed(second),
      changes: {
        endpoints: [
          () =>
            endpoints.create(
              parseDefinition(
                { id: '11111111-1111-4111-8111-111111111111', name: 'a.b', query: 'select 1' },
                { label: 'a.b' },
              ),
              1,
            ),
        ],
        tokens: [() => tokens.create(record), () => tokens.revoke('there', 9)],
        sources: [() => sources.add(source, ['t'], 1, () => []), () => sources.setAliases('s', ['u'], () => [])],
        retention: [() => retention.change(rule, [])],
        deletions: [() => deletions.add(deletion), () => deletions.complete(1, 9), () => deletions.reopen(1)],
      },
      counting: {
        endpoints: [endpoints, new SqlEndpointStore(second)],
        tokens: [tokens, new SqlTokenStore(second)],
      },
      failing: {
        tokens: () => tokens.create(record, refused),
        sources: () => sources.add(source, [], 1, refused),
        retention: () => retention.change(rule, [], refused),
        deletions: () => deletions.add(deletion, refused),
      },
      close,
    };
  });
}
