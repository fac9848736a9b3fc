import type { hashFunctions } from '../../../googlesql/functions/hashes.ts';
import type { EmitContext, EmitFunction, ScalarEmitters } from './emitContext.ts';
import { scriptedNames } from './scriptedNames.ts';
import { argument } from './sqlFragments.ts';

/** The engine writes digests as hexadecimal digits. */
const digest =
  (name: string): EmitFunction =>
  (args) =>
    `unhex(${name}(${argument(args, 0)}))`;

/** The bytes of a value, which the function processes. */
const asBytes = (args: readonly string[], context: EmitContext): string =>
  context.argTypes[0]?.kind === 'BYTES' ? argument(args, 0) : `encode(${argument(args, 0)})`;

export const hashEmitters: ScalarEmitters<typeof hashFunctions> = {
  md5: digest('md5'),
  sha1: digest('sha1'),
  sha256: digest('sha256'),
  sha512: (args, context) => `${scriptedNames.sha512}(${asBytes(args, context)})`,
  farm_fingerprint: (args, context) => `${scriptedNames.farmFingerprint}(${asBytes(args, context)})`,
  generate_uuid: () => 'CAST(uuid() AS VARCHAR)',
};
