import { ManualClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
import { queryControlContract } from '../ports/queryControl.contract.ts';
import { RunningQueries } from './runningQueries.ts';

queryControlContract('One process', () => {
  const control = new RunningQueries({
    clock: new ManualClock(0),
    randomness: systemRandomness,
    observe: () => undefined,
    readMs: () => 0,
  });
  return {
    control,
    elsewhere: control,
    begin: (tokenId) => {
      const endpoint = { id: 'e1', name: 'example.rows' };
      const run = control.begin({ endpoint, tokenId }, new AbortController().signal);
      return { signal: run.signal, end: () => run.ended(undefined) };
    },
  };
});
