import { createHash } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { bigqueryFingerprint } from 'farmhash-modern';
import type { JsonKeysMode } from '../../../../googlesql/functions/json.ts';
import type { SqlType } from '../../../../googlesql/types.ts';
import { scriptedNames } from '../../functions/scriptedNames.ts';
import { grownTextBytesMax } from '../../functions/sqlFragments.ts';
import { jsonKeys } from './jsonKeys.ts';
import { normalizeSteps } from './normalizeSteps.ts';
import { regexpInstr } from './regexpInstr.ts';
import { registerScripted, ScriptedRefusal, type StatementSteps, scripted } from './scriptedFunction.ts';
import { writtenFormat } from './writtenFormat.ts';

/** Functions that the engine lacks and SQL cannot express (decision 15). */
export const scriptedFunctions = [
  scripted({
    name: scriptedNames.farmFingerprint,
    label: 'FARM_FINGERPRINT',
    takes: ['BLOB'],
    gives: 'BIGINT',
    evaluate: ([bytes]) => bigqueryFingerprint(bytes),
  }),
  scripted({
    name: scriptedNames.sha512,
    label: 'SHA512',
    takes: ['BLOB'],
    gives: 'BLOB',
    evaluate: ([bytes]) => createHash('sha512').update(bytes).digest(),
  }),
  scripted({
    name: scriptedNames.normalize,
    label: 'NORMALIZE',
    takes: ['VARCHAR', 'VARCHAR'],
    gives: 'VARCHAR',
    evaluate: ([text, form], spend) => {
      spend(normalizeSteps(text));
      return text.normalize(form);
    },
  }),
  scripted({
    name: scriptedNames.regexpInstr,
    label: 'REGEXP_INSTR',
    takes: ['VARCHAR', 'VARCHAR', 'BIGINT', 'BIGINT', 'BIGINT'],
    gives: 'BIGINT',
    evaluate: ([text, pattern, position, occurrence, after], spend) => {
      const found = regexpInstr(text, pattern, { position, occurrence, isAfter: after === 1n }, spend);
      if (typeof found === 'string') throw new ScriptedRefusal(`The regular expression of REGEXP_INSTR ${found}.`);
      return BigInt(found);
    },
  }),
  scripted({
    name: scriptedNames.format,
    label: 'FORMAT',
    takes: ['VARCHAR', 'VARCHAR', 'VARCHAR'],
    gives: 'VARCHAR',
    evaluate: ([format, types, texts], spend) => {
      spend((types.length + texts.length) / 2);
      const values = JSON.parse(texts) as readonly (string | null)[];
      const written = writtenFormat(format, JSON.parse(types) as readonly SqlType[], values, spend);
      if (written === null) return null;
      return typeof written === 'string' ? `=${written}` : `!${written.problem}`;
    },
  }),
  scripted({
    name: scriptedNames.jsonKeys,
    label: 'JSON_KEYS',
    takes: ['VARCHAR', 'BIGINT', 'VARCHAR'],
    gives: 'VARCHAR',
    evaluate: ([json, depthMax, mode], spend) => {
      const wanted = { depthMax: Number(depthMax), mode: mode as JsonKeysMode, charsMax: grownTextBytesMax };
      const keys = jsonKeys(json, wanted, spend);
      return keys === null ? '' : JSON.stringify([...keys]);
    },
  }),
];

/** Registers the functions of this process in the engine, for all of its connections. */
export function registerScriptedFunctions(connection: DuckDBConnection, steps: StatementSteps): void {
  for (const fn of scriptedFunctions) registerScripted(connection, fn, steps);
}
