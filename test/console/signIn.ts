import type { Page } from 'playwright-core';

/** Signs in on a page that asks for a token, and waits until the console is there. */
export async function signIn(page: Page, token: string): Promise<void> {
  // The page of a session that has ended is hidden behind the sign-in.
  await page.locator('.sign-in').getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}
