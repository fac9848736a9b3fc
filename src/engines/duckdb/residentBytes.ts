import { readFileSync } from 'node:fs';

/** Resident memory of a process in bytes; null where the system does not tell (Linux only) or the process is gone. */
export function residentBytes(pid: number): number | null {
  if (process.platform !== 'linux') return null;
  try {
    const match = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
    return match === null ? null : Number(match[1]) * 1024;
  } catch {
    // The process ended between two looks.
    return null;
  }
}
