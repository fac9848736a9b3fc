import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ResidentMemory, residentBytes } from './residentBytes.ts';

describe.runIf(process.platform === 'linux')('resident memory of a process', () => {
  it('is told anew by each reading of one that stays open', () => {
    const memory = new ResidentMemory(process.pid);
    const before = memory.read() ?? 0;
    const held = Buffer.alloc(128 * 2 ** 20, 1);
    const after = memory.read() ?? 0;
    memory.close();
    expect(held[0]).toBe(1);
    // Room for what is given back meanwhile, such as the garbage of what was loaded.
    expect(after - before).toBeGreaterThan(64 * 2 ** 20);
  });

  it('is in bytes, whatever the pages of the machine are', () => {
    const memory = new ResidentMemory(process.pid);
    const told = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) * 1024;
    const read = memory.read() ?? 0;
    memory.close();
    expect(Math.abs(read / told - 1)).toBeLessThan(0.25);
  });

  it('is null once the process is gone, and once it is closed', async () => {
    const child = spawn(process.execPath, ['--eval', 'process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const memory = new ResidentMemory(child.pid ?? -1);
    expect(memory.read()).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(memory.read()).toBeNull();
    memory.close();
    expect(memory.read()).toBeNull();
    expect(residentBytes(child.pid ?? -1)).toBeNull();
  });
});
