/** The forms of a tail: Server-Sent Events (HTML Standard, section 9.2), or JSON objects separated by newlines. */
export const tailFormats = {
  sse: { mediaType: 'text/event-stream' },
  ndjson: { mediaType: 'application/x-ndjson' },
} as const;

export type TailFormat = keyof typeof tailFormats;

export const tailFormatNames = Object.keys(tailFormats) as readonly TailFormat[];

/** What a tail sends besides rows. */
export type TailEventName = 'start' | 'mark' | 'gap' | 'dropped' | 'end';

/** Milliseconds after which a client should connect again. */
const retryMs = 2750;

/** Writes the parts of a tail. Rows and data are JSON without newlines. */
export interface TailWriter {
  readonly head: string;
  row(id: string, json: string): string;
  event(name: TailEventName, id: string | null, json: string): string;
}

const serverSentEvents: TailWriter = {
  head: `retry: ${retryMs}\n\n`,
  row: (id, json) => `id: ${id}\ndata: ${json}\n\n`,
  event: (name, id, json) => `event: ${name}\n${id === null ? '' : `id: ${id}\n`}data: ${json}\n\n`,
};

const jsonLines: TailWriter = {
  head: '',
  row: (id, json) => `{"event":"row","id":"${id}","data":${json}}\n`,
  event: (name, id, json) => `{"event":"${name}",${id === null ? '' : `"id":"${id}",`}"data":${json}}\n`,
};

export function tailWriter(format: TailFormat): TailWriter {
  return format === 'sse' ? serverSentEvents : jsonLines;
}
