import { closeSync, openSync, readSync } from 'node:fs';

/** Resident memory of a process in bytes; null where the system does not tell (Linux only) or the process is gone. */
export function residentBytes(pid: number): number | null {
  const memory = new ResidentMemory(pid);
  const bytes = memory.read();
  memory.close();
  return bytes;
}

/** Longer than what the system says of any process in this file. */
const statusBytesMax = 4096;

/**
 * The resident memory of one process, read again and again: the system's file stays open, which takes a quarter of the
 * time of opening it each time, and never tells of another process that was given the same id.
 */
export class ResidentMemory {
  readonly #pid: number;
  readonly #status = Buffer.alloc(statusBytesMax);
  #descriptor: number | null = null;
  #isClosed = false;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** Bytes; null where the system does not tell (Linux only), the process is gone, or this is closed. */
  read(): number | null {
    if (process.platform !== 'linux' || this.#isClosed) return null;
    try {
      this.#descriptor ??= openSync(`/proc/${this.#pid}/status`, 'r');
      const length = readSync(this.#descriptor, this.#status, 0, statusBytesMax, 0);
      const match = /^VmRSS:\s+(\d+) kB/m.exec(this.#status.toString('latin1', 0, length));
      return match === null ? null : Number(match[1]) * 1024;
    } catch {
      // The process ended between two looks.
      return null;
    }
  }

  close(): void {
    this.#isClosed = true;
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }
}
