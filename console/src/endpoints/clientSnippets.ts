import type { DescribedEndpoint } from '../api/describedEndpoints.ts';
import { shellQuoted } from '../parts/curl.ts';

/** The same call for a shell. The token comes from a variable, because there is none in the browser. */
export function curlOf({ path }: DescribedEndpoint, values: Readonly<Record<string, string>>, base: string): string {
  const url = new URL(path.replace(/^\//, ''), base);
  const data = Object.entries(values).map(([name, value]) => `  --data-urlencode ${shellQuoted(`${name}=${value}`)}`);
  return [`curl -sSG --fail-with-body -H "X-API-KEY: $LOGMILL_TOKEN" ${shellQuoted(url.href)}`, ...data].join(' \\\n');
}

/** The same call with the client that `logmill client` writes. */
export function typescriptOf(
  { name }: DescribedEndpoint,
  values: Readonly<Record<string, string>>,
  base: string,
): string {
  const method = name.replace(/[._-]+(\w)/g, (_all, letter: string) => letter.toUpperCase()).replace(/[^\w]/g, '');
  const members = Object.entries(values).map(
    ([key, value]) => `${/^\w+$/.test(key) ? key : JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  return [
    '// logmill client --lang ts > logmill.ts',
    "import { LogmillClient } from './logmill.ts';",
    '',
    `const logmill = new LogmillClient({ url: ${JSON.stringify(base.replace(/\/$/, ''))}, token: process.env.LOGMILL_TOKEN ?? '' });`,
    `const { result, meta } = await logmill.${method}({ ${members.join(', ')} });`,
    '',
  ].join('\n');
}

/** The same call in Python, without packages. */
export function pythonOf({ path }: DescribedEndpoint, values: Readonly<Record<string, string>>, base: string): string {
  const url = new URL(path.replace(/^\//, ''), base);
  const members = Object.entries(values).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  return [
    'import json, os, urllib.parse, urllib.request',
    '',
    'parameters = urllib.parse.urlencode({',
    ...members,
    '})',
    'request = urllib.request.Request(',
    `    ${JSON.stringify(url.href)} + "?" + parameters,`,
    '    headers={"X-API-KEY": os.environ["LOGMILL_TOKEN"]},',
    ')',
    'with urllib.request.urlopen(request) as answer:',
    '    rows = json.load(answer)["result"]',
    '',
  ].join('\n');
}
