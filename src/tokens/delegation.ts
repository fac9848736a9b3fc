import { ServiceError } from '../core/errors.ts';
import { isWithin } from '../core/network.ts';
import { scopesBeyond } from './permission.ts';
import { streamRowsOf, type TokenRestrictions } from './restrictions.ts';
import { formatScope } from './scope.ts';
import type { TokenRecord } from './tokenStore.ts';

/** Everything that determines the rights of a token. */
export type TokenReach = Pick<TokenRecord, 'scopes' | 'restrictions' | 'expiresAtMicros'>;

/** One right that a token would have and its maker does not. */
interface Excess {
  readonly code: 'auth.scope' | 'auth.project';
  /** Continues "the creating token". */
  readonly says: string;
  readonly allowed?: readonly string[];
}

/** Whether the maker may do everything that the child may do (contract, section 4: "no wider than itself"). */
export function isNoWider(child: TokenReach, maker: TokenReach): boolean {
  return excessesOf(child, maker).length === 0;
}

/** Whether all projects of the other token are among `own`. A manager sees only such tokens. */
export function isWithinProjects(other: Projects | null, own: Projects | null): boolean {
  return beyondProjects(other ?? unrestricted, own ?? unrestricted) === null;
}

/** Throws `auth.scope` or `auth.project`, which names the rights that the maker does not have. */
export function requireNoWider(child: TokenReach, maker: TokenReach): void {
  const excesses = excessesOf(child, maker);
  const [first] = excesses;
  if (first === undefined) return;
  const allowed = excesses.flatMap((excess) => excess.allowed ?? []);
  throw new ServiceError(
    excesses.every(({ code }) => code === 'auth.project') ? 'auth.project' : 'auth.scope',
    `A token cannot create a token with more rights than its own. The creating token ${excesses.map(({ says }) => says).join(', and it ')}.`,
    allowed.length === 0 ? {} : { errors: [{ allowed }] },
  );
}

const unrestricted: TokenRestrictions = { projects: null };

function excessesOf(child: TokenReach, maker: TokenReach): readonly Excess[] {
  const beyond = scopesBeyond(maker.scopes, child.scopes);
  const outlives =
    maker.expiresAtMicros !== null && (child.expiresAtMicros === null || child.expiresAtMicros > maker.expiresAtMicros);
  return [
    ...(beyond.length === 0 ? [] : [excess(`does not have ${beyond.map(formatScope).join(', ')}`)]),
    ...looserParts(child.restrictions ?? unrestricted, maker.restrictions ?? unrestricted),
    ...(outlives ? [excess('expires before the new one would')] : []),
  ];
}

function looserParts(child: TokenRestrictions, own: TokenRestrictions): readonly Excess[] {
  const parts = [
    beyondProjects(child, own),
    own.redact === true && child.redact !== true ? excess('gets only redacted rows') : null,
    ...beyondParameters(child, own),
    own.callerQueries === false && child.callerQueries !== false ? excess('may not send caller queries') : null,
    own.strictParameters === true && child.strictParameters !== true ? excess('may not send unknown parameters') : null,
    isFaster(child, own) ? excess(`may make ${own.rate?.requests} requests in ${own.rate?.seconds} seconds`) : null,
    isMore(child.concurrency, own.concurrency) ? excess(`runs at most ${own.concurrency} queries at once`) : null,
    isMore(child.maxRows, own.maxRows) ? excess(`gets at most ${own.maxRows} rows`) : null,
    isMore(streamRowsOf(child), streamRowsOf(own)) ? excess(`streams at most ${streamRowsOf(own)} rows`) : null,
    isElsewhere(child, own) ? excess(`may be used only from ${own.networks?.join(', ')}`) : null,
  ];
  return parts.filter((part) => part !== null);
}

type Projects = Pick<TokenRestrictions, 'projects'>;

function beyondProjects(child: Projects, { projects }: Projects): Excess | null {
  if (projects === null || (child.projects?.every((project) => projects.includes(project)) ?? false)) return null;
  const says = `is restricted to projects, so the new one must be restricted to some of ${projects.join(', ')}`;
  return { code: 'auth.project', says, allowed: projects };
}

/** Compares values as text. Different texts that mean the same value are refused. */
function beyondParameters(child: TokenRestrictions, own: TokenRestrictions): readonly Excess[] {
  return Object.entries(own.parameters ?? {})
    .filter(([name, values]) => {
      const wanted = Object.entries(child.parameters ?? {}).find(([each]) => each === name)?.[1];
      return wanted === undefined || !wanted.every((value) => values.includes(value));
    })
    .map(([name, values]) => excess(`may call only with ${name}=${values.join(' or ')}`));
}

/** A rate limits both bursts and the average; neither may be higher. */
function isFaster({ rate: wanted }: TokenRestrictions, { rate }: TokenRestrictions): boolean {
  if (rate === undefined) return false;
  if (wanted === undefined || wanted.requests > rate.requests) return true;
  return wanted.requests * rate.seconds > rate.requests * wanted.seconds;
}

function isMore(wanted: number | undefined, own: number | undefined): boolean {
  return own !== undefined && (wanted === undefined || wanted > own);
}

/** Each network must be within a single network of the maker; a network that only several cover together is refused. */
function isElsewhere({ networks: wanted }: TokenRestrictions, { networks }: TokenRestrictions): boolean {
  if (networks === undefined) return false;
  return !(wanted?.every((inner) => networks.some((outer) => isWithin(inner, outer))) ?? false);
}

function excess(says: string): Excess {
  return { code: 'auth.scope', says };
}
