import { tokenRunsContract } from '../../ports/tokenRuns.contract.ts';
import { MemoryTokenRuns } from './memoryTokenRuns.ts';

tokenRunsContract('Memory', () => {
  const runs = new MemoryTokenRuns();
  return { runs, elsewhere: runs, exchange: async () => undefined };
});
