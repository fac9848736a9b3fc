import { ServiceError } from '../core/errors.ts';
import { ByteSink } from './byteSink.ts';
import { writeText } from './jsonText.ts';
import { latestClosedBucket } from './latestClosedBucket.ts';
import type { FormatColumn } from './resultFormat.ts';
import type { CellWriter } from './rowReader.ts';

/** How a column takes part: as the time of the row, as a label, as a metric, or not at all. */
type Role = 'time' | 'label' | 'metric' | 'none';

const times: ReadonlySet<string> = new Set(['TIMESTAMP', 'DATETIME', 'DATE']);
const labels: ReadonlySet<string> = new Set(['STRING', 'BOOL', 'JSON']);
const metrics: ReadonlySet<string> = new Set(['INT64', 'FLOAT64']);

/** Bytes. Each sample repeats the labels of its row, so an answer could be much larger than its rows. */
const answerBytesMax = 16 * 1024 * 1024;

interface NamedColumn {
  readonly role: Role;
  /** Name of the metric or label. */
  readonly name: string;
}

/** The meaning of the columns. Throws `format.unsuitable` if they give no metrics, or two of one name. */
export function prometheusColumns(endpointName: string, columns: readonly FormatColumn[]): readonly NamedColumn[] {
  let hasTime = false;
  const named = columns.map(({ name, type }): NamedColumn => {
    if (times.has(type.kind) && !hasTime) {
      hasTime = true;
      return { role: 'time', name };
    }
    if (metrics.has(type.kind)) return { role: 'metric', name: metricName(`${endpointName}_${name}`) };
    return { role: labels.has(type.kind) ? 'label' : 'none', name: labelName(name) };
  });
  if (!named.some(({ role }) => role === 'metric')) {
    throw unsuitable('The format prometheus needs a column of type INT64 or FLOAT64, and the result has none.');
  }
  for (const role of ['metric', 'label'] as const) {
    const names = new Map<string, number>();
    for (const [i, column] of named.entries()) {
      if (column.role !== role) continue;
      const before = names.get(column.name);
      if (before !== undefined) {
        throw unsuitable(
          `The columns ${columns[before]?.name} and ${columns[i]?.name} both become the ${role} ${column.name} in the format prometheus. Rename one of them.`,
        );
      }
      names.set(column.name, i);
    }
  }
  return named;
}

/** `[a-zA-Z_][a-zA-Z0-9_]*`; colons are reserved for recording rules. */
function metricName(text: string): string {
  const name = text.replaceAll(/[^a-zA-Z0-9_]/g, '_');
  return /^\d/.test(name) ? `_${name}` : name;
}

/** Like a metric; names with two underscores in front are reserved. */
function labelName(text: string): string {
  return metricName(text).replace(/^__+/, '_');
}

function unsuitable(message: string): ServiceError {
  return new ServiceError('format.unsuitable', message);
}

/** What a row takes besides its texts. */
const rowBytes = 128;

interface Row {
  time: string | null;
  readonly labels: string[];
  /** By column. */
  readonly values: (string | null)[];
}

/**
 * Collects rows and writes those of the latest closed time bucket as gauges in the text format of Prometheus, without
 * timestamps. Without a time column every row counts.
 */
export class PrometheusWriter implements CellWriter {
  readonly #columns: readonly NamedColumn[];
  readonly #rows: Row[] = [];
  #row: Row = { time: null, labels: [], values: [] };
  #text: ByteSink | null = null;
  #byteLength = 0;

  constructor(endpointName: string, columns: readonly FormatColumn[]) {
    this.#columns = prometheusColumns(endpointName, columns);
  }

  /** Estimate of the collected bytes. */
  get byteLength(): number {
    return this.#byteLength;
  }

  beginRow(): void {
    this.#byteLength += rowBytes;
    this.#row = { time: null, labels: [], values: [] };
  }

  nullCell(column: number): void {
    this.#row.values[column] = null;
  }

