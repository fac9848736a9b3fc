/** Words that Python does not take as names. */
const keywords: ReadonlySet<string> = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** Gives each text an identifier of its own, other than those already taken: `from` becomes `from_`. */
export class PythonNames {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken);
  }

  of(text: string): string {
    let name = text.replace(/[^A-Za-z0-9_]/g, '_');
    if (!/^[A-Za-z_]/.test(name)) name = `_${name}`;
    // Two underscores at the front have a meaning of their own within a class.
    if (name.startsWith('__')) name = `p${name}`;
    while (keywords.has(name) || this.#taken.has(name)) name += '_';
    this.#taken.add(name);
    return name;
  }
}
