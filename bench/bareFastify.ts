import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

/**
 * The peer of a cache hit: a route that checks a token by its hash and returns the same bytes, the headers
 * of a hit included. Run as a process of its own: `bareFastify.ts <file of the body> <file of the headers as
 * JSON> <token>`; prints its address.
 */
const [file = '', headersFile = '', token = ''] = process.argv.slice(2);
const body = readFileSync(file);
const headers: Record<string, string> = JSON.parse(readFileSync(headersFile, 'utf8'));
const hash = (text: string) => createHash('sha256').update(text).digest();
const expected = hash(token);

const app = Fastify({ logger: false });
app.get('/rows', async (request, reply) => {
  const presented = request.headers['x-api-key'];
  if (typeof presented !== 'string' || !timingSafeEqual(hash(presented), expected)) return reply.code(401).send();
  return reply.headers(headers).send(body);
});
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
