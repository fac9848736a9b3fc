import type { JsonValue } from '../../core/jsonValue.ts';

/** A call that an example shows. */
export interface SampleCall {
  readonly method: string;
  /** Parts in braces become variables in the example. */
  readonly path: string;
  readonly needsToken: boolean;
  /** Whether the call is one of the console, with or before a session. */
  readonly console?: 'session' | 'sign-in';
  readonly query: readonly (readonly [name: string, value: string])[];
  /** JSON text; undefined if the call has no body. */
  readonly body?: string;
}

/** The extension `x-codeSamples`: the call in curl and in TypeScript, with address and token from the environment. */
export function codeSamples(call: SampleCall): JsonValue {
  return [
    { lang: 'Shell', label: 'curl', source: curl(call) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescript(call) },
  ];
}

function curl({ method, path, needsToken, console, query, body }: SampleCall): string {
  const isImplied = method === (body === undefined ? 'GET' : 'POST');
  // `-G` would turn a call with a body into a GET.
  const inUrl =
    body === undefined || query.length === 0
      ? ''
      : `?${new URLSearchParams(query.map(([...pair]) => pair)).toString()}`;
  const parts = [
    `curl ${isImplied ? '' : `-X ${method} `}"$LOGMILL_URL${path.replaceAll(partPattern, shellVariable)}${inUrl}"`,
    ...(needsToken ? ['-H "X-API-KEY: $LOGMILL_TOKEN"'] : []),
    ...(console === undefined ? [] : ["-H 'X-Logmill-Console: 1'"]),
    ...(console === 'session' ? ['-b "logmill_session=$LOGMILL_SESSION"'] : []),
    ...(body === undefined
      ? query.map(([name, value], i) => `${i === 0 ? '-G ' : ''}--data-urlencode ${shellText(`${name}=${value}`)}`)
      : ["-H 'Content-Type: application/json'", `--data-binary ${shellText(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

function typescript({ method, path, needsToken, console, query, body }: SampleCall): string {
  const headers = [
    ...(needsToken ? ["'X-API-KEY': process.env.LOGMILL_TOKEN ?? ''"] : []),
    ...(console === undefined ? [] : ["'X-Logmill-Console': '1'"]),
    ...(console === 'session' ? [`Cookie: \`logmill_session=\${process.env.LOGMILL_SESSION}\``] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${body})`]),
  ];
  const lines = [
    `const url = new URL(\`\${process.env.LOGMILL_URL}${path.replaceAll(partPattern, typescriptVariable)}\`);`,
    ...query.map(([name, value]) => `url.searchParams.set(${JSON.stringify(name)}, ${JSON.stringify(value)});`),
    options.length === 0
      ? 'const response = await fetch(url);'
      : `const response = await fetch(url, {\n  ${options.join(',\n  ')},\n});`,
    'if (!response.ok) throw new Error(await response.text());',
    'console.log(await response.text());',
  ];
  return lines.join('\n');
}

const partPattern = /\{([A-Za-z]+)\}/g;

/** `{publicId}` → `$PUBLIC_ID`, because curl expands braces to a list of URLs. */
function shellVariable(_part: string, name: string): string {
  return `$${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
}

function typescriptVariable(_part: string, name: string): string {
  return `\${${name}}`;
}

/** The text as one quoted word of a POSIX shell. */
function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
