import type { SealedSourceRecord } from '../../../ports/fileManifest.ts';
import type { RedactionConfig } from '../../../redact/redactionConfig.ts';
import type { TableLayout } from '../files/tableLayout.ts';
import type { RowMask } from '../removal/rowMasks.ts';

/** Options that the process gets at its start; see settings.ts. */
export interface EngineOptions {
  readonly eventsDir: string;
  readonly spillDir: string;
  readonly threads: number;
  readonly memoryBytesMax: number;
  readonly spillBytesMax: number;
  readonly statementsMax: number;
  readonly redaction: RedactionConfig;
  readonly redactionRowsMax: number;
  /** Whether it has the functions that are written in JavaScript (decision 57). */
  readonly hasScripted: boolean;
}

export interface AttachedFile {
  readonly alias: string;
  readonly path: string;
  readonly kind: 'active' | 'sealed';
}

/** Rows of one table, restricted to projects and times. Null: all projects, no limit. */
export interface TablePart {
  readonly table: string;
  readonly projects: readonly string[] | null;
  /** Inclusive, microseconds as text. */
  readonly fromMicros: string | null;
  readonly toMicros: string | null;
  /** Arrival numbers: the first is exclusive, the second inclusive. Null or absent for no limit. */
  readonly arrivals?: readonly [after: number, to: number] | null;
}

/** A table of rows that another store has answered with, as the process reads it. */
export interface FetchedTable {
  readonly table: string;
  /** The Parquet file with the rows, inside the events folder; null for a table without rows. */
  readonly path: string | null;
  /** Number of rows that the file must have. */
  readonly rows: number;
  /**
   * The columns that statements read: name, type, and name in the file. In the file, a TIMESTAMP is microseconds
   * (INT64).
   */
  readonly columns: readonly { readonly name: string; readonly type: string; readonly inFile: string }[];
  /** The column of the file with the pathKeys at which a row is irregular, joined with line breaks; null if there is none. */
  readonly irregular: string | null;
  /** The column of the file whose numbers other than 0 say that a row is not what was asked for; null if there is none. */
  readonly check: string | null;
  /** The column of the file with the number of events that each row stands for; null if there is none. */
  readonly events: string | null;
}

/** Rows of the tables of an attached file, and the Parquet file for those of each table. */
export interface CopiedRows {
  readonly alias: string;
  readonly tables: readonly { readonly part: TablePart; readonly path: string }[];
}

/** [key, digest, answer, micros at which it was stored] */
export type IdentityRow = readonly [key: string, digest: string, answer: string, micros: number];

/**
 * The identities that another active segment holds: those stored since a time, and at least the last `countMin`. There may
 * be hundreds of thousands, which would hold the service up if they went through it.
 */
export interface IdentitiesInFile {
  readonly alias: string;
  readonly sinceMicros: number;
  readonly countMin: number;
}

/** A fact about irregular events of an active segment. */
export type IrregularRow = readonly [source: string, project: string, pathKey: string];

/** Contents of a segment for one source, found by reading it. */
export type HeldSource = Omit<SealedSourceRecord, 'irregular'>;

/** Contents of an active segment, found by reading it. */
export interface ActiveContents {
  /** False if the process died while it created the file, which then holds no event. */
  readonly isComplete: boolean;
  readonly createdMicros: number;
  readonly sources: readonly HeldSource[];
  /** Sources whose table has no column of arrival numbers. */
  readonly unnumbered: readonly string[];
  /** Sources whose table differs from the declaration, with the typed columns that it has. */
  readonly outdated: readonly (readonly [
    source: string,
    hotColumns: readonly (readonly [name: string, type: string])[],
  ])[];
  readonly irregular: readonly IrregularRow[];
  readonly identities: readonly IdentityRow[];
}

/** Contents of a rewritten segment, for one source. */
export type RewrittenSource = Required<Omit<SealedSourceRecord, 'irregular' | 'arrivals' | 'unnumbered'>> &
  Pick<SealedSourceRecord, 'arrivals' | 'unnumbered'>;

/** Rows of a table that rewriting does not carry over. */
export interface LeftOut {
  readonly input: string;
  readonly source: string;
  readonly hidden: RowMask;
  /** Those that deletions on request remove: by project, all rows before a cutoff. */
  readonly deleted: readonly (readonly [project: string, cutoff: number])[];
}

/** Rows that were not carried over. */
export interface RemovedCount {
  readonly input: string;
  readonly source: string;
  readonly project: string;
  readonly events: number;
  /** Number of these rows that deletions on request remove. */
  readonly deleted: number;
}

