// The reference page: reads the description with a token and shows it. The token stays in this page's
// memory: it is neither stored nor put into a URL. Everything is written as text, never as markup.

/** The folder that the page lies in, so that the service may stand below a path. */
const base = new URL('.', location.href);

/** An element with attributes, properties that begin with `on`, and children. */
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

let api = null;
let token = '';

byId('open').addEventListener('submit', (event) => {
  event.preventDefault();
  token = byId('token').value.trim();
  void open();
});

byId('filter').addEventListener('input', (event) => {
  const wanted = event.target.value.trim().toLowerCase();
  for (const entry of document.querySelectorAll('[data-words]'))
    entry.hidden = wanted !== '' && !entry.dataset.words.includes(wanted);
});

async function open() {
  byId('reference').hidden = true;
  say('Reading …');
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

/** As JSON.parse; an integer that JavaScript cannot hold becomes text, so that all its digits are shown. */
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

/** What a `$ref` of the description stands for; anything else is itself. */
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
  for (const { name, description } of api.tags) {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    byId('list').append(element('h2', {}, name), ...own.map(linkTo));
    byId('operations').append(
      element('h2', {}, name),
      element('p', {}, description ?? ''),
      ...own.map((each) => sectionOf(each)),
    );
  }
  byId('reference').hidden = false;
}

function wordsOf({ path, method, operation }) {
  return `${method} ${path} ${operation.operationId} ${operation.summary}`.toLowerCase();
}

function linkTo(each) {
  const { path, method, operation } = each;
  const title = path.replace('/api/endpoints/query/', '');
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
    title,
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
      ` ${operation.summary}`,
    ),
    content,
  );
  // Long descriptions hold hundreds of operations; each is written when it is opened.
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
    element('p', { class: 'text' }, operation.description ?? ''),
    ...parameterTable('Parameters', operation.parameters ?? []),
    ...(body === null ? [] : parameterTable(`Body, ${body.type}`, membersOf(body.schema))),
    element('h4', {}, 'Answer'),
    element('p', {}, success?.description ?? ''),
    ...rowTables(answer?.schema),
    element(
      'details',
      {},
      element('summary', {}, 'Errors'),
      ...Object.entries(operation.responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([status, response]) => element('p', { class: 'text' }, `${status}: ${resolved(response).description}`)),
    ),
    ...operation['x-codeSamples'].flatMap(({ label, source }) => [
      element('h4', {}, label),
      element('pre', {}, element('code', {}, source)),
    ]),
    tryOut(each, body),
  ];
}

function bodyOf(operation) {
  const [first] = Object.entries(operation.requestBody?.content ?? {});
  return first === undefined ? null : { type: first[0], schema: resolved(first[1].schema) };
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
      element('td', {}, element('code', {}, name), required ? ' required' : ''),
      element('td', {}, place === undefined || place === 'query' ? '' : place),
      element('td', {}, typeText(schema)),
      element('td', {}, description ?? ''),
    ),
  );
  return [element('h4', {}, title), element('table', {}, element('tbody', {}, ...rows))];
}

/** A schema in a few words. */
function typeText(given) {
  const schema = resolved(given) ?? {};
  if (schema.const !== undefined) return `always ${JSON.stringify(schema.const)}`;
  if (schema.enum !== undefined) {
    const preset = schema.default === undefined ? '' : `, else ${schema.default}`;
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

/** A table of columns for each form that a row of the answer can have. */
function rowTables(given) {
  const schema = resolved(given);
  if (schema === undefined) return [];
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(rowTables);
  const items = schema.properties?.result?.items;
  const forms = items === undefined ? [schema] : (items.anyOf ?? [items]);
  return forms.flatMap((form) => {
    const title = form.$ref?.split('/').at(-1) ?? 'Members';
    return parameterTable(
      title,
      membersOf(resolved(form)).map((member) => ({ ...member, required: false })),
    );
  });
}

/** A form that sends the call. */
function tryOut({ path, method, operation }, body) {
  const fields = (operation.parameters ?? []).map((parameter) => ({ parameter, input: inputOf(parameter.schema) }));
  const text = body === null ? null : element('textarea', { rows: 5, spellcheck: false });
  if (text !== null) text.value = exampleBody(operation);
  const status = element('p', { role: 'status' });
  const answer = element('pre', { hidden: true });
  const send = async (event) => {
    event.preventDefault();
    status.textContent = 'Calling …';
    answer.hidden = true;
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
      answer.textContent = indented(received);
      answer.hidden = false;
    } catch (error) {
      status.textContent = `No answer: ${error.message}`;
    }
  };
  const rows = fields.map(({ parameter, input }) =>
    element('tr', {}, element('td', {}, element('code', {}, parameter.name)), element('td', {}, input)),
  );
  return element(
    'details',
    {},
    element('summary', {}, 'Call it'),
    element(
      'form',
      { onsubmit: send },
      element('table', {}, element('tbody', {}, ...rows)),
      text,
      element('button', { type: 'submit' }, 'Send'),
    ),
    status,
    answer,
  );
}

function inputOf(given) {
  const schema = resolved(given);
  const values = schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined);
  if (values !== undefined)
    return element('select', {}, ...['', ...values].map((value) => element('option', { value }, String(value))));
  return element('input', { placeholder: schema.examples?.[0] ?? schema.default ?? '' });
}

function exampleBody(operation) {
  const sample = operation['x-codeSamples'].find(({ lang }) => lang === 'Shell')?.source ?? '';
  const [, example = '{}'] = /--data-binary '([\s\S]*)'$/.exec(sample) ?? [];
  return example.replaceAll("'\\''", "'");
}

/** JSON text with line breaks. Its values are left as they came: a number may have more digits than JavaScript keeps. */
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
