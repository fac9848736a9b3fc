import { workClaimsContract } from '../../ports/workClaims.contract.ts';
import { MemoryWorkClaims } from './memoryWorkClaims.ts';

workClaimsContract('Memory', async () => ({
  claims: new MemoryWorkClaims(),
  elsewhere: null,
  close: async () => undefined,
}));
