import { expect, it } from 'vitest';
import { ServiceError } from '../../core/errors.ts';
import { ReadSize } from './readSize.ts';
import { wholeEvent } from './tailIds.ts';

/** An engine that fetches all events of a range, whose reads have one row for each, up to `rowsMax`. */
function engineOf({
  fetchMax,
  rowsMax,
  code = 'query.fetch_max',
}: {
  readonly fetchMax: number;
  readonly rowsMax: number;
  readonly code?: ServiceError['code'];
}) {
  const asked: number[] = [];
  const read = async (from: number, to: number) => {
    asked.push(to - from);
    if (to - from > fetchMax) throw new ServiceError(code, 'too much');
    const end = Math.min(to, from + rowsMax);
    return { end: { arrival: end, row: wholeEvent }, isCut: end < to };
  };
  const readAll = async (size: ReadSize, from: number, to: number) => {
    for (let at = from; at < to; ) {
      const part = await size.read(at, to, (last) => read(at, last));
      expect(part.end.arrival).toBeGreaterThan(at);
      expect(part.isCut).toBe(part.end.arrival < to);
      at = part.end.arrival;
    }
  };
  return { asked, readAll, failed: () => asked.filter((numbers) => numbers > fetchMax).length };
}

it('reads all at once if the engine can fetch it', async () => {
  const { asked, readAll } = engineOf({ fetchMax: 1000, rowsMax: 1000 });
  const size = new ReadSize();
  await readAll(size, 0, 10);
  await readAll(size, 10, 1010);
  expect(asked).toEqual([10, 1000]);
});

it('begins neither with what failed nor with much more than a read took', async () => {
  const { asked, readAll, failed } = engineOf({ fetchMax: 20_000, rowsMax: 500 });
  await readAll(new ReadSize(), 0, 100_000);
  expect(failed()).toBe(1);
  expect(asked.length).toBe(201);
  expect(Math.max(...asked.slice(2))).toBe(1000);
});

it('reads more again when the engine can fetch more', async () => {
  const size = new ReadSize();
  await engineOf({ fetchMax: 10, rowsMax: 1000 }).readAll(size, 0, 100);
  const { asked, readAll } = engineOf({ fetchMax: 100_000, rowsMax: 100_000 });
  await readAll(size, 100, 50_000);
  expect(asked.length).toBeLessThan(20);
});

it.each(['query.fetch_max', 'query.memory'] as const)('reads less after %s', async (code) => {
  const { readAll, asked, failed } = engineOf({ fetchMax: 20, rowsMax: 100, code });
  await readAll(new ReadSize(), 0, 100);
  expect([asked.slice(0, 2), failed()]).toEqual([[100, 13], 4]);
});

it('reads less in the next read after query.timeout, so that it ends soon if the engine hangs', async () => {
  const { readAll, asked } = engineOf({ fetchMax: 40, rowsMax: 1000, code: 'query.timeout' });
  const size = new ReadSize();
  await expect(readAll(size, 0, 1000)).rejects.toMatchObject({ code: 'query.timeout' });
  expect(asked).toEqual([1000]);
  await readAll(size, 0, 50);
  expect(asked).toEqual([1000, 16, 32, 2]);
});

it.each(['query.fetch_max', 'query.memory'] as const)('fails with %s if one number is too much', async (code) => {
  const { readAll, asked } = engineOf({ fetchMax: 0, rowsMax: 1, code });
  await expect(readAll(new ReadSize(), 0, 100)).rejects.toMatchObject({ code });
  expect(asked).toEqual([100, 13, 2, 1]);
});

it('fails at once with every other error', async () => {
  let calls = 0;
  const failing = new ReadSize().read(0, 100, () => {
    calls++;
    throw new ServiceError('engine.failed', 'it ended');
  });
  await expect(failing).rejects.toMatchObject({ code: 'engine.failed' });
  expect(calls).toBe(1);
});
