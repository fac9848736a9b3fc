import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import { nearestName } from '../core/nearestName.ts';
import { depthProblem } from '../endpoints/yamlProblem.ts';
import { readTextFile } from './readTextFile.ts';
import {
  environmentName,
  fileName,
  flagName,
  type SettingName,
  type Settings,
  secretSettings,
  settingNames,
  settingsSchema,
} from './settings.ts';
import { SettingsError } from './startError.ts';

export interface SettingInputs {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Values of command-line flags, as written. */
  readonly flags: Readonly<Partial<Record<SettingName, string>>>;
  /** Path of the configuration file from `--config`; else `LOGMILL_CONFIG` names it. */
  readonly configFile?: string | undefined;
}

export interface SettingsRead {
  readonly settings: Settings;
  /** Origin of each setting that is not the default, in words. */
  readonly origins: ReadonlyMap<SettingName, string>;
  /** Settings that were ignored on purpose, one sentence each, for the log. */
  readonly notes: readonly string[];
}

interface Given {
  readonly value: unknown;
  readonly origin: string;
}

/**
 * Variables with the prefix `LOGMILL_` that are not settings of the service: the first names the file, the others
 * belong to the CLI.
 */
const otherNames: readonly string[] = ['LOGMILL_CONFIG', 'LOGMILL_URL', 'LOGMILL_TOKEN'];

/**
 * Reads the settings: defaults < file < environment < flags (contract, section 8). Throws a SettingsError that lists
 * every problem: unknown names with the nearest valid one, and invalid values.
 */
export function readSettings(inputs: SettingInputs): SettingsRead {
  const problems: string[] = [];
  const notes: string[] = [];
  const given = new Map<SettingName, Given>();
  const file = inputs.configFile ?? nonEmpty(inputs.environment.LOGMILL_CONFIG);
  if (file !== undefined) fromFile(file, given, problems);
  fromEnvironment(inputs.environment, given, problems, notes);
  for (const name of settingNames) {
    const value = inputs.flags[name];
    if (value !== undefined) given.set(name, { value, origin: flagName(name) });
  }
  readSecretFiles(given, problems);
  const settings = validated(given, problems);
  if (settings === undefined || problems.length > 0) throw new SettingsError(problems.join('\n'));
  const origins = new Map([...given].map(([name, { origin }]) => [name, origin] as const));
  return { settings, origins, notes };
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

function fromFile(file: string, given: Map<SettingName, Given>, problems: string[]): void {
  const lines = new LineCounter();
  const text = readTextFile(file, 'the configuration file');
  const tooDeep = depthProblem(text);
  if (tooDeep !== undefined) {
    problems.push(`${file}, line ${text.slice(0, tooDeep.offset).split('\n').length}: it ${tooDeep.message}.`);
    return;
  }
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) {
    problems.push(`${file} is not valid YAML: ${error.message}`);
    return;
  }
  if (document.contents === null) return;
  if (!isMap(document.contents)) {
    problems.push(`${file} must be a YAML mapping of settings, such as "port: 4000".`);
    return;
  }
  const byFileName = new Map(settingNames.map((name) => [fileName(name), name] as const));
  for (const { key, value } of document.contents.items) {
    const written = isScalar(key) ? String(key.value) : String(key);
    const line = lines.linePos((isScalar(key) ? key.range?.[0] : undefined) ?? 0).line;
    const name = byFileName.get(written);
    if (name === undefined) problems.push(`${file}, line ${line}: ${unknownSetting(written, [...byFileName.keys()])}`);
    else if (isScalar(value) && value.value !== null)
      given.set(name, { value: value.value, origin: `${file}, line ${line}` });
    else if (value !== null && !isScalar(value))
      problems.push(`${file}, line ${line}: ${written} takes one value, not a list or a mapping.`);
  }
}

function fromEnvironment(
  environment: SettingInputs['environment'],
  given: Map<SettingName, Given>,
  problems: string[],
  notes: string[],
): void {
  const byName = new Map(settingNames.map((name) => [environmentName(name), name] as const));
  for (const [key, value] of Object.entries(environment)) {
    if (!key.startsWith('LOGMILL_') || value === undefined || value === '') continue;
    if (isInjected(key, value)) {
      notes.push(`${key} was ignored: container platforms set it for every service named "logmill".`);
      continue;
    }
    const name = byName.get(key);
    if (name !== undefined) given.set(name, { value, origin: key });
    else if (!otherNames.includes(key)) problems.push(unknownSetting(key, [...byName.keys(), ...otherNames]));
  }
}

/**
 * Whether a container platform set this for every service it runs (Docker links, Kubernetes):
 * `LOGMILL_PORT=tcp://10.0.0.1:4000`, `LOGMILL_PORT_4000_TCP…`, `LOGMILL_SERVICE_HOST`.
 */
function isInjected(key: string, value: string): boolean {
  if (key === 'LOGMILL_PORT') return /^(tcp|udp|sctp):\/\//.test(value);
  return key.startsWith('LOGMILL_SERVICE_') || key.startsWith('LOGMILL_PORT_');
}

function unknownSetting(name: string, known: readonly string[]): string {
  // A name with words left out, such as LOGMILL_DATA for LOGMILL_DATA_DIR, is not a typo, but is close.
  const longer = known.filter((each) => each.startsWith(`${name}_`));
  const nearest = longer.length > 0 && longer.length <= longerMax ? longer.join(' or ') : nearestName(name, known);
  const hint = nearest === undefined ? '"logmill config print" lists all settings.' : `Did you mean ${nearest}?`;
  return `There is no setting ${name}. ${hint}`;
}

/** Settings that one message suggests at most. */
const longerMax = 3;

const secretFiles = [
  ['adminToken', 'adminTokenFile'],
  ['queryToken', 'queryTokenFile'],
  ['ingestToken', 'ingestTokenFile'],
  ['store', 'storeFile'],
  ['clickhousePassword', 'clickhousePasswordFile'],
  ['clickhouseReaderPassword', 'clickhouseReaderPasswordFile'],
] as const;

function readSecretFiles(given: Map<SettingName, Given>, problems: string[]): void {
  for (const [name, fileSetting] of secretFiles) {
    const file = given.get(fileSetting);
    if (file === undefined || typeof file.value !== 'string') continue;
    const direct = given.get(name);
    if (direct !== undefined) {
      problems.push(`${direct.origin} and ${file.origin} both give ${fileName(name)}; use one of them.`);
      continue;
    }
    // Editors and `echo` end a file with a line break that does not belong to the value.
    const value = readTextFile(file.value, `the file of ${file.origin}`).replace(/\r?\n$/, '');
    given.set(name, { value, origin: `${file.origin} (${file.value})` });
  }
}

function validated(given: ReadonlyMap<SettingName, Given>, problems: string[]): Settings | undefined {
  const raw = Object.fromEntries([...given].map(([name, { value }]) => [name, value]));
  const result = settingsSchema.safeParse(raw);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const name = settingNames.find((known) => known === issue.path[0]);
    const from = name === undefined ? undefined : given.get(name);
    if (name === undefined || from === undefined) problems.push(issue.message);
    else problems.push(sentence(name, from, issue.message));
  }
  return undefined;
}

function sentence(name: SettingName, { value, origin }: Given, allowed: string): string {
  const shown = secretSettings.has(name) ? ':' : ` is ${JSON.stringify(value)};`;
  return `${origin}${shown} ${fileName(name)} ${allowed}.`;
}
