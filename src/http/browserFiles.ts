import { createHash } from 'node:crypto';

/** A file that browsers load, with everything that its answer needs. */
export interface BrowserFile {
  readonly mediaType: string;
  readonly body: Buffer;
  readonly entityTag: string;
}

export function browserFile(mediaType: string, body: Buffer): BrowserFile {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 32);
  return { mediaType, body, entityTag: `W/"${digest}"` };
}
