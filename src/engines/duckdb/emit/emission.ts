import type { Column, ScanRelation } from '../../../googlesql/resolve/tree.ts';
import type { ScanRead } from './attachScans.ts';

/** Where one scan reads: the attached databases that can hold its events, and what it takes from them. */
export interface ScanSource {
  readonly databases: readonly string[];
  readonly reads: readonly ScanRead[];
  /** Conditions in SQL over the stored columns that every wanted event meets. */
  readonly conditions: readonly string[];
  /** pathKeys of objects on the way that may be arrays in these files. */
  readonly mayHoldArrays: (path: readonly string[]) => boolean;
}

/** The state of writing one statement: what each column is called where the text now stands. */
export class Emission {
  readonly nowMicros: number;
  readonly scans: ReadonlyMap<Column, ScanSource>;
  /** Columns that something reads; the others are not carried through subselects. */
  readonly used: ReadonlySet<Column>;
  /** Text of the common table expressions, in order. */
  readonly commonTables: string[] = [];
  readonly #names = new Map<Column, string>();
  #aliases = 0;

  constructor(nowMicros: number, scans: ReadonlyMap<Column, ScanSource>, used: ReadonlySet<Column>) {
    this.nowMicros = nowMicros;
    this.scans = scans;
    this.used = used;
  }

  /** What a scan gives: its columns and what is read from its metadata. */
  scanColumns(scan: ScanRelation): readonly Column[] {
    const reads = this.scans.get(scan.columns.timestamp)?.reads ?? [];
    return [...Object.values(scan.columns), ...reads.map((read) => read.column)];
  }

  newAlias(): string {
    this.#aliases += 1;
    return `t${this.#aliases}`;
  }

  name(column: Column): string {
    const name = this.#names.get(column);
    if (name === undefined) throw new Error(`column ${column.name} (${column.id}) is read where it does not exist`);
    return name;
  }

  setName(column: Column, sql: string): void {
    this.#names.set(column, sql);
  }

  /** The name of a column as an output of a subselect. */
  static columnAlias(column: Column): string {
    return `c${column.id}`;
  }
}
