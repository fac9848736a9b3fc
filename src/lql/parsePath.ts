import { ServiceError } from '../core/errors.ts';
import type { Path } from './query.ts';
import type { Read, TextReader } from './textReader.ts';

const pathForm = /[A-Za-z0-9_.]+/y;

/** Reads the characters of a path; null if there are none. Check its steps with `checkedPath`. */
export function readPath(reader: TextReader, at: number): Read<Path> | null {
  const text = reader.match(pathForm, at)?.[0];
  if (text === undefined) return null;
  const steps = text.split('.');
  // `m.` is short for `metadata.`; a bare `m` is a column of that name.
  if (steps[0] === 'm' && steps.length > 1) steps[0] = 'metadata';
  return { value: { steps, pos: reader.position(at) }, end: at + text.length };
}

/** The most names in a path, as in SQL: the compiler and the engine recurse over them. */
const stepsMax = 100;

/** Returns the path. Throws `lql.syntax` if a step is empty, as in `m..x`, and `sql.too_complex` if there are too many. */
export function checkedPath(reader: TextReader, path: Path): Path {
  if (path.steps.length > stepsMax) throw tooLong(path);
  const at = path.steps.indexOf('');
  if (at < 0) return path;
  const text = reader.match(pathForm, path.pos.offset)?.[0] ?? '';
  const written = text.split('.').slice(0, at);
  throw reader.errorAt(
    path.pos.offset + written.reduce((length, step) => length + step.length + 1, 0),
    'a name between the dots of a path',
  );
}

function tooLong({ pos: { line, column } }: Path): ServiceError {
  return new ServiceError(
    'sql.too_complex',
    `A path may have at most ${stepsMax} names; a longer one starts at line ${line}, column ${column}.`,
    { errors: [{ line, column, expected: `at most ${stepsMax} names` }] },
  );
}
