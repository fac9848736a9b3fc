import { requestCounterContract } from '../../ports/requestCounter.contract.ts';
import { MemoryRequestCounter } from './memoryRequestCounter.ts';

requestCounterContract('Memory', () => {
  const counter = new MemoryRequestCounter();
  return { counter, elsewhere: counter, exchange: async () => undefined };
});
