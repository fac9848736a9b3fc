import { type IncomingMessage, request } from 'node:http';

/**
 * Body of an answer as the server sent it, in an encoding if one is named. Rejects if it is broken off. fetch decodes a body,
 * and never settles if that fails.
 */
export async function rawBody(url: string, query: string, encoding = ''): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    const sent = request(`${url}/?enable_http_compression=1`, {
      method: 'POST',
      headers: { 'Accept-Encoding': encoding },
    });
    sent.once('error', reject).once('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject);
      response.once('end', () => resolve(Buffer.concat(chunks)));
    });
    sent.end(query);
  });
}
