import { accessSync } from 'node:fs';
import type { Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { BufferGarbage } from '../../../core/bufferGarbage.ts';
import type { EngineRole } from '../../../core/observation.ts';
import { encodeFrame, FrameReader } from '../process/frames.ts';
import type { AttachedFile, CallName, EngineCalls, EngineHeader, ReplyHeader } from '../process/protocol.ts';
import { engineCommand } from './engineCommand.ts';
import { EngineDied, EngineFailure } from './engineFailure.ts';
import type { EngineProcess } from './engineProcess.ts';
import { startProcess } from './launcher.ts';
import { ResidentMemory } from './residentBytes.ts';

export interface EngineReply<Name extends CallName> {
  readonly gives: EngineCalls[Name]['gives'];
  readonly payload: Buffer;
}

/** Takes part of a reply: that many rows, and the payload. */
export type OnPart = (partRows: number, payload: Buffer) => void;

interface PendingCall {
  readonly onPart: OnPart | undefined;
  readonly resolve: (reply: { gives: unknown; payload: Buffer }) => void;
  readonly reject: (error: Error) => void;
  readonly reply: Promise<unknown>;
}

/** A call in progress. */
export interface RunningCall<Name extends CallName> {
  readonly id: number;
  readonly reply: Promise<EngineReply<Name>>;
}

/** Threads for blocking engine calls, apart from those of statements that have slots: streams, appends, sealing, files. */
const spareThreads = 12;
const threadsMin = 16;
const mebibyte = 1024 * 1024;

/**
 * What each process adds to the niceness of the service (decision 79). The service does a little for every call, so it comes
 * before whatever a single query takes; statements with functions in JavaScript run one at a time and are short.
 */
const nicenessOf = { statements: 5, functions: 2 } as const;

/** One engine process and the pipe to it. Used until the process ends, never restarted; see EngineSupervisor. */
export class EngineConnection {
  /**
   * Digest of the program that the process runs, which it states first. It distinguishes builds, because a built engine is
   * one file. Rejects with EngineDied if the process ends before.
   */
  readonly program: Promise<string>;
  /** Resolves with the reason when the process has ended for any reason. */
  readonly ended: Promise<string>;
  readonly #process: EngineProcess;
  #pid = -1;
  #memory: ResidentMemory | undefined;
  #pipe: Socket | undefined;
  /** What was sent before the process had its pipe. */
  #unsent: Uint8Array[] = [];
  readonly #pending = new Map<number, PendingCall>();
  /** Replies to calls that were sent ahead. */
  readonly #ahead = new Map<string, Promise<unknown>>();
  #lastId = 0;
  #endReason: string | null = null;

  /** Starts a process. @throws Error if it cannot be started; MissingProgram if its program is missing */
  constructor(statementsMax: number, role?: EngineRole) {
    const { command, args } = engineCommand();
    requireProgram(args.at(-1) ?? command);
    this.#process = startProcess({
      command,
      args: [...args, String(nicenessOf[role ?? 'statements'])],
      // The engine's blocking calls run on this pool; its size is read once, when the process starts.
      env: {
        UV_THREADPOOL_SIZE: String(Math.max(threadsMin, statementsMax + spareThreads)),
        // The threads of the pool compute in turn, and each arena keeps memory that was freed (decision 112). If it
        // kept it for less than two seconds, the next query would take the same pages again, with a page fault for each.
        DUCKDB_JE_MALLOC_CONF: `narenas:${Math.ceil(availableParallelism() / 2)},dirty_decay_ms:2000,muzzy_decay_ms:0`,
        // glibc, which has the buffers, raises its own bounds up to 64 MiB while large ones come and go. Above the first one a
        // buffer has its own mapping, whose pages are new each time: above any batch of the log and most answers (decision 115).
        MALLOC_MMAP_THRESHOLD_: String(4 * mebibyte),
        // What most statements use and free fits below the second; if it were given back, each would take thousands of new pages.
        MALLOC_TRIM_THRESHOLD_: String(8 * mebibyte),
        TZ: 'UTC',
      },
    });
    let isStated!: (program: string) => void;
    const stated = new Promise<string>((resolve) => {
      isStated = resolve;
    });
    void this.#process.pipe.then((pipe) => this.#connect(pipe, isStated));
    const known = this.#process.pid.then((pid) => {
      this.#pid = pid;
      if (this.#endReason === null) this.#memory = new ResidentMemory(pid);
    });
    this.ended = this.#process.ended.then((reason) => {
      this.#endReason = reason;
      this.#memory?.close();
      // The last one first: among statements that are repeated one at a time, the youngest is least likely to be
      // long.
      for (const call of [...this.#pending.values()].reverse()) call.reject(new EngineDied(reason));
      this.#pending.clear();
      return reason;
    });
    const lost = this.ended.then((reason) => {
      throw new EngineDied(reason);
    });
    this.program = Promise.race([Promise.all([stated, known]).then(([program]) => program), lost]);
    // Whoever needs it gets the error.
    this.program.catch(() => undefined);
  }

  /** Process id; -1 as long as it is unknown, which it is not once the process has stated its program. */
  get pid(): number {
    return this.#pid;
  }

  /** Resident memory of the process in bytes; null if the system does not report it (Linux only) or there is no process. */
  residentBytes(): number | null {
    return this.#memory?.read() ?? null;
  }

  get hasEnded(): boolean {
    return this.#endReason !== null;
  }

  /**
   * Sends a call. The reply rejects with EngineFailure if the process answers with a failure, and with EngineDied if
   * the process ends first.
   */
  start<Name extends CallName>(
    call: Name,
    takes: EngineCalls[Name]['takes'],
    payload: readonly Uint8Array[] = [],
    onPart?: OnPart,
  ): RunningCall<Name> {
    const id = ++this.#lastId;
    let settle!: Pick<PendingCall, 'resolve' | 'reject'>;
    const reply = new Promise<EngineReply<Name>>((resolve, reject) => {
      settle = { resolve: resolve as PendingCall['resolve'], reject };
    });
    if (this.#endReason !== null) {
      settle.reject(new EngineDied(this.#endReason));
      return { id, reply };
    }
    this.#pending.set(id, { ...settle, reply, onPart });
    const parts = encodeFrame({ id, call, takes }, payload);
    if (this.#pipe === undefined) this.#unsent.push(...parts);
    else write(this.#pipe, parts);
    return { id, reply };
  }

  /** Sends a call and waits for its reply; that of a call that was sent ahead, if it is the same. */
  async call<Name extends CallName>(
    call: Name,
    takes: EngineCalls[Name]['takes'],
    payload: readonly Uint8Array[] = [],
  ): Promise<EngineReply<Name>> {
    return await (this.#takeAhead(call, takes) ?? this.start(call, takes, payload).reply);
  }

  /** Sends a call before anything needs its reply. The first same call gets it. */
  sendAhead<Name extends CallName>(call: Name, takes: EngineCalls[Name]['takes']): void {
    const { reply } = this.start(call, takes);
    // Whoever makes the same call gets the error.
    reply.catch(() => undefined);
    this.#ahead.set(JSON.stringify([call, takes]), reply);
  }

  /** Detaches a file if it was attached ahead. Call it before another use of the file. */
  async withdraw(file: AttachedFile): Promise<void> {
    const attached = this.#takeAhead('attach', file);
    if (attached === undefined) return;
    const isAttached = await attached.then(
      () => true,
      () => false,
    );
    if (isAttached) await this.call('detach', { alias: file.alias });
  }

  #takeAhead<Name extends CallName>(
    call: Name,
    takes: EngineCalls[Name]['takes'],
  ): Promise<EngineReply<Name>> | undefined {
    if (this.#ahead.size === 0) return undefined;
    const key = JSON.stringify([call, takes]);
    const reply = this.#ahead.get(key);
    this.#ahead.delete(key);
    return reply as Promise<EngineReply<Name>> | undefined;
  }

  /** The ends of all calls in progress, whatever they end with. */
  endsOfCalls(): readonly Promise<void>[] {
    const hasEnded = () => {};
    return [...this.#pending.values()].map(({ reply }) => reply.then(hasEnded, hasEnded));
  }

  kill(): void {
    this.#process.kill();
  }

  #connect(pipe: Socket, isStated: (program: string) => void): void {
    const frames = new FrameReader();
    const garbage = new BufferGarbage();
    pipe.on('data', (chunk: Buffer) => {
      garbage.note(chunk.length);
      for (const frame of frames.push(chunk)) {
        const header = frame.header as EngineHeader;
        if ('program' in header) isStated(header.program);
        else this.#answer(header, frame.payload);
      }
    });
    this.#pipe = pipe;
    write(pipe, this.#unsent);
    this.#unsent = [];
  }

  #answer(header: ReplyHeader, payload: Buffer): void {
    const call = this.#pending.get(header.id);
    if ('partRows' in header) {
      call?.onPart?.(header.partRows, payload);
      return;
    }
    this.#pending.delete(header.id);
    if (header.ok) call?.resolve({ gives: header.gives, payload });
    else call?.reject(new EngineFailure(header.failure));
  }
}

/** The engine's program is missing: it was removed or is being replaced while the service runs. */
export class MissingProgram extends Error {
  readonly path: string;

  constructor(path: string, cause: unknown) {
    super(`${path} is not there`, { cause });
    this.name = 'MissingProgram';
    this.path = path;
  }
}

function write(pipe: Socket, parts: readonly Uint8Array[]): void {
  pipe.cork();
  for (const part of parts) pipe.write(part);
  pipe.uncork();
}

function requireProgram(path: string): void {
  try {
    accessSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw new MissingProgram(path, error);
    throw error;
  }
}
