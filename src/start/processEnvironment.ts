/** The environment of this process. The one place of the product that reads it. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
