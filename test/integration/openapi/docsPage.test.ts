import { runInNewContext } from 'node:vm';
import { type Document, type Element, type HTMLInputElement, Window } from 'happy-dom';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, second } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

// The reference page in a document without a browser, against a real service.

const now = at('2026-05-01T12:00:00Z');

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
  await service.define({
    id: '11111111-1111-4111-8111-111111111111',
    name: 'marked.up',
    description: '<img src=x onerror=alert(1)> in `code`.',
    query: 'select @n + 9007199254740993 as n',
    parameters: { n: { type: 'int64', max: '9223372036854775807', default: '0' } },
  });
  await service.define({
    id: '22222222-2222-4222-8222-222222222222',
    name: 'listed',
    description: 'Rows that\n\n- are `new`\n- are read\n\nNothing else.',
    query: 'select 1 as n',
  });
  await service.send('edge_logs', [{ id: 'one', timestamp: now - second, project: 'own', event_message: 'ONE-ROW' }]);
});
afterAll(() => service.close());

const files = ['docs', 'docs/docs.js', 'docs/docs.css'] as const;

it.each(files)('serves %s without a token, with a policy that allows nothing from elsewhere', async (file) => {
  const response = await fetch(`${service.url}/${file}`);
  expect(response.status).toBe(200);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
  const text = await response.text();
  expect(text.length).toBeGreaterThan(500);
  expect(text.match(/(https?:)?\/\/[a-z0-9-]+\.[a-z]/gi) ?? []).toEqual([]);
});

