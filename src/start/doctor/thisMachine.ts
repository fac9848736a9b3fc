import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import type { Machine } from './machine.ts';

/** The machine that this process runs on. */
export function thisMachine(): Machine {
  return {
    nodeVersion: process.versions.node,
    memoryBytes: Math.min(totalmem(), containerBytes()),
    processors: availableParallelism(),
    openFilesMax: openFilesMax(),
  };
}

/** Memory limit of the control group, version 2 and 1; infinite if there is none. */
function containerBytes(): number {
  for (const path of ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes']) {
    const bytes = Number(textOf(path));
    if (Number.isFinite(bytes) && bytes > 0) return bytes;
  }
  return Number.POSITIVE_INFINITY;
}

/** Files that this process may open; null if unknown. */
export function openFilesMax(): number | null {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(textOf('/proc/self/limits') ?? '') ?? [];
  if (soft === 'unlimited') return Number.MAX_SAFE_INTEGER;
  return soft === undefined ? null : Number(soft);
}

/** The text of a system file, or undefined if it is absent or cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // Another system, or no right to read the file: the value is unknown.
    return undefined;
  }
}
