import { ServiceError } from '../../../core/errors.ts';
import { type ExportRecord, isRedacted } from '../../../exports/exportRecord.ts';
import type { ChosenFormat } from '../../../formats/resultFormat.ts';
import type { CallHeader } from '../../../invoke/callHeader.ts';
import { formatOptions } from '../../../invoke/formatOptions.ts';
import { asksForRedaction } from '../../../invoke/redaction.ts';
import { formatNamed } from '../../../invoke/splitParameters.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import { requireCalls } from '../../../tokens/permission.ts';
import { displayHeaders } from '../../displayHeaders.ts';
import { jsonAnswer, type Route } from '../../route.ts';
import { flagOf, type UrlOptions } from '../../urlOptions.ts';
import { exportAnswer } from './exportAnswer.ts';
import { exportView } from './exportView.ts';
import { requireExports } from './requireExports.ts';

const common = {
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: () => 0,
  // A token that may call no endpoint can have no export.
  authorise: ({ scopes }: AuthenticatedToken) => requireCalls(scopes),
} as const;

const optionNames = Object.keys(formatOptions) as (keyof typeof formatOptions)[];

const noStore = { 'cache-control': 'no-store' };

const listExports: Route = {
  ...common,
  credential: 'token',
  operation: 'exports.list',
  methods: ['GET'],
  path: '/api/exports',
  urlParameters: [],
  summary: 'Lists the exports that this token has started, the newest first.',
  async handle({ services }, token) {
    return jsonAnswer({ exports: requireExports(services).list(token).map(exportView) }, noStore);
  },
};

const readExport: Route = {
  ...common,
  credential: 'token',
  operation: 'exports.read',
  methods: ['GET'],
  path: '/api/exports/:id',
  urlParameters: [],
  summary: 'Returns the state of an export that this token has started: 200 also if it has failed, with `error`.',
  async handle({ pathParts, services }, token) {
    const record = requireExports(services).find(pathParts.id ?? '', token);
    return jsonAnswer(exportView(record), record.endedMicros === null ? { ...noStore, 'retry-after': '1' } : noStore);
  },
};

const readExportData: Route = {
  ...common,
  credential: 'token',
  operation: 'exports.read_data',
  methods: ['GET'],
  path: '/api/exports/:id/data',
  urlParameters: ['format', ...optionNames],
  mediaType: 'application/octet-stream',
  ignoresAccept: true,
  summary:
    'Returns the rows of a complete export, in the format of the call or in another one. It can be read in ranges.',
  async handle(call, token) {
    const { pathParts, options, services } = call;
    const exports = requireExports(services);
    const { id, format } = exports.find(pathParts.id ?? '', token);
    const data = await exports.read(id, token, wantedFormat(options, format));
    requireRedacted(data.record, displayHeaders(call).redactHeader);
    return exportAnswer(data, call);
  },
};

const deleteExport: Route = {
  ...common,
  credential: 'token',
  operation: 'exports.delete',
  methods: ['DELETE'],
  path: '/api/exports/:id',
  urlParameters: [],
  summary: 'Stops an export that this token has started, and removes its rows.',
  async handle({ pathParts, services }, token) {
    const id = pathParts.id ?? '';
    await requireExports(services).remove(id, token);
    return jsonAnswer({ deleted: id.toLowerCase() }, noStore);
  },
};

/** Answers that were asked for with `Prefer: respond-async`. */
export const exportRoutes: readonly Route[] = [listExports, readExport, readExportData, deleteExport];

/** A header may ask for redaction, but the rows of an export do not change any more. */
function requireRedacted({ result }: ExportRecord, header: CallHeader): void {
  if (!asksForRedaction(header) || result === null || isRedacted(result)) return;
  throw new ServiceError(
    'format.unsuitable',
    `The rows of this export are not redacted, which ${header.name} asks for. Start the export again with this header, or leave it out here.`,
  );
}

/** The format that the request names, or that of the export, with the options of the request. */
function wantedFormat(options: UrlOptions, own: ChosenFormat): ChosenFormat | null {
  if (options.size === 0) return null;
  const name = options.has('format') ? formatNamed(options.get('format') ?? '') : own.name;
  for (const option of optionNames) {
    if (!options.has(option) || formatOptions[option].includes(name)) continue;
    throw new ServiceError('parameter.invalid', `The format ${name} has no option ${option}.`, {
      errors: [{ parameter: option, expected: `the format ${formatOptions[option].join(' or ')}` }],
    });
  }
  // What the call asked for holds in each format that has the option.
  const isSet = (option: (typeof optionNames)[number], before: boolean) =>
    options.has(option) ? flagOf(options, option) : before && formatOptions[option].includes(name);
  return { name, isGuarded: isSet('csv_guard', own.isGuarded), hasMark: isSet('bom', own.hasMark) };
}
