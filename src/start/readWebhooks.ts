import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { issueSentence, issuesOfSchema, unknownKey } from '../endpoints/definitionIssue.ts';
import { readYamlMap } from '../endpoints/readYamlMap.ts';
import type { MemberPath, SignatureTime, SignedPart, Webhook } from '../ingest/webhook/webhook.ts';
import type { Source } from '../sources/source.ts';
import type { SourceRegistry } from '../sources/sourceRegistry.ts';
import { unknownSource } from '../sources/unknownSource.ts';
import { readTextFile } from './readTextFile.ts';
import { SettingsError } from './startError.ts';

/** Replacing a secret takes two: the sender may use either. */
const secretsMax = 2;
const secretBytesMin = 16;

const name = z
  .string('must be text')
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must have 1 to 63 characters a-z, 0-9, _ and -');
const header = z
  .string('must be the name of a header')
  .regex(/^[A-Za-z0-9-]{1,128}$/, 'must be the name of a header')
  .transform((text) => text.toLowerCase());
const someText = z.string('must be text').min(1, 'must be text').max(1000, 'must have at most 1000 characters');
const pathProblem = 'must be a path such as data.created_at, or a list of names';
const path = z
  .union(
    [someText.transform((text) => text.split('.')), z.array(someText).min(1, pathProblem).max(32, pathProblem)],
    pathProblem,
  )
  .refine((names) => names.length <= 32 && names.every((each) => each !== ''), pathProblem)
  .transform((names): MemberPath => names);
const projectsProblem = 'must be a list of 1 to 1000 projects, or any';
const toleranceProblem = 'must be a whole number of seconds from 1 to 86400';
const secretsProblem = 'must be a list of 1 or 2 files';
const prefix = z.string('must be text').max(64, 'must have at most 64 characters');

const signature = z.strictObject(
  {
    header,
    algorithm: z.enum(['sha256', 'sha1'], 'must be sha256 or sha1').default('sha256'),
    encoding: z.enum(['hex', 'base64'], 'must be hex or base64').default('hex'),
    prefix: prefix.default(''),
    signed: someText.default('{body}'),
    timestamp_header: header.optional(),
    timestamp_prefix: prefix.min(1, 'must not be empty').optional(),
    tolerance_seconds: z.int(toleranceProblem).min(1, toleranceProblem).max(86_400, toleranceProblem).default(300),
    secret_encoding: z.enum(['text', 'base64', 'hex'], 'must be text, base64 or hex').default('text'),
    secret_files: z.array(someText, secretsProblem).min(1, secretsProblem).max(secretsMax, secretsProblem),
  },
  'must be a map with header and secret_files',
);

const declaration = z
  .strictObject(
    {
      source: someText,
      project: someText.optional(),
      project_from: path.optional(),
      projects: z
        .union(
          [z.literal('any'), z.array(someText).min(1, projectsProblem).max(1000, projectsProblem)],
          projectsProblem,
        )
        .optional(),
      events: path.optional(),
      time: path.optional(),
      message: path.optional(),
      id: path.optional(),
      delivery_id_header: header.optional(),
      signature,
    },
    'must be a map with source, project and signature',
  )
  .superRefine((given, context) => {
    const wrong = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if ((given.project === undefined) === (given.project_from === undefined)) {
      wrong('project', 'must be given, or project_from, and not both');
    }
    if ((given.project_from === undefined) !== (given.projects === undefined)) {
      wrong('projects', 'must be given with project_from: the projects that the sender may name, or any');
    }
    const { signed, prefix, timestamp_header: timeHeader, timestamp_prefix: timePrefix } = given.signature;
    const uses = (part: string) => signed.includes(`{${part}}`);
    if (!uses('body')) wrong('signature', 'needs {body} in signed');
    if (timeHeader !== undefined && timePrefix !== undefined) {
      wrong(
        'signature',
        'has the time in timestamp_header, or in its own header after timestamp_prefix, and not in both',
      );
    }
    if (uses('timestamp') !== (timeHeader !== undefined || timePrefix !== undefined)) {
      wrong('signature', 'needs {timestamp} in signed if it has a timestamp_header or timestamp_prefix, and only then');
    }
    if (timePrefix !== undefined && (prefix === '' || timePrefix.startsWith(prefix) || prefix.startsWith(timePrefix))) {
      wrong('signature', 'needs a prefix that tells a signature from the time after timestamp_prefix');
    }
    if (uses('id') && given.delivery_id_header === undefined) {
      wrong('signature', 'needs a delivery_id_header, because signed has {id}');
    }
  });

