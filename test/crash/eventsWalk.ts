import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cleanEnvironment, command } from '../acceptance/startedService.ts';
import { KillableService } from './killableService.ts';
import { callService } from './readStore.ts';
import type { SeededChance } from './seededChance.ts';

const eventsPerBatch = 50;
/** Together more than a segment may have, so that each round rotates and seals one, and later rounds merge them. */
const batchesPerRound = 24;
const projects = ['walk-a', 'walk-b', 'walk-c'] as const;
const pageRows = 1000;

/** `either`: the answer to the change was lost in a kill. */
type State = 'stored' | 'deleted' | 'either';

/** What a backup may hold: its state lies between the two moments. */
interface Span {
  readonly before: ReadonlyMap<string, State>;
  readonly after: ReadonlyMap<string, State>;
}

/** Counts of what a walk did. */
export interface EventsWalkFigures {
  kills: number;
  engineKills: number;
  stored: number;
  deletions: number;
  backups: number;
  brokenOff: number;
  restored: number;
}

/**
 * Sends events, deletes them and backs them up while a service, its engine or the command is killed at random, and
 * compares all events after each start, and those of each backup.
 */
export class EventsWalk {
  readonly figures: EventsWalkFigures = {
    kills: 0,
    engineKills: 0,
    stored: 0,
    deletions: 0,
    backups: 0,
    brokenOff: 0,
    restored: 0,
  };
  /** Everything that was wrong, one sentence each. */
  readonly problems: string[] = [];
  readonly #root: string;
  readonly #chance: SeededChance;
  /** By `project/name`. */
  readonly #batches = new Map<string, State>();
  /** What the backup in the folder may hold: that of the last backup that ended well, then those that were broken off. */
  #backups: Span[] = [];
  #service: KillableService | undefined;
  #url = '';
  #admin = '';
  #rounds = 0;
  #sent = 0;

  constructor(root: string, chance: SeededChance) {
    this.#root = root;
    this.#chance = chance;
  }

