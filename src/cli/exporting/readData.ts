import type { JsonObject } from '../../core/jsonValue.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { noticesOf } from '../notices.ts';
import { retriedStatuses } from '../patientAnswer.ts';
import {
  BrokenAnswer,
  problemOf,
  RefusedCall,
  reasonOf,
  respond,
  type ServiceAddress,
  UnreachableService,
} from '../serviceClient.ts';

/** Where the data of an export go. */
export interface DataTarget {
  /** Bytes that are there already, of the data with this entity tag. */
  readonly present: { readonly bytes: number; readonly entityTag: string } | null;
  /** The data begin at their first byte: what was there before is of no use. */
  begin(entityTag: string | null): void;
  write(bytes: Uint8Array, at: number): void;
}

/** How often a download goes on after a broken connection that brought nothing, and how long it waits before. */
const attemptsMax = 10;
const retryMs = 1_000;

/** What ended one connection before the data were whole. */
class Away extends Error {}

/**
 * Reads the data of an export. If a connection breaks, it goes on with the next byte. Returns the notices of the headers.
 *
 * @param path of the data
 * @param progress called after each part, with the bytes so far and in all
 * @throws CliError if the target cannot be written, the service refuses, or it stays away
 */
export async function readData(
  address: ServiceAddress,
  path: string,
  target: DataTarget,
  { delay, progress }: Pick<CliContext, 'delay'> & { readonly progress: (bytes: number, of: number) => void },
): Promise<readonly JsonObject[]> {
  let place: Place = { bytes: target.present?.bytes ?? 0, entityTag: target.present?.entityTag ?? null };
  for (let failures = 0; ; ) {
    let bytes = place.bytes;
    try {
      const response = await respond(address, path, { method: 'GET', headers: headersFor(place) });
      if (response.status === 416 && response.headers.get('content-range') === `bytes */${bytes}`) return [];
      if (response.status === 416) {
        place = { bytes: 0, entityTag: null };
        continue;
      }
      if (retriedStatuses.has(response.status)) throw new Away(`the service answers ${response.status}.`);
      if (!response.ok) throw new RefusedCall(await problemOf(address, response), undefined);
      if (response.status !== 206) {
        bytes = 0;
        place = { bytes, entityTag: response.headers.get('etag') };
        target.begin(place.entityTag);
      } else if (response.headers.get('content-range')?.startsWith(`bytes ${bytes}-`) !== true) {
        throw new CliError(`${address.url} sent another part of the export than it was asked for.`);
      }
      const total = totalOf(response, bytes);
      for await (const part of partsOf(response)) {
        target.write(part, bytes);
        bytes += part.byteLength;
        if (total !== null) progress(bytes, total);
      }
      if (total === null || bytes === total) return noticesOf(response.headers);
      throw new Away('the connection was closed early.');
    } catch (error) {
      const isAway = error instanceof Away || error instanceof UnreachableService || error instanceof BrokenAnswer;
      if (!isAway) throw error;
      failures = bytes > place.bytes ? 1 : failures + 1;
      place = { ...place, bytes };
      if (failures > attemptsMax)
        throw new CliError(`The export could not be read: ${error.message}`, { cause: error });
    }
    await delay(retryMs);
  }
}

/** How far the data are read. */
interface Place {
  readonly bytes: number;
  readonly entityTag: string | null;
}

function headersFor({ bytes, entityTag }: Place): Record<string, string> {
  // Bytes of a compressed body are not those of the data.
  const identity = { 'accept-encoding': 'identity' };
  return bytes === 0 || entityTag === null
    ? identity
    : { ...identity, range: `bytes=${bytes}-`, 'if-range': entityTag };
}

/** The length of the data; null if a proxy has changed the body. */
function totalOf({ headers }: Response, from: number): number | null {
  const length = headers.get('content-length');
  return length === null || headers.get('content-encoding') !== null ? null : from + Number(length);
}

async function* partsOf({ body }: Response): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  try {
    for await (const part of body) yield part;
  } catch (error) {
    throw new Away(`${reasonOf(error)}.`);
  }
}
