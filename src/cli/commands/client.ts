import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { counted } from '../../core/counted.ts';
import { parseJson } from '../../core/losslessJson.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { addOutOption, fileOf, type OutOptions } from '../intoOutput.ts';
import { answerOf, serviceAddress, urlOptionText } from '../serviceClient.ts';
import { renderPythonClient } from '../typedClient/python/renderPythonClient.ts';
import { readEndpoints } from '../typedClient/readEndpoints.ts';
import { renderClient } from '../typedClient/renderClient.ts';
import type { Int64Type } from '../typedClient/schemaType.ts';

interface ClientOptions extends OutOptions {
  readonly lang: 'ts' | 'python';
  readonly int64: Int64Type;
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill client`: writes a typed client for the endpoints that a token may call. */
export function clientCommand(context: CliContext): Command {
  const command = new Command('client')
    .description('write a typed client for the endpoints that a token may call')
    .addOption(new Option('--lang <lang>', 'language of the client').choices(['ts', 'python']).default('ts'));
  return addOutOption(command, 'file to write; - is standard output, the default')
    .addOption(
      new Option(
        '--int64 <type>',
        'type of INT64 columns in TypeScript; with number, a call fails if a value does not fit',
      )
        .choices(['number', 'bigint'])
        .default('number'),
    )
    .option('--json', 'print what was written as JSON; only with --out')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token whose endpoints the client covers (default: LOGMILL_TOKEN)')
    .action((options: ClientOptions) => writeClient(options, context));
}

async function writeClient(options: ClientOptions, context: CliContext): Promise<void> {
  const file = fileOf(options);
  if (options.json === true && file === undefined)
    throw new CliError('--json needs --out, because the client itself goes to standard output.', { exitCode: 2 });
  const address = serviceAddress(options, context.environment);
  const description = parseJson(await answerOf(address, '/openapi.json', { method: 'GET' }));
  const api = readEndpoints(description);
  if (api.endpoints.length === 0) {
    throw new CliError('This token may not call any endpoint, so there is no client to write.');
  }
  const text = options.lang === 'python' ? renderPythonClient(api) : renderClient({ ...api, int64: options.int64 });
  if (file === undefined) {
    context.out(text);
    return;
  }
  writeFileSync(file, text);
  if (options.json === true) {
    const methods = api.endpoints.map(({ method }) => method);
    context.out(`${JSON.stringify({ file, methods }, undefined, 2)}\n`);
    return;
  }
  context.err(`Wrote ${file} with ${counted(api.endpoints.length, 'endpoint')}.\n`);
}
