import { describe, expect, it } from 'vitest';
import { shop } from './consoleEvents.ts';
import { barsIn, type FlowTools } from './flowTools.ts';

const manyOfOneTime = 1500;

/** Explore: the forms of a search, and rows in pages. */
export function searchFlows({ signedIn, explore, send }: FlowTools): void {
  describe('a search', () => {
    it('has its filters in fields, which change its text, and is shown in GoogleSQL', async () => {
      await signedIn(explore(shop, 'f:edge_logs m.response.status_code:>=500 t:last@1h'), async (page) => {
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
        await page.getByRole('button', { name: 'Filters', exact: true }).click();
        const text = page.getByRole('combobox', { name: 'Search in LQL' });
        await page.getByLabel('Value of m.response.status_code').fill('404');
        await page.getByLabel('Value of m.response.status_code').press('Enter');
        await expect.poll(() => text.inputValue()).toBe('f:edge_logs m.response.status_code:>=404 t:last@1h');
        await page.getByLabel('Member of the new filter').fill('m.request.path');
        // Only older rows have it.
        await page.locator('datalist option[value="m.coupon"]').waitFor({ state: 'attached' });
        await page.getByLabel('Value of the new filter').fill('/cart now');
        await page.getByRole('button', { name: 'Add' }).click();
        await expect.poll(() => text.inputValue()).toContain('m.request.path:"/cart now"');
        await page.getByLabel('Value of m.request.path').fill('"/cart later"');
        await page.getByRole('button', { name: 'Not m.request.path' }).click();
        await expect.poll(() => text.inputValue()).toContain('-m.request.path:"/cart later"');
        await page.getByRole('button', { name: 'Remove -m.request.path:"/cart later"' }).click();
        await expect.poll(() => text.inputValue()).not.toContain('/cart');
        await page.getByRole('button', { name: 'SQL', exact: true }).click();
        const sql = page.getByRole('region', { name: 'GoogleSQL', exact: true });
        await expect.poll(() => sql.textContent()).toContain('edge_logs.metadata.response.status_code >= 404');
        await page.reload();
        await sql.waitFor();
        await page.getByRole('link', { name: 'Open in Query' }).click();
        await page.getByRole('region', { name: 'Result', exact: true }).first().waitFor();
      });
    });

    it('reads all rows of one time, which are more than a page has', async () => {
      const timestamp = new Date(Date.now() - 60_000).toISOString();
      const event = (index: number) =>
        JSON.stringify({ id: `same-${index}`, project: 'same', timestamp, event_message: 'x' });
      await send(Array.from({ length: manyOfOneTime }, (_, index) => event(index)).join('\n'));
      await signedIn(explore('same', 'f:edge_logs t:last@1h'), async (page) => {
        const rows = page.getByRole('grid', { name: 'Rows' });
        await rows.waitFor();
        await rows.press('End');
        await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe(String(manyOfOneTime + 1));
        await expect.poll(() => page.getByRole('button', { name: 'Load older' }).count()).toBe(0);
      });
    });

    it('finds a text in loaded rows that are not in sight, and leaves the key to the browser when it is pressed again', async () => {
      await signedIn(explore(shop, 'f:edge_logs t:last@1h'), async (page) => {
        const rows = page.getByRole('grid', { name: 'Rows' });
        await rows.waitFor();
        const last = await rows.evaluate((list) => Number(list.getAttribute('aria-rowcount')) - 1);
        await page.evaluate(
          `addEventListener('keydown', (event) => { if (event.key === 'f') document.title = 'taken: ' + event.defaultPrevented; })`,
        );
        await page.keyboard.press('Control+f');
        expect(await page.title()).toBe('taken: true');
        await page.keyboard.type('CHECKOUT');
        await page.keyboard.press('Shift+Enter');
        await expect.poll(() => page.locator('.find [role=status]').textContent()).toMatch(/^Row [\d,]+$/);
        const found = (await page.locator('.find [role=status]').textContent()) ?? '';
        // Upwards, from the last row: far below what was in sight.
        expect(Number(found.replace(/\D/g, ''))).toBeGreaterThan(last - 100);
        await page.locator('.row.current').getByText('checkout').first().waitFor();
        await page.keyboard.press('Control+f');
        expect(await page.title()).toBe('taken: false');
        await page.keyboard.press('Escape');
        await expect.poll(() => page.locator('.find').count()).toBe(0);
      });
    });

    it('is charted by time in two clicks, and shows its rows again', async () => {
      await signedIn(explore(shop, 'f:edge_logs t:last@1h'), async (page) => {
        await page.getByRole('button', { name: 'error', exact: true }).click();
        await page.locator('.list .result-bar').getByText('100 rows', { exact: true }).waitFor();
        await page.getByRole('button', { name: 'Chart by minute' }).click();
        await expect.poll(() => barsIn(page)).toBeGreaterThan(20);
        await page.locator('.chart svg').hover();
        await expect.poll(() => page.locator('.chart figcaption').textContent()).toMatch(/count\d.*\d\d:\d\d:00/);
        await page.getByRole('button', { name: 'Show rows' }).click();
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
      });
    });

    it('with rows in one minute has one bar of a minute in the hours that it searched', async () => {
      const search = 'f:edge_logs t:last@1h c:count(*) c:group_by(t::minute)';
      await signedIn(explore('same', search), async (page) => {
        await page.locator('.chart .bars').waitFor();
        expect(await barsIn(page)).toBe(1);
        const widthOf = async (place: string) => (await page.locator(place).boundingBox())?.width ?? Number.NaN;
        expect(await widthOf('.chart .bars')).toBeLessThan((await widthOf('.chart svg')) / 50);
        expect(await page.locator('.chart svg').getAttribute('aria-label')).toContain('1 time with rows, 1 min each');
        await page.getByLabel('Kind of chart').selectOption('line');
        await expect.poll(() => page.locator('.chart figcaption').textContent()).toContain('1 point = 1 min');
      });
    });

    it('wraps long messages, also after a reload, and the rows below begin where they end', async () => {
      const long = 'w'.repeat(290);
      await send(
        ['short', long, 'last'].map((text) => JSON.stringify({ project: 'wrapped', event_message: text })).join('\n'),
      );
      await signedIn(explore('wrapped', 'f:edge_logs t:last@1h'), async (page) => {
        const row = page.locator('.row').filter({ hasText: long });
        await row.waitFor();
        const heightOf = async () => (await row.boundingBox())?.height ?? 0;
        expect(await heightOf()).toBe(24);
        await page.keyboard.press('w');
        await expect.poll(heightOf).toBeGreaterThan(40);
        await page.reload();
        await expect.poll(heightOf).toBeGreaterThan(40);
        const isCut = await row.locator('.message').evaluate((message) => message.scrollHeight > message.clientHeight);
        expect(isCut).toBe(false);
        const boxes = await page
          .locator('.row')
          .evaluateAll((rows) =>
            rows.map((each) => each.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom })),
          );
        const sorted = boxes.sort((a, b) => a.top - b.top);
        for (const [index, { top }] of sorted.slice(1).entries()) expect(top).toBe(sorted[index]?.bottom);
      });
      // The row that is chosen far down stays in sight.
      await signedIn(explore(shop, 'f:edge_logs t:last@1h'), async (page) => {
        await page.getByRole('grid', { name: 'Rows' }).press('End');
        const current = page.locator('.row.current');
        await current.waitFor();
        await page.setViewportSize({ width: 900, height: 700 });
        await page.keyboard.press('w');
        await page.locator('.rows.wrapped').waitFor();
        await expect.poll(() => current.count()).toBe(1);
      });
    });

    it('asks for members only while one is written, because the service reads thousands of rows for them', async () => {
      await signedIn(explore(shop, 'f:edge_logs t:last@1h'), async (page) => {
        const asked: string[] = [];
        page.on('request', (request) => {
          if (/\/fields\?/.test(request.url())) asked.push(request.url());
        });
        const text = page.getByRole('combobox', { name: 'Search in LQL' });
        await text.fill('f:edge_logs "timed" t:last@1h');
        await text.press('Enter');
        await page.locator('.list .result-bar').getByText('100 rows', { exact: true }).waitFor();
        expect(asked).toEqual([]);
        await text.fill('f:edge_logs m.coup');
        await page.getByRole('option', { name: 'm.coupon:' }).waitFor();
        expect(asked.length).toBe(1);
      });
    });

    it('runs by a double click on Run, whose second press does not cancel it', async () => {
      await signedIn(explore(shop, 'f:edge_logs t:last@1h'), async (page) => {
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
        await page
          .getByRole('combobox', { name: 'Search in LQL' })
          .fill('f:edge_logs m.response.status_code:502 t:last@1h');
        await page.getByRole('button', { name: 'Run', exact: true }).dblclick();
        await page.locator('.list .result-bar').getByText('100 rows', { exact: true }).waitFor();
      });
    });
  });
}
