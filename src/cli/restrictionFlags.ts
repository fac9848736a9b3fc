import { type Command, Option } from 'commander';
import { restrictionsOf, type TokenRestrictions } from '../tokens/restrictions.ts';
import { CliError } from './cliError.ts';

/** Values of the flags that `addRestrictionOptions` declares, as commander hands them over. */
export interface RestrictionFlags {
  readonly project: readonly string[];
  readonly redact?: boolean;
  readonly param: readonly string[];
  /** False with `--no-caller-queries`. */
  readonly callerQueries: boolean;
  readonly strictParameters?: boolean;
  readonly rate?: string;
  readonly concurrency?: string;
  readonly maxRows?: string;
  readonly streamMaxRows?: string;
  readonly network: readonly string[];
}

/** Declares a flag for each token restriction (contract, section 4). */
export function addRestrictionOptions(command: Command): Command {
  const repeated = (flags: string, description: string, preset: string) =>
    new Option(flags, description)
      .argParser((value: string, before: readonly string[]) => [...before, value])
      .default([], preset);
  return command
    .addOption(repeated('--project <project>', 'restrict the token to this project; may be repeated', 'all projects'))
    .option('--redact', 'always redact rows for this token, whatever the endpoint or the call says')
    .addOption(
      repeated(
        '--param <name=value>',
        'lock a parameter to this value; if repeated for a parameter, a call must give one of the values',
        'none',
      ),
    )
    .option('--no-caller-queries', 'refuse caller queries, in SQL and LQL')
    .option('--strict-parameters', 'refuse parameters that an endpoint does not declare')
    .option('--rate <requests/seconds>', 'limit the requests, such as 600/60 for 600 requests in 60 seconds')
    .option('--concurrency <count>', 'limit the queries that run at the same time; further ones wait')
    .option('--max-rows <count>', 'limit the rows of an answer')
    .option('--stream-max-rows <count>', 'limit the rows of a stream; if absent, --max-rows limits streams too')
    .addOption(
      repeated(
        '--network <network>',
        'allow the token only from this network, such as 10.0.0.0/8; may be repeated',
        'any network',
      ),
    );
}

/** Converts the flags to restrictions. Throws `token.invalid`, or a CliError if a flag has the wrong form. */
export function restrictionsOfFlags(flags: RestrictionFlags): TokenRestrictions | null {
  const { project, redact, param, callerQueries, strictParameters, rate, concurrency } = flags;
  const { maxRows, streamMaxRows, network } = flags;
  return restrictionsOf({
    ...(project.length === 0 ? {} : { projects: project }),
    ...(redact === true ? { redact } : {}),
    ...(param.length === 0 ? {} : { parameters: parametersOf(param) }),
    ...(callerQueries ? {} : { caller_queries: false }),
    ...(strictParameters === true ? { strict_parameters: true } : {}),
    ...(rate === undefined ? {} : { rate: rateOf(rate) }),
    ...(concurrency === undefined ? {} : { concurrency: countOf('--concurrency', concurrency) }),
    ...(maxRows === undefined ? {} : { max_rows: countOf('--max-rows', maxRows) }),
    ...(streamMaxRows === undefined ? {} : { stream_max_rows: countOf('--stream-max-rows', streamMaxRows) }),
    ...(network.length === 0 ? {} : { networks: network }),
  });
}

function parametersOf(given: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const values = new Map<string, string[]>();
  for (const text of given) {
    const at = text.indexOf('=');
    if (at <= 0) throw new CliError(`--param is "${text}"; write name=value.`, { exitCode: 2 });
    const name = text.slice(0, at);
    values.set(name, [...(values.get(name) ?? []), text.slice(at + 1)]);
  }
  return Object.fromEntries(values);
}

function rateOf(text: string): { readonly requests: number; readonly seconds: number } {
  const [, requests, seconds] = /^(\d{1,7})\/(\d{1,5})$/.exec(text) ?? [];
  if (requests !== undefined && seconds !== undefined) return { requests: Number(requests), seconds: Number(seconds) };
  throw new CliError(`--rate is "${text}"; write requests/seconds, such as 600/60.`, { exitCode: 2 });
}

function countOf(flag: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new CliError(`${flag} is "${text}"; it must be a whole number.`, { exitCode: 2 });
}
