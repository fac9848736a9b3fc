import { expect, it } from 'vitest';
import { unlessFull } from './fullDisk.ts';

it('tells a full disk of the node from a failure of a server', () => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EROFS']) {
    const full = Object.assign(new Error(`${code}: cannot write`), { code });
    expect(() => unlessFull(full)).toThrow(expect.objectContaining({ code: 'service.disk_full', cause: full }));
  }
  const other = Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' });
  expect(() => unlessFull(other)).toThrow(other);
});
