import type { hashFunctions } from '../../../googlesql/functions/hashes.ts';
import type { EmitFunction, ScalarEmitters } from './emitContext.ts';
import { argument } from './sqlText.ts';

/** The engine writes digests as text of hexadecimal digits. */
const digest =
  (name: string): EmitFunction =>
  (args) =>
    `unhex(${name}(${argument(args, 0)}))`;

export const hashEmitters: ScalarEmitters<typeof hashFunctions> = {
  md5: digest('md5'),
  sha1: digest('sha1'),
  sha256: digest('sha256'),
  generate_uuid: () => 'CAST(uuid() AS VARCHAR)',
};
