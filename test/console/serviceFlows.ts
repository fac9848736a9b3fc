import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hostile, shop } from './consoleEvents.ts';
import { barsIn, type FlowTools } from './flowTools.ts';

/** The query page, tokens, sources, projects and operations. */
export function serviceFlows({ signedIn, serviceUrl, sendAnyway, isStyleOfTyping }: FlowTools): void {
  const place = (page: string, values: Readonly<Record<string, string>>) => `#/${page}?${new URLSearchParams(values)}`;

  describe('the query page', () => {
    it('completes members with their share, and functions with their signature', async () => {
      await signedIn(
        place('query', { p: shop }),
        async (page) => {
          const editor = page.getByLabel('Query', { exact: true });
          const type = async (text: string) => {
            // By keyboard: the list of what fits may lie over the text.
            await editor.focus();
            await page.keyboard.press('Control+A');
            await page.keyboard.type(text);
          };
          await type('select regexp_e');
          const option = (name: string) => page.getByRole('option').filter({ hasText: name });
          await option('REGEXP_EXTRACT').first().waitFor();
          await page.getByText('REGEXP_EXTRACT(value STRING, pattern STRING').first().waitFor();
          // The list opens once the service has read the events, because the path is still being written.
          await type('select metadata.response.sta');
          await option('int64, 100 %').first().waitFor();
          await page.getByRole('option').filter({ hasText: 'status_code' }).first().click();
          await expect.poll(() => editor.textContent()).toContain('metadata.response.status_code');
        },
        {},
        isStyleOfTyping,
      );
    });

    it('lays a query out by button and by key, with its comments', async () => {
      await signedIn(
        place('query', { p: shop, q: "select 1 as a, -- one\n 2 as b from edge_logs where id='x' and id is not null" }),
        async (page) => {
          const editor = page.getByLabel('Query', { exact: true });
          const lines = async () => await editor.locator('.cm-line').allTextContents();
          const laidOut = [
            'select',
            '  1 as a, -- one',
            '  2 as b',
            'from edge_logs',
            "where id = 'x'",
            '  and id is not null',
          ];
          await editor.waitFor();
          await page.getByRole('button', { name: 'Format' }).click();
          await expect.poll(lines).toEqual(laidOut);
          await editor.focus();
          await page.keyboard.press('Control+Z');
          await expect.poll(lines).not.toEqual(laidOut);
          await page.keyboard.press('Shift+Alt+F');
          await expect.poll(lines).toEqual(laidOut);
          // Keys that follow each other faster than the page is drawn.
          await editor.evaluate((place) => {
            const { KeyboardEvent } = globalThis as unknown as {
              KeyboardEvent: new (type: string, init: object) => Event;
            };
            for (const key of [
              { key: 'z', ctrlKey: true },
              { key: 'F', keyCode: 70, altKey: true, shiftKey: true },
            ]) {
              place.dispatchEvent(
                new KeyboardEvent('keydown', { bubbles: true, composed: true, cancelable: true, ...key }),
              );
            }
          });
          await expect.poll(lines).toEqual(laidOut);
          await page.keyboard.press('Control+Z');
          await expect.poll(lines).not.toEqual(laidOut);
        },
        {},
        isStyleOfTyping,
      );
    });

    it('saves the rows in every format of the service, and draws bars beside each other and lines', async () => {
      const byPath =
        'select timestamp_trunc(timestamp, minute) as minute, metadata.request.path as path, count(*) as n from edge_logs group by minute, path order by minute';
      await signedIn(place('query', { p: shop, q: byPath, as: 'chart' }), async (page) => {
        await page.locator('.chart .bars').first().waitFor();
        const bars = await barsIn(page);
        await page.getByLabel('Kind of chart').selectOption('bar');
        await expect.poll(() => barsIn(page)).toBe(bars);
        await page.getByLabel('Kind of chart').selectOption('line');
        await expect.poll(() => page.locator('.chart .series').count()).toBe(3);
        // The second press of a double click would cancel the run, and take the query away.
        await page.getByRole('button', { name: 'Run', exact: true }).dblclick();
        expect(page.url()).toContain('q=select');
        // A line of equal values has no height, so it does not count as visible.
        await page.locator('.result:not(.old) .chart .series').first().waitFor({ state: 'attached' });
        const download = async (name: string) => {
          await page.locator('summary').filter({ hasText: 'Download' }).click();
          const [file] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('button', { name, exact: true }).click(),
          ]);
          return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
        };
        const csv = await download('CSV');
        expect(csv.name).toBe('logs.all.csv');
        expect(csv.text.split('\r\n')[0]).toBe('"minute","path","n"');
        expect((await download('NDJSON, a row per line')).text).toContain('"path":"/checkout"');
        const [row] = JSON.parse((await download('JSON, the rows shown')).text);
        expect(Object.keys(row)).toEqual(['minute', 'path', 'n']);
        await page.locator('summary').filter({ hasText: 'Download' }).click();
        for (const name of ['TSV', 'Markdown', 'Prometheus metrics', 'Arrow stream'])
          expect(await page.getByRole('button', { name, exact: true }).count()).toBe(1);
      });
    });

    it('shows hostile rows as text in the table, as JSON and as a chart', async () => {
      const rows =
        'select timestamp_trunc(timestamp, hour) as hour, event_message, count(*) as n from edge_logs group by hour, event_message';
      await signedIn(place('query', { p: hostile, q: rows }), async (page) => {
        await expect.poll(() => page.locator('.result-bar').textContent()).toMatch(/^8 rows/);
        expect(await page.locator('.result-table').textContent()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        await page.getByRole('button', { name: 'Chart' }).click();
        await page.locator('.chart .bars').first().waitFor();
        expect(await page.locator('.chart').textContent()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        await page.getByRole('button', { name: 'JSON', exact: true }).click();
        await page.locator('.json').waitFor();
        expect(await page.title()).toBe('Query – Logmill');
      });
    });
  });

  describe('tokens', () => {
    it('are created from sentences, explained, rotated with an overlap, and revoked when their ID is typed', async () => {
      await signedIn('#/tokens/new', async (page) => {
        await page.getByLabel('Name').fill('for a dashboard');
        await page.getByLabel('Only the projects').fill(shop);
        await page.getByText('Limits, networks and fixed parameters').click();
        await page.getByLabel('Most rows of an answer').fill('7');
        await page.getByText(`Reads and sends events of ${shop} only.`).waitFor();
        await page.getByText('At most 7 rows in an answer.').waitFor();
        await page.getByRole('button', { name: 'Create token' }).click();
        const made = (await page.locator('.secret').textContent()) ?? '';
        const rowsOf = async (secret: string) => {
          const url = `${serviceUrl()}/api/endpoints/query/logs.all?project=${shop}`;
          const response = await fetch(url, { headers: { 'X-API-KEY': secret } });
          if (response.status !== 200) return response.status;
          const { result } = (await response.json()) as { readonly result: readonly unknown[] };
          return result.length;
        };
        expect(await rowsOf(made)).toBe(7);

        await page.getByRole('link', { name: 'Try a call with it' }).click();
        const parameter = page.getByLabel('project', { exact: true });
        await parameter.fill('another');
        await page.getByRole('button', { name: 'Explain' }).click();
        await page.getByText('The call would be refused with 403').waitFor();
        expect(await page.locator('.rules .refused').count()).toBe(1);
        await parameter.fill(shop);
        await page.getByRole('button', { name: 'Explain' }).click();
        await page.getByText('The call would be allowed.').waitFor();

        await page.getByRole('button', { name: 'Rotate' }).click();
        const rotated = (await page.locator('.secret').textContent()) ?? '';
        expect([await rowsOf(made), await rowsOf(rotated)]).toEqual([7, 7]);

        await page.getByRole('button', { name: 'Revoke' }).click();
        const id = (await page.locator('main header code').textContent()) ?? '';
        await page.getByLabel(`Type ${id} to confirm`).fill(id);
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
        await expect.poll(() => rowsOf(rotated)).toBe(401);
        await page.getByText('revoked', { exact: true }).waitFor();
      });
    });
  });

  describe('sources, projects and operations', () => {
    it('show the events of a source, what they hold, and whose they are', async () => {
      await signedIn('#/sources', async (page) => {
        const line = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'edge_logs', exact: true }) });
        await expect.poll(() => line.textContent()).toMatch(/\/s.*ago/);
        await line.getByRole('link').click();
        const projects = page.getByRole('region', { name: 'Events by project' });
        await projects.getByRole('link', { name: shop }).waitFor();
        await page.getByLabel('Project', { exact: true }).selectOption(hostile);
        await page.getByLabel('Project', { exact: true }).selectOption(shop);
        const members = page.getByRole('region', { name: 'Columns and members' });
        const member = members.getByRole('row').filter({ hasText: 'metadata.request.path' });
        await expect.poll(() => member.textContent()).toContain('/checkout');
        await projects.getByRole('link', { name: shop }).click();
        await page.getByRole('heading', { name: shop }).waitFor();
        await page.getByRole('link', { name: 'Projects' }).last().click();
        await page.getByRole('button', { name: 'Measure bytes' }).click();
        const measured = page.getByRole('row').filter({ has: page.getByRole('link', { name: shop, exact: true }) });
        await expect.poll(() => measured.textContent()).toMatch(/\d KiB/);
      });
    });

    it('ask for the name before events are kept for a shorter time', async () => {
      await signedIn(`#/projects/${shop}`, async (page) => {
        // What is above the form moves it when it is loaded, and a click then misses the button.
        await page.getByRole('region', { name: 'Events by source' }).waitFor();
        await page.getByLabel('Keep its events for').fill('30');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByLabel(`Type ${shop} to confirm`).fill(shop);
        await page.getByRole('button', { name: 'Shorten retention' }).click();
        await page.getByText('Saved').waitFor();
        await page.getByLabel('Keep its events for').fill('0');
        await page.getByRole('button', { name: 'Save' }).click();
        await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
        await expect.poll(() => page.getByRole('region', { name: 'Events by source' }).textContent()).toContain('ever');
      });
    });

    it('say why events were rejected, with a redacted one', async () => {
      const event = { project: shop, id: '', event_message: 'of ada@example.com' };
      expect(await sendAnyway([event])).toBe(422);
      await signedIn('#/sources/edge_logs', async (page) => {
        const reason = page
          .getByRole('region', { name: 'Reasons' })
          .getByRole('row')
          .filter({ hasText: 'event.id_invalid' });
        await expect.poll(() => reason.textContent()).toContain('email hidden');
        expect(await reason.textContent()).not.toContain('ada@');
      });
    });

    it('draw the figures of the service, and list what was changed', async () => {
      await signedIn('#/operations', async (page) => {
        const memory = page.getByRole('img', { name: /^Memory: between/ });
        await memory.waitFor();
        await page.getByRole('region', { name: 'Files of events' }).waitFor();
        await page.getByRole('region', { name: 'Installation' }).getByText('of the doctor are fine').waitFor();
        await page.getByRole('region', { name: 'Changes' }).getByText('session.create').first().waitFor();
      });
    });
  });
}
