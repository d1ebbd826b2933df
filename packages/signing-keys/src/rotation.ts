import { type Algorithm, algorithms } from "@lango/tokens";

/**
 * The states of a key: `pending` is published but does not sign yet, `active` signs, `retired` only verifies.
 */
export type KeyStatus = "pending" | "active" | "retired";
export type KeyState = { kid: string; algorithm: Algorithm; status: KeyStatus; changedAt: Date };

/** An active key is replaced after ninety days. */
export const activeSeconds = 90 * 86_400;
/**
 * A key is published this long before its first signature: twice the cache time of the key set (max-age 300),
 * plus one minute in which every process of the service reloads its keys.
 */
export const publishedBeforeSeconds = 660;

/** The algorithms that a service signs with, and how long its retired keys stay published. */
export type KeyPlan = {
	algorithms: readonly Algorithm[];
	/** How long a key stays published after its last signature: the lifetime of a token plus a margin. */
	publishedAfterSeconds: number;
};

/**
 * The plan of the sign-on service. Access tokens live six hours. An ID token, however, may be sent as
 * `id_token_hint` during the ninety days that its session may last, and its expiry is ignored there
 * (RP-Initiated Logout §2).
 */
export const signOnPlan: KeyPlan = { algorithms, publishedAfterSeconds: 90 * 86_400 + 600 };

/** One change of one key. */
export type KeyStep =
	| { kind: "make"; algorithm: Algorithm; status: "pending" | "active" }
	| { kind: "activate"; kid: string; retire: string | undefined }
	| { kind: "remove"; kid: string };

/**
 * Returns the changes that are due at `now`. With `isForced`, an active key is replaced regardless of its
 * age. The new key must still be published for `publishedBeforeSeconds` before it signs: the first forced
 * rotation creates a pending key, and a later one activates it.
 */
export function dueSteps(
	keys: readonly KeyState[],
	{ now, isForced = false, plan = signOnPlan }: { now: Date; isForced?: boolean; plan?: KeyPlan },
): KeyStep[] {
	const changes = plan.algorithms.flatMap((algorithm) => {
		const step = dueStepOf(
			keys.filter((key) => key.algorithm === algorithm),
			{ algorithm, now, isForced },
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
 * When the next change of a key is due: a pending key becomes active, an active key is replaced, and a
 * retired key is removed. A forced rotation may replace an active key earlier.
 */
export function nextChangeAt({ status, changedAt }: Omit<KeyState, "kid">, plan: KeyPlan = signOnPlan): Date {
	const seconds = {
		pending: publishedBeforeSeconds,
		active: activeSeconds,
		retired: plan.publishedAfterSeconds,
	} as const;
	return new Date(changedAt.getTime() + seconds[status] * 1_000);
}

/** The next change for the keys of one algorithm, or undefined if no change is due. */
function dueStepOf(
	keys: readonly KeyState[],
	{ algorithm, now, isForced }: { algorithm: Algorithm; now: Date; isForced: boolean },
): KeyStep | undefined {
	const active = keys.find(({ status }) => status === "active");
	const pending = keys.find(({ status }) => status === "pending");
	if (active === undefined && pending === undefined) return { kind: "make", algorithm, status: "active" };
	if (active === undefined) return pending && { kind: "activate", kid: pending.kid, retire: undefined };
	const age = isForced ? Number.POSITIVE_INFINITY : ageSeconds(active, now);
	if (pending === undefined)
		return age >= activeSeconds - 2 * publishedBeforeSeconds
			? { kind: "make", algorithm, status: "pending" }
			: undefined;
	const mayTakeOver = ageSeconds(pending, now) >= publishedBeforeSeconds && age >= activeSeconds;
	return mayTakeOver ? { kind: "activate", kid: pending.kid, retire: active.kid } : undefined;
}
