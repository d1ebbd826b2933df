import type { PublicTenant } from "@lango/contracts";

/** How long a tenant's name and branding are cached: six hours. */
export const tenantFreshMilliseconds = 6 * 3_600_000;

const prefix = "lango-tenant:";
const shelvedMax = 20;

export type Shelved = { tenant: PublicTenant; at: number };
type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** The cached public data of a tenant, at most six hours old; else undefined. `now` is in milliseconds. */
export function findShelved(shelf: Shelf, slug: string, now: number): Shelved | undefined {
	const text = shelf.getItem(prefix + slug);
	const shelved = text === null ? undefined : readShelved(text);
	const age = now - (shelved?.at ?? Number.NEGATIVE_INFINITY);
	if (shelved !== undefined && shelved.tenant.slug === slug && age >= 0 && age < tenantFreshMilliseconds)
		return shelved;
	shelf.removeItem(prefix + slug);
	return undefined;
}

/** Caches the public data of a tenant. At most twenty tenants are cached; the oldest is evicted. */
export function shelve(shelf: Shelf, tenant: PublicTenant, now: number): void {
	shelf.setItem(prefix + tenant.slug, JSON.stringify({ tenant, at: now } satisfies Shelved));
	const keys = Array.from({ length: shelf.length }, (_, index) => shelf.key(index) ?? "");
	const ages = keys
		.filter((key) => key.startsWith(prefix))
		.map((key) => ({ key, at: readShelved(shelf.getItem(key) ?? "")?.at ?? 0 }))
		.sort((one, other) => other.at - one.at);
	for (const { key } of ages.slice(shelvedMax)) shelf.removeItem(key);
}

function readShelved(text: string): Shelved | undefined {
	try {
		const { tenant, at } = JSON.parse(text) as Partial<Shelved>;
		return typeof at === "number" && typeof tenant?.name === "string" ? { tenant, at } : undefined;
	} catch {
		// Not written by these pages: ignore it.
		return undefined;
	}
}