export type StatementMode = 'rows' | 'values' | 'explain';

/** All calls that the process answers: what each takes and gives. */
export interface EngineCalls {
  open: { takes: EngineOptions; gives: Record<string, never> };
  attach: { takes: AttachedFile; gives: Record<string, never> };
  /** Attaches a table of fetched rows under an alias. Fails if the file does not have the stated number of rows. */
  attachFetched: {
    takes: { readonly alias: string; readonly table: FetchedTable };
    /** The pathKeys at which any row is irregular, the highest number in the column `check`, and the sum of `events`. */
    gives: { readonly irregular: readonly string[]; readonly check: number; readonly events: number | null };
  };
  /** Attaches a copy of rows under the alias of the file that they are from. */
  attachCopied: { takes: CopiedRows; gives: Record<string, never> };
  detach: { takes: { readonly alias: string }; gives: Record<string, never> };
  /** Creates the tables and carries identities over, in one commit. */
  createActive: {
    takes: AttachedFile & {
      readonly tables: readonly TableLayout[];
      readonly createdMicros: number;
      readonly identities: readonly IdentityRow[] | IdentitiesInFile;
    };
    gives: Record<string, never>;
  };
  /** Reads an attached active segment, and adds missing tables of sources. */
  readActive: { takes: { readonly alias: string; readonly tables: readonly TableLayout[] }; gives: ActiveContents };
  /** Stores batches and their metadata in one durable commit. The payload is the encoded batches, in order. */
  append: {
    takes: {
      readonly alias: string;
      readonly path: string;
      readonly commitId: string;
      /**
       * The encoded batches. Events have consecutive arrival numbers from `first` on; without `first`, they continue those
       * of the batch before.
       */
      readonly batches: readonly { readonly layout: TableLayout; readonly bytes: number; readonly first?: number }[];
      readonly identities: readonly IdentityRow[];
      readonly irregular: readonly IrregularRow[];
    };
    gives: Record<string, never>;
  };
  /** Whether the file holds the commit with this id. */
  findCommit: { takes: { readonly alias: string; readonly commitId: string }; gives: { readonly isStored: boolean } };
  /**
   * Runs one SELECT. Mode `rows` answers with the encoded rows as payload. With `cutoff`, another SELECT first finds
   * the time at which they begin (statementRunner.ts).
   */
  statement: {
    takes: {
      readonly mode: StatementMode;
      readonly sql: string;
      /**
       * The only projects whose events the statement may read; null for every project. See isolation/isolationCheck.ts.
       */
      readonly projects: readonly string[] | null;
      /** Attached databases whose rows are already restricted to them (`attachFetched`); none if absent. */
      readonly held?: readonly string[];
      /** Argument of the statement's redacting functions; null if it has none. See scripted/redactingFunctions.ts. */
      readonly redactionTag: number | null;
      readonly cutoff: { readonly sql: string; readonly foundMin: number } | null;
      readonly rowsMax: number;
      readonly bytesMax: number;
      /** Whether `rowKeys` is wanted. */
      readonly hasRowKeys?: boolean;
      /**
       * Mode `rows`: how many frames of rows may be under way. They come as parts before the reply, which then has no
       * rows; `credit` allows one more. Absent: the reply has all rows.
       */
      readonly creditFrames?: number;
      /** Whether frames have columns (ports/columnFrame.ts), whose statement then has any number of typed columns. */
      readonly hasColumns?: boolean;
      /** Whether rows of frames are lines of CSV whose quotes are doubled while they are copied (read/quoteDoubler.ts). */
      readonly doublesQuotes?: boolean;
    };
    gives: {
      readonly rowCount: number;
      readonly hasMore: boolean;
      readonly cutByBytes: boolean;
      /** The second column of the first and the last row; null if the statement has one column, or no row. */
      readonly pageKeys: readonly [string, string] | null;
      /** Indexes of the first and the last row of which it has at most `shortKeyBytesMax` bytes. */
      readonly shortKeyRows?: readonly [number, number];
      /** The second column of every row. */
      readonly rowKeys?: readonly string[];
      /** Mode `values`: the rows. With `cutoff`: the result of its statement. */
      readonly values: readonly (readonly (string | number | boolean | null)[])[];
      readonly text: string;
    };
  };
  /**
   * Writes the sorted events of attached files into a new file, which is complete and durable under its temporary name.
   */
  rewrite: {
    takes: {
      readonly inputs: readonly string[];
      readonly outputAlias: string;
      readonly temporaryPath: string;
      /** Tables of sources that are no longer declared are carried over unchanged. */
      readonly tables: readonly TableLayout[];
      /** Rows to leave out of tables of the inputs; at most one entry for a table of an input. */
      readonly leftOut: readonly LeftOut[];
      /** Number of events that are sorted at a time, which limits the memory used. */
      readonly portionEventsMax: number;
      /** Whether it lets statements, appends and other rewriting go first. */
      readonly isInBackground: boolean;
    };
    gives: {
      readonly bytes: number;
      readonly sources: readonly RewrittenSource[];
      /** How many rows of `leftOut` there were. */
      readonly removed: readonly RemovedCount[];
    };
  };
  /**
   * Copies rows of an attached file, all as of one moment, into Parquet files that do not exist yet. Statements in another
   * process read the copy, because they cannot open a file that this process writes to. It would not survive a crash.
   */
  copyRows: { takes: CopiedRows; gives: Record<string, never> };
  /** Begins a Parquet file, whose rows have this number of columns, each a text. */
  openParquet: { takes: { readonly file: number; readonly columns: number }; gives: Record<string, never> };
  /** Adds rows to the file. The payload is batches in the layout of write/columnarBatch.ts, of these bytes. */
  addToParquet: {
    takes: { readonly file: number; readonly batches: readonly number[] };
    gives: Record<string, never>;
  };
  /** Writes the file to a path. `select`: what its columns are made of (host/parquetColumns.ts). */
  finishParquet: {
    takes: {
      readonly file: number;
      readonly path: string;
      readonly select: string;
      readonly metadata: readonly (readonly [key: string, text: string])[];
    };
    gives: Record<string, never>;
  };
  /** Forgets the rows of the file. Does nothing if there are none. */
  dropParquet: { takes: { readonly file: number }; gives: Record<string, never> };
  /** Reads an attached file through, which fails if it is damaged, and counts its events. */
  verify: {
    takes: { readonly alias: string };
    gives: { readonly events: number; readonly sources: readonly HeldSource[] };
  };
  /** Begins to warm the redacting functions, so that the first statement with them is not slow. Answered at once. */
  warmRedaction: { takes: Record<string, never>; gives: Record<string, never> };
  /** Counts the rows of attached files that a `rewrite` with the same `leftOut` leaves out. */
  countRemoved: {
    takes: { readonly leftOut: readonly LeftOut[] };
    gives: { readonly removed: readonly RemovedCount[] };
  };
  /** Limits spilled data to this many bytes more than now, and never more than in the options. */
  boundSpill: { takes: { readonly moreBytes: number }; gives: Record<string, never> };
  /** Allows a streaming `statement` one more frame. Answered at once, whether or not it was still running. */
  credit: { takes: { readonly target: number }; gives: Record<string, never> };
  /**
   * Interrupts a running `statement`, `rewrite`, `verify`, `copyRows`, `countRemoved` or `finishParquet`. Answered at
   * once, whether or not it was still running.
   */
  cancel: { takes: { readonly target: number }; gives: Record<string, never> };
  /** Checkpoints the named files and ends the process. */
  close: { takes: { readonly checkpoint: readonly string[] }; gives: Record<string, never> };
}

