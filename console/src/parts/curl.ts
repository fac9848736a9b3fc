import { serviceBase } from '../api/callApi.ts';

/** A text in single quotes of a shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The line for a shell that sends an event to a source. The token comes from a variable, because there is none in the browser. */
export function sendingLine(source: string, event: object): string {
  const url = new URL('api/logs', serviceBase());
  url.searchParams.set('source', source);
  return `curl -X POST ${shellQuoted(url.href)} -H "X-API-KEY: $LOGMILL_TOKEN" -H 'Content-Type: application/json' -d ${shellQuoted(JSON.stringify(event))}`;
}
