// The reference page: loads the description with a token and renders it. The token stays in memory and is
// neither stored nor put into a URL. All content is inserted as text, never as markup.

/** The folder of the page, because a proxy may serve Logmill below a path. */
const base = new URL('.', location.href);

/** Creates an element with attributes, event listeners (names that begin with `on`) and children. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== undefined) made.setAttribute(key, String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const byId = (id) => document.getElementById(id);

/** Most characters of an answer that are shown: browsers need half a minute to lay out 30 million. */
const shownMax = 300_000;

let api = null;
let token = '';

byId('open').addEventListener('submit', (event) => {
  event.preventDefault();
  token = byId('token').value.trim();
  void open();
});

byId('filter').addEventListener('input', filter);

function filter() {
  const wanted = byId('filter').value.trim().toLowerCase();
  for (const entry of document.querySelectorAll('[data-words]'))
    entry.hidden = wanted !== '' && !entry.dataset.words.includes(wanted);
  for (const group of document.querySelectorAll('#reference section'))
    group.hidden = group.querySelector('[data-words]:not([hidden])') === null;
  byId('none').hidden = document.querySelector('#list section:not([hidden])') !== null;
}

async function open() {
  byId('reference').hidden = true;
  say('Loading …');
  try {
    const response = await fetch(new URL('openapi.json', base), { headers: { 'X-API-KEY': token } });
    const body = readJson(await response.text());
    if (!response.ok) {
      say(body.error?.message ?? `The service answered ${response.status}.`, true);
      return;
    }
    api = body;
  } catch (error) {
    say(`The service cannot be reached: ${error.message}`, true);
    return;
  }
  say(`${api.info.description} Version ${api.info.version}.`);
  show();
}

/** Like JSON.parse, except that an integer that JavaScript cannot hold becomes a string, so that all digits are shown. */
function readJson(text) {
  const kept = text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (part) =>
    /^-?\d+$/.test(part) && !Number.isSafeInteger(Number(part)) ? `"${part}"` : part,
  );
  return JSON.parse(kept);
}

function say(text, isProblem = false) {
  byId('message').textContent = text;
  byId('message').className = isProblem ? 'problem' : '';
}

/** Resolves a `$ref` of the description; returns other values unchanged. */
function resolved(value) {
  if (value?.$ref === undefined) return value;
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((at, part) => at?.[part], api);
}

function show() {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  byId('list').replaceChildren();
  byId('operations').replaceChildren();
  for (const { name, description, 'x-displayName': title = name } of api.tags) {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    byId('list').append(element('section', {}, element('h2', {}, title), ...own.map(linkTo)));
    byId('operations').append(
      element('section', {}, element('h2', {}, title), ...blocks(description), ...own.map((each) => sectionOf(each))),
    );
  }
  byId('reference').hidden = false;
  filter();
  // The operation in the URL did not exist when the browser loaded the page, so open it now.
  const wanted = byId(decodeURIComponent(new URL(location.href).hash.slice(1)));
  if (wanted?.tagName === 'DETAILS') {
    wanted.open = true;
    wanted.scrollIntoView();
  }
}

/** Renders text, with parts between backticks as code. */
function prose(text = '') {
  return text.split('`').map((part, i) => (i % 2 === 0 ? part : element('code', {}, part)));
}

/** Renders text of several paragraphs. Lines that begin with `- ` become a list. */
function blocks(text = '') {
  const parts = text.split(/\n\n+|\n(?=- )|(?<=^- .*)\n(?!- |\s)/m).filter((part) => part.trim() !== '');
  const made = [];
  for (const part of parts) {
    if (!part.startsWith('- ')) {
      made.push(element('p', { class: 'text' }, ...prose(part)));
      continue;
    }
    if (made.at(-1)?.tagName !== 'UL') made.push(element('ul'));
    made.at(-1).append(element('li', {}, ...prose(part.slice(2))));
  }
  return made;
}

