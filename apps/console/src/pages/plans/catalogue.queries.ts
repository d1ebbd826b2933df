import { listItems } from "@lango/client";
import type { BillingInterval } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";

/** The words versions are made of. */
export type Catalogue = {
	bundles: Array<{ code: string; name: string; products: string[] }>;
	features: Array<{ code: string; kind: "boolean" | "limit" | "metered"; description: string }>;
};

/** What is sold: a plan by itself, an add-on beside one. */
export type Kind = "plans" | "add-ons";

/** A plan or an add-on, also one that is not on offer. */
export type CatalogueItem = {
	code: string;
	name: string;
	/** Where a plan stands among the others; add-ons stand by their codes. */
	position?: number;
	versions: number;
	offered: { version: number; price_minor: number; currency: string; interval: BillingInterval } | null;
};

export type Overage = Record<string, { unit_price_minor: number; cap: number }>;

/** A version as it was published; what only plans or only add-ons have may be missing. */
export type Version = {
	version: number;
	price_minor: number;
	currency: string;
	interval: BillingInterval;
	features: string[];
	limits: Record<string, number>;
	created_at: string;
	retired_at: string | null;
	bundle?: string;
	trial_days?: number;
	grace_days?: number;
	overage?: Overage;
	products?: string[];
};

export type NewVersion = Omit<Version, "version" | "created_at" | "retired_at">;

const itemsMax = 500;

export const itemsKey = (kind: Kind) => ["catalogue", kind];
export const itemsAddress = ({ settings }: Platform, kind: Kind) =>
	`${settings.subscriptionsUrl}/api/v1/admin/${kind}`;
export const versionsAddress = (platform: Platform, kind: Kind, code: string) =>
	`${itemsAddress(platform, kind)}/${encodeURIComponent(code)}/versions`;

export function catalogueQuery({ client, settings }: Platform) {
	return queryOptions({
		queryKey: ["catalogue", "words"],
		queryFn: ({ signal }) =>
			client.call<Catalogue>(`${settings.subscriptionsUrl}/api/v1/admin/catalogue`, { signal }),
		staleTime: 60_000,
	});
}

/** What can be switched on or off, what can be bounded, and all products there are. */
export function sortCodes({ bundles, features }: Catalogue) {
	return {
		features: features.filter(({ kind }) => kind === "boolean").map(({ code }) => code),
		limits: features.filter(({ kind }) => kind !== "boolean").map(({ code }) => code),
		products: [...new Set(bundles.flatMap(({ products }) => products))],
	};
}

/** One plan or add-on by its code; null when there is none. */
export function itemQuery(platform: Platform, kind: Kind, code: string) {
	return queryOptions({
		queryKey: [...itemsKey(kind), "one", code],
		queryFn: async ({ signal }): Promise<CatalogueItem | null> => {
			const address = itemsAddress(platform, kind);
			for await (const item of listItems<CatalogueItem>(platform.client, address, {
				itemsMax: itemsMax,
				signal,
			}))
				if (item.code === code) return item;
			return null;
		},
	});
}

/** The newest version, retired or not: what the next one is written from. Null when there is none yet. */
export function newestQuery(platform: Platform, kind: Kind, code: string) {
	return queryOptions({
		queryKey: [...itemsKey(kind), "newest", code],
		queryFn: async ({ signal }): Promise<Version | null> => {
			const address = versionsAddress(platform, kind, code);
			for await (const version of listItems<Version>(platform.client, address, { itemsMax: 1, signal }))
				return version;
			return null;
		},
		// A form is filled from it: never from what it was the last time.
		gcTime: 0,
	});
}

type NewItem = { code: string; name: string; position?: number };

export function createItem(platform: Platform, kind: Kind, body: NewItem): Promise<{ code: string }> {
	return platform.client.call(itemsAddress(platform, kind), { method: "POST", body });
}

type Published = { code: string; version: number };

export function publishVersion(
	platform: Platform,
	{ kind, code, body }: { kind: Kind; code: string; body: NewVersion },
): Promise<Published> {
	return platform.client.call(versionsAddress(platform, kind, code), { method: "POST", body });
}

/** Takes a version off offer; who has it keeps it. */
export function retireVersion(
	platform: Platform,
	{ kind, code, version }: { kind: Kind; code: string; version: number },
): Promise<Published> {
	const address = `${versionsAddress(platform, kind, code)}/${version}/retire`;
	return platform.client.call(address, { method: "POST" });
}
