/** One import of a source text. */
export interface ImportOf {
  readonly specifier: string;
  /** Erased by the compiler (`import type`, `export type … from`). */
  readonly isType: boolean;
}

const statement = /^(?:import|export)\s+(type\s+)?(?:[^;'"`]*?\sfrom\s+)?['"]([^'"\n]+)['"]/gm;
const dynamic = /\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g;

/**
 * What a source text imports: static imports and re-exports, and dynamic imports of a constant.
 * Reads the text as the formatter leaves it (statements start a line), as no parser of this
 * language can be had as a library at present.
 */
export function importsOf(text: string): readonly ImportOf[] {
  const found: ImportOf[] = [];
  for (const [, type, specifier] of text.matchAll(statement)) {
    if (specifier !== undefined) found.push({ specifier, isType: type !== undefined });
  }
  for (const [, specifier] of text.matchAll(dynamic)) {
    if (specifier !== undefined) found.push({ specifier, isType: false });
  }
  return found;
}
