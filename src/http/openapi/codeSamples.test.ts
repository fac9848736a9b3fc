import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { codeSamples, type SampleCall } from './codeSamples.ts';

const plain: SampleCall = { method: 'GET', path: '/api/x', needsToken: true, query: [] };
const sourcesOf = (call: Partial<SampleCall>) =>
  (codeSamples({ ...plain, ...call }) as readonly { readonly source: string }[]).map(({ source }) => source);

/** The arguments that a shell gives to curl. */
function argumentsOf(source: string): readonly string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${source}`;
  const env = { LOGMILL_URL: 'http://logs.example', LOGMILL_TOKEN: 'secret', PUBLIC_ID: 'abc' };
  return execFileSync('/bin/sh', ['-c', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1);
}

it('is one command for a shell, whatever the values hold', () => {
  const value = `it's "quoted" $HOME \`id\` \\ {a,b}`;
  const [curl = ''] = sourcesOf({ query: [['name', value]] });
  expect(argumentsOf(curl)).toEqual([
    'http://logs.example/api/x',
    '-H',
    'X-API-KEY: secret',
    '-G',
    '--data-urlencode',
    `name=${value}`,
  ]);
  const [withBody = ''] = sourcesOf({ method: 'PUT', query: [['a', 'b c']], body: JSON.stringify({ value }) });
  expect(argumentsOf(withBody)).toEqual([
    '-X',
    'PUT',
    'http://logs.example/api/x?a=b+c',
    '-H',
    'X-API-KEY: secret',
    '-H',
    'Content-Type: application/json',
    '--data-binary',
    JSON.stringify({ value }),
  ]);
});

it('has variables for parts of the path', () => {
  const [curl = '', typescript] = sourcesOf({ method: 'DELETE', path: '/api/tokens/{publicId}' });
  expect(argumentsOf(curl).slice(0, 3)).toEqual(['-X', 'DELETE', 'http://logs.example/api/tokens/abc']);
  expect(typescript).toMatch(/\/api\/tokens\/\$\{publicId\}`/);
});

it('sends no token where none is needed', () => {
  for (const source of sourcesOf({ needsToken: false })) expect(source).not.toContain('TOKEN');
});
