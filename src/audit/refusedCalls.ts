import type { AuditEvent, AuditTrail } from './auditTrail.ts';

/** A call that was answered with 401, 403, or 404 because of a missing scope. */
export interface RefusedCall {
  readonly atMicros: number;
  /** Public ID of the token, or the one that a token that is not valid contains; null without a token. */
  readonly actor: string | null;
  readonly operation: string;
  readonly code: string;
}

const minuteMicros = 60_000_000;

/** Most entries of one minute. All other refused calls share one more. */
const entriesPerMinuteMax = 50;

interface Minute {
  readonly startMicros: number;
  readonly counts: Map<string, AuditEvent & { count: number }>;
}

/**
 * Counts refused calls by minute, token, operation and code, and records each minute when it is over. So a flood of
 * refused calls makes few entries.
 */
export class RefusedCalls {
  readonly #trail: Pick<AuditTrail, 'record'>;
  #minute: Minute | undefined;
  /** Complete minutes that are not recorded yet. */
  #over: Minute[] = [];

  constructor(trail: Pick<AuditTrail, 'record'>) {
    this.#trail = trail;
  }

  add({ atMicros, actor, operation, code }: RefusedCall): void {
    const startMicros = Math.floor(atMicros / minuteMicros) * minuteMicros;
    if (this.#minute?.startMicros !== startMicros) {
      if (this.#minute !== undefined) this.#over.push(this.#minute);
      this.#minute = { startMicros, counts: new Map() };
    }
    const { counts } = this.#minute;
    const ownKey = JSON.stringify([actor, operation, code]);
    const key = counts.has(ownKey) || counts.size < entriesPerMinuteMax ? ownKey : 'others';
    const known = counts.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const isOwn = key === ownKey;
    counts.set(key, {
      atMicros: startMicros,
      actor: isOwn ? actor : null,
      action: 'call.refused',
      target: isOwn ? operation : null,
      version: null,
      requestId: null,
      code: isOwn ? code : 'others',
      count: 1,
    });
  }

  /**
   * Records the minutes that are complete at `nowMicros`; with `null`, which is for shutdown, also the current one. If
   * recording fails, they are kept for the next call.
   */
  async flush(nowMicros: number | null): Promise<void> {
    const open = this.#minute;
    if (open !== undefined && (nowMicros === null || nowMicros >= open.startMicros + minuteMicros)) {
      this.#over.push(open);
      this.#minute = undefined;
    }
    const over = this.#over.slice(-minutesKeptMax);
    if (over.length === 0) return;
    this.#over = [];
    try {
      await this.#trail.record(...over.flatMap(({ counts }) => [...counts.values()]));
    } catch (error) {
      this.#over = [...over, ...this.#over];
      throw error;
    }
  }
}

/** If the trail cannot be written for long, the oldest minutes are dropped to bound the memory. */
const minutesKeptMax = 60;