it('leads from /docs/ to the page, also below the path of a proxy', async () => {
  const response = await fetch(`${service.url}/docs/`, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([302, '../docs']);
  expect(new URL('../docs', 'https://example.test/logs/docs/').href).toBe('https://example.test/logs/docs');
});

it('holds nothing of the installation before a token is given', async () => {
  const text = await (await fetch(`${service.url}/docs`)).text();
  expect(text).not.toContain('logs.all');
});

interface Page {
  readonly window: Window;
  readonly document: Document;
  readonly asked: readonly { readonly url: string; readonly headers: Readonly<Record<string, string>> }[];
}

async function openPage(token: string, hash = ''): Promise<Page> {
  const [html, script] = await Promise.all(
    ['docs', 'docs/docs.js'].map(async (file) => (await fetch(`${service.url}/${file}`)).text()),
  );
  const window = new Window({ url: `${service.url}/docs` });
  window.document.write((html ?? '').replace(/<script[^>]*><\/script>|<link[^>]*>/g, ''));
  const asked: { url: string; headers: Record<string, string> }[] = [];
  const { document } = window;
  runInNewContext(script ?? '', {
    document,
    location: { href: `${service.url}/docs${hash}` },
    URL,
    performance,
    fetch: (url: URL, init: RequestInit & { readonly headers: Record<string, string> }) => {
      asked.push({ url: url.href, headers: init.headers });
      return fetch(url, init);
    },
  });
  const page = { window, document, asked };
  (document.getElementById('token') as HTMLInputElement).value = token;
  document.getElementById('open')?.dispatchEvent(new window.Event('submit'));
  await expect.poll(() => textOf(page, '#message')).not.toMatch(/^(Loading …)?$/);
  return page;
}

function textOf({ document }: Page, selector: string): string {
  return document.querySelector(selector)?.textContent ?? '';
}

function opened({ window, document }: Page, id: string): Element {
  const section = document.getElementById(id);
  if (section === null) throw new Error(`the page has no operation ${id}`);
  section.setAttribute('open', '');
  section.dispatchEvent(new window.Event('toggle'));
  return section;
}

it('shows each operation of the token, and sends the token in a header only', async () => {
  const token = await service.makeToken(['query']);
  service.clock.advanceMs(1000);
  const page = await openPage(token);
  expect(textOf(page, '#message')).toContain('what your token may call');
  const list = textOf(page, '#list');
  expect(list).toContain('usage.api-counts');
  expect(list).not.toContain('/api/logs');
  const section = opened(page, 'logsAll');
  expect(section.textContent).toContain('iso_timestamp_start');
  expect(section.textContent).toContain('LogsAllRow');
  expect(section.textContent).toContain('curl "$LOGMILL_URL/api/endpoints/query/logs.all"');
  expect(page.asked).toEqual([{ url: `${service.url}/openapi.json`, headers: { 'X-API-KEY': token } }]);
  expect(page.document.documentElement.outerHTML).not.toContain(token);
});

it('writes what definitions say as text, never as markup, and numbers with all digits', async () => {
  const page = await openPage(service.adminToken);
  const section = opened(page, 'markedUp');
  expect(section.textContent).toContain('<img src=x onerror=alert(1)>');
  expect(page.document.querySelector('img')).toBeNull();
  expect(textOf(page, '#markedUp p.text code')).toBe('code');
  expect(section.textContent).toContain('9223372036854775807');
});

it('calls an operation and shows the answer as it came', async () => {
  const page = await openPage(service.adminToken);
  for (const [operation, expected] of [
    ['logsAll', 'ONE-ROW'],
    ['markedUp', '"n": 9007199254740993'],
    ['logsAllByPost', 'parameter.missing'],
    // Of the media types, that which can be typed.
    ['otlp.export_logs', '200 in'],
  ] as const) {
    const section = opened(page, operation);
    const fields = [...section.querySelectorAll('form tr')];
    for (const field of fields)
      if (field.textContent === 'project') (field.querySelector('input') as HTMLInputElement).value = 'own';
      else if (field.textContent === 'source') (field.querySelector('input') as HTMLInputElement).value = 'edge_logs';
    const text = section.querySelector('textarea[aria-label="Body"]') as HTMLInputElement | null;
    if (text !== null) text.value = '{}';
    section.querySelector('form')?.dispatchEvent(new page.window.Event('submit'));
    await expect.poll(() => section.lastElementChild?.textContent ?? '').toContain(expected);
  }
});

it('shows rows as a table, and the place of an error in the query', async () => {
  const page = await openPage(service.adminToken);
  const section = opened(page, 'logsAll');
  const fieldOf = (name: string) => {
    const row = [...section.querySelectorAll('form tr')].find(({ textContent }) => textContent === name);
    return row?.querySelector('input, textarea') as HTMLInputElement;
  };
  const send = () => section.querySelector('form')?.dispatchEvent(new page.window.Event('submit'));
  fieldOf('project').value = 'own';
  send();
  await expect.poll(() => section.querySelectorAll('table.rows tbody tr').length).toBe(1);
  const heads = [...section.querySelectorAll('table.rows th')].map(({ textContent }) => textContent);
  expect(heads).toEqual(['id', 'timestamp', 'event_message', 'metadata']);
  const cells = [...section.querySelectorAll('table.rows td')].map(({ textContent }) => textContent);
  expect([cells[0], cells[2]]).toEqual(['one', 'ONE-ROW']);

  fieldOf('sql').value = 'select id,\n  nosuch from edge_logs';
  send();
  const frame = () => section.querySelector('pre[aria-label="The place of the error"]')?.textContent;
  await expect.poll(frame).toBe('  nosuch from edge_logs\n  ^');
  expect(section.querySelector('table.rows')).toBeNull();
  expect(section.querySelector('p.problem:not([role])')?.textContent).toContain('nosuch');
});

it('writes lists of a description as lists', async () => {
  const page = await openPage(service.adminToken);
  const section = opened(page, 'listed');
  expect([...section.querySelectorAll('div > p.text')].map(({ textContent }) => textContent)).toEqual(
    expect.arrayContaining(['Rows that', 'Nothing else.']),
  );
  expect([...section.querySelectorAll('ul li')].map(({ textContent }) => textContent)).toEqual(['are new', 'are read']);
  expect(section.querySelector('ul li code')?.textContent).toBe('new');
});

it('has an icon of its own, which its policy lets it load', async () => {
  const shell = await fetch(`${service.url}/docs`);
  expect(await shell.text()).toContain('<link rel="icon" href="docs/docs.svg" />');
  expect(shell.headers.get('content-security-policy')).toContain("img-src 'self'");
  const icon = await fetch(`${service.url}/docs/docs.svg`);
  expect(icon.headers.get('content-type')).toBe('image/svg+xml');
  expect(await icon.text()).toMatch(/^<svg /);
});

it('names each field for those who do not see it', async () => {
  const page = await openPage(service.adminToken);
  for (const operation of ['logsAll', 'logsAllByPost', 'usageApiCounts']) {
    const fields = [...opened(page, operation).querySelectorAll('form :is(input, select, textarea)')];
    expect(fields.length).toBeGreaterThan(0);
    for (const field of fields) {
      const name = field.getAttribute('aria-label') ?? textOf(page, `label[for="${field.id}"]`);
      expect(name).not.toBe('');
    }
  }
  const interval = page.document.getElementById('usageApiCounts-interval');
  expect([...(interval?.querySelectorAll('option') ?? [])].map((option) => option.textContent)).not.toContain('');
  expect(page.document.getElementById('usageApiCounts-project')?.hasAttribute('required')).toBe(true);
});

it('opens the operation that the address names, once it is there', async () => {
  const page = await openPage(service.adminToken, '#usageApiCounts');
  expect(page.document.getElementById('usageApiCounts')?.hasAttribute('open')).toBe(true);
  expect(page.document.getElementById('logsAll')?.hasAttribute('open')).toBe(false);
});

it('filters operations with their headings, and says where none is left', async () => {
  const page = await openPage(service.adminToken);
  const filter = page.document.getElementById('filter') as HTMLInputElement;
  const shown = () =>
    [...page.document.querySelectorAll('#list section:not([hidden]) h2')].map((heading) => heading.textContent);
  const asked = (text: string) => {
    filter.value = text;
    filter.dispatchEvent(new page.window.Event('input'));
  };
  asked('usage.api');
  expect(shown()).toEqual(['calls']);
  asked('v1/logs');
  expect(shown()).toEqual(['OTLP']);
  asked('no such words');
  expect(shown()).toEqual([]);
  expect(page.document.getElementById('none')?.hasAttribute('hidden')).toBe(false);
  asked('');
  expect(page.document.getElementById('none')?.hasAttribute('hidden')).toBe(true);
  expect(shown()).toContain('OpenAPI');
});

it('shows the beginning of an answer that a browser would long work on, and says so', async () => {
  const page = await openPage(service.adminToken);
  const section = opened(page, 'logsAll');
  const set = (name: string, value: string) => {
    (page.document.getElementById(`logsAll-${name}`) as HTMLInputElement).value = value;
  };
  set('project', 'own');
  set('sql', "select repeat('x', 400000) as long from edge_logs");
  section.querySelector('form')?.dispatchEvent(new page.window.Event('submit'));
  await expect.poll(() => section.textContent).toMatch(/the first 300000 of 40\d{4} characters:/);
  expect(section.querySelector('pre[tabindex]')?.textContent.length).toBeLessThan(301_000);
});

it('says what is wrong with a token', async () => {
  const page = await openPage('nonsense');
  expect(textOf(page, '#message')).toContain('not valid');
  expect(page.document.getElementById('reference')?.hasAttribute('hidden')).toBe(true);
});
