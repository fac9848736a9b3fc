import { storageEngineContract } from '../../src/ports/storageEngine.contract.ts';
import { duckdb } from '../support/enginesUnderTest.ts';

storageEngineContract(duckdb);
