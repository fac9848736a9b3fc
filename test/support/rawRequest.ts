import { connect } from 'node:net';

/** The raw answer; header names are in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Sends one request byte for byte: the given lines of the head, and the body. The answer must have a Content-Length.
 * `Connection: close` is not needed, because the socket is closed when the answer is complete.
 */
export async function rawRequest(url: string, head: readonly string[], body: Uint8Array): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      socket.write(body);
    });
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const answer = wholeAnswer(received);
      if (answer === null) return;
      socket.destroy();
      resolve(answer);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`the connection was closed after ${received.length} bytes`)));
  });
}

/** Null while the answer is incomplete. */
function wholeAnswer(received: Buffer): RawAnswer | null {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const body = received.subarray(end + 4);
  if (body.length < Number(headers['content-length'])) return null;
  return { status: Number(statusLine.split(' ')[1]), headers, body };
}

/** Sends bytes as they are, and returns everything that the service sends until it closes the connection. */
export async function receivedFor(url: string, bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.write(bytes);
  });
}
