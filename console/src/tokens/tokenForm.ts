import { isList, isObject, type Json, textOf } from '../api/losslessJson.ts';
import type { Session } from '../api/session.ts';
import { endOf, usualLifetime } from './lifetimes.ts';

/** What the form for a new token holds. Texts are empty without a restriction. */
export interface TokenForm {
  readonly description: string;
  readonly scopes: readonly string[];
  /** Separated by spaces, as are networks. */
  readonly projects: string;
  readonly endpoint: string;
  readonly source: string;
  readonly days: string;
  readonly isRedacted: boolean;
  readonly takesOwnQueries: boolean;
  readonly isStrict: boolean;
  readonly maxRows: string;
  readonly concurrency: string;
  readonly requests: string;
  readonly seconds: string;
  readonly networks: string;
  /** A line for each: `name=value`. */
  readonly parameters: string;
}

/** A form in which nothing was chosen yet. */
export const emptyForm: TokenForm = {
  description: '',
  scopes: [],
  projects: '',
  endpoint: '',
  source: '',
  days: '',
  isRedacted: false,
  takesOwnQueries: true,
  isStrict: false,
  maxRows: '',
  concurrency: '',
  requests: '',
  seconds: '60',
  networks: '',
  parameters: '',
};

/** A form for a token that may do what that of the session may do, as far as the form can say it: never more. */
export function formFor({ restrictions, endsAt }: Session): TokenForm {
  const { projects, redact, strict_parameters: strict, rate, concurrency, max_rows: rows, networks } = restrictions;
  const words = (list: Json | undefined): string => (isList(list) ? list.map(textOf).join(' ') : '');
  const count = (value: Json | undefined): string => (value === undefined ? '' : textOf(value));
  return {
    ...emptyForm,
    projects: words(projects),
    days: usualLifetime(endsAt)[0],
    isRedacted: redact === true,
    isStrict: strict === true,
    maxRows: count(rows),
    concurrency: count(concurrency),
    ...(isObject(rate) ? { requests: count(rate.requests), seconds: count(rate.seconds) } : {}),
    networks: words(networks),
  };
}

/** The scope for all endpoints or sources becomes the one for the chosen one. */
export function scopesOf({ scopes, endpoint, source }: TokenForm): readonly string[] {
  return scopes.map((scope) => {
    if (scope === 'query' && endpoint !== '') return `query:endpoint:${endpoint}`;
    return scope === 'ingest' && source !== '' ? `ingest:source:${source}` : scope;
  });
}

export function restrictionsOf(form: TokenForm): { readonly [name: string]: Json } {
  const { isRedacted, takesOwnQueries, isStrict, maxRows, concurrency, requests, seconds } = form;
  const projects = wordsIn(form.projects);
  const networks = wordsIn(form.networks);
  // The service refuses these with the scope `manage`, because such a token could define an endpoint that avoids them.
  const isManager = form.scopes.includes('manage');
  const parameters = isManager ? {} : parametersIn(form.parameters);
  return {
    ...(projects.length === 0 ? {} : { projects }),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(isRedacted && !isManager ? { redact: true } : {}),
    ...(takesOwnQueries || isManager ? {} : { caller_queries: false }),
    ...(isStrict ? { strict_parameters: true } : {}),
    ...(requests === '' ? {} : { rate: { requests: Number(requests), seconds: Number(seconds) } }),
    ...(concurrency === '' ? {} : { concurrency: Number(concurrency) }),
    ...(maxRows === '' ? {} : { max_rows: Number(maxRows) }),
    ...(networks.length === 0 ? {} : { networks }),
  };
}

/** The body of `tokens.create`, by a maker whose token ends at `own`. */
export function tokenRequest(form: TokenForm, own: string | null): Json {
  return {
    description: form.description,
    scopes: [...scopesOf(form)],
    restrictions: restrictionsOf(form),
    expires_at: endOf(form.days, own),
  };
}

const wordsIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter((word) => word !== '');

/** A parameter that is named twice may have either value. */
function parametersIn(text: string): { readonly [name: string]: Json } {
  const found = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) found.set(name, [...(found.get(name) ?? []), value]);
  }
  return Object.fromEntries(
    [...found].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}
