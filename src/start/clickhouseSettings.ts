import * as z from 'zod';
import { filePath, integer, someText } from './settingForms.ts';

const urlForm =
  'is one or more http:// or https:// URLs, separated by commas, without user, password and path, such as http://ch1.example:8123,http://ch2.example:8123';

/** URLs of ClickHouse servers. Credentials have settings of their own, because URLs end up in logs. */
const urls = z
  .string({ error: urlForm })
  .refine((text) => urlsOf(text).length > 0 && urlsOf(text).every(isServerUrl), urlForm)
  .optional();

/** The URLs of a validated setting. */
export function urlsOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((url) => url.trim().replace(/\/$/, ''))
    .filter((url) => url !== '');
}

function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(text);
  return (
    /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '') && pathname === '/'
  );
}

const nameForm = 'is a name of letters, digits and _ that begins with a letter';
const name = z.string({ error: nameForm }).regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, nameForm);

const quorumForm = 'is auto or a whole number from 1 to 100';
const quorum = z.union([z.number(), z.string()], { error: quorumForm }).transform((given, context) => {
  if (given === 'auto') return 'auto' as const;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= 100) return count;
  context.addIssue({ code: 'custom', message: quorumForm });
  return z.NEVER;
});

/** Settings of events in ClickHouse, as members of the settings of the service. */
export const clickhouseSettings = {
  events: z
    .enum(['embedded', 'clickhouse'], { error: 'is embedded or clickhouse' })
    .default('embedded')
    .describe('Where events are kept: `embedded` (in the data folder) or `clickhouse`.'),
  clickhouseUrl: urls.describe(
    'URLs of the ClickHouse servers, separated by commas. A server that fails is left out for a while. With several shards, name at least one server of each.',
  ),
  clickhouseDatabase: name
    .default('logmill')
    .describe('Database in ClickHouse for the events. Logmill creates it, and its tables, if they do not exist.'),
  clickhouseUser: someText
    .default('logmill')
    .describe('User in ClickHouse who creates the tables, stores events and removes them.'),
  clickhousePassword: someText.optional().describe('Password of `clickhouse_user`.'),
  clickhousePasswordFile: filePath
    .optional()
    .describe('File that contains the password of `clickhouse_user`, read at start.'),
  clickhouseReaderUser: someText
    .default('logmill_reader')
    .describe('User in ClickHouse who runs queries. Grant only SELECT on the tables of the database.'),
  clickhouseReaderPassword: someText.optional().describe('Password of `clickhouse_reader_user`.'),
  clickhouseReaderPasswordFile: filePath
    .optional()
    .describe('File that contains the password of `clickhouse_reader_user`, read at start.'),
  clickhouseCluster: name
    .optional()
    .describe(
      'Name of the cluster in the configuration of ClickHouse. Tables are then replicated, and distributed over its shards. If unset, events are on a single server.',
    ),
  clickhouseQuorum: quorum
    .default('auto')
    .describe(
      'Replicas that must have stored events before they are acknowledged: a number, or `auto` for the majority. Only with `clickhouse_cluster`.',
    ),
  clickhouseStoragePolicy: name.optional().describe('Storage policy of new tables. If unset, the one of the server.'),
  clickhouseColdVolume: name
    .optional()
    .describe('Volume of the storage policy that older events are moved to, after `clickhouse_cold_days`.'),
  clickhouseColdDays: integer(0, 36_500)
    .default(0)
    .describe('Days after which events are moved to `clickhouse_cold_volume`. `0` moves none.'),
};