  bareCell(column: number, bytes: Uint8Array, from: number, to: number): void {
    this.#take(column, Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1'));
  }

  beginText(column: number): void {
    const role = this.#columns[column]?.role;
    this.#text = role === undefined || role === 'none' ? null : new ByteSink(64);
  }

  textPiece(bytes: Uint8Array, from: number, to: number, hasEscapes: boolean): void {
    if (this.#text !== null) writeText(this.#text, bytes, from, to, hasEscapes, null);
  }

  endText(column: number): void {
    if (this.#text !== null) this.#take(column, this.#text.toString());
    this.#text = null;
  }

  beginNested(): void {}
  nestedPiece(): void {}
  endNested(): undefined {}

  endRow(): void {
    this.#rows.push(this.#row);
  }

  #take(column: number, value: string): void {
    const { role, name } = this.#columns[column] ?? { role: 'none', name: '' };
    if (role === 'none') return;
    this.#byteLength += name.length + value.length;
    if (role === 'time') this.#row.time = value;
    // For Prometheus, an empty label is the same as none.
    else if (role === 'label' && value !== '') this.#row.labels.push(`${name}="${labelValue(value)}"`);
    else if (role === 'metric') this.#row.values[column] = sampleValue(value);
  }

  /**
   * Writes the samples. Yields the bytes written since the last yield.
   *
   * @throws ServiceError `format.unsuitable` if two rows have the same labels, or there are too many bytes
   */
  *write(columns: readonly FormatColumn[], asOfMicros: number, sink: ByteSink): Generator<number, void> {
    const rows = this.#chosen(asOfMicros, sink);
    const series = new Set<string>();
    const labelsOf = rows.map(({ labels: written }) => (written.length === 0 ? '' : `{${written.join(',')}}`));
    for (const text of labelsOf) {
      if (series.has(text)) throw this.#duplicate();
      series.add(text);
    }
    for (const [i, { role, name }] of this.#columns.entries()) {
      if (role !== 'metric') continue;
      sink.text(`# HELP ${name} Column ${helpText(columns[i]?.name ?? '')}.\n# TYPE ${name} gauge\n`);
      let isRounded = false;
      for (const [r, row] of rows.entries()) {
        const value = row.values[i] ?? null;
        if (value === null) continue;
        const before = sink.length;
        sink.text(`${name}${labelsOf[r]} ${value}\n`);
        isRounded ||= /^-?\d+$/.test(value) && !Number.isSafeInteger(Number(value));
        if (sink.length > answerBytesMax) {
          throw unsuitable(
            `The result has more than ${answerBytesMax} bytes in the format prometheus. Return fewer rows or shorter labels.`,
          );
        }
        yield sink.length - before;
      }
      if (isRounded) sink.text(`# ${name} has values beyond 2^53, which Prometheus rounds.\n`);
    }
  }

  #chosen(asOfMicros: number, sink: ByteSink): readonly Row[] {
    if (!this.#columns.some(({ role }) => role === 'time')) return this.#rows;
    const bucket = latestClosedBucket(
      this.#rows.flatMap(({ time }) => (time === null ? [] : [time])),
      asOfMicros,
    );
    if (bucket === null) {
      sink.text('# No bucket is closed.\n');
      return [];
    }
    sink.text(`# Bucket ${bucket}\n`);
    return this.#rows.filter(({ time }) => time === bucket);
  }

  #duplicate(): ServiceError {
    const names = this.#columns.flatMap(({ role, name }) => (role === 'label' ? [name] : []));
    return unsuitable(
      names.length === 0
        ? 'Several rows of one bucket have no label that tells them apart, so they are no time series of Prometheus. Group them, or return a text column.'
        : `Several rows of one bucket have the same labels (${names.join(', ')}), so they are no time series of Prometheus. Group by these columns.`,
    );
  }
}

function labelValue(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function helpText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function sampleValue(value: string): string {
  if (value === 'Infinity') return '+Inf';
  return value === '-Infinity' ? '-Inf' : value;
}