/** The text next to an operation's path: for an endpoint, the first sentence of its description; else the summary. */
function summaryOf({ path, operation }) {
  if (operation['x-logmill-endpoint'] === undefined) return operation.summary;
  const [first = ''] = operation.description.split(/(?<=\.)\s/);
  return path.endsWith(`/${operation.summary}`) ? first : `${operation.summary} ${first}`;
}

function wordsOf({ path, method, operation }) {
  return `${method} ${path} ${operation.operationId} ${operation.summary}`.toLowerCase();
}

function linkTo(each) {
  const { path, method, operation } = each;
  const isEndpoint = operation['x-logmill-endpoint'] !== undefined;
  // A line may break after a slash.
  const title = isEndpoint ? [operation.summary] : path.split(/(?<=\/)/).flatMap((part) => [part, element('wbr')]);
  return element(
    'a',
    {
      href: `#${operation.operationId}`,
      'data-words': wordsOf(each),
      onclick: () => {
        byId(operation.operationId).open = true;
      },
    },
    element('span', { class: 'method' }, method),
    element('span', {}, ...title),
  );
}

function sectionOf(each) {
  const { path, method, operation } = each;
  const content = element('div');
  const section = element(
    'details',
    { id: operation.operationId, class: 'operation', 'data-words': wordsOf(each) },
    element(
      'summary',
      {},
      element('span', { class: 'method' }, method),
      element('code', {}, path),
      ' ',
      ...prose(summaryOf(each)),
    ),
    content,
  );
  // A description can contain hundreds of operations, so render each when it is opened.
  section.addEventListener('toggle', () => {
    if (section.open && content.childElementCount === 0) content.append(...contentOf(each));
  });
  return section;
}

function contentOf(each) {
  const { operation } = each;
  const body = bodyOf(operation);
  const success = resolved(operation.responses['200']);
  const [answer] = Object.values(success?.content ?? {});
  return [
    ...blocks(operation.description),
    ...parameterTable('Parameters', operation.parameters ?? []),
    ...(body === null ? [] : parameterTable(`Body, ${body.type}`, membersOf(body.schema))),
    element('h3', {}, 'Answer'),
    element('p', {}, ...prose(success?.description)),
    ...rowTables(answer?.schema),
    element(
      'details',
      {},
      element('summary', {}, 'Errors'),
      ...Object.entries(operation.responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([status, response]) =>
          element('p', { class: 'text' }, ...prose(`${status}: ${resolved(response).description}`)),
        ),
    ),
    ...operation['x-codeSamples'].flatMap(({ label, source }) => [
      element('h3', {}, label),
      element('pre', {}, element('code', {}, source)),
    ]),
    tryOut(each, body),
  ];
}

function bodyOf(operation) {
  const content = operation.requestBody?.content ?? {};
  // Prefer JSON, which users can type into a field.
  const type = content['application/json'] === undefined ? Object.keys(content)[0] : 'application/json';
  return type === undefined ? null : { type, schema: resolved(content[type].schema) };
}

function membersOf(schema) {
  return Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    required: schema.required?.includes(name) ?? false,
    description: member.description,
    schema: member,
  }));
}

function parameterTable(title, parameters) {
  if (parameters.length === 0) return [];
  const rows = parameters.map(({ name, in: place, required, description, schema }) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, element('code', {}, name), required ? ' required' : ''),
      element('td', {}, place === undefined || place === 'query' ? '' : place),
      element('td', {}, typeText(schema)),
      element('td', {}, ...prose(description)),
    ),
  );
  return [element('h3', {}, title), element('table', {}, element('tbody', {}, ...rows))];
}

