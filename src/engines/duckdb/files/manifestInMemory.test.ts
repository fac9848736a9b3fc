import { fileManifestContract } from '../../../ports/fileManifest.contract.ts';
import { ManifestInMemory } from './manifestInMemory.ts';

fileManifestContract('Memory', async () => {
  const manifest = new ManifestInMemory();
  return { manifest, reopen: async () => manifest };
});
