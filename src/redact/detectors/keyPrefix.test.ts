import { describe, expect, it } from 'vitest';
import { createRedactor } from '../createRedactor.ts';
import { RedactionCounts } from '../redactionCounts.ts';

const redactor = createRedactor();
const shown = (text: string): string => redactor.redactString(text, [], new RedactionCounts());
/** Forty characters that look random. */
const random = 'Zq7vR2mK9xT4Zq7vR2mK9xT4Zq7vR2mK9xT4bC3d';
const hex = '0123456789abcdef0123456789abcdef';

describe('keys with a known prefix', () => {
  it.each([
    `glpat-${random}`,
    `sbp_${random}`,
    `npm_${random}`,
    `hf_${random}`,
    `whsec_${random}`,
    `shpat_${hex}`,
    `dckr_pat_${random}`,
    `dop_v1_${hex}`,
    `sk-${random}`,
    `sk-ant-api03-${random}`,
    `sk-proj-${random}`,
    `pypi-${random}`,
    `xapp-1-${random}`,
    `tskey-auth-${random}`,
    `SG.${random}.${random}`,
    `hvs.${random}`,
    `ya29.${random}`,
  ])('replaces %s', (key) => {
    expect(shown(`called with ${key}, failed`)).toBe('called with [REDACTED:key], failed');
    expect(shown(`203.0.113.7${key}`)).not.toContain(key.slice(-8));
  });

  it.each([
    'task-4f0c9d2e7b1a8c3d5e6f70819a2b3c4d',
    'sk-eleton of a page',
    'npm_config_registry=x',
    'hf_transfer',
    'SG.1.2',
    'shp_file',
    'pypi-server',
    'glpat-x',
  ])('leaves %s', (text) => {
    expect(shown(text)).toBe(text);
  });
});
