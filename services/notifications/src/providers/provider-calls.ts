import { createCache } from "@lango/memory";
import type { Database } from "@lango/postgres";
import { inTenant } from "@lango/postgres";
import { LRUCache } from "lru-cache";
import type { Vault } from "../addresses/sealed-address.ts";
import type { Channel } from "../channel.ts";
import type { Class } from "../message.ts";
import type { Outcome, Report, Sought } from "../provider.ts";
import type { Rendered } from "../rendering/rendered.ts";
import { listSendingProviders, type StoredAccount, takePace } from "./account.store.ts";
import type { CallCounts } from "./call-counts.ts";
import { createCallGuards, type Ending, hasFailed } from "./guard-calls.ts";
import { createOpenAccounts } from "./open-accounts.ts";
import { createPace } from "./pace.ts";

/** A provider that was chosen for a delivery. */
type Chosen = {
	account: Pick<StoredAccount, "id" | "kind" | "name">;
	/**
	 * Waits for the provider's pace, and calls it within the time limit of its kind. `onCall` runs just before
	 * the call; the promise rejects if it does, and never otherwise.
	 */
	send(
		message: Rendered,
		delivery: { id: string; dueAt: Date },
		onCall?: () => Promise<void>,
	): Promise<{ outcome: Ending; tookMs: number }>;
};

/** Chooses providers and calls them. */
export type ProviderCalls = {
	/** Whether the tenant can use a provider with this name or id on the channel. */
	has(about: { tenantId: string; channel: Channel; wanted: string }): Promise<boolean>;
	/** Chooses a provider: the wanted one, else one of the tenant's own, else one of the platform's. */
	choose(about: Choice): Promise<Chosen | undefined>;
	/**
	 * How many deliveries of a lane can be called soon: what the provider of its last delivery has room for.
	 */
	roomFor(lane: { tenantId: string; channel: Channel }): number;
	/** Looks up a message whose call had no answer; undefined if it is not found, or cannot be asked for. */
	lookUp(about: LookUp): Promise<Report | undefined>;
	/** Providers changed: their accounts are read again. */
	changed(): void;
	setListening(isListening: boolean): void;
	/** Calls nothing any more: what waits is given back. */
	giveBack(): void;
	stop(): void;
};

type Choice = {
	tenantId: string;
	channel: Channel;
	messageClass: Class;
	/** The name or the id that the request named. */
	wanted: string | undefined;
	/** The provider of the attempt before: another one is preferred. */
	previousId: string | undefined;
};

type LookUp = {
	tenantId: string;
	providerId: string;
	sought: Sought;
};

const timeoutMs: Readonly<Record<Channel, number>> = {
	email: 20_000,
	sms: 10_000,
	push: 10_000,
	whatsapp: 10_000,
	in_app: 10_000,
};
/** As many deliveries are claimed as the pace allows in this time, so that few are given back. */
const roomSeconds = 2;
const accountsMax = 5_000;
const accountsMaxAgeMs = 60_000;
/** A message that is accepted later than this after it was due counts as slow. */
const slowMs = 5 * 60_000;