  async round(): Promise<void> {
    const chance = this.#chance;
    this.#rounds += 1;
    await this.#start();
    await Promise.all(Array.from({ length: batchesPerRound }, () => this.#send()));
    const steps = [this.#delete(), this.#rounds % 2 === 0 ? this.#backUp() : this.#takeCopy(), this.#send()];
    await delay(chance.between(0, 400));
    if (chance.next() < 0.4) {
      this.figures.engineKills += 1;
      const { enginePid } = this.#running;
      if (enginePid !== undefined) process.kill(enginePid, 'SIGKILL');
      await Promise.all(steps);
      await this.#compare('after a kill of the engine');
    }
    await this.#kill();
    await Promise.all(steps);
    if (this.#rounds % 2 === 1) await this.#backUp();
    if (this.#backups.length > 0) await this.#restore();
  }

  /** Starts the service once more, and compares. */
  async end(): Promise<void> {
    await this.#start();
    await this.#kill();
  }

  async close(): Promise<void> {
    if (this.#service?.isRunning === true) await this.#service.end('SIGKILL');
  }

  get #dataDir(): string {
    return join(this.#root, 'data');
  }

  get #folder(): string {
    return join(this.#root, 'backup');
  }

  get #running(): KillableService {
    if (this.#service === undefined) throw new Error('no service runs');
    return this.#service;
  }

  async #start(): Promise<void> {
    this.#service = new KillableService(this.#dataDir);
    this.#url = await this.#service.url;
    this.#admin = readFileSync(join(this.#dataDir, 'admin-token'), 'utf8').trim();
    await this.#compare('after the start');
    const copies = join(this.#dataDir, 'backup-copies');
    if (existsSync(copies) && readdirSync(copies).length > 0) this.#wrong('the copies of a killed backup are left');
  }

  async #kill(): Promise<void> {
    this.figures.kills += 1;
    await this.#running.end('SIGKILL');
  }

  #wrong(problem: string): void {
    this.problems.push(`round ${this.#rounds}: ${problem}`);
  }

  /** Compares the stored batches with the known ones, after which none is unsure. */
  async #compare(when: string): Promise<void> {
    const found = await storedBatches(this.#url, this.#admin);
    for (const problem of differences(found, { before: this.#batches, after: this.#batches }))
      this.#wrong(`${when}: ${problem}`);
    for (const name of this.#batches.keys()) this.#batches.set(name, found.has(name) ? 'stored' : 'deleted');
  }

  /** The status of the answer; undefined if the service was gone, or could not finish without its engine. */
  async #call(method: string, path: string, expected: number, body?: unknown): Promise<number | undefined> {
    const answer = await callService(this.#url, this.#admin, method, path, body).catch(() => undefined);
    if (answer === undefined || answer.status === 503 || answer.status === 502) return undefined;
    if (answer.status !== expected) this.#wrong(`${method} ${path} was answered with ${answer.status}`);
    return answer.status;
  }

  async #send(): Promise<void> {
    this.#sent += 1;
    const project = this.#chance.oneOf(projects) ?? projects[0];
    const name = `${project}/${this.#sent}`;
    this.#batches.set(name, 'either');
    const events = Array.from({ length: eventsPerBatch }, (_, n) => ({ event_message: `${name}/${n}`, project }));
    if ((await this.#call('POST', '/api/logs?source=edge_logs', 200, events)) !== 200) return;
    this.#batches.set(name, 'stored');
    this.figures.stored += 1;
  }

  /** Deletes the events of a project. Those that are sent meanwhile may stay. */
  async #delete(): Promise<void> {
    if (this.#chance.next() < 0.3) return;
    const project = this.#chance.oneOf(projects) ?? projects[0];
    const own = [...this.#batches].filter(([name, state]) => name.startsWith(`${project}/`) && state === 'stored');
    for (const [name] of own) this.#batches.set(name, 'either');
    if ((await this.#call('DELETE', `/api/projects/${project}/events`, 202)) !== 202) return;
    this.figures.deletions += 1;
    for (const [name] of own) this.#batches.set(name, 'deleted');
  }

  /** Begins a backup over HTTP that nobody reads. */
  async #takeCopy(): Promise<void> {
    await this.#call('POST', '/api/backups', 201);
  }

  /** Backs up with the command, which may be killed: the running service, or the folder if none runs. */
  async #backUp(): Promise<void> {
    const before = new Map(this.#batches);
    const isRunning = this.#running.isRunning;
    const from = isRunning ? ['--url', this.#url, '--token', this.#admin] : ['--data-dir', this.#dataDir];
    const { isWhole, error } = await this.#command(['backup', this.#folder, ...from]);
    const span = { before, after: new Map(this.#batches) };
    this.#backups = isWhole ? [span] : [...this.#backups, span];
    if (isWhole) this.figures.backups += 1;
    else this.figures.brokenOff += 1;
    if (error !== null && !isRunning) this.#wrong(`the backup of a stopped service failed: ${error}`);
    if (!isWhole && this.#backups[0] === span) {
      // There was no backup before, so there is none or a whole one.
      if (existsSync(join(this.#folder, 'manifest.json'))) return;
      this.#backups = [];
    }
  }

  /** Restores the backup, with a command that may be killed and is then repeated, and compares its events. */
  async #restore(): Promise<void> {
    const restored = join(this.#root, `restored-${this.#rounds}`);
    const args = ['restore', this.#folder, '--data-dir', restored];
    let { isWhole, error } = await this.#command(args);
    if (error === null && !isWhole) {
      const isThere = existsSync(restored) && readdirSync(restored).length > 0;
      if (isThere) isWhole = true;
      else ({ isWhole, error } = await this.#command(args, false));
    }
    if (error !== null) this.#wrong(`the backup cannot be restored: ${error}`);
    if (!isWhole) return;
    this.figures.restored += 1;
    const service = new KillableService(restored);
    try {
      const url = await service.url;
      // The backup has the store, and so the tokens.
      const found = await storedBatches(url, this.#admin);
      const all = this.#backups.map((span) => differences(found, span));
      if (all.every((problems) => problems.length > 0)) this.#wrong(`restored: ${(all.at(-1) ?? []).join(', ')}`);
    } finally {
      await service.end('SIGKILL');
      rmSync(restored, { recursive: true, force: true });
    }
  }

  /** `error`: its standard error if it failed without being killed. */
  async #command(args: readonly string[], mayBeKilled = true): Promise<{ isWhole: boolean; error: string | null }> {
    const child = spawn(process.execPath, [command, ...args], { env: cleanEnvironment() });
    let err = '';
    child.stdout.resume();
    child.stderr.on('data', (text) => {
      err += String(text);
    });
    const ended = new AbortController();
    if (mayBeKilled && this.#chance.next() < 0.4) {
      void delay(this.#chance.between(150, 600), undefined, { signal: ended.signal }).then(
        () => child.kill('SIGKILL'),
        () => undefined,
      );
    }
    const [code, signal] = await once(child, 'close');
    ended.abort();
    return { isWhole: code === 0, error: code === 0 || signal === 'SIGKILL' ? null : err };
  }
}

/** Everything about found batches that contradicts the known states, one sentence each. */
function differences(found: ReadonlyMap<string, number>, { before, after }: Span): readonly string[] {
  return [
    ...[...before].flatMap(([name, state]) => {
      const isThere = found.has(name);
      if (state === 'stored' && after.get(name) === 'stored' && !isThere) return [`batch ${name} is lost`];
      return state === 'deleted' && isThere ? [`batch ${name} was deleted and is there again`] : [];
    }),
    ...[...found].flatMap(([name, events]) => {
      if (!after.has(name)) return [`batch ${name} was never sent`];
      return events === eventsPerBatch ? [] : [`batch ${name} has ${events} of ${eventsPerBatch} events`];
    }),
  ];
}

/** The number of events of each batch, by name; an event that is there twice makes it NaN. */
async function storedBatches(url: string, admin: string): Promise<ReadonlyMap<string, number>> {
  const all = new Map<string, number>();
  for (const project of projects) {
    for (let last = ''; ; ) {
      const sql = `select regexp_extract(event_message, r'^(.*)/') as batch, count(*) as events, count(distinct event_message) as messages
        from edge_logs where regexp_extract(event_message, r'^(.*)/') > '${last}' group by batch order by batch limit ${pageRows}`;
      const path = `/api/endpoints/query/logs.all?${new URLSearchParams({ project, sql })}`;
      const { status, body } = await callService(url, admin, 'GET', path);
      // The engine is being started again.
      if (status === 503) {
        await delay(20);
        continue;
      }
      if (status !== 200) throw new Error(`a query was answered with ${status}: ${JSON.stringify(body)}`);
      const page = body.result as unknown as readonly { batch: string; events: number; messages: number }[];
      for (const { batch, events, messages } of page) all.set(batch, events === messages ? events : Number.NaN);
      if (page.length < pageRows) break;
      last = page.at(-1)?.batch ?? '';
    }
  }
  return all;
}
