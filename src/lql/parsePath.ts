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

/** The path itself; throws `lql.syntax` where a step of it is empty, as in `m..x`. */
export function checkedPath(reader: TextReader, path: Path): Path {
  const at = path.steps.indexOf('');
  if (at < 0) return path;
  const text = reader.match(pathForm, path.pos.offset)?.[0] ?? '';
  const written = text.split('.').slice(0, at);
  throw reader.errorAt(
    path.pos.offset + written.reduce((length, step) => length + step.length + 1, 0),
    'a name between the dots of a path',
  );
}
