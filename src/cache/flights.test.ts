import { describe, expect, it } from 'vitest';
import { type Flight, Flights } from './flights.ts';

function flights() {
  const all = new Flights<string>();
  const runs: { readonly signal: AbortSignal; finish(value: string): void; fail(error: Error): void }[] = [];
  const landed: string[] = [];
  const start = (key = 'k', version = 1): Flight<string> =>
    all.start({
      key,
      endpointId: 'e',
      version,
      tokenId: 't',
      run: (signal) =>
        new Promise((finish, fail) => {
          runs.push({ signal, finish, fail });
          signal.addEventListener('abort', () => fail(signal.reason));
        }),
      landed: (value) => landed.push(value),
    });
  return { all, runs, landed, start };
}

const never = new AbortController().signal;

async function join(all: Flights<string>): Promise<string> {
  const flight = all.find('k');
  if (flight === undefined) throw new Error('there is no run to join');
  return await flight.wait(never);
}

describe('runs under way', () => {
  it('give one value to everyone who waits, and can be joined until then', async () => {
    const { all, runs, landed, start } = flights();
    const waiting = [start().wait(never), join(all)];
    runs[0]?.finish('rows');
    expect(await Promise.all(waiting)).toEqual(['rows', 'rows']);
    expect(landed).toEqual(['rows']);
    expect(all.find('k')).toBeUndefined();
  });

  it('give one error to everyone who waits', async () => {
    const { all, runs, landed, start } = flights();
    const waiting = [start().wait(never), join(all)];
    runs[0]?.fail(new Error('broken'));
    for (const each of waiting) await expect(each).rejects.toThrow('broken');
    expect(landed).toEqual([]);
  });

  it('go on when one who waits leaves, and are ended when the last one does', async () => {
    const { all, runs, start } = flights();
    const callers = [new AbortController(), new AbortController()];
    const flight = start();
    const waiting = callers.map(({ signal }) => flight.wait(signal));
    callers[0]?.abort(new Error('first has gone'));
    await expect(waiting[0]).rejects.toThrow('first has gone');
    expect(runs[0]?.signal.aborted).toBe(false);
    expect(all.find('k')).toBe(flight);
    callers[1]?.abort(new Error('second has gone'));
    expect(runs[0]?.signal.aborted).toBe(true);
    expect(all.find('k')).toBeUndefined();
    await expect(waiting[1]).rejects.toThrow('second has gone');
  });

  it('answer those who wait but are neither kept nor joined once they are detached', async () => {
    const { all, runs, landed, start } = flights();
    const waiting = start('k', 1).wait(never);
    const other = start('other', 2).wait(never);
    all.detach(({ version }) => version === 1);
    expect(all.find('k')).toBeUndefined();
    runs[0]?.finish('old');
    runs[1]?.finish('new');
    expect(await Promise.all([waiting, other])).toEqual(['old', 'new']);
    expect(landed).toEqual(['new']);
  });

  it('are detached even if a newer one has replaced them', async () => {
    const { all, runs, landed, start } = flights();
    const waiting = [start().wait(never), start().wait(never)];
    all.detach(() => true);
    for (const run of runs) run.finish('old');
    await Promise.all(waiting);
    expect(landed).toEqual([]);
  });

  it('leave the newer one of their key alone when they end', async () => {
    const { all, runs, start } = flights();
    const first = start().wait(never);
    const second = start();
    runs[0]?.finish('first');
    await first;
    expect(all.find('k')).toBe(second);
  });
});
