import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/core/clock.ts';
import { systemRandomness } from '../../../src/core/ids.ts';
import { limits } from '../../../src/core/limits.ts';
import { parseDefinition } from '../../../src/endpoints/parseDefinition.ts';
import { parseScopes } from '../../../src/tokens/scope.ts';
import { generateSecret, hashToken } from '../../../src/tokens/tokenFormat.ts';
import { RepeatingService, rawClient } from './repeatedCalls.fixture.ts';

const token = generateSecret('lines0000000', systemRandomness);
const service = new RepeatingService();
beforeAll(async () => {
  await service.start(new ManualClock(Date.UTC(2026, 4, 1) * 1000), {});
  const fields = {
    id: '11111111-1111-4111-8111-111111111111',
    name: 'example.cached',
    query: 'select @project as project',
    parameters: { project: { type: 'string' } },
    cache_seconds: 1000,
  };
  const record = {
    publicId: 'lines0000000',
    secretHash: hashToken(token),
    description: '',
    scopes: parseScopes(['query']),
    slot: null,
    restrictions: null,
    createdAtMicros: 0,
    expiresAtMicros: null,
    lastUsedAtMicros: null,
    revokedAtMicros: null,
    previous: null,
  };
  await service.define([parseDefinition(fields, { label: fields.name })], [record]);
});
afterAll(() => service.close());

const path = '/api/endpoints/query/example.cached?project=p';
const redact = 'SVC-ENDPOINT-REDACT-PII: true';
const filler = (count: number) => Array.from({ length: count }, (_, i) => `X-F${i}: 1`);

/** Sends these lines as they are, and gives all that comes back. */
function raw(lines: readonly string[], line = `GET ${path} HTTP/1.1`): Promise<string> {
  const head = [line, 'Host: x', `X-API-KEY: ${token}`, ...lines, 'Connection: close'];
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' });
    let received = '';
    socket.setEncoding('utf8').on('data', (text) => {
      received += text;
    });
    socket.on('close', () => resolve(received)).on('error', reject);
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
  });
}

const statusOf = (answer: string) => Number(answer.slice(9, 12));

describe('the lines of a request head', () => {
  it.each([0, 40, 200, limits.requestHeaderLinesMax - 4])('all count: redaction after %i others', async (count) => {
    const answer = await raw([...filler(count), redact]);
    expect(statusOf(answer)).toBe(200);
    expect(answer).not.toContain(rawClient);
  });

  it.each([limits.requestHeaderLinesMax, 997, 998, 1000, 1030, 2000, 9000])(
    'are refused where there are too many: %i others before redaction',
    async (count) => {
      const answer = await raw([...filler(count), redact]);
      expect(statusOf(answer)).toBe(431);
      expect(answer).toContain('request.head_too_large');
      expect(answer).toContain(`at most ${limits.requestHeaderLinesMax}`);
      expect(answer).not.toContain(rawClient);
      const others = await raw([...filler(count), redact], 'POST /api/logs?source=edge_logs HTTP/1.1');
      expect(statusOf(others)).toBe(431);
    },
  );

  it('give normal calls nothing of an answer that was made of others', async () => {
    const rows = (answer: string) => /"result":(.*),"meta"/.exec(answer)?.[1];
    const shown = async (lines: readonly string[], project: string) => {
      const answer = await raw(lines, `GET /api/endpoints/query/example.cached?project=${project} HTTP/1.1`);
      return statusOf(answer) === 200 ? rows(answer)?.includes(rawClient) : undefined;
    };
    for (const count of [100, 996, 998, 1000, 1020]) {
      // One that nobody has asked for: nothing is remembered of it.
      const project = `after-${count}`;
      for (let repeated = 0; repeated < 3; repeated++) {
        expect(await shown([...filler(count), redact], project)).not.toBe(true);
        expect(await shown([redact], project)).toBe(false);
        expect(await shown([], project)).toBe(true);
      }
    }
  });

  it.each<[string, readonly string[]]>([
    ['two values in one line', ['SVC-ENDPOINT-REDACT-PII: false, true']],
    ['the same twice in one line', ['SVC-ENDPOINT-REDACT-PII: true,true']],
    ['two lines', ['SVC-ENDPOINT-REDACT-PII: false', redact]],
    ['two lines the other way round', [redact, 'SVC-ENDPOINT-REDACT-PII: false']],
    ['other capitals', ['svc-endpoint-redact-pii: TRUE']],
    ['white space', ['SVC-ENDPOINT-REDACT-PII:\t  true \t']],
    ['a folded line', ['SVC-ENDPOINT-REDACT-PII:', ' true']],
    ['a value that is folded on', ['SVC-ENDPOINT-REDACT-PII: false,', '\ttrue']],
  ])('show no raw row where redaction is asked for in %s, the first time and repeated', async (_, lines) => {
    await raw([]);
    for (let repeated = 0; repeated < 3; repeated++) expect(await raw(lines)).not.toContain(rawClient);
  });
});
