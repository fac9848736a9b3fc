import { fileManifestContract } from '../../../ports/fileManifest.contract.ts';
import { ManifestInMemory } from './manifestInMemory.ts';

fileManifestContract('Memory', async () => {
  const catalogue = new ManifestInMemory();
  return { catalogue, reopen: async () => catalogue };
});
