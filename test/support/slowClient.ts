import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Sends a request and reads one byte of the answer at a time, with pauses, until `isOver`. The answer must exceed the
 * buffers of the system, which hold some megabytes. So slow a reader does not notice that the service has given up;
 * only the service can tell.
 */
export async function readSlowly(
  url: string,
  head: readonly string[],
  pauseMs: number,
  isOver: () => boolean,
): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.on('error', () => {
    // The service has given up.
  });
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  while (!isOver()) {
    socket.read(1);
    await delay(pauseMs);
  }
  socket.destroy();
}

export interface SlowEnd {
  /** The answer of the service. */
  readonly answer: string;
  readonly afterMs: number;
  /** Whether the service ended the connection, rather than the time limit. */
  readonly wasEnded: boolean;
}

/**
 * Sends a head and then one byte of the body at a time, with pauses; resolves when the connection ends, or after
 * `atMostMs`.
 */
export async function sendSlowly(
  url: string,
  head: readonly string[],
  body: string,
  pauseMs: number,
  atMostMs: number,
): Promise<SlowEnd> {
  const startMs = performance.now();
  const { hostname, port } = new URL(url);
  return await new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let sent = 0;
    let answer = '';
    const end = (wasEnded: boolean) => {
      clearInterval(sending);
      clearTimeout(limit);
      socket.destroy();
      resolve({ afterMs: performance.now() - startMs, wasEnded, answer });
    };
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const sending = setInterval(() => {
      if (sent < body.length) socket.write(body.slice(sent, ++sent));
    }, pauseMs);
    const limit = setTimeout(() => end(false), atMostMs);
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', () => end(true));
    socket.on('close', () => end(true));
  });
}
