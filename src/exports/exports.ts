import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../core/clock.ts';
import { ByteBudget } from '../core/concurrency/byteBudget.ts';
import { mayTakePlace } from '../core/concurrency/fairPlaces.ts';
import { Semaphore } from '../core/concurrency/semaphore.ts';
import type { Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import { type Randomness, uuidV7 } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import type { Timer } from '../core/timer.ts';
import type { ChosenFormat } from '../formats/resultFormat.ts';
import { calledEndpoint, identityOf } from '../invoke/calledEndpoint.ts';
import type { EndpointFinder } from '../invoke/findEndpoint.ts';
import type { CheckedCall, Invoke } from '../invoke/invoke.ts';
import { RightsWatch } from '../invoke/rightsWatch.ts';
import type { ParquetWriter } from '../ports/parquetWriter.ts';
import type { AuthenticatedToken } from '../tokens/authenticator.ts';
import { placeOwnerOf, streamRowsOf } from '../tokens/restrictions.ts';
import { isOf, mayHave, rightsOf } from './exportAccess.ts';
import { dataName, ExportData, requireExportFormat } from './exportData.ts';
import {
  asExportError,
  cancelled,
  diskFull,
  endpointChanged,
  interrupted,
  noDiskSpace,
  notComplete,
  removedEvents,
  serviceIsFull,
  tenantIsFull,
  tokenIsFull,
  tooLate,
  unknownExport,
} from './exportErrors.ts';
import type { ExportFiles } from './exportFiles.ts';
import { ExportJob } from './exportJob.ts';
import { type ExportRecord, expiryOf } from './exportRecord.ts';
import { type ExportCall, type ExportRest, ExportRun, type ExportRunLimits, ignored } from './runExport.ts';
import { untilItPasses } from './untilItPasses.ts';

export interface ExportLimits extends ExportRunLimits {
  /** Bytes of all exports on disk. */
  readonly diskBytesMax: number;
  /** How long an export may take, milliseconds. */
  readonly timeoutMs: number;
}

export interface ExportsOptions {
  readonly files: ExportFiles;
  readonly invoke: Invoke;
  readonly parquet: ParquetWriter | undefined;
  readonly endpoints: EndpointFinder;
  /** Whether the token can still be used. */
  readonly isLive: (tokenId: string) => Promise<boolean>;
  /**
   * What the rows of all exports depend on: deletions, rules of retention and redaction. What an earlier process exported on
   * another basis must not be shown.
   */
  readonly basis: () => string;
  /** Whether the disk of the data folder has too little space for events. */
  readonly isDiskLow: () => boolean;
  readonly limits: ExportLimits;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly turns: Turns;
  readonly randomness: Randomness;
  readonly observe: Observe;
}

/** The data of an export, of which any range can be read. */
export interface ExportedData {
  readonly record: ExportRecord;
  readonly format: ChosenFormat;
  readonly bytes: number;
  /** A strong entity tag: the bytes never change. */
  readonly entityTag: string;
  /**
   * Reads bytes from `from` to `to`, both inclusive. `again` finds the reader again, and rejects if it may not call any more:
   * the stream then breaks off.
   */
  open(from: number, to: number, again: () => Promise<AuthenticatedToken>): Readable;
}

/** Exports that one token, or all of them, may have at a time, running or kept. */
export const exportsPerToken = 10;
export const exportsInAll = 200;
/** Exports that read more than their first part at a time. */
const atOnce = 2;
const sweepEveryMs = 60_000;
const readBytes = 256 * 1024;

/**
 * Answers that are written to disk, to be read later (decision 94). Only the token of the call reaches them: for others they
 * do not exist.
 */
export class Exports {
  readonly #options: ExportsOptions;
  readonly #jobs = new Map<string, ExportJob>();
  readonly #disk: ByteBudget;
  readonly #places = new Semaphore(atOnce);
  readonly #data: ExportData;
  /** Work on disk that `close` waits for. */
  readonly #working = new Set<Promise<void>>();
  #isClosing = false;
  #stopSweeping: () => void = () => {};

  constructor(options: ExportsOptions) {
    this.#options = options;
    this.#disk = new ByteBudget(options.limits.diskBytesMax);
    const { files, parquet, turns } = options;
    this.#data = new ExportData({ files, parquet, turns, hold: (job, bytes) => this.#hold(job, bytes) });
  }

  /** Takes over what an earlier process left: what is complete, and what had failed. What was running has now failed. */
  async open(): Promise<void> {
    const { files, clock, basis } = this.#options;
    const current = basis();
    for (const record of await files.open()) {
      const job = new ExportJob(record);
      this.#jobs.set(record.id, job);
      if (!job.hasEnded) await this.#fail(job, interrupted(), clock.nowMicros());
      else if (record.result !== null && record.basis !== current) {
        // The process ended before it had dropped the rows, or its settings were others.
        await this.#fail(job, removedEvents(), clock.nowMicros());
      } else {
        const sizes = [...(record.result?.parts ?? []), ...Object.values(record.files)];
        this.#count(
          job,
          sizes.reduce((sum, bytes) => sum + bytes, 0),
        );
      }
    }
    this.#sweep();
    this.#sweepLater();
  }

  /**
   * Starts an export. Resolves when the call was checked and the export is recorded. Rejects with `export.limit`, and with
   * whatever the call itself would be refused with. Ends with the signal until then, and not afterwards.
   */
  async begin(call: ExportCall, signal: AbortSignal): Promise<ExportRecord> {
    this.#sweep();
    this.#requireRoom(call.token);
    const { clock, timer, randomness, invoke, files, basis } = this.#options;
    const { token } = call;
    const limits = {
      ...this.#options.limits,
      rowsMax: Math.min(this.#options.limits.rowsMax, streamRowsOf(token.restrictions) ?? Infinity),
    };
    const nowMicros = clock.nowMicros();
    const recordOf = ({ endpoint, format, profile }: CheckedCall): ExportRecord => ({
      id: uuidV7(nowMicros / 1000, randomness),
      tokenId: token.publicId,
      placeOwner: placeOwnerOf(token),
      projects: token.restrictions?.projects ?? null,
      rights: rightsOf(token),
      endpoint: { id: endpoint.id, name: endpoint.name, version: endpoint.version },
      identity: identityOf(endpoint),
      version: call.parameters.filter(([name]) => name === 'version'),
      basis: basis(),
      format,
      profile,
      createdMicros: nowMicros,
      deadlineMicros: nowMicros + limits.timeoutMs * 1000,
      state: 'running',
      rows: 0,
      bytes: 0,
      endedMicros: null,
      failure: null,
      result: null,
      files: {},
    });
    const early = new AbortController();
    const leave = () => early.abort(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    return await new Promise((resolve, reject) => {
      let begun: { readonly job: ExportJob; readonly run: ExportRun; readonly created: Promise<void> } | null = null;
      const checked = (facts: CheckedCall) => {
        requireExportFormat(facts.format, facts.profile);
        // Others may have begun while the call was checked.
        this.#requireRoom(token);
        const job = new ExportJob(recordOf(facts));
        signal.removeEventListener('abort', leave);
        job.abort.signal.addEventListener('abort', () => early.abort(job.abort.signal.reason), { once: true });
        this.#jobs.set(job.record.id, job);
        const created = files.create(job.record).catch((error: unknown) => this.#refuse(job, asExportError(error)));
        created.then(() => resolve(job.record), reject);
        begun = { job, run: this.#runOf(job, call, limits), created };
      };
      const part = { cursor: null, rowsMax: limits.rowsMax, checked };
      const cancel = timer.after(limits.timeoutMs, () => (begun?.job.abort ?? early).abort(tooLate(limits.timeoutMs)));
      const finish = (rest: (run: ExportRun) => Promise<ExportRest>) => {
        if (begun === null) throw new Error('the call of an export was not checked');
        const { job, run, created } = begun;
        return this.#finish(
          job,
          call,
          run,
          created.then(() => rest(run)),
        );
      };
      const work = invoke({ ...call, signal: early.signal, part, hold: ignored }).then(
        (answer) => finish((run) => run.write(answer)),
        (error: unknown) => (begun === null ? reject(error) : finish((run) => run.writeAfter(error))),
      );
      this.#track(work.finally(cancel).catch(reject));
    });
  }

  /** The exports of a token, the newest first. */
  list(reader: AuthenticatedToken): readonly ExportRecord[] {
    this.#sweep();
    return [...this.#jobs.values()]
      .map(({ record }) => record)
      .filter((record) => isOf(record, reader))
      .toSorted((a, b) => b.createdMicros - a.createdMicros);
  }

  /** Throws `export.unknown`, also for the exports of other tokens. */
  find(id: string, reader: AuthenticatedToken): ExportRecord {
    return this.#find(id, reader).record;
  }

  /** Waits for the end of an export, at most this long, and returns its record then. */
  async ended(id: string, reader: AuthenticatedToken, waitMs: number, signal: AbortSignal): Promise<ExportRecord> {
    const job = this.#find(id, reader);
    await new Promise<void>((resolve) => {
      const cancel = this.#options.timer.after(waitMs, resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      void job.settled.then(resolve);
      void job.settled.then(cancel);
    });
    return job.record;
  }

  /** Ends an export, and removes its data. Throws `export.unknown`. */
  async remove(id: string, reader: AuthenticatedToken): Promise<void> {
    await this.#remove(this.#find(id, reader), cancelled());
  }

  /**
   * The data of an export in a format, by default in that of its call. Throws `export.unknown`, `export.incomplete`,
   * `format.unsuitable`, `format.unsupported` and the errors of writing the file.
   */
  async read(id: string, reader: AuthenticatedToken, wanted: ChosenFormat | null): Promise<ExportedData> {
    const job = await this.#readable(id, reader);
    const { result, state, failure } = job.record;
    if (result === null) throw notComplete(id, state, failure?.detail);
    const format = wanted ?? job.record.format;
    requireExportFormat(format, job.record.profile);
    if (format.name === 'parquet' && this.#options.parquet === undefined) {
      throw new ServiceError('format.unsupported', 'The engine of this service does not write Parquet.');
    }
    await this.#data.write(job, format, result).catch((error: unknown) => {
      throw asExportError(error);
    });
    const name = dataName(format);
    const bytes = job.record.files[name];
    // It was removed meanwhile.
    if (bytes === undefined) throw unknownExport(id);
    const path = this.#options.files.dataPath(job.record.id, name);
    const { mtimeMs } = await stat(path).catch(() => {
      throw unknownExport(id);
    });
    return {
      record: job.record,
      format,
      bytes,
      // With the time, because a file that was not recorded before a crash is written again.
      entityTag: `"${job.record.id}.${name}.${Math.round(mtimeMs * 1000).toString(36)}"`,
      open: (start, end, again) => {
        // It may have been removed since it was found.
        job.abort.signal.throwIfAborted();
        const requireReader = async () => void (await this.#readable(id, await again()));
        // A download may last for minutes, and rights may end meanwhile.
        const rights = new RightsWatch(requireReader, this.#options.timer, (reason) => stream.destroy(reason));
        async function* chunks() {
          for await (const chunk of createReadStream(path, { start, end, highWaterMark: readBytes })) {
            await rights.require();
            yield chunk;
          }
        }
        const stream = Readable.from(chunks(), { objectMode: false, highWaterMark: readBytes });
        stream.once('close', () => rights.stop());
        job.reads(stream);
        return stream;
      },
    };
  }

  /**
   * Drops the rows of all exports that may contain events of these projects, by default of any, because events were removed
   * on request, or rules of retention changed. Their owners see why.
   */
  dropAll(projects?: readonly string[]): void {
    for (const job of this.#jobs.values()) if (mayHave(job.record, projects)) this.#drop(job, removedEvents());
  }

  /** Ends running exports, which the next start shows as failed. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stopSweeping();
    for (const job of this.#jobs.values()) {
      job.abort.abort(interrupted());
      job.stopReaders(interrupted());
    }
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  /** The rest of an export, from its first part on. */
  async #finish(job: ExportJob, call: ExportCall, run: ExportRun, first: Promise<ExportRest>): Promise<void> {
    const { files, clock, timer, observe } = this.#options;
    const startedMs = timer.nowMs();
    let error: ServiceError | null = null;
    try {
      const result = await run.complete(first);
      // Parquet is written by the engine, which may restart meanwhile.
      const write = () => this.#data.write(job, job.record.format, result);
      await untilItPasses(write, timer, job.abort.signal);
      job.abort.signal.throwIfAborted();
      // Nobody may see it complete before a restart would show it so.
      const record = job.recordWith(result, clock.nowMicros());
      await files.save(record);
      // Its events may have been removed while the record was written.
      job.abort.signal.throwIfAborted();
      job.completes(record);
    } catch (cause) {
      const reason: unknown = job.abort.signal.aborted ? job.abort.signal.reason : cause;
      error = asExportError(reason);
      if (error.code === 'internal' || error.cause !== undefined)
        observe({ kind: 'request.failed', requestId: call.requestId, code: error.code, cause: error.cause });
      if (this.#jobs.has(job.record.id)) await this.#fail(job, error, clock.nowMicros());
    }
    job.settle();
    const { endpoint, rows, bytes } = job.record;
    observe({
      kind: 'request.completed',
      requestId: call.requestId,
      route: 'exports.run',
      status: error?.status ?? 200,
      elapsedMs: timer.nowMs() - startedMs,
      ...(error === null ? {} : { errorCode: error.code }),
      call: {
        endpoint,
        token: job.record.tokenId,
        isCallerQuery: call.facts.isCallerQuery,
        cache: call.facts.cache,
        rowCount: rows,
        bytes,
        answeredMs: timer.nowMs() - startedMs,
        stagesMs: call.times.byStage(),
      },
    });
  }

  #runOf(job: ExportJob, call: ExportCall, limits: ExportRunLimits): ExportRun {
    const { files, timer, isLive, invoke } = this.#options;
    const openRows = () => files.writeRows(job.record.id);
    const hold = (bytes: number) => this.#hold(job, bytes);
    return new ExportRun(job, call, { limits, timer, isLive, invoke, openRows, hold, places: this.#places });
  }

  /** Drops the rows of an export. Its owner sees why. */
  #drop(job: ExportJob, reason: ServiceError): void {
    if (job.record.state === 'failed') return;
    job.abort.abort(reason);
    job.stopReaders(reason);
    // A running one fails with this reason by itself.
    if (job.hasEnded) this.#track(this.#fail(job, reason, this.#options.clock.nowMicros()));
  }

  async #fail(job: ExportJob, error: ServiceError, nowMicros: number): Promise<void> {
    job.fails({ code: error.code, status: error.status, detail: error.message }, nowMicros);
    job.cleaning = this.#clean(job);
    await job.cleaning;
    job.settle();
  }

  /** Saves why an export failed, and removes its files. Does not reject. */
  async #clean(job: ExportJob): Promise<void> {
    const { files, observe } = this.#options;
    try {
      await Promise.allSettled(job.writing.values());
      // First, or an end of the process in between would leave a record without its files, which nobody can explain. A full
      // disk may have no room for it before they are removed.
      const isSaved = await files.save(job.record).then(
        () => true,
        () => false,
      );
      await files.removeData(job.record);
      this.#count(job, -job.heldBytes);
      if (!isSaved) await files.save(job.record);
    } catch (cause) {
      observe({ kind: 'warning', message: 'the files of a failed export could not be removed', cause });
    }
  }

  #refuse(job: ExportJob, error: ServiceError): never {
    this.#track(this.#remove(job, error));
    throw error;
  }

  async #remove(job: ExportJob, reason: ServiceError): Promise<void> {
    const { files, observe } = this.#options;
    this.#jobs.delete(job.record.id);
    job.abort.abort(reason);
    job.stopReaders(reason);
    try {
      // Nothing may write into the folder any more.
      if (!job.hasEnded) await job.settled;
      await job.cleaning;
      await Promise.allSettled(job.writing.values());
      await files.remove(job.record.id);
      this.#count(job, -job.heldBytes);
    } catch (cause) {
      observe({ kind: 'warning', message: 'the files of an export could not be removed', cause });
    }
    job.settle();
  }

  #find(id: string, reader: AuthenticatedToken): ExportJob {
    this.#sweep();
    const job = this.#jobs.get(id.toLowerCase());
    if (job === undefined || !isOf(job.record, reader)) throw unknownExport(id);
    return job;
  }

  /** The export, without its rows if they are of an endpoint that has changed, or that the reader may no longer call. */
  async #readable(id: string, reader: AuthenticatedToken): Promise<ExportJob> {
    const job = this.#find(id, reader);
    const { endpoints, clock } = this.#options;
    const { identity, version } = job.record;
    const call = { idOrName: identity.id, parameters: version };
    const found = await calledEndpoint(call, reader, { endpoints, clock }).catch((error: unknown) => {
      if (error instanceof ServiceError && error.status < 500) return null;
      throw error;
    });
    if (found === null || !isDeepStrictEqual(identityOf(found.endpoint), identity)) this.#drop(job, endpointChanged());
    return job;
  }

  #requireRoom(token: AuthenticatedToken): void {
    if (this.#isClosing) throw interrupted();
    const all = [...this.#jobs.values()].filter(({ record }) => record.tokenId === token.publicId);
    const failed = all.length < exportsPerToken ? undefined : all.find(({ record }) => record.state === 'failed');
    // It has nothing to be read.
    if (failed !== undefined) this.#track(this.#remove(failed, cancelled()));
    const own = all.length - (failed === undefined ? 0 : 1);
    const placeOwner = placeOwnerOf(token);
    const ofOwner = [...this.#jobs.values()].filter(({ record }) => record.placeOwner === placeOwner).length;
    const taken = this.#jobs.size;
    if (own >= exportsPerToken) throw tokenIsFull(own);
    if (taken >= exportsInAll) throw serviceIsFull();
    if (!mayTakePlace({ all: exportsInAll, taken, own: ofOwner })) throw tenantIsFull(ofOwner);
  }

  /** Counts bytes that go to the disk. */
  #hold(job: ExportJob, bytes: number): void {
    if (bytes > 0) {
      if (this.#options.isDiskLow()) throw diskFull();
      if (!this.#disk.hasRoom(job.record.placeOwner, bytes)) throw noDiskSpace();
    }
    this.#count(job, bytes);
  }

  #count(job: ExportJob, bytes: number): void {
    job.heldBytes += bytes;
    this.#disk.change(job.record.placeOwner, bytes);
  }

  #sweep(): void {
    const nowMicros = this.#options.clock.nowMicros();
    for (const job of this.#jobs.values()) {
      const expiry = expiryOf(job.record);
      if (expiry !== null && nowMicros >= expiry) this.#track(this.#remove(job, unknownExport(job.record.id)));
    }
  }

  #sweepLater(): void {
    this.#stopSweeping = this.#options.timer.after(sweepEveryMs, () => {
      this.#sweep();
      this.#sweepLater();
    });
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#working.delete(tracked));
    this.#working.add(tracked);
  }
}
