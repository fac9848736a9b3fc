import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent, AuditTrail } from './auditTrail.ts';

export interface AuditTrailFixture {
  /** Two trails over the same data, as two processes have them. */
  readonly trail: AuditTrail;
  readonly other: AuditTrail;
  readonly close: () => Promise<void>;
}

const event = (changes: Partial<AuditEvent> = {}): AuditEvent => ({
  atMicros: 1_777_000_000_000_001,
  actor: 'aaaaaaaaaaaa',
  action: 'token.create',
  target: 'bbbbbbbbbbbb',
  version: null,
  requestId: 'request-1',
  ...changes,
});

const all = { limit: 1000, beforeSequence: null, actor: null };

/** The tests that every adapter of AuditTrail must pass. */
export function auditTrailContract(name: string, open: () => Promise<AuditTrailFixture>): void {
  describe(`${name} as an AuditTrail`, () => {
    let fixture: AuditTrailFixture;
    beforeEach(async () => {
      fixture = await open();
    });
    afterEach(() => fixture.close());

    it('returns every member of an entry, also through another process', async () => {
      const { trail, other } = fixture;
      await trail.record(event({ action: 'endpoint.update', version: 7 }));
      await trail.record(event({ actor: null, target: null, requestId: null, code: 'auth.scope', count: 12 }));
      expect(await other.list(all)).toEqual([
        { ...event({ actor: null, target: null, requestId: null }), code: 'auth.scope', count: 12, sequence: 2 },
        { ...event({ action: 'endpoint.update', version: 7 }), code: null, count: 1, sequence: 1 },
      ]);
    });

    it('records several entries at once, or none of them', async () => {
      const { trail } = fixture;
      await expect(trail.record(event(), event({ count: 0 }))).rejects.toThrow(Error);
      expect(await trail.list(all)).toEqual([]);
      await trail.record();
      await trail.record(event({ target: 'first' }), event({ target: 'second' }));
      expect((await trail.list(all)).map(({ target }) => target)).toEqual(['second', 'first']);
    });

    it('numbers entries across processes, and pages from the newest to the oldest', async () => {
      const { trail, other } = fixture;
      for (let i = 0; i < 5; i++) await (i % 2 === 0 ? trail : other).record(event({ target: `t${i}` }));
      const first = await trail.list({ ...all, limit: 2 });
      expect(first.map(({ target }) => target)).toEqual(['t4', 't3']);
      // What comes meanwhile moves no page.
      await trail.record(event({ target: 't5' }));
      const second = await other.list({ ...all, limit: 9, beforeSequence: first[1]?.sequence ?? 0 });
      expect(second.map(({ target }) => target)).toEqual(['t2', 't1', 't0']);
    });

    it('finds the entries of one token', async () => {
      const { trail } = fixture;
      await trail.record(event({ target: 'x' }), event({ actor: 'cccccccccccc', target: 'y' }), event({ actor: null }));
      expect((await trail.list({ ...all, actor: 'cccccccccccc' })).map(({ target }) => target)).toEqual(['y']);
    });
  });
}
