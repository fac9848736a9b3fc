import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const axe = readFileSync(join(import.meta.dirname, '..', '..', 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');

/** Violations of WCAG 2.2 AA that axe finds, or those of `rules` alone, one line each. */
export async function findings(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // The content security policy of the page does not apply to scripts that the protocol evaluates.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe);
  return await page.evaluate(async (only) => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { axe } = globalThis as unknown as {
      axe: { run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const runOnly = only === undefined ? { type: 'tag', values: tags } : { type: 'rule', values: only };
    const { violations } = await axe.run({ runOnly });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  }, rules);
}