export type CallName = keyof EngineCalls;

export interface RequestHeader<Name extends CallName = CallName> {
  readonly id: number;
  readonly call: Name;
  readonly takes: EngineCalls[Name]['takes'];
}

/**
 * Why a call failed.
 * - `data`: the statement failed on a value. `message` says why in our words, if known; `line` and `column` say where
 *   (0 = unknown).
 * - `redaction`: the statement would have to redact too much; `message` says so.
 * - `depth`: the statement nests deeper than the engine reads.
 * - `memory`: the engine's memory limit.
 * - `disk`: the device of the events folder accepts no more, or has too little free space for more spilled data.
 * - `interrupted`: cancelled.
 * - `engine`: anything else; `message` is engine text, for the log only.
 */
export interface CallFailure {
  readonly kind: 'data' | 'redaction' | 'depth' | 'memory' | 'disk' | 'interrupted' | 'engine';
  readonly message: string | null;
  readonly line: number;
  readonly column: number;
  /** Engine text, for the log only. */
  readonly detail: string;
}

export type ReplyHeader =
  /**
   * Part of a reply. The payload is that many rows, joined with commas, and after these the offset of the end of each row
   * (u32, little endian).
   */
  | { readonly id: number; readonly ok: true; readonly partRows: number }
  | { readonly id: number; readonly ok: true; readonly gives: unknown }
  | { readonly id: number; readonly ok: false; readonly failure: CallFailure };

/** What the engine process sends: first the SHA-256 of its program, then replies. */
export type EngineHeader = { readonly program: string } | ReplyHeader;
