import { ClickHouseError } from './engine.ts';
import { StatementError } from './statementText.ts';

/** HTTP status of ClickHouse's error codes (src/Server/HTTP/exceptionCodeToHTTPStatus.cpp); 500 for all others. */
const statuses: ReadonlyMap<number, number> = new Map([
  ...codes(401, 194),
  ...codes(403, 192, 193, 512, 516),
  ...codes(
    400,
    6,
    8,
    15,
    25,
    26,
    27,
    36,
    37,
    38,
    41,
    44,
    53,
    62,
    72,
    117,
    123,
    167,
    168,
    223,
    321,
    376,
    427,
    441,
    675,
    676,
  ),
  ...codes(404, 46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511),
  ...codes(413, 229),
  ...codes(501, 48),
  ...codes(503, 76, 209, 439),
  ...codes(411, 381),
  ...codes(408, 159),
]);

function codes(status: number, ...numbers: readonly number[]): readonly (readonly [number, number])[] {
  return numbers.map((number) => [number, status] as const);
}

export function httpStatusOf(code: number): number {
  return statuses.get(code) ?? 500;
}

/** An error in the text of ClickHouse, for what the HTTP interface refuses itself. */
export function refusal(code: number, name: string, message: string): ClickHouseError {
  return new ClickHouseError(`Code: ${code}. DB::Exception: ${message}. (${name})`);
}

/** Any failure of a request as an error of ClickHouse. Errors of the stand-in's own code are 49 (LOGICAL_ERROR). */
export function asClickHouseError(error: unknown): ClickHouseError {
  if (error instanceof ClickHouseError) return error;
  if (error instanceof StatementError) return refusal(error.code, error.codeName, error.message);
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return refusal(49, 'LOGICAL_ERROR', `the stand-in failed: ${text}`);
}

/** The body of an error, as a server of this version writes it. */
export function exceptionText(error: ClickHouseError, version: string): string {
  return `${error.message.trimEnd()} (version ${version} (official build))\n`;
}

/** What ends the body of an answer that failed after its first bytes were sent (since 25.11). */
export function lateExceptionBlock(text: string, tag: string): string {
  return `\r\n__exception__\r\n${tag}\r\n${text}${Buffer.byteLength(text)} ${tag}\r\n__exception__\r\n`;
}
