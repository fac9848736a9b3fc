import { ServiceError } from '../core/errors.ts';
import type { Path } from './query.ts';
import type { Read, TextReader } from './textReader.ts';

const pathForm = /[A-Za-z0-9_.]+/y;

/** A path as far as its characters go; null where there is none. Its steps are checked with `checkedPath`. */
export function readPath(reader: TextReader, at: number): Read<Path> | null {
  const text = reader.match(pathForm, at)?.[0];
  if (text === undefined) return null;
  const steps = text.split('.');
  // `m.` is short for `metadata.`; a bare `m` is a column of that name.
  if (steps[0] === 'm' && steps.length > 1) steps[0] = 'metadata';
  return { value: { steps, pos: reader.position(at) }, end: at + text.length };
}

/** Beyond it no pass of the compiler or the engine need go. */
const stepsMax = 100;

/** The path itself; throws `lql.syntax` where a step of it is empty, as in `m..x`, and `sql.too_complex` where there are too many. */
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
    `A path has at most ${stepsMax} names; a longer one starts at line ${line}, column ${column}.`,
    { errors: [{ line, column, expected: `at most ${stepsMax} names` }] },
  );
}
