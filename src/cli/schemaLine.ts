import { lstatSync, readFileSync } from 'node:fs';

/**
 * The first line of a definition file, by which editors find its JSON Schema. A file that names one keeps it, because
 * those who share the file may have the schema elsewhere.
 *
 * @param url address of the service
 * @param path the file, which need not exist
 */
export function schemaLine(url: string, path: string): string {
  const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const [kept] = isFile ? (/^# yaml-language-server: \$schema=[^\r\n]+/.exec(readFileSync(path, 'utf8')) ?? []) : [];
  if (kept !== undefined) return `${kept}\n`;
  // No name and password.
  const { origin, pathname } = new URL(url);
  return `# yaml-language-server: $schema=${origin}${pathname.replace(/\/+$/, '')}/schemas/definition.json\n`;
}
