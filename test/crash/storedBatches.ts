import { eventsPerBatch, project } from './batches.ts';
import { queryToken } from './killableService.ts';

const pageRows = 1000;

/** Runs a caller query on `logs.all`; undefined if the service gave no answer or was not ready. */
export async function query(
  url: string,
  sql: string,
): Promise<readonly Readonly<Record<string, unknown>>[] | undefined> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${url}/api/endpoints/query/logs.all?${new URLSearchParams({ project, sql })}`, {
      headers: { 'x-api-key': queryToken },
    });
    text = await response.text();
  } catch {
    return undefined;
  }
  if (response.status === 503) return undefined;
  if (response.status !== 200) throw new Error(`a query was answered with ${response.status}: ${text}`);
  const { result } = JSON.parse(text) as { readonly result: readonly Readonly<Record<string, unknown>>[] };
  return result;
}

const batchName = "split(event_message, '/')[offset(0)]";
const perBatch = `select ${batchName} as batch, count(*) as events, count(distinct event_message) as messages from edge_logs`;

/** Batches of which only a part is visible, or an event twice. */
export async function brokenBatches(url: string) {
  return await query(
    url,
    `${perBatch} group by batch having events <> ${eventsPerBatch} or messages <> ${eventsPerBatch} limit 20`,
  );
}

/** The names of all batches that have a stored event. */
export async function storedBatches(url: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (let last = ''; ; ) {
    const page = await query(
      url,
      `${perBatch} where ${batchName} > '${last}' group by batch order by batch limit ${pageRows}`,
    );
    if (page === undefined) throw new Error('the service does not answer');
    for (const { batch } of page) names.add(String(batch));
    if (page.length < pageRows) return names;
    last = String(page.at(-1)?.batch);
  }
}
