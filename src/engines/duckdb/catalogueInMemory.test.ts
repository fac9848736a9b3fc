import { fileCatalogueContract } from '../ports/fileCatalogue.contract.ts';
import { CatalogueInMemory } from './catalogueInMemory.ts';

fileCatalogueContract('Memory', async () => {
  const catalogue = new CatalogueInMemory();
  return { catalogue, reopen: async () => catalogue };
});
