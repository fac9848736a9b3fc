import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod';
import { CliError } from '../cliError.ts';
import { cannotWrite, partExists } from '../intoFile.ts';
import type { DataTarget } from './readData.ts';

/** What a file is the result of. Only the same command for the same service goes on with it. */
export interface FileCall {
  /** URL of the service. */
  readonly service: string;
  /** Path and parameters, with the format. */
  readonly call: string;
}

/** The content of `FILE.part.json`. */
const noteSchema = z.object({
  service: z.string(),
  call: z.string(),
  /** ID of the export; null until the service has said it. */
  export: z.string().min(1).nullable(),
  /** That of the bytes in `FILE.part`. */
  entity_tag: z.string().nullable(),
  /** The process that writes the file, or was stopped. */
  process: z.object({ host: z.string(), id: z.int().positive() }),
});
type Note = z.infer<typeof noteSchema>;

/**
 * A file that an export is written to. Until the data are whole, they are in `FILE.part`, and `FILE.part.json` says which export
 * they are of, so that a later command can go on with it. The address in that note is only compared: a token never goes there,
 * because someone else may have written the note.
 */
export class ExportFile implements DataTarget {
  readonly file: string;
  readonly #part: string;
  readonly #notePath: string;
  #note: Note;
  #opened: number | null = null;
  /** The export that `isNew` left behind, if it is of the same service. */
  readonly abandoned: string | null;

  private constructor(file: string, note: Note, abandoned: string | null) {
    this.file = file;
    [this.#part, this.#notePath] = [`${file}.part`, `${file}.part.json`];
    this.#note = note;
    this.abandoned = abandoned;
  }

  /**
   * Takes the place of a file, before the service does anything. Throws a CliError if the file exists, another process writes it,
   * or an unfinished export of another call is there.
   *
   * @param isNew drops an unfinished export of any call
   */
  static take(file: string, call: FileCall, isNew: boolean): ExportFile {
    if (existsSync(file)) throw new CliError(`${file} exists already. Give the name of a new file.`, { exitCode: 2 });
    const fresh: Note = { ...call, export: null, entity_tag: null, process: thisProcess() };
    const found = noteOf(file);
    if (found === null) {
      if (existsSync(`${file}.part`)) throw partExists(file);
      const taken = new ExportFile(file, fresh, null);
      taken.#try(() => writeFileSync(taken.#notePath, noteText(fresh), { flag: 'wx', mode: 0o600 }));
      return taken;
    }
    if (isRunning(found.process)) throw otherProcess(file, found);
    const isSame = found.service === call.service && found.call === call.call;
    if (!isSame && !isNew) throw otherCall(file, found);
    const abandoned = isNew && found.service === call.service ? found.export : null;
    const taken = new ExportFile(file, isNew ? fresh : { ...found, process: fresh.process }, abandoned);
    if (isNew) taken.#removePart();
    taken.#save();
    return taken;
  }

  /** ID of the export that the file was begun with. */
  get exportId(): string | null {
    return this.#note.export;
  }

  get present(): DataTarget['present'] {
    const { entity_tag: entityTag } = this.#note;
    if (entityTag === null || !existsSync(this.#part)) return null;
    return { bytes: statSync(this.#part).size, entityTag };
  }

  /** Remembers the export that the data will be of, which are not there yet. */
  remember(exportId: string): void {
    this.#removePart();
    this.#note = { ...this.#note, export: exportId, entity_tag: null };
    this.#save();
  }

  begin(entityTag: string | null): void {
    this.#try(() => ftruncateSync(this.#descriptor()));
    this.#note = { ...this.#note, entity_tag: entityTag };
    this.#save();
  }

  write(bytes: Uint8Array, at: number): void {
    const opened = this.#descriptor();
    for (let from = 0; from < bytes.length; )
      from += this.#try(() => writeSync(opened, bytes, from, bytes.length - from, at + from));
  }

  /** Gives the whole data their name. */
  complete(): void {
    const opened = this.#descriptor();
    if (existsSync(this.file)) {
      throw new CliError(`${this.file} was written by another program meanwhile. The rows are in ${this.#part}.`);
    }
    // A command on another machine may have begun anew.
    if (this.#try(() => statSync(this.#part).ino) !== fstatSync(opened).ino)
      throw new CliError(`${this.#part} was replaced by another program meanwhile.`);
    this.#try(() => renameSync(this.#part, this.file));
    rmSync(this.#notePath, { force: true });
    this.close();
  }

  /** Removes what is there, so that the next command begins anew. */
  forget(): void {
    this.close();
    this.#removePart();
    rmSync(this.#notePath, { force: true });
  }

  /** Leaves what is there to a later command. */
  close(): void {
    if (this.#opened !== null) closeSync(this.#opened);
    this.#opened = null;
  }

  #descriptor(): number {
    // Nobody else's link is followed, and nothing is cut off before it is known to be of no use.
    const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
    this.#opened ??= this.#try(() => openSync(this.#part, flags, 0o666));
    return this.#opened;
  }

  #removePart(): void {
    this.close();
    this.#try(() => rmSync(this.#part, { force: true }));
  }

  /** Replaces the note as a whole, so that a stopped process leaves the old one or the new one. */
  #save(): void {
    const next = `${this.#notePath}.new`;
    this.#try(() => {
      rmSync(next, { force: true });
      writeFileSync(next, noteText(this.#note), { flag: 'wx', mode: 0o600 });
      renameSync(next, this.#notePath);
    });
  }

  #try<R>(step: () => R): R {
    try {
      return step();
    } catch (error) {
      throw cannotWrite(this.file, error);
    }
  }
}

const noteText = (note: Note): string => `${JSON.stringify(note, undefined, 2)}\n`;

const thisProcess = (): Note['process'] => ({ host: hostname(), id: process.pid });

/** Null if there is none. Throws a CliError if it is not one of ours. */
function noteOf(file: string): Note | null {
  const path = `${file}.part.json`;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw cannotWrite(path, error);
  }
  const note = noteSchema.safeParse(parsed(text));
  if (note.success) return note.data;
  throw new CliError(
    `${path} is not a note of "logmill export". If you do not need it, remove it and ${file}.part, or give another file.`,
    { exitCode: 2 },
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a process of this machine goes on. One of another machine, or of a container that was replaced, cannot be asked. */
function isRunning({ host, id }: Note['process']): boolean {
  if (host !== hostname() || id === process.pid) return false;
  try {
    process.kill(id, 0);
    return !isZombie(id);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Whether a process has ended, but still has its number, as in a container where nothing collects it. Only Linux says so. */
function isZombie(id: number): boolean {
  try {
    // The name before the state can contain anything.
    return /^[ZX]/.test(readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1) ?? '');
  } catch {
    return false;
  }
}

const otherProcess = (file: string, { process: { id } }: Note): CliError =>
  new CliError(
    `The process ${id} is writing ${file}. Wait for it, or give another file. If that process is not logmill, remove ${file}.part and ${file}.part.json.`,
  );

const otherCall = (file: string, { service, call }: Note): CliError =>
  new CliError(
    `${file}.part is a part of another export: ${service}${call}. Run its command again to complete it, add --restart to drop it, or give another file.`,
    { exitCode: 2 },
  );
