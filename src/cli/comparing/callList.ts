import { isJsonObject, type JsonValue } from '../../core/jsonValue.ts';
import { parseJson } from '../../core/losslessJson.ts';
import { writeJson } from '../../core/writeJson.ts';
import { CliError } from '../cliError.ts';

/** A call that two services are asked. */
export interface ListedCall {
  /** Line of the list, from 1. */
  readonly line: number;
  /** Path with query string, such as `/api/endpoints/query/logs.all?project=p`. */
  readonly path: string;
  /** JSON body of a POST; a GET has none. */
  readonly body?: string;
}

const inAccessLog = /"(?:GET|HEAD) (\S+) HTTP\/[\d.]+"/;

/**
 * Reads a list of calls, one on each line: a path, a URL, `GET` and a path, a line of an access log in the common format, or
 * a JSON object with `path` and, for a POST, `body`. Blank lines and lines that begin with `#` are left out.
 *
 * @throws CliError with the number of the first line that is none of these
 */
export function readCallList(text: string): readonly ListedCall[] {
  const calls = text.split(/\r?\n/).flatMap((content, index) => {
    const trimmed = content.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    return [
      trimmed.startsWith('{') ? jsonCall(trimmed, index + 1) : { line: index + 1, path: pathIn(trimmed, index + 1) },
    ];
  });
  if (calls.length === 0) throw new CliError('The list has no calls. Write one path on each line.', { exitCode: 2 });
  return calls;
}

function jsonCall(text: string, line: number): ListedCall {
  const call = parsed(text, line);
  const { path, body } = isJsonObject(call) ? call : {};
  if (typeof path !== 'string') throw wrongLine(line, 'a JSON object needs a member "path" with a string');
  return { line, path: pathIn(path, line), ...(body === undefined ? {} : { body: writeJson(body) }) };
}

function parsed(text: string, line: number): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw wrongLine(line, error instanceof Error ? error.message : String(error));
  }
}

function pathIn(text: string, line: number): string {
  const found = inAccessLog.exec(text)?.[1] ?? text.replace(/^(?:GET|POST)\s+/, '');
  if (/^https?:\/\//.test(found) && URL.canParse(found)) {
    const { pathname, search } = new URL(found);
    return `${pathname}${search}`;
  }
  if (found.startsWith('/') && !/\s/.test(found)) return found;
  throw wrongLine(line, 'it is no path, URL, JSON object or line of an access log');
}

const wrongLine = (line: number, why: string): CliError =>
  new CliError(`Line ${line} of the list is no call: ${why}.`, { exitCode: 2 });
