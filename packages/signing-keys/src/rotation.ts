import { type Algorithm, algorithms } from "@lango/tokens";

/** A key's life: published, signing, published still, gone. */
export type KeyStatus = "pending" | "active" | "retired";
export type KeyState = { kid: string; algorithm: Algorithm; status: KeyStatus; changedAt: Date };

/** A key signs for ninety days. */
export const activeSeconds = 90 * 86_400;
/**
 * It is published this long before its first use: twice the time others may keep the key set (max-age 300), and a minute, within which
 * every process of the service has read it.
 */
export const publishedBeforeSeconds = 660;

/** What a service signs with, and how long what it signs lives. */
export type KeyPlan = {
	algorithms: readonly Algorithm[];
	/** A key stays published this long after its last signature: the life of a token and some minutes. */
	publishedAfterSeconds: number;
};

/**
 * The sign-on service's. Access tokens live six hours, but an ID token is handed back as a hint as long as the session it was made in may
 * last, ninety days, and its expiry does not matter then (RP-Initiated Logout §2).
 */
export const signOnPlan: KeyPlan = { algorithms, publishedAfterSeconds: 90 * 86_400 + 600 };

/** One change of one key. */
export type KeyStep =
	| { kind: "make"; algorithm: Algorithm; status: "pending" | "active" }
	| { kind: "activate"; kid: string; retire: string | undefined }
	| { kind: "remove"; kid: string };

/**
 * What is due now. `isAsked`: somebody asked for new keys, whatever the age of those in use; a new key still has to be
 * published long enough before it signs, so asking makes it pending, and asking again later puts it to use.
 */
export function dueSteps(
	keys: readonly KeyState[],
	{ now, isAsked = false, plan = signOnPlan }: { now: Date; isAsked?: boolean; plan?: KeyPlan },
): KeyStep[] {
	const changes = plan.algorithms.flatMap((algorithm) => {
		const step = dueStepOf(
			keys.filter((key) => key.algorithm === algorithm),
			{ algorithm, now, isAsked },
		);
		return step === undefined ? [] : [step];
	});
	const spent = keys.filter(
		(key) => key.status === "retired" && ageSeconds(key, now) >= plan.publishedAfterSeconds,
	);
	return [...changes, ...spent.map(({ kid }): KeyStep => ({ kind: "remove", kid }))];
}

const ageSeconds = ({ changedAt }: KeyState, now: Date) => (now.getTime() - changedAt.getTime()) / 1_000;

/**
 * When a key goes on: a pending one may sign from then on, an active one is replaced by itself, a retired one is no longer
 * published. Somebody who asks may have an active one replaced earlier.
 */
export function goesOnAt({ status, changedAt }: Omit<KeyState, "kid">, plan: KeyPlan = signOnPlan): Date {
	const seconds = {
		pending: publishedBeforeSeconds,
		active: activeSeconds,
		retired: plan.publishedAfterSeconds,
	} as const;
	return new Date(changedAt.getTime() + seconds[status] * 1_000);
}

/** The one step that brings an algorithm's keys nearer to where they should be. */
function dueStepOf(
	keys: readonly KeyState[],
	{ algorithm, now, isAsked }: { algorithm: Algorithm; now: Date; isAsked: boolean },
): KeyStep | undefined {
	const active = keys.find(({ status }) => status === "active");
	const pending = keys.find(({ status }) => status === "pending");
	if (active === undefined && pending === undefined) return { kind: "make", algorithm, status: "active" };
	if (active === undefined) return pending && { kind: "activate", kid: pending.kid, retire: undefined };
	const age = isAsked ? Number.POSITIVE_INFINITY : ageSeconds(active, now);
	if (pending === undefined)
		return age >= activeSeconds - 2 * publishedBeforeSeconds
			? { kind: "make", algorithm, status: "pending" }
			: undefined;
	const mayTakeOver = ageSeconds(pending, now) >= publishedBeforeSeconds && age >= activeSeconds;
	return mayTakeOver ? { kind: "activate", kid: pending.kid, retire: active.kid } : undefined;
}
