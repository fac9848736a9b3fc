// The process of the stand-in. Takes its options as JSON in its first argument, prints one line of JSON with its ports, and
// ends when its standard input is closed, so that it never outlives the test that started it.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Engine } from './engine.ts';
import type { Fault } from './faults.ts';
import { HttpInterface } from './httpInterface.ts';
import { defaultUser, type User } from './users.ts';

/** Options of the process. */
export interface StandInOptions {
  readonly packageFolder: string;
  /** The file of the process that runs ClickHouse. */
  readonly engineProgram: string;
  /** Of the data and of temporary files; removed at the end unless `keepsFolder`. */
  readonly folder: string;
  readonly keepsFolder?: boolean;
  /** Port of the HTTP interface; a free one if 0. */
  readonly port: number;
  /** Besides the default user. */
  readonly users: readonly User[];
}

/** A request of the test to the stand-in itself, as JSON to its second port. */
export type ControlRequest =
  | { readonly do: 'addFault'; readonly fault: Fault }
  | { readonly do: 'clearFaults' }
  /** Closes the port of the HTTP interface and all its connections, or opens it again. */
  | { readonly do: 'refuseConnections' | 'acceptConnections' }
  /** Ends the process of ClickHouse and starts another one on the same folder. */
  | { readonly do: 'restart' }
  | { readonly do: 'setUsers'; readonly users: readonly User[] }
  | { readonly do: 'state' };

export interface StandInState {
  readonly version: string;
  readonly running: readonly string[];
  readonly enginePid: number | null;
  readonly starts: number;
  readonly discarded: number;
  readonly faultsPending: number;
  /** Requests that faults have met since they were last switched off. */
  readonly faultsMet: number;
  readonly served: number;
}

async function main(options: StandInOptions): Promise<void> {
  const engine = new Engine(
    options.packageFolder,
    options.folder,
    [defaultUser, ...options.users],
    options.engineProgram,
  );
  await engine.start();
  const http = new HttpInterface(engine);
  const server = createServer({ keepAliveTimeout: 10_000 }, (request, response) => {
    void http.handle(request, response);
  });
  const port = await listen(server, options.port);
  const apply = async (request: ControlRequest): Promise<void> => {
    switch (request.do) {
      case 'addFault':
        return http.faults.add(request.fault);
      case 'clearFaults':
        return http.faults.clear();
      case 'refuseConnections': {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        server.closeAllConnections();
        return await closed;
      }
      case 'acceptConnections':
        if (!server.listening) await listen(server, port);
        return;
      case 'restart':
        return await engine.restart();
      case 'setUsers':
        return await engine.restart([defaultUser, ...request.users]);
      case 'state':
        return;
    }
  };
  const state = (): StandInState => ({
    version: engine.version,
    running: http.running.map(({ queryId }) => queryId),
    enginePid: engine.pid ?? null,
    starts: engine.starts,
    discarded: engine.discarded,
    faultsPending: http.faults.pending,
    faultsMet: http.faults.met,
    served: http.served,
  });
  const control = createServer((request, response) => {
    void json(request)
      .then(async (body) => {
        await apply(body as ControlRequest);
        response.end(JSON.stringify(state()));
      })
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const controlPort = await listen(control, 0);
  process.stdin.resume().once('end', () => {
    server.closeAllConnections();
    void engine.close(options.keepsFolder ?? false).then(() => process.exit(0));
  });
  process.stdout.write(`${JSON.stringify({ port, controlPort, version: engine.version })}\n`);
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function json(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

await main(JSON.parse(process.argv[2] ?? '{}') as StandInOptions);
