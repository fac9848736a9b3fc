import type { SealedSourceRecord } from '../../../ports/fileManifest.ts';
import type { RedactionConfig } from '../../../redact/redactionConfig.ts';
import type { TableLayout } from '../files/tableLayout.ts';
import type { RowMask } from '../removal/rowMasks.ts';

/** Sizes the process needs at its start; see settings.ts. */
export interface EngineOptions {
  readonly eventsDir: string;
  readonly spillDir: string;
  readonly threads: number;
  readonly memoryBytesMax: number;
  readonly spillBytesMax: number;
  readonly statementsMax: number;
  readonly redaction: RedactionConfig;
  readonly redactionRowsMax: number;
  /** Whether it has the functions that are worked out in JavaScript (decision 57). */
  readonly hasScripted: boolean;
}

export interface AttachedFile {
  readonly alias: string;
  readonly path: string;
  readonly kind: 'active' | 'sealed';
}

/** Rows of one table, those of the projects within the times alone. Null: all projects, no limit. */
export interface TablePart {
  readonly table: string;
  readonly projects: readonly string[] | null;
  /** Inclusive, microseconds as text. */
  readonly fromMicros: string | null;
  readonly toMicros: string | null;
}

export interface CopiedRows {
  readonly alias: string;
  readonly path: string;
  readonly parts: readonly TablePart[];
}

/** [key, digest, answer, micros at which it was stored] */
export type IdentityRow = readonly [key: string, digest: string, answer: string, micros: number];

/** A fact about irregular events of an active file. */
export type IrregularRow = readonly [source: string, project: string, pathKey: string];

/** What an active file holds, found by reading it. */
export interface ActiveContents {
  /** False when the process died while the file was created; it then holds no event. */
  readonly isComplete: boolean;
  readonly createdMicros: number;
  readonly sources: readonly Omit<SealedSourceRecord, 'irregular'>[];
  /** Sources whose table lacks the column of arrival numbers. */
  readonly unnumbered: readonly string[];
  /** Sources whose table has other columns than declared, with the typed columns that it has. */
  readonly outdated: readonly (readonly [
    source: string,
    hotColumns: readonly (readonly [name: string, type: string])[],
  ])[];
  readonly irregular: readonly IrregularRow[];
  readonly identities: readonly IdentityRow[];
}

/** What a rewritten file holds of a source. */
export type RewrittenSource = Required<Omit<SealedSourceRecord, 'irregular' | 'arrivals' | 'unnumbered'>> &
  Pick<SealedSourceRecord, 'arrivals' | 'unnumbered'>;

/** Rows of a table that rewriting does not carry over. */
export interface LeftOut {
  readonly input: string;
  readonly source: string;
  readonly hidden: RowMask;
  /** Those of them that deletions on request remove: by project, all before a cutoff. */
  readonly deleted: readonly (readonly [project: string, cutoff: number])[];
}

/** Rows that were not carried over. */
export interface RemovedCount {
  readonly input: string;
  readonly source: string;
  readonly project: string;
  readonly events: number;
  /** How many of them are removed on request. */
  readonly deleted: number;
}

export type StatementMode = 'rows' | 'values' | 'explain';

/** Every request that the process answers: what it takes, and what it gives back. */
export interface EngineCalls {
  open: { takes: EngineOptions; gives: Record<string, never> };
  attach: { takes: AttachedFile; gives: Record<string, never> };
  detach: { takes: { readonly alias: string }; gives: Record<string, never> };
  /** Creates the tables and carries identities over, in one commit. */
  createActive: {
    takes: AttachedFile & {
      readonly tables: readonly TableLayout[];
      readonly createdMicros: number;
      readonly identities: readonly IdentityRow[];
    };
    gives: Record<string, never>;
  };
  /** Reads an attached active file; adds tables of sources that it lacks. */
  readActive: { takes: { readonly alias: string; readonly tables: readonly TableLayout[] }; gives: ActiveContents };
  /** Stores batches and what goes with them in one durable commit. The payload is the batches, encoded, in order. */
  append: {
    takes: {
      readonly alias: string;
      readonly path: string;
      readonly commitId: string;
      /** Arrival number of the first event; those of the others follow it, in the order of the payload. */
      readonly firstArrival: number;
      readonly batches: readonly { readonly layout: TableLayout; readonly bytes: number }[];
      readonly identities: readonly IdentityRow[];
      readonly irregular: readonly IrregularRow[];
    };
    gives: Record<string, never>;
  };
  /** Whether the commit of this id is in the file. */
  findCommit: { takes: { readonly alias: string; readonly commitId: string }; gives: { readonly isStored: boolean } };
  /**
   * Runs one SELECT. Mode `rows` answers with the encoded rows as payload; with `cutoff`, another
   * SELECT finds first where in time they begin (statementRunner.ts).
   */
  statement: {
    takes: {
      readonly mode: StatementMode;
      readonly sql: string;
      /** The only projects whose events the statement may read; null for every project. See sandbox/projectIsolation.ts. */
      readonly projects: readonly string[] | null;
      /** What the statement's redacting functions are given; null where it has none. See redactingFunctions.ts. */
      readonly redactionTag: number | null;
      readonly cutoff: { readonly sql: string; readonly foundMin: number } | null;
      readonly rowsMax: number;
      readonly bytesMax: number;
    };
    gives: {
      readonly rowCount: number;
      readonly hasMore: boolean;
      readonly cutByBytes: boolean;
      /** Mode `values`: the rows. With `cutoff`: what its statement found. */
      readonly values: readonly (readonly (string | number | boolean | null)[])[];
      readonly text: string;
    };
  };
  /** Writes the events of attached files, sorted, into a new file that is complete and durable under its temporary name. */
  rewrite: {
    takes: {
      readonly inputs: readonly string[];
      readonly outputAlias: string;
      readonly temporaryPath: string;
      /** Tables of sources that are not declared any more are carried over as they are. */
      readonly tables: readonly TableLayout[];
      /** Rows that are left out, of tables of the inputs; there is at most one entry for a table of an input. */
      readonly leftOut: readonly LeftOut[];
      /** Events that are sorted at a time: what bounds the memory it takes. */
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
   * Writes rows of an attached file into a new one, complete under its path: what a statement of another process may
   * read, which cannot open a file that this one writes to.
   */
  copyRows: { takes: CopiedRows; gives: Record<string, never> };
  /** Reads an attached file through, which fails where it is damaged, and counts its events. */
  verify: { takes: { readonly alias: string }; gives: { readonly events: number } };
  /** Counts rows of attached files as `rewrite` does that leaves them out. */
  countRemoved: {
    takes: { readonly leftOut: readonly LeftOut[] };
    gives: { readonly removed: readonly RemovedCount[] };
  };
  /** Lets statements spill so many bytes more than are spilled now, and never more than the options say. */
  boundSpill: { takes: { readonly moreBytes: number }; gives: Record<string, never> };
  /** Interrupts a running `statement`, `rewrite`, `verify`, `copyRows` or `countRemoved`. Answered at once, whether it was still running or not. */
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
 * - `data`: the statement failed on a value; `message` says so in our words where it is known why, `line` and `column` (0 = unknown) where.
 * - `redaction`: the statement would have to redact too much; `message` says so.
 * - `depth`: the statement nests deeper than the engine reads.
 * - `memory`: the engine's memory limit.
 * - `disk`: the device of the events folder takes no more, or so little is free that nothing more may be spilled.
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
  | { readonly id: number; readonly ok: true; readonly gives: unknown }
  | { readonly id: number; readonly ok: false; readonly failure: CallFailure };