/** Summarises a schema in a few words. */
function typeText(given) {
  const schema = resolved(given) ?? {};
  if (schema.const !== undefined) return `always ${JSON.stringify(schema.const)}`;
  if (schema.enum !== undefined) {
    const preset = schema.default === undefined || schema.enum.length === 1 ? '' : `, default ${schema.default}`;
    return `${schema.enum.join(', ')}${preset}`;
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' or ');
  const types = [schema.type ?? 'any'].flat().filter((type) => type !== 'null');
  const of = schema.items === undefined ? '' : ` of ${typeText(schema.items)}`;
  const bounds = ['minimum', 'maximum', 'maxLength', 'pattern', 'default']
    .filter((key) => schema[key] !== undefined)
    .map((key) => `, ${key} ${schema[key]}`);
  return `${types.join(' or ')}${schema.format === undefined ? '' : ` (${schema.format})`}${of}${bounds.join('')}`;
}

/** Makes a table of columns for each form that a row of the answer can have. */
function rowTables(given) {
  const schema = resolved(given);
  if (schema === undefined) return [];
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(rowTables);
  const items = schema.properties?.result?.items;
  const forms = items === undefined ? [schema] : (items.anyOf ?? [items]);
  return forms.flatMap((form) => {
    const title = (form.$ref ?? given.$ref)?.split('/').at(-1) ?? 'Members';
    return parameterTable(
      title,
      membersOf(resolved(form)).map((member) => ({ ...member, required: false })),
    );
  });
}

/** Makes a form that sends the call. */
function tryOut({ path, method, operation }, body) {
  const fields = (operation.parameters ?? []).map((parameter) => ({
    parameter,
    input: inputOf(parameter, `${operation.operationId}-${parameter.name}`),
  }));
  const text = body === null ? null : element('textarea', { rows: 5, spellcheck: 'false', 'aria-label': 'Body' });
  if (text !== null) text.value = exampleBody(operation);
  const status = element('p', { role: 'status' });
  // Focusable, so that it can be scrolled with the keyboard.
  const answer = element('pre', { hidden: true, tabindex: 0, 'aria-label': 'The answer' });
  const shown = element('div');
  const send = async (event) => {
    event.preventDefault();
    status.textContent = 'Calling …';
    status.className = '';
    answer.hidden = true;
    shown.replaceChildren();
    const filled = fields
      .filter(({ parameter }) => parameter.in === 'path')
      .reduce((at, { parameter, input }) => at.replace(`{${parameter.name}}`, encodeURIComponent(input.value)), path);
    const url = new URL(filled.slice(1), base);
    const headers = { 'X-API-KEY': token };
    for (const { parameter, input } of fields) {
      if (input.value === '') continue;
      if (parameter.in === 'query') url.searchParams.set(parameter.name, input.value);
      if (parameter.in === 'header') headers[parameter.name] = input.value;
    }
    if (text !== null) headers['Content-Type'] = body.type;
    const started = performance.now();
    try {
      const response = await fetch(url, { method, headers, ...(text === null ? {} : { body: text.value }) });
      const received = await response.text();
      status.textContent = `${response.status} in ${Math.round(performance.now() - started)} ms`;
      status.className = response.ok ? '' : 'problem';
      if (received.length > shownMax) status.textContent += `; the first ${shownMax} of ${received.length} characters:`;
      if (received.length <= shownMax) shown.append(...readable(received, fields, text?.value));
      answer.textContent = indented(received.slice(0, shownMax));
      answer.hidden = false;
    } catch (error) {
      status.textContent = `No answer: ${error.message}`;
      status.className = 'problem';
    }
  };
  const rows = fields.map(({ parameter, input }) =>
    element(
      'tr',
      {},
      element('th', {}, element('label', { for: input.id }, element('code', {}, parameter.name))),
      element('td', {}, input),
    ),
  );
  return element(
    'details',
    {},
    element('summary', {}, 'Try it'),
    element(
      'form',
      { onsubmit: send },
      element('table', {}, element('tbody', {}, ...rows)),
      text,
      element('button', { type: 'submit' }, 'Send'),
    ),
    status,
    shown,
    answer,
  );
}

