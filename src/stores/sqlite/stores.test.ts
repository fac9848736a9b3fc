import { storesContract } from '../sql/stores.contract.ts';
import { openTwice } from './openTwice.fixture.ts';

storesContract({ name: 'SQLite', openTwice });
