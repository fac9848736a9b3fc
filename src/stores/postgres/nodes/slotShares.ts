/**
 * Arithmetic of the concurrent queries that a token may run on all nodes together. A node may run as many as it holds
 * slots. A node settles when it needs slots or can do without some; the sum never exceeds the limit, because a node
 * takes only slots that no other one holds.
 */
export interface SlotShares {
  readonly holders: Readonly<Record<string, SlotHolder>>;
}

interface SlotHolder {
  readonly slots: number;
  readonly running: number;
  /** Running queries and waiting ones, at most the limit. */
  readonly wanted: number;
  /** When it began to want more than it holds; earlier ones are served first. */
  readonly sinceMicros: number;
}

export interface SlotReport {
  readonly node: string;
  readonly nowMicros: number;
  readonly limit: number;
  readonly running: number;
  /** At least `running`. */
  readonly wanted: number;
  /** Whether the node gives up the slots that it does not use. */
  readonly isLeaving: boolean;
}

export interface SettledSlots {
  readonly shares: SlotShares | null;
  /** Slots that the node holds now. */
  readonly slots: number;
  /** Whether other nodes wait for slots, so that an unused one must be settled before it is used again. */
  readonly isContested: boolean;
  /** Whether the node wants more and others hold slots that they do not need. */
  readonly isShort: boolean;
  /** Whether the node left slots to others, which want them. */
  readonly hasFreed: boolean;
}

/** Settles the report of one node. Slots of nodes that are not alive lapse. */
export function settleSlots(shares: SlotShares | null, report: SlotReport, alive: ReadonlySet<string>): SettledSlots {
  const { node, limit, running, nowMicros } = report;
  const known = shares?.holders ?? {};
  const others = Object.entries(known).filter(([id]) => id !== node && alive.has(id));
  const own = known[node];
  const free = Math.max(0, limit - sum(others.map(([, { slots }]) => slots)));
  const wanted = Math.min(limit, report.wanted);
  const isContested = others.some(([, other]) => other.wanted > other.slots);
  // Slots that nobody else wants are kept for the next query.
  const asked = report.isLeaving ? running : Math.max(wanted, isContested ? 0 : (own?.slots ?? 0));
  const sinceMicros = own !== undefined && own.wanted > own.slots ? own.sinceMicros : nowMicros;
  const all: readonly (readonly [string, SlotHolder])[] = [
    ...others,
    [node, { slots: own?.slots ?? 0, running, wanted: asked, sinceMicros }],
  ];
  const target = fairSlots(all, limit).get(node) ?? 0;
  const slots = Math.max(running, Math.min(asked, target, free));
  const holders = Object.fromEntries(others);
  if (slots > 0 || wanted > 0) {
    holders[node] = { slots, running, wanted, sinceMicros: wanted > slots ? sinceMicros : nowMicros };
  }
  const targets = fairSlots(Object.entries(holders), limit);
  const isShort =
    slots < Math.min(wanted, targets.get(node) ?? 0) &&
    others.some(([id, other]) => other.slots > Math.max(other.running, targets.get(id) ?? 0));
  const hasFreed = isContested && slots < (own?.slots ?? 0);
  return { shares: Object.keys(holders).length === 0 ? null : { holders }, slots, isContested, isShort, hasFreed };
}

/**
 * The slots that each node should have: one after the other in turns, beginning with those that have waited longest,
 * until each has what it wants or none is left. A node keeps what it runs.
 */
function fairSlots(holders: readonly (readonly [string, SlotHolder])[], limit: number): ReadonlyMap<string, number> {
  const slots = new Map(holders.map(([id, { running }]) => [id, running]));
  const order = [...holders].sort(([a, x], [b, y]) => x.sinceMicros - y.sinceMicros || (a < b ? -1 : 1));
  let left = limit - sum([...slots.values()]);
  while (left > 0) {
    const wanting = order.filter(([id, { wanted }]) => wanted > (slots.get(id) ?? 0));
    if (wanting.length === 0) break;
    // The node with the fewest first.
    const least = Math.min(...wanting.map(([id]) => slots.get(id) ?? 0));
    for (const [id] of wanting) {
      if (left === 0) break;
      if (slots.get(id) !== least) continue;
      slots.set(id, least + 1);
      left -= 1;
    }
  }
  return slots;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
