import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../core/jsonValue.ts';
import { parseJson } from '../core/losslessJson.ts';
import type { CliContext } from './cliContext.ts';

/** The notices of `X-Notices`, as `meta` has them. If some did not fit there, the last one has their number as `more`. */
export function noticesOf(headers: Headers): readonly JsonObject[] {
  return noticesIn(parseJson(headers.get('x-notices') ?? '[]'));
}

/** The notices of a `meta`, or of the state of an export. */
export function noticesIn(notices: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(notices) ? notices.filter(isJsonObject) : [];
}

/** Tells each notice once. */
export function tellNotices(notices: readonly JsonObject[], { err }: Pick<CliContext, 'err'>): void {
  for (const sentence of new Set(notices.flatMap(sentenceOf))) err(`notice: ${sentence}\n`);
}

function sentenceOf({ message, more }: JsonObject): readonly string[] {
  if (typeof message === 'string') return [message];
  if (typeof more !== 'number') return [];
  return [
    `${more} more ${more === 1 ? 'notice does' : 'notices do'} not fit into the headers of this format; JSON has all.`,
  ];
}
