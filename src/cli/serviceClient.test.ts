import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { answerOf, type ServiceRequest, serviceAddress } from './serviceClient.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A service that ends after it has read a request, before its answer or, with `isBegun`, within it. */
async function endingService(isBegun: boolean) {
  const started = createServer((request, response) => {
    request.resume().once('end', () => {
      if (isBegun) response.writeHead(200, { 'content-length': '100' }).write('{');
      setImmediate(() => request.socket.destroy());
    });
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const { port } = started.address() as AddressInfo;
  return serviceAddress({ url: `http://127.0.0.1:${port}`, token: 't' }, {});
}

const change = 'The service may have made the change.';

describe.each([
  ['before the answer', false, /^The connection to http:\S+ ended before the answer came: /],
  ['within the answer', true, /^The answer was cut off before its end/],
] as const)('a service that ends %s', (_, isBegun, what) => {
  const failureOf = async (request: ServiceRequest) => {
    const address = await endingService(isBegun);
    const error = await answerOf(address, '/api/x', request).catch((thrown: unknown) => thrown);
    return error instanceof Error ? error.message : '';
  };

  it.each([
    ['a change', {}],
    ['a deletion', { method: 'DELETE' }],
  ] as const)('may have made %s, which must not be repeated blindly', async (_name, request) => {
    const message = await failureOf(request);
    expect(message).toMatch(what);
    expect(message).toMatch(new RegExp(`${change} Check before you repeat it\\.$`));
  });

  it.each([
    ['a change that is the same twice', { effect: 'repeatable', body: '{}' }],
    ['a setting', { method: 'PUT', body: '{}' }],
  ] as const)('may have made %s, which can be repeated', async (_name, request) => {
    const message = await failureOf(request);
    expect(message).toMatch(what);
    expect(message).toMatch(new RegExp(`${change} Run the command again: what is done already stays as it is\\.$`));
  });

  it.each([
    ['a list', { method: 'GET' }],
    ['a query', { effect: 'none', body: 'x=1' }],
  ] as const)('has changed nothing by %s', async (_name, request) => {
    const message = await failureOf(request);
    expect(message).toMatch(what);
    expect(message).not.toContain('change');
  });
});

it('says that a service which cannot be reached did not get the request', async () => {
  const address = await endingService(false);
  server?.close();
  await expect(answerOf(address, '/api/x', {})).rejects.toThrow(
    /^http:\S+ cannot be reached: connection refused \(ECONNREFUSED\)\. Check that the service runs/,
  );
});
