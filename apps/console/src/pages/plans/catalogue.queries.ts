import { listItems } from "@lango/client";
import type { BillingInterval } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";

/** The bundles, features and limits that versions refer to. */
export type Catalogue = {
	bundles: Array<{ code: string; name: string; products: string[] }>;
	features: Array<{ code: string; kind: "boolean" | "limit" | "metered"; description: string }>;
};

/** The kinds of catalogue items. */
export type Kind = "plans" | "add-ons";

/** A plan or an add-on, on offer or not. */
export type CatalogueItem = {
	code: string;
	name: string;
	/** The position of a plan in the list. Add-ons are sorted by code. */
	position?: number;
	versions: number;
	offered: { version: number; price_minor: number; currency: string; interval: BillingInterval } | null;
};

export type Overage = Record<string, { unit_price_minor: number; cap: number }>;

/** A published version. Members of only plans or only add-ons are optional. */
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

/** The codes of all features, limits and products. */
export function sortCodes({ bundles, features }: Catalogue) {
	return {
		features: features.filter(({ kind }) => kind === "boolean").map(({ code }) => code),
		limits: features.filter(({ kind }) => kind !== "boolean").map(({ code }) => code),
		products: [...new Set(bundles.flatMap(({ products }) => products))],
	};
}

/** A plan or add-on by its code; null if not found. */
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

/** The newest version, retired or not, which is the template for the next one; null without a version. */
export function newestQuery(platform: Platform, kind: Kind, code: string) {
	return queryOptions({
		queryKey: [...itemsKey(kind), "newest", code],
		queryFn: async ({ signal }): Promise<Version | null> => {
			const address = versionsAddress(platform, kind, code);
			for await (const version of listItems<Version>(platform.client, address, { itemsMax: 1, signal }))
				return version;
			return null;
		},
		// A form is filled from it, so a cached copy must not be used.
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

/** Retires a version. Existing subscribers keep it. */
export function retireVersion(
	platform: Platform,
	{ kind, code, version }: { kind: Kind; code: string; version: number },
): Promise<Published> {
	const address = `${versionsAddress(platform, kind, code)}/${version}/retire`;
	return platform.client.call(address, { method: "POST" });
}
