import * as z from 'zod';

const urlForm = 'is an http:// or https:// URL without user and password, such as http://127.0.0.1:4318/v1/traces';

/** URL that receives traces. Credentials belong in headers, because URLs end up in logs. */
export const tracesEndpoint = z
  .string({ error: urlForm })
  .refine((text) => {
    if (!URL.canParse(text)) return false;
    const { protocol, username, password } = new URL(text);
    return /^https?:$/.test(protocol) && username === '' && password === '';
  }, urlForm)
  .optional();

const headersForm = 'is a list of headers separated by commas, such as authorization=Bearer%20abc,x-team=logs';

/** Headers in the form of `OTEL_EXPORTER_OTLP_HEADERS`: names and percent-encoded values. */
export const tracesHeaders = z
  .string({ error: headersForm })
  .refine((text) => headersOf(text) !== undefined, headersForm)
  .optional();

/** Headers of a setting; undefined if it does not have that form. */
export function headersOf(text: string): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {};
  for (const part of text.split(',')) {
    const [, name = '', value = ''] = /^\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*=\s*(\S+)\s*$/.exec(part) ?? [];
    const decoded = decodedValue(value);
    if (name === '' || decoded === undefined) return undefined;
    headers[name.toLowerCase()] = decoded;
  }
  return headers;
}

function decodedValue(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text);
    return /^[\x20-\x7e]+$/.test(value) ? value : undefined;
  } catch {
    // Not percent-encoded correctly; the caller's message says what is allowed.
    return undefined;
  }
}
