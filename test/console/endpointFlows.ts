import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { shop } from './consoleEvents.ts';
import type { FlowTools } from './flowTools.ts';

const run = promisify(execFile);

/** The way from a search to an endpoint, and the page of an endpoint. */
export function endpointFlows({ signedIn, explore, deploy }: FlowTools): void {
  describe('from a search to an endpoint', () => {
    it('takes four clicks to a line for the shell that answers, with a token for it alone', async () => {
      await signedIn(explore(shop, 'f:edge_logs m.response.status_code:>=500 t:last@1h'), async (page) => {
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
        await page.getByRole('link', { name: 'Save as endpoint' }).click();
        await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toMatch(/^edge-logs\.by-/);
        await page.getByLabel('Name', { exact: true }).fill('shop.failing');
        await page.getByRole('button', { name: 'Deploy' }).click();
        await page.getByText('shop.failing is deployed.').waitFor();
        await page.getByRole('button', { name: 'Create a token for this call' }).click();
        const snippet = page.getByRole('region', { name: 'curl' });
        await expect.poll(() => snippet.textContent()).toContain('export LOGMILL_TOKEN=');
        const { stdout } = await run('bash', ['-c', (await snippet.textContent()) ?? '']);
        const { result, meta } = JSON.parse(stdout);
        expect([result.length, meta.endpoint.name]).toEqual([100, 'shop.failing']);
        expect(result[0].event_message).toContain('502');
        await expect.poll(() => page.locator('.result .result-bar').textContent()).toMatch(/^100 rows/);
        await page.getByRole('button', { name: 'OpenAPI' }).click();
        await expect.poll(() => page.getByRole('region', { name: 'OpenAPI' }).textContent()).toContain('shop.failing');
      });
    });

    it('lets parameters be chosen, shows the definition with them, and tests it against the query', async () => {
      await signedIn(explore(shop, 'f:edge_logs m.response.status_code:>=500 "timed" t:last@1h'), async (page) => {
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
        await page.getByRole('link', { name: 'Save as endpoint' }).click();
        await page.getByLabel('Name of status_code_min').fill('least');
        await page.getByLabel('Make event_message_text a parameter').check();
        const definition = page.getByRole('region', { name: 'Definition', exact: true });
        await expect.poll(() => definition.locator('mark').allTextContents()).toContain('@least');
        await expect.poll(() => definition.locator('mark').allTextContents()).toContain('@event_message_text');
        await page.getByRole('button', { name: 'Run it with the values of the query' }).click();
        await page.getByText('The same 100 rows as the query.').waitFor();
        await page.getByLabel('Type of status_code_min').selectOption('bool');
        await page.getByRole('alert').filter({ hasText: 'least' }).waitFor();
      });
    });
  });

  describe('the page of an endpoint', () => {
    it('says what a change breaks before it is deployed, and restores the version before', async () => {
      const made = await deploy('shop.paths', 'select t.id, t.event_message from sources.edge_logs as t');
      await signedIn(`#/endpoints/${made}?tab=edit`, async (page) => {
        const query = page.getByRole('textbox', { name: 'Query' });
        await query.fill('select t.idd from sources.edge_logs as t');
        await page.locator('.error-box .wrong').waitFor();
        await query.fill('select t.id from sources.edge_logs as t');
        await page.getByText('The column event_message (STRING) is gone.').waitFor();
        const button = page.getByRole('button', { name: 'Deploy version 2' });
        expect(await button.isDisabled()).toBe(true);
        await page.getByRole('button', { name: 'Run the new version' }).click();
        await page.getByText(/^\d[\d,]* rows in \d+ ms\. The current version has/).waitFor();
        await page.getByLabel('Note of the version').fill('<b>shorter</b>');
        await page.getByLabel('Change it although it breaks callers').check();
        await button.click();
        await page.getByRole('cell', { name: '<b>shorter</b>' }).waitFor();
        await page.getByRole('button', { name: 'Changes version 2' }).click();
        await expect.poll(() => page.locator('.code .removed').count()).toBe(1);
        await page.getByRole('button', { name: 'Restore version 1', exact: true }).click();
        const restored = page.getByRole('region', { name: 'Restore version 1' });
        await restored.getByRole('button', { name: 'Restore version 1' }).click();
        await page.getByRole('rowheader', { name: '3' }).waitFor();
        await page.getByRole('link', { name: 'Source', exact: true }).click();
        await expect.poll(() => page.locator('.source .code').textContent()).toContain('event_message');
        // The call of the test may be in the usage already, or not yet.
        await page.getByRole('link', { name: 'Callers' }).click();
        const callers = page.getByRole('region', { name: 'Callers of the last 30 days' });
        await callers.or(page.getByText('No token called it in the last 30 days.')).waitFor();
        await page.getByRole('link', { name: 'Endpoints' }).first().click();
        await page.getByRole('columnheader', { name: 'Calls, 24 h' }).waitFor();
      });
    });
  });
}
