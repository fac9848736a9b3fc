import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { shop } from './consoleEvents.ts';
import { signIn } from './signIn.ts';

export interface SignInTools {
  /** A page in a new browser context, which nobody is signed in to. */
  readonly open: (hash?: string) => Promise<Page>;
  readonly madeToken: (body: object) => Promise<{ readonly id: string; readonly token: string }>;
  /** The administration token. */
  readonly token: () => string;
  readonly base: () => string;
  readonly serviceUrl: () => string;
}

/** Sign-in, its end, and what a token may not do. */
export function signInFlows({ open, madeToken, token, base, serviceUrl }: SignInTools): void {
  describe('signing in', () => {
    it('keeps no token in the browser, and shows only what the token may do', async () => {
      const made = await madeToken({ description: 'reader', scopes: ['query'], restrictions: { projects: [shop] } });
      const page = await open();
      try {
        await signIn(page, made.token);
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
        const pages = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
        expect(new Set(pages)).toEqual(new Set(['Explore', 'Query', 'Endpoints']));
        const kept = await page.evaluate(
          'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
        );
        expect(kept).not.toContain(made.token);
        expect(await page.content()).not.toContain(made.token);
        // Links from colleagues also lead to pages that the token cannot use.
        for (const [place, scope] of [
          ['#/operations', 'observe'],
          ['#/endpoints/new?q=x', 'manage'],
        ]) {
          await page.goto(base() + place);
          await page.getByText(`This page needs a token with the scope ${scope}.`).waitFor();
        }
      } finally {
        await page.context().close();
      }
    });

    it('ends at once when the token is revoked', async () => {
      const restrictions = { parameters: { project: shop } };
      const made = await madeToken({ description: 'short', scopes: ['query'], restrictions });
      const page = await open();
      try {
        await signIn(page, made.token);
        // Rows of the only project that the token's parameters allow.
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
        await fetch(`${serviceUrl()}/api/tokens/${made.id}`, { method: 'DELETE', headers: { 'X-API-KEY': token() } });
        await page.reload();
        await page.getByRole('button', { name: 'Sign in' }).waitFor();
      } finally {
        await page.context().close();
      }
    });

    it('makes tokens for calls also with a token that ends soon, such as after the link printed at start', async () => {
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const made = await madeToken({ description: 'soon over', scopes: ['query', 'manage'], expires_at: expiresAt });
      const page = await open('#/endpoints/logs.all');
      try {
        await signIn(page, made.token);
        await page.getByText('ends with your own token').waitFor();
        await page.getByRole('button', { name: 'Create a token for this call' }).click();
        await expect
          .poll(() => page.getByRole('region', { name: 'curl' }).textContent())
          .toContain('export LOGMILL_TOKEN=');
        await page.goto(`${base()}#/tokens/new`);
        await page.getByLabel('Name').fill('for a dashboard');
        await page.getByRole('button', { name: 'Create token' }).click();
        await page.locator('.secret').waitFor();
      } finally {
        await page.context().close();
      }
    });

    it('refuses a wrong token with a sentence, and a code that was never given', async () => {
      const page = await open('#code=abcdef');
      try {
        await page.getByText('This link was used already').waitFor();
        expect(page.url()).not.toContain('abcdef');
        await page.getByLabel('Token').fill('lm_wrong');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/token/i);
      } finally {
        await page.context().close();
      }
    });

    it('again after the end of a session returns to what was typed, for the same token only', async () => {
      const [same, other] = await Promise.all(
        ['one manager', 'another'].map((description) => madeToken({ description, scopes: ['query', 'manage'] })),
      );
      const page = await open('#/tokens/new');
      const name = page.getByRole('textbox', { name: 'Name' });
      const create = page.getByRole('button', { name: 'Create token' });
      // On a busy machine, a question of the page would find the end of the session before the form does.
      const otherCalls = /\/api\/(?!tokens|session)/;
      const endSession = async () => {
        await page.route(otherCalls, (route) => route.abort());
        await page.context().clearCookies();
        await create.click();
        await page.getByRole('button', { name: 'Sign in again' }).click();
        await page.getByText('Your session is over.').waitFor();
        expect(await name.count()).toBe(0);
        await page.unroute(otherCalls);
      };
      try {
        await signIn(page, same?.token ?? '');
        await name.fill('for a dashboard');
        await endSession();
        await signIn(page, same?.token ?? '');
        expect(await name.inputValue()).toBe('for a dashboard');
        expect(await page.locator('.error-box').count()).toBe(0);
        await endSession();
        await signIn(page, other?.token ?? '');
        expect(await name.inputValue()).toBe('');
      } finally {
        await page.context().close();
      }
    });

    it('again after the end of a session returns to the edited files of an endpoint', async () => {
      const manager = await madeToken({ description: 'editor', scopes: ['query', 'manage'] });
      const page = await open('#/endpoints/logs.all?tab=edit');
      const query = page.getByRole('textbox', { name: 'Query' });
      try {
        await signIn(page, manager.token);
        await query.press('Control+End');
        await query.pressSequentially(' -- edited');
        const typed = await query.inputValue();
        await page.context().clearCookies();
        // The service checks what is typed, and finds that the session is over.
        await query.pressSequentially(' once more');
        await page.getByText('Your session is over.').waitFor();
        await signIn(page, manager.token);
        expect(await query.inputValue()).toBe(`${typed} once more`);
        await page.getByRole('button', { name: /^Deploy version/ }).waitFor();
      } finally {
        await page.context().close();
      }
    });

    it('is over after signing out, with everything that the browser remembered', async () => {
      const page = await open();
      try {
        await signIn(page, token());
        await page.getByRole('grid', { name: 'Rows' }).waitFor();
        await page.locator('.account summary').click();
        await page.getByRole('button', { name: 'Sign out', exact: true }).last().click();
        await page.getByRole('button', { name: 'Sign in' }).waitFor();
        expect(await page.evaluate('Object.keys(localStorage)')).toEqual([]);
        await page.reload();
        await page.getByRole('button', { name: 'Sign in' }).waitFor();
      } finally {
        await page.context().close();
      }
    });
  });
}
