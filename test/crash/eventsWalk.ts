import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cleanEnvironment, command } from '../acceptance/startedService.ts';
import { KillableService } from './killableService.ts';
import { callService } from './readStore.ts';
import type { SeededChance } from './seededChance.ts';
import {
  ageDaysOf,
  batchName,
  differences,
  eventsOf,
  projectOf,
  type Span,
  type State,
  shownBatches,
  type WalkProject,
  walkAges,
  walkProjects,
} from './walkedBatches.ts';

/** Together more than a segment may have, so that each round rotates and seals one, and later rounds merge them. */
const batchesPerRound = 24;
/** Days of the rules and bounds that remove events. None is near the age of a batch. */
const boundDays = [1, 4, 9] as const;
const dayMs = 86_400_000;
/** The project that gets rules for the age of its events. */
const agingProject = 'walk-c';

const sealPollMs = 50;
const sealTriesMax = 600;

/** A removal of events that was asked for. */
interface Removal {
  removes(batch: string): boolean;
  hasEnded: boolean;
}

/** Counts of what a walk did. */
export interface EventsWalkFigures {
  kills: number;
  engineKills: number;
  stored: number;
  deletions: number;
  /** Deletions of the events before some time. */
  deletionsBefore: number;
  /** Rules for the age of events. */
  rules: number;
  merges: number;
  backups: number;
  brokenOff: number;
  restored: number;
}

/**
 * Sends events, deletes them, shortens how long they are kept, and backs them up while a service, its engine or the
 * command is killed at random, and compares all events after each start, and those of each backup.
 */
