export type Row = Readonly<Record<string, unknown>>;

/** What such a client reads of an answer: nothing of `meta`. */
interface ReadAnswer {
  readonly result?: readonly Row[];
  readonly error?: { readonly message: string };
}

export interface LogsQuery {
  readonly sql?: string;
  /** ISO 8601 with milliseconds; the client sends an empty one where it has no bound. */
  readonly start?: string;
  readonly end?: string;
}

/**
 * A dashboard as service.txt has them: it knows a base URL and two tokens, one to read and one to send
 * events, and nothing else of the service. It reads by GET alone, sends what it always sends whether
 * the endpoint declares it or not, and takes values as such clients do: times are microseconds,
 * records are arrays of one.
 */
export class DashboardClient {
  readonly #baseUrl: string;
  readonly #readToken: string;
  readonly #sendToken: string;
  readonly #project: string;

  constructor(baseUrl: string, readToken: string, sendToken: string, project: string) {
    this.#baseUrl = baseUrl;
    this.#readToken = readToken;
    this.#sendToken = sendToken;
    this.#project = project;
  }

  /** Rows of the logs explorer or of a report. */
  logs({ sql, start = '', end = '' }: LogsQuery): Promise<readonly Row[]> {
    return this.#get('logs.all', {
      project: this.#project,
      project_tier: 'ENTERPRISE',
      iso_timestamp_start: start,
      iso_timestamp_end: end,
      ...(sql === undefined ? {} : { sql }),
    });
  }

  invocationStats(interval: string, functionId: string): Promise<readonly Row[]> {
    return this.#get('functions.invocation-stats', { project: this.#project, interval, function_id: functionId });
  }

  apiCounts(interval: string): Promise<readonly Row[]> {
    return this.#get('usage.api-counts', { project: this.#project, interval });
  }

  async send(source: string, events: readonly object[]): Promise<void> {
    const response = await fetch(`${this.#baseUrl}/api/logs?source_name=${source}`, {
      method: 'POST',
      headers: { 'X-API-KEY': this.#sendToken, 'Content-Type': 'application/json' },
      body: JSON.stringify({ batch: events }),
    });
    if (!response.ok) throw new Error(`events of ${source}: ${response.status} ${await response.text()}`);
  }

  async #get(endpoint: string, parameters: Readonly<Record<string, string>>): Promise<readonly Row[]> {
    const query = new URLSearchParams({ ref: this.#project, ...parameters });
    const response = await fetch(`${this.#baseUrl}/api/endpoints/query/${endpoint}?${query}`, {
      headers: {
        'X-API-KEY': this.#readToken,
        'Content-Type': 'application/json; charset=utf-8',
        Accept: 'application/json',
      },
    });
    const { result, error } = (await response.json()) as ReadAnswer;
    if (error !== undefined || result === undefined) throw new Error(`${endpoint}: ${error?.message ?? 'no result'}`);
    return result;
  }
}
