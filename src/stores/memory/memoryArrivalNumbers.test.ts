import { arrivalNumbersContract } from '../../ports/arrivalNumbers.contract.ts';
import { MemoryArrivalNumbers } from './memoryArrivalNumbers.ts';

arrivalNumbersContract('Memory', async () => {
  let stored = 1;
  const reserved = {
    load: async () => stored,
    reserve: async (below: number) => {
      stored = below;
    },
  };
  const numbers = await MemoryArrivalNumbers.open(reserved);
  return {
    numbers,
    elsewhere: numbers,
    exchange: async () => undefined,
    reopen: async () => await MemoryArrivalNumbers.open(reserved),
    close: async () => undefined,
  };
});
