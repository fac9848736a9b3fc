import { beforeEach, describe, expect, it } from 'vitest';
import type { FileManifest, SealedFileRecord } from './fileManifest.ts';

/**
 * Requirements of every manifest of segments. `open` returns an empty manifest; `reopen` the same one after a restart.
 */
export function fileManifestContract(
  name: string,
  open: () => Promise<{ manifest: FileManifest; reopen: () => Promise<FileManifest> }>,
): void {
  describe(`${name} as a manifest of segments`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeEach(async () => {
      opened = await open();
    });

    it('is empty at first', async () => {
      expect(await opened.manifest.load()).toEqual([]);
    });

    it('gives back every record after a restart as it was committed, in the order of numbers', async () => {
      await opened.manifest.commit(record(7), []);
      await opened.manifest.commit(record(3), []);
      expect(await (await opened.reopen()).load()).toEqual([record(3), record(7)]);
    });

    it('takes out the files that a merged one replaces', async () => {
      for (const number of [1, 2, 3]) await opened.manifest.commit(record(number), []);
      await opened.manifest.commit(record(4), [1, 3]);
      expect((await opened.manifest.load()).map((file) => file.number)).toEqual([2, 4]);
    });

    it('replaces a record that is committed a second time', async () => {
      await opened.manifest.commit(record(5), []);
      await opened.manifest.commit({ ...record(5), bytes: 1, sources: [] }, []);
      expect(await opened.manifest.load()).toEqual([{ ...record(5), bytes: 1, sources: [] }]);
    });

    it('knows after a restart which files were dropped, with all that was merged into them, until they are forgotten', async () => {
      for (const number of [3, 9]) await opened.manifest.commit(record(number), []);
      await opened.manifest.commit({ ...record(10), clearedTo: 8 }, []);
      await opened.manifest.commit(null, [3, 5]);
      const reopened = await opened.reopen();
      expect(await reopened.load()).toEqual([record(9), { ...record(10), clearedTo: 8 }]);
      expect(await reopened.loadDropped()).toEqual([1, 2, 3, 5]);
      await reopened.forgetDropped([1, 2, 5]);
      expect(await reopened.loadDropped()).toEqual([3]);
    });

    it('knows after a restart which files are damaged, until they are whole again', async () => {
      const damage = {
        file: 'sealed-2.duckdb',
        reason: 'checksum of block 7 at "…"',
        foundMicros: 1_700_000_000_000_000,
      };
      await opened.manifest.commit({ ...record(1), damage }, []);
      await opened.manifest.commit(record(2), []);
      await opened.manifest.mark(2, damage);
      await opened.manifest.mark(9, damage);
      const reopened = await opened.reopen();
      expect(await reopened.load()).toEqual([
        { ...record(1), damage },
        { ...record(2), damage },
      ]);
      await reopened.mark(1, null);
      expect(await reopened.load()).toEqual([record(1), { ...record(2), damage }]);
    });

    it('knows after a restart which arrival numbers were reserved, and never fewer', async () => {
      expect(await opened.manifest.loadArrivals()).toBe(0);
      await opened.manifest.reserveArrivals(2 ** 52);
      await opened.manifest.reserveArrivals(2 ** 52 + 1);
      await opened.manifest.reserveArrivals(5);
      await opened.manifest.remove(1);
      expect(await (await opened.reopen()).loadArrivals()).toBe(2 ** 52 + 1);
    });

    it('forgets a removed file and nothing else', async () => {
      await opened.manifest.commit(record(1), []);
      await opened.manifest.commit(record(2), []);
      await opened.manifest.remove(1);
      await opened.manifest.remove(9);
      expect(await opened.manifest.load()).toEqual([record(2)]);
    });
  });
}

function record(number: number): SealedFileRecord {
  return {
    number,
    bytes: 4096 * number,
    events: 5,
    sealedMicros: 1_777_777_777_000_000,
    sources: [
      {
        source: 'auth_logs',
        projects: ['a "quoted" name', 'ünïcode'],
        firstMicros: [1_700_000_000_000_001, -5],
        lastMicros: [1_700_000_000_000_002, 9_007_199_254_740_991],
        counts: [1, 2],
        irregular: [[1, '["request","path"]']],
      },
      {
        source: 'edge_logs',
        projects: ['p'],
        firstMicros: [1],
        lastMicros: [2],
        counts: [2],
        ordinals: [0],
        hotColumns: [['request_path', 'VARCHAR']],
        filters: [
          ['request_url', 'AAAgBAUBAAA='],
          ['url', ''],
        ],
        arrivals: [7, 2 ** 53 - 1],
        unnumbered: 1,
        irregular: [],
      },
    ],
    mergedFrom: [number - 2, number - 1],
  };
}
