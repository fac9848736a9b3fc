import { parseDefinition } from '../../endpoints/parseDefinition.ts';
import { changeFeedContract } from '../../ports/changeFeed.contract.ts';
import { openTwice } from './openTwice.fixture.ts';
import { SqliteChangeFeed } from './sqliteChangeFeed.ts';
import { SqliteDeletionStore } from './sqliteDeletionStore.ts';
import { SqliteEndpointStore } from './sqliteEndpointStore.ts';
import { SqliteRetentionStore } from './sqliteRetentionStore.ts';
import { SqliteSourceStore } from './sqliteSourceStore.ts';
import { SqliteTokenStore } from './sqliteTokenStore.ts';
import { tokenRecord } from './tokenRecord.fixture.ts';

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

changeFeedContract('SQLite', async () => {
  const { first, second, close } = await openTwice();
  const endpoints = new SqliteEndpointStore(first);
  const tokens = new SqliteTokenStore(first);
  const sources = new SqliteSourceStore(first);
  const retention = new SqliteRetentionStore(first);
  const deletions = new SqliteDeletionStore(first);
  const rule = [{ source: 's', project: null, days: 3 }];
  const source = { name: 's', projectField: { kind: 'column' }, description: '' } as const;
  return {
    feed: new SqliteChangeFeed(first),
    elsewhere: new SqliteChangeFeed(second),
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
      endpoints: [endpoints, new SqliteEndpointStore(second)],
      tokens: [tokens, new SqliteTokenStore(second)],
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
