import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

/**
 * Resident memory of a process in bytes; null if the system does not report it (Linux only) or the process has ended.
 */
export function residentBytes(pid: number): number | null {
  const memory = new ResidentMemory(pid);
  const bytes = memory.read();
  memory.close();
  return bytes;
}

/** More than the length of any `statm`. */
const pagesCharsMax = 256;

/**
 * Reads the resident memory of one process repeatedly. The system's file stays open, which takes a quarter of the time
 * of opening it each time, and never reports another process with the same id. It is the file that counts in pages,
 * which takes a quarter of the time of the one in bytes.
 */
export class ResidentMemory {
  readonly #pid: number;
  readonly #pages = Buffer.alloc(pagesCharsMax);
  #descriptor: number | null = null;
  #bytesOfPage: number | null = null;
  #isClosed = false;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** Bytes; null if the system does not report them (Linux only), the process has ended, or this is closed. */
  read(): number | null {
    if (process.platform !== 'linux' || this.#isClosed) return null;
    try {
      this.#descriptor ??= openSync(`/proc/${this.#pid}/statm`, 'r');
      const length = readSync(this.#descriptor, this.#pages, 0, pagesCharsMax, 0);
      const pages = residentPages(this.#pages.toString('latin1', 0, length));
      // An ended process has no pages until it is waited for.
      if (!(pages > 0)) return null;
      this.#bytesOfPage ??= bytesOfPage();
      return pages * this.#bytesOfPage;
    } catch {
      // The process ended between two readings.
      return null;
    }
  }

  close(): void {
    this.#isClosed = true;
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }
}

/** The second number of `statm`; NaN if there is none. */
function residentPages(statm: string): number {
  return Number(statm.split(' ', 2)[1]);
}

/**
 * The power of two that is nearest to the ratio of this process's memory in bytes and in pages. The file that has the
 * page size itself cannot be read by every process.
 */
function bytesOfPage(): number {
  const pages = residentPages(readFileSync('/proc/self/statm', 'latin1'));
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]);
  return 2 ** Math.round(Math.log2((kibibytes * 1024) / pages));
}
