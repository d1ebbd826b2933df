import { createCache } from "@lango/memory";
import type { Database } from "@lango/postgres";
import { inTenant } from "@lango/postgres";
import { LRUCache } from "lru-cache";
import type { Vault } from "../addresses/sealed-address.ts";
import type { Channel } from "../channel.ts";
import type { Connected, Outcome, Report } from "../provider.ts";
import type { Rendered } from "../rendering/rendered.ts";
import { listSendingProviders, type StoredAccount } from "./account.store.ts";
import { type AnyAdapter, findAdapter } from "./adapters.ts";

/** A provider that was chosen for a delivery. */
export type Chosen = {
	account: Pick<StoredAccount, "id" | "kind" | "name">;
	/** Calls it, within the time limit of its kind. Never rejects. */
	send(message: Rendered, deliveryId: string): Promise<{ outcome: Outcome; tookMs: number }>;
};

/** Chooses providers and calls them. */
export type ProviderCalls = {
	/** Whether the tenant can use a provider with this name or id on the channel. */
	has(about: { tenantId: string; channel: Channel; wanted: string }): Promise<boolean>;
	/** Chooses a provider: the wanted one, else one of the tenant's own, else one of the platform's. */
	choose(about: Choice): Promise<Chosen | undefined>;
	/** Asks a provider for the state of a message; undefined if it does not know, or cannot be asked. */
	lookUp(about: LookUp): Promise<Report | undefined>;
	/** Providers changed: their accounts are read again. */
	changed(): void;
	setListening(isListening: boolean): void;
	stop(): void;
};

export type Choice = {
	tenantId: string;
	channel: Channel;
	/** The name or the id that the request named. */
	wanted: string | undefined;
	/** The provider of the attempt before: another one is preferred. */
	previousId: string | undefined;
};

export type LookUp = {
	tenantId: string;
	channel: Channel;
	providerId: string;
	reference: { deliveryId: string; ref?: string; to: string };
};

const timeoutMs: Readonly<Record<Channel, number>> = {
	email: 20_000,
	sms: 10_000,
	push: 10_000,
	whatsapp: 10_000,
	in_app: 10_000,
};
const accountsMax = 5_000;
const accountsMaxAgeMs = 60_000;
const connectionsMax = 200;

/** Creates the calls of a process. */
export function createProviderCalls({
	db,
	now,
	vault,
	random = Math.random,
}: {
	db: Database;
	now: () => Date;
	vault: Vault;
	random?: () => number;
}): ProviderCalls {
	const accounts = createCache<readonly StoredAccount[]>({
		sizeMax: accountsMax,
		maxAgeMs: accountsMaxAgeMs,
		now,
	});
	type Opened = { adapter: AnyAdapter; account: Connected<unknown, unknown>; close(): void };
	const opened = new LRUCache<string, Opened>({
		max: connectionsMax,
		dispose: ({ close }) => close(),
	});
	const list = (tenantId: string, channel: Channel) =>
		accounts.load(`${tenantId} ${channel}`, () =>
			inTenant(db, tenantId, (tx) => listSendingProviders(tx, { tenantId, channel })),
		);
	/** An account keeps its connection until its credentials or its address change. */
	const open = (stored: StoredAccount): Opened => {
		const key = [stored.id, stored.baseUrl, stored.credentials.sealed.toString("base64")].join(" ");
		const known = opened.get(key);
		if (known !== undefined) return known;
		const adapter = findAdapter(stored.kind);
		if (adapter === undefined) throw new Error(`there is no adapter for ${stored.kind}`);
		const account = {
			id: stored.id,
			owner: stored.isOwn ? ("tenant" as const) : ("platform" as const),
			credentials: vault.openCredentials(stored.credentials),
			...(stored.baseUrl !== undefined && { baseUrl: stored.baseUrl }),
		};
		const { connection, close } = adapter.connect?.(account) ?? { connection: undefined, close: () => {} };
		const entry = { adapter, account: { ...account, connection }, close };
		opened.set(key, entry);
		return entry;
	};
	const call = (channel: Channel, deliveryId: string) => ({
		deliveryId,
		signal: AbortSignal.timeout(timeoutMs[channel]),
	});
	return {
		has: async ({ tenantId, channel, wanted }) => (await list(tenantId, channel)).some(isNamed(wanted)),
		async choose({ tenantId, channel, wanted, previousId }) {
			const all = await list(tenantId, channel);
			const stored = chooseAccount(all, { wanted, previousId, random: random() });
			if (stored === undefined) return undefined;
			return {
				account: stored,
				async send(message, deliveryId) {
					const begin = performance.now();
					const { adapter, account } = open(stored);
					const outcome = await adapter
						.send(account, message, call(channel, deliveryId))
						.catch((error): Outcome => ({ is: "unknown", code: codeOf(error) }));
					return { outcome, tookMs: performance.now() - begin };
				},
			};
		},
		async lookUp({ tenantId, channel, providerId, reference }) {
			const stored = (await list(tenantId, channel)).find(({ id }) => id === providerId);
			if (stored === undefined) return undefined;
			const { adapter, account } = open(stored);
			return adapter.lookUp?.(account, reference, call(channel, reference.deliveryId));
		},
		changed: () => accounts.invalidateAll(),
		setListening: accounts.setListening,
		stop: () => opened.clear(),
	};
}

const isNamed =
	(wanted: string) =>
	({ id, name }: StoredAccount) =>
		id === wanted || name === wanted;

/**
 * Chooses by weight among the wanted provider, else the tenant's own ones, else the platform's; the one of the
 * attempt before only if it is the only one. Pure.
 */
export function chooseAccount(
	accounts: readonly StoredAccount[],
	{
		wanted,
		previousId,
		random,
	}: { wanted: string | undefined; previousId: string | undefined; random: number },
): StoredAccount | undefined {
	const own = accounts.filter(({ isOwn }) => isOwn);
	const eligible =
		wanted === undefined ? (own.length > 0 ? own : accounts) : accounts.filter(isNamed(wanted));
	const others = eligible.filter(({ id }) => id !== previousId);
	const candidates = others.length > 0 ? others : eligible;
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
