/**
 * A value in a form that the reference evaluator's recording and our answer share. The evaluator
 * was given records as arrays of one struct, so it shows a record as `[[values]]`, a missing one as
 * `[]`, missing members as null, in declared order; bytes as its client's Buffer; times without a
 * fraction that is zero.
 */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) {
    const [only] = value;
    if (value.length === 1 && Array.isArray(only)) return withoutMissing(only);
    return value.map(comparable);
  }
  if (typeof value === 'string') return value.replace(/(T\d\d:\d\d:\d\d)\.000000Z$/, '$1Z');
  if (typeof value !== 'object' || value === null) return value;
  if ('bytesValue' in value) {
    const { data } = value.bytesValue as { data: number[] };
    return Buffer.from(data).toString('base64');
  }
  return withoutMissing(Object.values(value));
}

function withoutMissing(values: readonly unknown[]): readonly unknown[] {
  return values.map(comparable).filter((value) => value !== null && !(Array.isArray(value) && value.length === 0));
}

/** A row as text that can be compared. A missing record, which the evaluator shows as `[]`, is null here. */
export function comparableRow(row: readonly unknown[]): string {
  return JSON.stringify(
    row.map(comparable).map((value) => (Array.isArray(value) && value.length === 0 ? null : value)),
  );
}
