import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../../test/support/postgresStores.ts';
import { openTwice, type TwoNodes } from './openTwice.fixture.ts';
import type { PostgresListener } from './postgresListener.ts';

describe.skipIf(!hasPostgres)('a listener', () => {
  let connections: TwoNodes;
  let listener: PostgresListener;
  let heard: string[];
  beforeEach(async () => {
    connections = await openTwice();
    heard = [];
    listener = connections.nodes[0].listener({
      connected: () => heard.push('connected'),
      lost: () => heard.push('lost'),
    });
    listener.on('said', (payload) => heard.push(payload));
  });
  afterEach(async () => {
    await listener.close();
    await connections.close();
  });

  const say = (payload: string) => connections.nodes[1].pool.query('select pg_notify($1, $2)', ['said', payload]);
  const endListeners = () =>
    connections.nodes[1].pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()",
    );

  it('receives what other nodes send, with their commit', async () => {
    await listener.start();
    await say('a');
    await expect.poll(() => heard).toEqual(['connected', 'a']);
  });

  it('connects again by itself, and says when it was away', async () => {
    await listener.start();
    await endListeners();
    await expect.poll(() => heard).toEqual(['connected', 'lost', 'connected']);
    await say('b');
    await expect.poll(() => heard).toEqual(['connected', 'lost', 'connected', 'b']);
    expect(listener.isConnected).toBe(true);
  });

  it('says nothing more after it is closed', async () => {
    await listener.start();
    await listener.close();
    await say('c');
    expect(heard).toEqual(['connected']);
    expect(listener.isConnected).toBe(false);
  });
});
