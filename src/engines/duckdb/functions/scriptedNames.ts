/**
 * The engine's names of the functions that its process computes in JavaScript. Only the emitters write these names; a
 * caller's text cannot contain them.
 */
export const scriptedNames = {
  farmFingerprint: 'logmill_farm_fingerprint',
  sha512: 'logmill_sha512',
  normalize: 'logmill_normalize',
  regexpInstr: 'logmill_regexp_instr',
  format: 'logmill_format',
  jsonKeys: 'logmill_json_keys',
  redactText: 'logmill_redact_text',
  redactJson: 'logmill_redact_json',
} as const;

export type ScriptedName = (typeof scriptedNames)[keyof typeof scriptedNames];
