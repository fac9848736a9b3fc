import { connect, Socket } from 'node:net';

/** Where the entry leaves the pipe for the program that it runs, which is another bundle. */
const key = Symbol.for('logmill.engine.pipe');

/** Connects to the socket at which the service waits for a launched process, and runs `then` once the first bytes are sent. */
export function connectPipe(path: string, first: readonly Uint8Array[], then: () => void): void {
  const pipe = connect(path);
  Reflect.set(globalThis, key, pipe);
  // Without the service there is nothing to do.
  const end = () => process.exit(1);
  pipe.once('error', end);
  pipe.write(Buffer.concat(first), () => {
    pipe.off('error', end);
    then();
  });
}

/** The pipe to the service: the connected one, or descriptor 3 of a child of the service. */
export function openPipe(): Socket {
  const connected: unknown = Reflect.get(globalThis, key);
  return connected instanceof Socket ? connected : new Socket({ fd: 3, readable: true, writable: true });
}
