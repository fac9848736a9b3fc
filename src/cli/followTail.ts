import { Readable } from 'node:stream';
import * as z from 'zod';
import type { JsonValue } from '../core/jsonValue.ts';
import { parseJson } from '../core/losslessJson.ts';
import type { CliContext } from './cliContext.ts';
import { CliError } from './cliError.ts';
import { readLines } from './ingestion/readLines.ts';
import { openAnswerOf, RefusedCall, reasonOf, type ServiceAddress } from './serviceClient.ts';

/** A tail that is followed. */
export interface TailCall {
  readonly address: ServiceAddress;
  /** Path with parameters, for a tail in NDJSON. */
  readonly path: string;
  /** The caller's query, which places in errors refer to. */
  readonly query: string | undefined;
}

export interface TailView {
  /** `types`: those of the columns, by name. Called again after each new connection. */
  begins(types: ReadonlyMap<string, string>): void;
  row(row: JsonValue): void;
  /** Something that is not a row, as a sentence. */
  tell(message: string): void;
}

const partSchema = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('start'),
    id: z.string(),
    data: z.object({
      columns: z.array(z.object({ name: z.string(), type: z.string() })),
      notices: z.array(z.object({ message: z.string() })),
    }),
  }),
  z.object({ event: z.literal('row'), id: z.string(), data: z.custom<JsonValue>() }),
  z.object({ event: z.literal('mark'), id: z.string() }),
  z.object({ event: z.literal('gap'), id: z.string(), data: z.object({ reason: z.string(), from: z.string() }) }),
  z.object({ event: z.literal('dropped'), id: z.string(), data: z.object({ count: z.number(), exact: z.boolean() }) }),
  z.object({
    event: z.literal('end'),
    data: z.object({ code: z.string(), detail: z.string(), retryable: z.boolean() }),
  }),
]);

type TailPart = z.infer<typeof partSchema>;

/** A row cannot be longer, since the service limits results. */
const lineBytesMax = 256 * 1024 * 1024;
const waitMsMax = 15_000;

/**
 * Follows a tail, and connects again whenever the connection is lost, after the last row. Throws a CliError if the tail does
 * not begin, or if it ends for a reason that stays; it never resolves.
 */
export async function followTail(call: TailCall, view: TailView, { delay }: Pick<CliContext, 'delay'>): Promise<never> {
  let lastId: string | undefined;
  let failures = 0;
  for (let isLost = false; ; failures++) {
    try {
      for await (const part of partsOf(call, lastId)) {
        if (part.event === 'end') {
          if (!part.data.retryable) throw ended(part.data);
          view.tell(`end: ${part.data.detail} Connecting again.`);
          isLost = true;
          break;
        }
        if (isLost) view.tell('Connected again.');
        isLost = false;
        lastId = part.id;
        if (part.event === 'row' || part.event === 'mark') failures = 0;
        show(part, view);
      }
      if (!isLost) view.tell('The connection ended. Connecting again.');
    } catch (error) {
      if (lastId === undefined || !mayPass(error)) throw error;
      if (!isLost) view.tell(`The connection is lost: ${error.message} Connecting again.`);
    }
    isLost = true;
    await delay(Math.min(250 * 2 ** failures, waitMsMax));
  }
}

/** Other refusals would be repeated. */
function mayPass(error: unknown): error is CliError {
  if (error instanceof RefusedCall) return [429, 502, 503].includes(error.problem.status);
  return error instanceof CliError && !(error instanceof EndedTail);
}

class EndedTail extends CliError {}

const ended = ({ code, detail }: { readonly code: string; readonly detail: string }): EndedTail =>
  new EndedTail(`The tail ended: ${detail} [${code}]`, { details: { code, detail } });

function show(part: Exclude<TailPart, { readonly event: 'end' }>, view: TailView): void {
  switch (part.event) {
    case 'start':
      view.begins(new Map(part.data.columns.map(({ name, type }) => [name, type])));
      for (const { message } of part.data.notices) view.tell(`notice: ${message}`);
      return;
    case 'row':
      view.row(part.data);
      return;
    case 'gap': {
      const why =
        part.data.reason === 'expired'
          ? 'the connection was lost for more than 15 minutes'
          : 'the tail has other rows now';
      view.tell(`gap: Rows before ${part.data.from} may be missing, because ${why}.`);
      return;
    }
    case 'dropped': {
      const { count, exact } = part.data;
      view.tell(
        `dropped: ${exact ? '' : 'at least '}${count} rows were left out, because they were not read fast enough.`,
      );
      return;
    }
    case 'mark':
  }
}

/** The parts of one connection. Throws a CliError where it breaks. */
async function* partsOf(
  { address, path, query }: TailCall,
  lastId: string | undefined,
): AsyncGenerator<TailPart, void> {
  const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
  const { body } = await openAnswerOf(address, path, { method: 'GET', headers }, query);
  if (body === null) return;
  const lines = readLines(Readable.fromWeb(body as never), lineBytesMax);
  try {
    for await (const line of lines) {
      if (line.kind === 'too_long') throw new CliError('A row is too long.');
      const part = partSchema.safeParse(parseJson(line.bytes.toString()));
      // A newer service may send other events too.
      if (part.success) yield part.data;
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${reasonOf(error)}.`);
  }
}