/** Creates the calls of a process. */
export function createProviderCalls({
	db,
	now,
	vault,
	publicUrl,
	counts,
	onError,
	random = Math.random,
}: {
	db: Database;
	now: () => Date;
	vault: Vault;
	/** The public address of this service, for webhooks. */
	publicUrl: string;
	counts: Pick<CallCounts, "count">;
	/** Called when the pace of a provider could not be taken: its deliveries are given back. */
	onError: (error: unknown) => void;
	random?: () => number;
}): ProviderCalls {
	const accounts = createCache<readonly StoredAccount[]>({
		sizeMax: accountsMax,
		maxAgeMs: accountsMaxAgeMs,
		now,
	});
	const list = (tenantId: string, channel: Channel) =>
		accounts.load(`${tenantId} ${channel}`, () =>
			inTenant(db, tenantId, (tx) => listSendingProviders(tx, { tenantId, channel })),
		);
	const { open, closeAll } = createOpenAccounts({ vault, publicUrl });
	const guardOf = createCallGuards();
	const pace = createPace({ take: (id, wanted) => takePace(db, id, wanted), onError });
	const lastOf = new LRUCache<string, StoredAccount>({ max: accountsMax });
	const turnOf = async (id: string, messageClass: Class, onCall: () => Promise<void>) => {
		const afterMs = await pace.wait(id, messageClass);
		if (afterMs > 0) return { is: "postponed", afterMs } as const;
		await onCall();
		return undefined;
	};
	return {
		has: async ({ tenantId, channel, wanted }) => (await list(tenantId, channel)).some(isNamed(wanted)),
		async choose({ tenantId, channel, messageClass, wanted, previousId }) {
			const all = await list(tenantId, channel);
			const stored = chooseAccount(all, {
				...{ wanted, previousId, random: random() },
				isDown: (one) => !guardOf(one).isClosed(),
			});
			if (stored === undefined) return undefined;
			lastOf.set(`${tenantId} ${channel}`, stored);
			return {
				account: stored,
				async send(message, { id: deliveryId, dueAt }, onCall = async () => {}) {
					let begin = performance.now();
					const call = async () => {
						begin = performance.now();
						const { adapter, account } = open(stored);
						const answer = await withDeadline(channel, (signal) =>
							adapter.send(account, message, { tenantId, deliveryId, signal }),
						).catch((error): Outcome => ({ is: "unknown", code: codeOf(error) }));
						counts.count(stored.id, {
							hasFailed: hasFailed(answer),
							isSlow: answer.is === "accepted" && now().getTime() - dueAt.getTime() > slowMs,
						});
						return answer;
					};
					const outcome = await guardOf(stored).call(call, () => turnOf(stored.id, messageClass, onCall));
					return { outcome, tookMs: performance.now() - begin };
				},
			};
		},
		roomFor({ tenantId, channel }) {
			const stored = lastOf.get(`${tenantId} ${channel}`);
			if (stored === undefined) return Number.POSITIVE_INFINITY;
			const paced = Math.ceil(stored.perSecond * roomSeconds) - pace.waiting(stored.id);
			return Math.max(0, Math.min(paced, guardOf(stored).room()));
		},
		giveBack: pace.stop,
		async lookUp({ tenantId, providerId, sought }) {
			const { channel, deliveryId } = sought;
			const stored = (await list(tenantId, channel)).find(({ id }) => id === providerId);
			if (stored === undefined) return undefined;
			const { adapter, account } = open(stored);
			return withDeadline(channel, async (signal) =>
				adapter.lookUp?.(account, sought, { tenantId, deliveryId, signal }),
			);
		},
		changed: () => accounts.invalidateAll(),
		setListening: accounts.setListening,
		stop: closeAll,
	};
}

/**
 * `AbortSignal.timeout` would keep a timer for the whole time after each call, and abort calls that have
 * ended.
 */
async function withDeadline<R>(channel: Channel, call: (signal: AbortSignal) => Promise<R>): Promise<R> {
	const deadline = new AbortController();
	const timer = setTimeout(() => deadline.abort(), timeoutMs[channel]);
	try {
		return await call(deadline.signal);
	} finally {
		clearTimeout(timer);
	}
}

const isNamed =
	(wanted: string) =>
	({ id, name }: StoredAccount) =>
		id === wanted || name === wanted;

/**
 * Chooses by weight among the wanted provider, else the tenant's own ones, else the platform's. One that is
 * down, and the one of the attempt before, only if there is no other. Pure.
 */
function chooseAccount(
	accounts: readonly StoredAccount[],
	{
		wanted,
		previousId,
		random,
		isDown,
	}: {
		wanted: string | undefined;
		previousId: string | undefined;
		random: number;
		isDown: (account: StoredAccount) => boolean;
	},
): StoredAccount | undefined {
	const own = accounts.filter(({ isOwn }) => isOwn);
	const eligible =
		wanted === undefined ? (own.length > 0 ? own : accounts) : accounts.filter(isNamed(wanted));
	const up = eligible.filter((one) => !isDown(one));
	const others = up.filter(({ id }) => id !== previousId);
	const candidates = [others, up].find(({ length }) => length > 0) ?? eligible;
	// A provider whose weight fell to 0 still gets its messages if there is no other.
	const weights = candidates.map(({ weight }) => Math.max(weight, 1));
	const sum = weights.reduce((total, weight) => total + weight, 0);
	const ends = weights.map((_weight, index) =>
		weights.slice(0, index + 1).reduce((total, one) => total + one, 0),
	);
	return candidates[ends.findIndex((end) => random * sum < end)];
}

/** An adapter must not throw; if it does, the message may have been sent. */
const codeOf = (error: unknown) => (error instanceof Error ? error.name.toLowerCase() : "error");
