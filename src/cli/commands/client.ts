import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { parseJson } from '../../core/losslessJson.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { answerOf, serviceAddress } from '../serviceClient.ts';
import { readEndpoints } from '../typedClient/readEndpoints.ts';
import { renderClient } from '../typedClient/renderClient.ts';
import type { Int64Type } from '../typedClient/schemaType.ts';

interface ClientOptions {
  readonly lang: 'ts';
  readonly out?: string;
  readonly int64: Int64Type;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill client`: writes a typed client for the endpoints that a token may call. */
export function clientCommand(context: CliContext): Command {
  return new Command('client')
    .description('write a typed client for the endpoints that a token may call')
    .addOption(new Option('--lang <lang>', 'language of the client').choices(['ts']).default('ts'))
    .option('--out <file>', 'file to write (default: standard output)')
    .addOption(
      new Option('--int64 <type>', 'type of INT64 columns; a number that does not fit is an error of the call')
        .choices(['number', 'bigint'])
        .default('number'),
    )
    .option('--url <url>', 'address of the service (default: LOGMILL_URL, else http://127.0.0.1:4000)')
    .option('--token <token>', 'token whose endpoints the client gets (default: LOGMILL_TOKEN)')
    .action((options: ClientOptions) => writeClient(options, context));
}

async function writeClient(options: ClientOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const description = parseJson(await answerOf(address, '/openapi.json', { method: 'GET' }));
  const api = readEndpoints(description);
  if (api.endpoints.length === 0) {
    throw new CliError('This token may call no endpoint, so there is nothing to write a client for.');
  }
  const text = renderClient({ ...api, int64: options.int64 });
  if (options.out === undefined) {
    context.out(text);
    return;
  }
  writeFileSync(options.out, text);
  context.err(
    `${options.out} has ${api.endpoints.length === 1 ? 'one endpoint' : `${api.endpoints.length} endpoints`}.\n`,
  );
}
