import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Turns } from '../core/concurrency/turns.ts';
import type { Randomness } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import type { Timer } from '../core/timer.ts';
import { ExportFiles } from '../exports/exportFiles.ts';
import { Exports } from '../exports/exports.ts';
import type { EndpointFinder } from '../invoke/findEndpoint.ts';
import type { Invoke } from '../invoke/invoke.ts';
import { shortHash } from '../invoke/pages/cursor.ts';
import type { StorageEngine } from '../ports/storageEngine.ts';
import type { Removals } from '../retention/removals.ts';
import type { TokenStore } from '../tokens/tokenStore.ts';
import type { Settings } from './settings.ts';

export interface OpenExportsInputs {
  readonly settings: Settings;
  readonly storage: StorageEngine;
  readonly tokens: TokenStore;
  readonly invoke: Invoke;
  readonly endpoints: EndpointFinder;
  readonly removals: Removals;
  /** `Redactor.description`. */
  readonly redaction: string;
  readonly timer: Timer;
  readonly turns: Turns;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly observe: Observe;
}

/** Opens the exports in the data folder, with what an earlier process left. */
export async function openExports(inputs: OpenExportsInputs): Promise<Exports> {
  const { settings, storage, tokens, clock, removals, redaction } = inputs;
  const exports = new Exports({
    ...inputs,
    files: new ExportFiles(join(settings.dataDir, 'exports')),
    parquet: storage.parquet,
    isLive: async (tokenId) => {
      const token = await tokens.findByPublicId(tokenId);
      if (token === undefined || token.revokedAtMicros !== null) return false;
      return token.expiresAtMicros === null || clock.nowMicros() < token.expiresAtMicros;
    },
    basis: () => exportBasis(removals, settings.retentionDays, redaction),
    isDiskLow: () => storage.space?.isLow ?? false,
    limits: {
      rowsMax: settings.exportRowsMax,
      bytesMax: settings.exportBytesMax,
      diskBytesMax: settings.exportDiskMax,
      timeoutMs: settings.exportTimeoutMs,
    },
  });
  await exports.open();
  return exports;
}

/** Changes with each deletion, and with the rules of retention and redaction (`ExportsOptions.basis`). */
export function exportBasis(
  { lastToken, rules }: Pick<Removals, 'lastToken' | 'rules'>,
  retentionDays: number,
  redaction: string,
): string {
  const own = rules.list().map((rule) => JSON.stringify(rule));
  return shortHash([lastToken, own.sort(), retentionDays, redaction]).toString('base64url');
}
