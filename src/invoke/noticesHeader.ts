import type { Notice } from '../googlesql/resolve/tree.ts';

/** Proxies often limit all headers together to 8 KiB. */
const bytesMax = 2048;
/** Room for the last element. */
const restBytes = 32;

/**
 * The value of `X-Notices`: a JSON array in ASCII of at most 2 KiB. Notices that do not fit are counted in a last element
 * `{"more":n}`.
 */
export function noticesHeader(notices: readonly Notice[]): string {
  const written: string[] = [];
  let bytes = 2;
  for (const notice of notices) {
    const text = ascii(JSON.stringify(notice));
    const isLast = written.length === notices.length - 1;
    if (bytes + text.length + 1 + (isLast ? 0 : restBytes) > bytesMax) break;
    written.push(text);
    bytes += text.length + 1;
  }
  const more = notices.length - written.length;
  return `[${[...written, ...(more === 0 ? [] : [`{"more":${more}}`])].join(',')}]`;
}

function ascii(json: string): string {
  return json.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
