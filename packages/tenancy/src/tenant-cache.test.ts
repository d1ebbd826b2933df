import { beforeEach, expect, test } from "vitest";
import type { Tenant } from "./tenant.ts";
import { createTenantCache, invalidateTenants, storeTenant, type TenantCache } from "./tenant-cache.ts";

let at: number;
let known: TenantCache;
const tenant: Tenant = {
	id: "1",
	slug: "uhai",
	name: "Uhai",
	status: "active",
	timeZone: "Africa/Nairobi",
	currency: "KES",
	locale: "en-KE",
	outletIsolation: "strict",
};

beforeEach(() => {
	at = 0;
	known = createTenantCache({ now: () => new Date(at), tenantsMax: 2 });
});

test("a tenant is cached by id and by slug for a minute, a slug without a tenant for half of it", () => {
	storeTenant(known.begin(), tenant);
	known.begin()("slug duka", undefined);
	const cached = () => ["id 1", "slug uhai", "slug duka"].map((key) => known.get(key) !== undefined);
	expect(cached()).toEqual([true, true, true]);
	at = 30_000;
	expect(cached()).toEqual([true, true, false]);
	at = 60_000;
	expect(cached()).toEqual([false, false, false]);
});

test("an invalidation of some keys leaves others cached, and invalidates every look-up in progress", () => {
	storeTenant(known.begin(), tenant);
	const store = known.begin();
	invalidateTenants(known, ["slug uhai"]);
	storeTenant(store, { ...tenant, id: "2", slug: "duka" });
	expect(["slug uhai", "id 1", "id 2"].map((key) => known.get(key)?.value?.id)).toEqual([
		undefined,
		"1",
		undefined,
	]);
});
