import type { RowFrame, RunTime } from '../../../ports/queryEngine.ts';
import type { TakeFrame } from '../query/statementRunner.ts';

/** How the engine process is told about the frames of a statement. */
interface Statement {
  /** Allows one more frame. */
  credit(): void;
  cancel(): void;
}

/**
 * Hands frames of rows to their receiver one after the other, and returns a credit for each. While the receiver holds all
 * frames that may be under way, the engine waits, which costs the statement no time.
 */
export class FrameFeed {
  readonly #take: TakeFrame;
  readonly #time: RunTime;
  readonly #framesMax: number;
  readonly #hasColumns: boolean;
  #statement: Statement | null = null;
  #underWay = 0;
  #taken: Promise<void> = Promise.resolve();
  #failure: { readonly cause: unknown } | undefined;

  /** `hasColumns`: the form of the frames. */
  constructor(take: TakeFrame, time: RunTime, framesMax: number, hasColumns: boolean) {
    this.#take = take;
    this.#time = time;
    this.#framesMax = framesMax;
    this.#hasColumns = hasColumns;
  }

  begin(statement: Statement): void {
    this.#statement = statement;
  }

  /** The statement has ended: it needs no more credit, and waiting for the receiver costs it no more time. */
  end(): void {
    this.#statement = null;
    if (this.#underWay > 0) this.#time.pause();
  }

  /** Resolves when every frame that has arrived was taken. @throws what the receiver rejected with */
  get taken(): Promise<void> {
    return this.#taken;
  }

  /** What the receiver rejected with; the statement was then cancelled. */
  get failure(): { readonly cause: unknown } | undefined {
    return this.#failure;
  }

  readonly onPart = (rowCount: number, payload: Buffer): void => {
    this.#underWay++;
    if (this.#underWay === this.#framesMax) this.#time.pause();
    this.#taken = this.#taken.then(async () => await this.#takeOne(rowCount, payload));
    this.#taken.catch((cause: unknown) => {
      if (this.#failure !== undefined) return;
      this.#failure = { cause };
      this.#statement?.cancel();
    });
  };

  async #takeOne(rowCount: number, payload: Buffer): Promise<void> {
    await this.#take(this.#frameOf(rowCount, payload));
    this.#underWay--;
    if (this.#statement === null) return;
    if (this.#underWay === this.#framesMax - 1) this.#time.resume();
    this.#statement.credit();
  }

  #frameOf(rowCount: number, payload: Buffer): RowFrame {
    if (this.#hasColumns) return { kind: 'columns', rows: payload, rowCount };
    const endsAt = payload.length - 4 * rowCount;
    return { kind: 'json', rows: payload.subarray(0, endsAt), ends: payload.subarray(endsAt), rowCount };
  }
}
