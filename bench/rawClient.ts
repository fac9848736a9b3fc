import { connect } from 'node:net';

export interface RawRate {
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the last answer. */
  readonly head: string;
}

/**
 * Repeats the same GET over some connections, each with one request in flight, for a while. Uses little of the machine:
 * answers are counted by their Content-Length, not parsed.
 */
export async function measureGet(
  url: string,
  headers: Readonly<Record<string, string>>,
  connections: number,
  seconds: number,
): Promise<RawRate> {
  const { hostname, port, pathname, search } = new URL(url);
  const lines = Object.entries({ host: `${hostname}:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}`);
  const request = Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const times: number[] = [];
  let head = '';
  const startedMs = performance.now();
  const endsMs = startedMs + seconds * 1000;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      let sentMs = 0;
      let missing = -1;
      const send = () => {
        missing = -1;
        sentMs = performance.now();
        socket.write(request);
      };
      socket
        .once('connect', send)
        .once('error', reject)
        .once('close', () => resolve());
      socket.on('data', (part: Buffer) => {
        if (missing < 0) {
          const end = part.indexOf('\r\n\r\n');
          const text = part.toString('latin1', 0, end);
          const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
          if (end < 0 || length === undefined || !text.startsWith('HTTP/1.1 200')) {
            socket.destroy(new Error(`no 200 with a length in one piece: ${text.slice(0, 200)}`));
            return;
          }
          head = text;
          missing = Number(length) - (part.length - end - 4);
        } else missing -= part.length;
        if (missing > 0) return;
        const nowMs = performance.now();
        times.push(nowMs - sentMs);
        if (nowMs < endsMs) send();
        else socket.end();
      });
    });
  await Promise.all(Array.from({ length: connections }, one));
  const elapsedSeconds = (performance.now() - startedMs) / 1000;
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { count: times.length, perSecond: times.length / elapsedSeconds, p50Ms: at(0.5), p99Ms: at(0.99), head };
}
