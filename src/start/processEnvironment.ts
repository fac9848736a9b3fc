/** The environment of this process. No other file of the product reads it. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
