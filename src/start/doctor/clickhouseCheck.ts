import { systemReason } from '../../core/systemReason.ts';
import type { ClickHouseServer } from '../../engines/clickhouse/connection/clickhouseServer.ts';
import { urlsOf } from '../clickhouseSettings.ts';
import type { Settings } from '../settings.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** How long a server has to answer. */
const answerMs = 10_000;

const guide = 'docs/guides/several-machines.md';

/** Checks the ClickHouse servers of the settings without changing anything; nothing if events are in the data folder. */
export async function checkClickHouse(settings: Settings): Promise<readonly Finding[]> {
  const { events, clickhouseUrl } = settings;
  if (events !== 'clickhouse') return [];
  if (clickhouseUrl === undefined) {
    return [fail('ClickHouse', 'LOGMILL_EVENTS is clickhouse, but no server is named.', 'Set LOGMILL_CLICKHOUSE_URL.')];
  }
  const urls = urlsOf(clickhouseUrl);
  const perServer = await Promise.all(urls.map(async (url) => await checkServer(url, settings)));
  return [...perServer.flat(), encryption(urls)];
}

async function checkServer(url: string, settings: Settings): Promise<readonly Finding[]> {
  const { ClickHouseServer } = await import('../../engines/clickhouse/connection/clickhouseServer.ts');
  const { clickhouseUser, clickhousePassword = '', clickhouseReaderUser, clickhouseReaderPassword = '' } = settings;
  const writer = new ClickHouseServer(url, { name: clickhouseUser, password: clickhousePassword });
  const reader = new ClickHouseServer(url, { name: clickhouseReaderUser, password: clickhouseReaderPassword });
  try {
    const findings = [await version(writer)];
    if (findings[0]?.status === 'fail') return findings;
    return [...findings, await readerRights(reader, settings), ...(await cluster(writer, settings))];
  } finally {
    await Promise.all([writer.close(), reader.close()]);
  }
}

const ask = async (server: ClickHouseServer, statement: string): Promise<string> =>
  (await server.text({ statement: `${statement} FORMAT TabSeparatedRaw` }, AbortSignal.timeout(answerMs))).trim();

async function version(writer: ClickHouseServer): Promise<Finding> {
  const { compatibleRelease } = await import('../../engines/clickhouse/connection/readSettings.ts');
  try {
    const found = await ask(writer, 'SELECT version()');
    if (isAtLeast(found, compatibleRelease)) return ok('ClickHouse', `ClickHouse ${found} answers: ${writer.url}.`);
    return fail(
      'ClickHouse',
      `${writer.url} is ClickHouse ${found}; Logmill needs ${compatibleRelease} or newer.`,
      'Upgrade the server.',
    );
  } catch (error) {
    return fail(
      'ClickHouse',
      `${writer.url} cannot be used: ${reasonOf(error)}.`,
      'Check the address in LOGMILL_CLICKHOUSE_URL, and LOGMILL_CLICKHOUSE_USER with its password.',
    );
  }
}

function isAtLeast(version: string, oldest: string): boolean {
  const [year = 0, month = 0] = version.split('.').map(Number);
  const [oldestYear = 0, oldestMonth = 0] = oldest.split('.').map(Number);
  return year > oldestYear || (year === oldestYear && month >= oldestMonth);
}

/** Rights that the user of queries may have: its missing rights keep projects apart, besides our own checks. */
function mayHave(grant: string, database: string): boolean {
  if (grant.startsWith('REVOKE ')) return true;
  if (/\bWITH GRANT OPTION$/.test(grant)) return false;
  const [, rights = '', on = ''] = /^GRANT (.*?) ON (\S+) TO /.exec(grant) ?? [];
  if (rights === 'REMOTE' && on === '*.*') return true;
  if (!/^SELECT(?:\(.*\))?$/.test(rights)) return false;
  return on.replaceAll('`', '').startsWith(`${database}.`) || isTableOfOthers(on);
}

/** A single table, which a source may read (sources/existingTable.ts). */
const isTableOfOthers = (on: string): boolean =>
  /^(?!system\.|information_schema\.)[^.*]+\.[^.*]+$/i.test(on.replaceAll('`', ''));

async function readerRights(reader: ClickHouseServer, settings: Settings): Promise<Finding> {
  const { clickhouseReaderUser: name, clickhouseDatabase: database } = settings;
  try {
    const grants = (await ask(reader, 'SHOW GRANTS')).split('\n').filter((line) => line !== '');
    const more = grants.filter((grant) => !mayHave(grant, database));
    if (more.length > 0) {
      return fail(
        'reader rights',
        `The user ${name} on ${reader.url} has more rights than it needs: ${more.slice(0, 3).join('; ')}.`,
        `Create it as ${guide} says: its missing rights are one of the mechanisms that keep projects apart.`,
      );
    }
    if (grants.length === 0) {
      return fail(
        'reader rights',
        `The user ${name} on ${reader.url} may read nothing.`,
        `GRANT SELECT ON ${database}.* TO ${name}`,
      );
    }
    // A profile with `readonly` refuses the settings of each query.
    await reader.text({ statement: 'SELECT 1', settings: { max_execution_time: 10 } }, AbortSignal.timeout(answerMs));
    return ok('reader rights', `The user ${name} on ${reader.url} can only read ${database}.`);
  } catch (error) {
    return fail(
      'reader rights',
      `The user ${name} on ${reader.url} cannot run queries: ${reasonOf(error)}.`,
      `Check LOGMILL_CLICKHOUSE_READER_USER with its password; its profile must not set readonly (${guide}).`,
    );
  }
}

async function cluster(writer: ClickHouseServer, settings: Settings): Promise<readonly Finding[]> {
  const { clickhouseCluster: name } = settings;
  if (name === undefined) return [];
  try {
    const rows = await ask(
      writer,
      `SELECT shard_num, count(), uniqExact(shard_weight) FROM system.clusters WHERE cluster = '${name}' GROUP BY shard_num ORDER BY shard_num`,
    );
    if (rows === '') {
      return [
        fail(
          'cluster',
          `${writer.url} knows no cluster ${name}.`,
          'Name one of its remote_servers in LOGMILL_CLICKHOUSE_CLUSTER.',
        ),
      ];
    }
    const shards = rows.split('\n').map((row) => row.split('\t').map(Number));
    const replicas = shards.map(([, count = 0]) => count);
    return [ok('cluster', `The cluster ${name} has ${shards.length} shards with ${replicas.join(', ')} replicas.`)];
  } catch (error) {
    return [
      warn(
        'cluster',
        `The cluster ${name} could not be looked at on ${writer.url}: ${reasonOf(error)}.`,
        `GRANT SELECT ON system.clusters TO ${settings.clickhouseUser}`,
      ),
    ];
  }
}

function encryption(urls: readonly string[]): Finding {
  const isHere = (host: string) => host === 'localhost' || /^127\.|^\[::1\]$/.test(host);
  const plain = urls.filter((url) => new URL(url).protocol === 'http:' && !isHere(new URL(url).hostname));
  if (plain.length === 0) return ok('ClickHouse TLS', 'The connections are encrypted, or stay on this machine.');
  return warn(
    'ClickHouse TLS',
    `The connection to ${plain.join(', ')} is not encrypted, so events and passwords can be read on the way.`,
    'Use https:// and the port of the server for it, usually 8443.',
  );
}

/** The first line of what the server said, or why it did not answer. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return (systemReason(cause).split('\n')[0] ?? '').slice(0, 300).replace(/\.$/, '');
}
