import { storageEngineContract } from '../../src/ports/storageEngine.contract.ts';
import { memory } from '../support/enginesUnderTest.ts';

storageEngineContract(memory);