const webhooksInput = z.strictObject({ webhooks: z.record(name, declaration, 'must map names to webhooks') });

/** The fields of each map in the file, by how many names lead to it. */
const fieldsByDepth = [webhooksInput, null, declaration, signature].map((map) =>
  map === null ? [] : Object.keys(map.shape),
);

/**
 * Reads the file that declares webhooks; none without a file. Throws a SettingsError that lists every problem, with its
 * line.
 */
export function readWebhooks(file: string | undefined, registry: SourceRegistry): ReadonlyMap<string, Webhook> {
  if (file === undefined) return new Map();
  const yaml = readYamlMap(readTextFile(file, 'the file of webhooks'));
  const at = (path: readonly string[]): string => {
    const place = yaml.locate(path);
    return place === undefined ? file : `${file}, line ${place.line}`;
  };
  if (yaml.kind === 'wrong') throw new SettingsError(`${at([])}: it ${yaml.issue.problem}.`);
  const read = webhooksInput.safeParse(yaml.fields, { reportInput: true });
  if (!read.success) {
    const issues = issuesOfSchema(read.error, (place, key) =>
      unknownKey(place, key, fieldsByDepth[place.length] ?? []),
    );
    throw new SettingsError(issues.map((issue) => `${file}: ${issueSentence(issue, yaml.locate)}`).join('\n'));
  }
  return new Map(
    Object.entries(read.data.webhooks).map(([name, given]) => {
      const source = registry.find(given.source);
      if (source === undefined) {
        const { message } = unknownSource(given.source, registry.writableNames());
        throw new SettingsError(`${at(['webhooks', name, 'source'])}: ${message}`);
      }
      if (source.existing !== undefined) {
        throw new SettingsError(`${at(['webhooks', name, 'source'])}: the source ${source.name} is read only.`);
      }
      return [name, webhookOf(name, source, given, dirname(file))];
    }),
  );
}

function webhookOf(name: string, source: Source, given: z.output<typeof declaration>, folder: string): Webhook {
  const { signature: signing, project, project_from: from, projects } = given;
  return {
    name,
    source: source.name,
    projectField: source.projectField,
    project:
      from === undefined
        ? { kind: 'fixed', project: project ?? '' }
        : { kind: 'member', path: from, allowed: projects === 'any' ? null : (projects ?? []) },
    mapping: {
      events: given.events ?? null,
      time: given.time ?? null,
      message: given.message ?? null,
      id: given.id ?? null,
    },
    deliveryHeader: given.delivery_id_header ?? null,
    signature: {
      header: signing.header,
      algorithm: signing.algorithm,
      encoding: signing.encoding,
      prefix: signing.prefix,
      signed: signedParts(signing.signed),
      timestamp: timeOf(signing),
      secrets: signing.secret_files.map((file) => secretIn(resolve(folder, file), signing.secret_encoding)),
    },
  };
}

function timeOf(signing: z.output<typeof signature>): SignatureTime | null {
  const {
    header,
    timestamp_header: timeHeader,
    timestamp_prefix: prefix,
    tolerance_seconds: toleranceSeconds,
  } = signing;
  if (timeHeader !== undefined) return { header: timeHeader, prefix: null, toleranceSeconds };
  return prefix === undefined ? null : { header, prefix, toleranceSeconds };
}

function signedParts(template: string): readonly SignedPart[] {
  return template
    .split(/(\{(?:body|timestamp|id)\})/)
    .filter((part) => part !== '')
    .map((part): SignedPart => {
      if (part === '{body}') return { kind: 'body' };
      if (part === '{timestamp}') return { kind: 'timestamp' };
      return part === '{id}' ? { kind: 'delivery' } : { kind: 'text', text: part };
    });
}

function secretIn(file: string, encoding: 'text' | 'base64' | 'hex'): Buffer {
  const text = readTextFile(file, 'a secret of a webhook').trim();
  const bytes = Buffer.from(text, encoding === 'text' ? 'utf8' : encoding);
  if (bytes.length >= secretBytesMin) return bytes;
  throw new SettingsError(
    `${file}, a secret of a webhook, has fewer than ${secretBytesMin} bytes${encoding === 'text' ? '' : ` in ${encoding}`}; a shorter one could be guessed.`,
  );
}