export class EventsWalk {
  readonly figures: EventsWalkFigures = {
    kills: 0,
    engineKills: 0,
    stored: 0,
    deletions: 0,
    deletionsBefore: 0,
    rules: 0,
    merges: 0,
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
  /** Those of this round. */
  #removals: Removal[] = [];
  /** Days after which events of the aging project are removed; infinite without a rule. A rule is only ever shortened. */
  #days = Number.POSITIVE_INFINITY;
  /** The same if the last change of the rule, whose answer was lost, was made. */
  #perhapsDays = Number.POSITIVE_INFINITY;
  readonly #nowMs = Date.now();

  constructor(root: string, chance: SeededChance) {
    this.#root = root;
    this.#chance = chance;
  }

  async round(): Promise<void> {
    const chance = this.#chance;
    this.#rounds += 1;
    await this.#start();
    await Promise.all(Array.from({ length: batchesPerRound }, () => this.#send()));
    const removals = [this.#delete(), this.#shortenRule()];
    const steps = [...removals, this.#rounds % 2 === 0 ? this.#backUp() : this.#takeCopy(), this.#send()];
    // Every other round comes to a deletion, however slow the machine is.
    if (this.#isCalm) await Promise.all(removals);
    else await delay(chance.between(0, 400));
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

  /** Stores batches of each project, deletes those of one, which has them sealed, and stores as many. Nothing is killed. */
  async fill(): Promise<void> {
    await this.#start();
    for (const project of walkProjects) for (let n = 0; n < 3; n += 1) await this.#send(project);
    await this.#deleteOf(agingProject, null);
    await this.#untilSealed();
    for (const project of walkProjects) for (let n = 0; n < 3; n += 1) await this.#send(project);
    // Its engine has ended too then, and has the files open no more.
    await this.#running.end('SIGTERM');
  }

  /** Resolves when the events so far are in sealed segments; a deletion is answered before. */
  async #untilSealed(): Promise<void> {
    const names = () => readdirSync(join(this.dataDir, 'events')).filter((name) => name.endsWith('.duckdb'));
    const isSealed = (all: readonly string[]) =>
      all.some((name) => name.startsWith('sealed-')) && all.filter((name) => name.startsWith('active-')).length <= 1;
    for (let tries = 0; !isSealed(names()); tries++) {
      if (tries === sealTriesMax) throw new Error(`the events are not sealed: ${names().join(', ')}`);
      await delay(sealPollMs);
    }
  }

  /** The batches in a state, in the order in which they were sent. */
  batches(wanted: State): readonly string[] {
    return [...this.#batches].flatMap(([name, state]) => (state === wanted ? [name] : []));
  }

  /** Whether removals of this round are answered before anything is killed. */
  get #isCalm(): boolean {
    return this.#rounds % 2 === 1;
  }

  /** Starts the service once more, and compares. */
  async end(): Promise<void> {
    await this.#start();
    await this.#kill();
  }

  async close(): Promise<void> {
    if (this.#service?.isRunning === true) await this.#service.end('SIGKILL');
  }

  get dataDir(): string {
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
    this.#service = new KillableService(this.dataDir);
    this.#url = await this.#service.url;
    this.#admin = readFileSync(join(this.dataDir, 'admin-token'), 'utf8').trim();
    this.#removals = [];
    await this.#readRule();
    await this.#compare('after the start');
    const copies = join(this.dataDir, 'backup-copies');
    if (existsSync(copies) && readdirSync(copies).length > 0) this.#wrong('the copies of a killed backup are left');
  }

  async #kill(): Promise<void> {
    this.figures.kills += 1;
    await this.#running.end('SIGKILL');
    this.figures.merges += this.#running.logged('file.merged').length;
  }

  #wrong(problem: string): void {
    this.problems.push(`round ${this.#rounds}: ${problem}`);
  }

  /** Compares the stored batches with the known ones, after which none is unsure. */
  async #compare(when: string): Promise<void> {
    const shown = await shownBatches(this.#url, this.#admin);
    for (const problem of differences(shown, { before: this.#batches, after: this.#batches }))
      this.#wrong(`${when}: ${problem}`);
    const names = new Set(shown.map(({ batch }) => batch));
    for (const name of this.#batches.keys()) this.#batches.set(name, names.has(name) ? 'stored' : 'deleted');
  }

  /** The status of the answer; undefined if the service was gone, or could not finish without its engine. */
  async #call(
    method: string,
    path: string,
    expected: number,
    body?: unknown,
    isOther: (status: number) => boolean = () => false,
  ): Promise<number | undefined> {
    const answer = await callService(this.#url, this.#admin, method, path, body).catch(() => undefined);
    if (answer === undefined || answer.status === 503 || answer.status === 502) return undefined;
    if (answer.status !== expected && !isOther(answer.status))
      this.#wrong(`${method} ${path} was answered with ${answer.status}`);
    return answer.status;
  }

  async #send(project: WalkProject = this.#anyProject()): Promise<void> {
    this.#sent += 1;
    const name = batchName(project, this.#chance.oneOf(walkAges) ?? 0, this.#sent);
    this.#batches.set(name, 'either');
    const running = this.#removals.filter(({ hasEnded }) => !hasEnded);
    const begun = this.#removals.length;
    const mayBeTooOld = (status: number) => status === 422 && this.#isPerhapsTooOld(name);
    const events = eventsOf(name, this.#nowMs);
    const status = await this.#call('POST', '/api/logs?source=edge_logs', 200, events, mayBeTooOld);
    if (status === undefined) return;
    // A removal that ran meanwhile may have come before or after it.
    const meanwhile = [...running, ...this.#removals.slice(begun)];
    if (status !== 200 || this.#isTooOld(name)) this.#batches.set(name, 'deleted');
    else if (!meanwhile.some((removal) => removal.removes(name)) && !this.#isPerhapsTooOld(name))
      this.#batches.set(name, 'stored');
    if (status === 200) this.figures.stored += 1;
  }

  #anyProject(): WalkProject {
    return this.#chance.oneOf(walkProjects) ?? agingProject;
  }

  #isTooOld(name: string, days = this.#days): boolean {
    return projectOf(name) === agingProject && ageDaysOf(name) > days;
  }

  #isPerhapsTooOld(name: string): boolean {
    return this.#isTooOld(name, Math.min(this.#days, this.#perhapsDays));
  }

  async #delete(): Promise<void> {
    if (!this.#isCalm && this.#chance.next() < 0.3) return;
    await this.#deleteOf(
      this.#anyProject(),
      this.#chance.next() < 0.5 ? null : (this.#chance.oneOf(boundDays) ?? null),
    );
  }

  /** Deletes the events of a project, or only those that are older; with the command or over HTTP. */
  async #deleteOf(project: WalkProject, olderThanDays: number | null): Promise<void> {
    const before = olderThanDays === null ? null : new Date(this.#nowMs - olderThanDays * dayMs).toISOString();
    const removes = (name: string) => projectOf(name) === project && ageDaysOf(name) > (olderThanDays ?? -1);
    await this.#remove(
      removes,
      async () => {
        if (before !== null && this.#chance.next() < 0.5) {
          const address = ['--url', this.#url, '--token', this.#admin];
          const { isWhole } = await this.#command(
            ['projects', 'delete-events', project, '--yes', '--before', before, ...address],
            !this.#isCalm,
          );
          return isWhole;
        }
        const query = before === null ? '' : `?${new URLSearchParams({ before })}`;
        return (await this.#call('DELETE', `/api/projects/${project}/events${query}`, 202)) === 202;
      },
      () => {
        if (before === null) this.figures.deletions += 1;
        else this.figures.deletionsBefore += 1;
      },
    );
  }

  /** Shortens how long events of one project are kept. */
  async #shortenRule(): Promise<void> {
    const shorter = boundDays.filter((each) => each < Math.min(this.#days, this.#perhapsDays));
    const days = shorter.at(-1);
    if (days === undefined || this.#chance.next() < 0.7) return;
    this.#perhapsDays = days;
    const path = `/api/projects/${agingProject}/retention`;
    await this.#remove(
      (name) => this.#isTooOld(name, days),
      async () => (await this.#call('PUT', path, 200, { days })) === 200,
      () => {
        this.#days = days;
        this.figures.rules += 1;
      },
    );
  }

  /** Asks for a removal. Events that are sent meanwhile may stay. */
  async #remove(removes: (name: string) => boolean, ask: () => Promise<boolean>, done: () => void): Promise<void> {
    const removal = { removes, hasEnded: false };
    this.#removals.push(removal);
    const own = [...this.#batches].filter(([name, state]) => state === 'stored' && removes(name));
    for (const [name] of own) this.#batches.set(name, 'either');
    const isDone = await ask();
    removal.hasEnded = true;
    if (!isDone) return;
    done();
    for (const [name] of own) this.#batches.set(name, 'deleted');
  }

  /** Reads the rule whose change may have been lost in a kill. */
  async #readRule(): Promise<void> {
    const { status, body } = await callService(
      this.#url,
      this.#admin,
      'GET',
      `/api/projects/${agingProject}/retention`,
    );
    const days = (body.days as number | null | undefined) ?? Number.POSITIVE_INFINITY;
    if (status !== 200 || (days !== this.#days && days !== this.#perhapsDays))
      this.#wrong(`the rule for ${agingProject} is ${JSON.stringify(body)}, not ${this.#days} days`);
    this.#days = days;
    this.#perhapsDays = days;
  }

  /** Begins a backup over HTTP that nobody reads. */
  async #takeCopy(): Promise<void> {
    await this.#call('POST', '/api/backups', 201);
  }

  /** Backs up with the command, which may be killed: the running service, or the folder if none runs. */
  async #backUp(): Promise<void> {
    const before = new Map(this.#batches);
    const isRunning = this.#running.isRunning;
    const from = isRunning ? ['--url', this.#url, '--token', this.#admin] : ['--data-dir', this.dataDir];
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
      const shown = await shownBatches(url, this.#admin);
      const all = this.#backups.map((span) => differences(shown, span));
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
