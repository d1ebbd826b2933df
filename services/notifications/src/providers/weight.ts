/** What decides the weight of a provider. Times are in the process's clock. */
export type Health = {
	id: string;
	/** 0 to 100: its share of the messages. */
	weight: number;
	/** Its weight while it works well. */
	restingWeight: number;
	/** When its weight last changed. */
	weighedAt: Date | undefined;
	/** Failed calls of the last full minute. */
	errors: number;
	/** Messages of the last 15 minutes, and how many of them took more than five minutes. */
	sent: number;
	slow: number;
	/** Failed calls of the last five minutes, if no call was answered in them; else 0. */
	unanswered: number;
};

const step = 10;
const errorsMax = 50;
/** As many as let the breaker open: after them it lets few calls through. */
const unansweredMin = 5;
const slowShareMin = 0.15;
const minute = 60_000;
const slowEveryMs = 5 * minute;
const recoverEveryMs = 15 * minute;

/** Whether at least 15 % of its messages took more than five minutes. */
const isSlow = ({ sent, slow }: Pick<Health, "sent" | "slow">): boolean =>
	sent > 0 && slow / sent >= slowShareMin;

const elapsed = ({ weighedAt }: Health, now: Date) =>
	weighedAt === undefined ? Number.POSITIVE_INFINITY : now.getTime() - weighedAt.getTime();
const within = (weight: number) => Math.min(100, Math.max(0, weight));

/**
 * Returns the weights that change, of providers that share their messages: those of one owner on one channel.
 * Called once a minute. More than 50 errors in the last minute, or five in the last five minutes
 * without an answered call, cost 10 points. A slow provider gives 10
 * points to the others, at most every five minutes; if all are slow nothing changes. Every 15 minutes a
 * provider that works well moves 10 points towards its resting weight. Weights stay within 0 to 100. Pure.
 */
export function weigh(pool: readonly Health[], now: Date): Map<string, number> {
	const slow = new Set(pool.filter(isSlow).map(({ id }) => id));
	const isShifted =
		slow.size > 0 &&
		slow.size < pool.length &&
		pool.filter(({ id }) => slow.has(id)).some((one) => elapsed(one, now) >= slowEveryMs);
	const changed = new Map<string, number>();
	for (const one of pool) {
		const { id, weight } = one;
		const next = within(weight + changeOf(one, { isSlow: slow.has(id), isShifted, now }));
		if (next !== weight) changed.set(id, next);
	}
	return changed;
}

function changeOf(
	one: Health,
	{ isSlow: isOneSlow, isShifted, now }: { isSlow: boolean; isShifted: boolean; now: Date },
): number {
	if (one.errors > errorsMax || one.unanswered >= unansweredMin) return -step;
	if (isShifted) return isOneSlow ? (elapsed(one, now) >= slowEveryMs ? -step : 0) : step;
	if (isOneSlow || elapsed(one, now) < recoverEveryMs) return 0;
	const missing = one.restingWeight - one.weight;
	return Math.sign(missing) * Math.min(step, Math.abs(missing));
}