/** Rows as a table, or what is wrong and where; nothing for another answer. */
function readable(received, fields, body) {
  let answer;
  try {
    answer = readJson(received);
  } catch {
    return [];
  }
  if (Array.isArray(answer?.result)) return rowsTable(answer);
  if (!Array.isArray(answer?.errors)) return [];
  const sent = fields.map(({ parameter, input }) => [parameter.name, input.value]);
  const texts = Object.fromEntries([...sent, ...membersSent(body)]);
  const frames = answer.errors.flatMap(({ line, column }) =>
    frameOf(texts.sql || texts.lql || texts.query, line, column),
  );
  return [element('p', { class: 'problem' }, answer.detail ?? ''), ...frames];
}

/** Members of the body that were sent; none of a body that is not an object. */
function membersSent(body) {
  try {
    return Object.entries(JSON.parse(body ?? '{}'));
  } catch {
    return [];
  }
}

/** Most rows and columns of a table: browsers lay out more of them slowly. */
const tableRowsMax = 200;
const tableColumnsMax = 50;

function rowsTable({ result, meta }) {
  const rows = result.slice(0, tableRowsMax);
  if (rows.length === 0 || rows.some((row) => row === null || typeof row !== 'object')) return [];
  const declared = meta?.columns?.map(({ name }) => name);
  const names = (declared ?? [...new Set(rows.flatMap(Object.keys))]).slice(0, tableColumnsMax);
  const cells = (row) => names.map((name) => element('td', {}, cellText(row[name])));
  const head = element('tr', {}, ...names.map((name) => element('th', { scope: 'col' }, name)));
  const table = element(
    'table',
    { class: 'rows' },
    element('thead', {}, head),
    element('tbody', {}, ...rows.map((row) => element('tr', {}, ...cells(row)))),
  );
  const more =
    result.length > rows.length ? [element('p', {}, `The first ${rows.length} of ${result.length} rows.`)] : [];
  return [element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'The rows' }, table), ...more];
}

function cellText(value) {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The line of a query at which an error is, with a caret below the place. */
function frameOf(query, line, column) {
  const at = query?.split('\n')[line - 1];
  if (at === undefined || column === undefined) return [];
  return [element('pre', { 'aria-label': 'The place of the error' }, `${at}\n${' '.repeat(column - 1)}^`)];
}

function inputOf({ name, required, schema: given }, id) {
  const schema = resolved(given);
  const fixed = schema.const === undefined ? undefined : [schema.const];
  const values = schema.enum ?? fixed ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined);
  if (values !== undefined) {
    const offered = required ? values : ['', ...values];
    return element('select', { id }, ...offered.map((value) => element('option', { value }, String(value))));
  }
  const placeholder = schema.examples?.[0] ?? schema.default ?? '';
  const isQuery = name === 'sql' || name === 'lql';
  const attributes = { id, placeholder, required, spellcheck: 'false', autocomplete: 'off' };
  return isQuery ? element('textarea', { ...attributes, rows: 3 }) : element('input', attributes);
}

function exampleBody(operation) {
  const sample = operation['x-codeSamples'].find(({ lang }) => lang === 'Shell')?.source ?? '';
  const [, example = '{}'] = /--data-binary '([\s\S]*)'$/.exec(sample) ?? [];
  return example.replaceAll("'\\''", "'");
}

/** Adds line breaks to JSON without parsing it, because JavaScript would lose digits of long numbers. */
function indented(text) {
  if (!/^\s*[[{]/.test(text)) return text;
  let depth = 0;
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]|\s+/g, (part) => {
    if (/^\s/.test(part)) return '';
    if (part === '{' || part === '[') return `${part}\n${'  '.repeat(++depth)}`;
    if (part === '}' || part === ']') return `\n${'  '.repeat(--depth)}${part}`;
    if (part === ',') return `,\n${'  '.repeat(depth)}`;
    return part === ':' ? ': ' : part;
  });
}
