import type { RequestRate } from '../../../ports/requestCounter.ts';

/**
 * Arithmetic of a bucket of requests that nodes share. Every node that serves the token holds a share of the bucket:
 * it refills that share of the rate and holds at most that share of the requests, both in its memory. What no node
 * holds is in the pool. A node settles now and then: it puts back what it holds and takes what it should have. Nothing
 * is ever held twice, so all nodes together allow no more than the rate, except for the loans of `firstAllowance`.
 */
export interface RequestShares {
  /** Requests in the pool; negative if more were allowed than there were. */
  readonly level: number;
  readonly atMicros: number;
  readonly holders: Readonly<Record<string, ShareHolder>>;
}

interface ShareHolder {
  /** Part of the rate, from 0 to 1. */
  readonly share: number;
  /** Requests that it held after its last report. */
  readonly level: number;
  /** Requests that it was asked for lately; old ones count less. */
  readonly demand: number;
  /** Time of its last report. */
  readonly atMicros: number;
}

export interface ShareReport {
  readonly node: string;
  /** Time on the clock that nodes share. */
  readonly nowMicros: number;
  /** Requests that the node holds; ignored if it held no share. */
  readonly level: number;
  /** Requests that it allowed since its last report. */
  readonly allowed: number;
  /** Requests that it was asked for since its last report, allowed or not. */
  readonly asked: number;
  /** Whether the node gives up its share. */
  readonly isLeaving: boolean;
}

export interface HeldShare {
  readonly share: number;
  readonly level: number;
  /** Estimated requests that all nodes and the pool hold. */
  readonly total: number;
}

/** Time in which half of what a node was asked for is forgotten. */
const demandHalfMicros = 1e6;
/** A clock that is this far behind was set back; less is the difference of two clocks. */
const setBackMicros = 1e6;
/** Part of the demand that every holder is assumed to have, so that it can allow a few requests at once. */
const demandFloor = 0.02;

/**
 * Requests that a node may allow before it has settled for the first time. A bucket that no node uses is full, and all
 * may begin on it at the same time. One that others use is lent a tenth. At least one, for rates that are lower than
 * the number of nodes.
 */
export function firstAllowance({ requests }: RequestRate, nodes: number, isUsedElsewhere: boolean): number {
  return Math.max(1, ((isUsedElsewhere ? 0.1 : 1) * requests) / nodes);
}

/**
 * Settles the report of one node. `shares` is null for a bucket that is full and that no node holds a share of; so is
 * the result. Shares of nodes that are not alive lapse.
 */
export function settleShares(
  shares: RequestShares | null,
  rate: RequestRate,
  report: ShareReport,
  alive: ReadonlySet<string>,
): { readonly shares: RequestShares | null; readonly held: HeldShare } {
  const { node } = report;
  const before = shares ?? { level: rate.requests, atMicros: report.nowMicros, holders: {} };
  const wasSetBack = report.nowMicros < before.atMicros - setBackMicros;
  const nowMicros = wasSetBack ? report.nowMicros : Math.max(report.nowMicros, before.atMicros);
  const elapsedMicros = Math.max(0, nowMicros - before.atMicros);

  const others = Object.entries(before.holders).filter(([id]) => id !== node && alive.has(id));
  const lapsed = Object.entries(before.holders).filter(([id]) => id !== node && !alive.has(id));
  const own = before.holders[node];
  const heldByOthers = sum(others.map(([, { share }]) => share));
  const free = Math.max(0, 1 - heldByOthers);
  // What lapses and what this node puts back refilled elsewhere until now.
  const wasFree = Math.max(0, free - (own?.share ?? 0) - sum(lapsed.map(([, { share }]) => share)));

  const refilled = Math.min(
    Math.max(before.level, wasFree * rate.requests),
    before.level + (wasFree * rate.requests * elapsedMicros) / (rate.seconds * 1e6),
  );
  const putBack = own === undefined ? -report.allowed : report.level;
  const returned = sum(lapsed.map(([, { level }]) => Math.max(0, level)));
  const level = Math.min(free * rate.requests, refilled + putBack + returned);

  const demand = (own === undefined ? 0 : faded(own, nowMicros)) + report.asked;
  const demands = others.map(([, other]) => faded(other, nowMicros));
  const floor = demandFloor * (sum(demands) + demand) + 0.01;
  const target = (demand + floor) / (sum(demands) + demand + floor * (others.length + 1));
  const share = report.isLeaving ? 0 : Math.min(free, target);
  // A debt is taken over in the same proportion, because the node refills that part of it.
  const taken = free === 0 ? 0 : (level * share) / free;

  const total = level + sum(others.map(([, other]) => estimatedLevel(other, rate, nowMicros)));
  const held = { share, level: taken, total: Math.min(rate.requests, total) };
  const holders = Object.fromEntries(others);
  if (!report.isLeaving) holders[node] = { share, level: taken, demand, atMicros: nowMicros };
  const isUnused = Object.keys(holders).length === 0 && level - taken >= rate.requests;
  return { shares: isUnused ? null : { level: level - taken, atMicros: nowMicros, holders }, held };
}

function faded({ demand, atMicros }: ShareHolder, nowMicros: number): number {
  return demand * 0.5 ** (Math.max(0, nowMicros - atMicros) / demandHalfMicros);
}

function estimatedLevel({ share, level, atMicros }: ShareHolder, rate: RequestRate, nowMicros: number): number {
  const refill = (share * rate.requests * Math.max(0, nowMicros - atMicros)) / (rate.seconds * 1e6);
  return Math.min(Math.max(level, share * rate.requests), level + refill);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
