import { readFileSync } from 'node:fs';
import { systemReason } from '../core/systemReason.ts';
import { FileRefusal } from '../files/fileRefusal.ts';
import { utf8Text } from '../files/utf8Text.ts';
import { SettingsError } from './startError.ts';

/** Reads a file that a setting names. Throws a SettingsError that says what the file is for. */
export function readTextFile(file: string, role: string): string {
  try {
    return utf8Text(readFileSync(file));
  } catch (error) {
    if (error instanceof FileRefusal) throw new SettingsError(`${file}, ${role}, ${error.message}.`, { cause: error });
    throw new SettingsError(`${file}, ${role}, cannot be read: ${systemReason(error)}.`, { cause: error });
  }
}
