import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { countTenantRows, fillAccess, repointTenant, testSubscription, testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { openShop, somebody } from "./shop.ts";
import { at, givePin, meet, type OpenTill, openTill, typePin } from "./till.ts";

const shop = setUp(openShop);

const count = (tenantId: string) => countTenantRows(shop.database.db, tenantId);
const repoint = (from: PublicTenant, to: string) =>
	repointTenant(shop.database.db, { slug: from.slug, from: from.id, to });
const rows = <R extends Record<string, unknown>>(tenantId: string, text: string) =>
	inTenant(shop.database.db, tenantId, (tx) => tx.query<R>(text));
const nothing = (counts: Record<string, number>) => Object.values(counts).every((many) => many === 0);

/** A tenant with something in every table: a till, and a person with a PIN, a session and a wrong attempt. */
async function filled(subject: string, pin: string): Promise<{ tenant: PublicTenant; till: OpenTill }> {
	const tenant = testTenant(`t-${randomUUID().slice(0, 8)}`);
	shop.issuer.tenants.push(tenant);
	shop.issuer.outlets.set(tenant.slug, [{ ...shop.outlet(shop.kahawa), id: randomUUID() }]);
	shop.subscriptions.records.set(tenant.id, testSubscription(tenant.id, { products: ["pos"] }));
	const till = await openTill(shop, { tenant });
	const who = { ...somebody(tenant, "cashier", "Juma Ali"), sub: subject };
	await meet(shop, who);
	expect((await givePin(shop, till, { who, pin })).status).toBe(200);
	const type = (typed: string) => typePin(shop, till, { who, pin: typed, tenant: tenant.slug });
	expect([(await type(pin)).status, (await type("999999")).status]).toEqual([200, 401]);
	const token = shop.token(till.manager);
	const asAdmin = async (method: "PUT" | "POST", path: string, body: object) => {
		const answer = await shop.call({ method, url: at(tenant, `/${path}`), token, body });
		if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
	};
	await fillAccess(asAdmin, { subject, permission: "pos.roles.view" });
	return { tenant, till };
}

test("a tenant that arrives with another id keeps its rows of every table under that id", async () => {
	const { tenant } = await filled(randomUUID(), "2580");
	const had = await count(tenant.id);
	expect(Object.entries(had).filter(([, many]) => many === 0)).toEqual([]);
	const to = randomUUID();
	expect(await repoint(tenant, to)).toEqual([]);
	expect(nothing(await count(tenant.id))).toBe(true);
	expect(await count(to)).toEqual(had);
});

describe("a tenant with tills and people under both ids", () => {
	test("keeps all tills, and all people with their PINs", async () => {
		const [from, to] = [await filled(randomUUID(), "2580"), await filled(randomUUID(), "2580")];
		await repoint(from.tenant, to.tenant.id);
		expect(nothing(await count(from.tenant.id))).toBe(true);
		const { terminals, pins, terminal_sessions, pin_attempts } = await count(to.tenant.id);
		expect([terminals, pins, terminal_sessions, pin_attempts]).toEqual([2, 2, 2, 2]);
	});

	test.each([
		["the old id", true],
		["the new id", false],
	])(
		"keeps the PIN of a person that was set later, under %s, and ends the sessions of the other",
		async (_, isOld) => {
			const subject = randomUUID();
			const first = await filled(subject, "1111");
			const second = await filled(subject, "2222");
			const [from, to] = isOld ? [second, first] : [first, second];
			const pinOf = ({ tenant }: typeof from) => rows<{ id: string }>(tenant.id, "select id from pins");
			const [later, signedIn] = [await pinOf(second), await count(first.tenant.id)];
			expect(signedIn.terminal_sessions).toBe(1);
			const yielded = await repoint(from.tenant, to.tenant.id);
			expect(yielded.filter(({ from_table }) => from_table === "pins")).toHaveLength(1);
			expect(await pinOf(to)).toEqual(later);
			const currentSessions =
				"select s.id from terminal_sessions s join pins p on p.user_id = s.user_id and p.id = s.pin_id";
			expect(await rows(to.tenant.id, currentSessions)).toHaveLength(1);
			const attempts =
				"select count(distinct user_id)::int as people, count(*)::int as tills from pin_attempts";
			expect(await rows(to.tenant.id, attempts)).toEqual([{ people: 1, tills: 2 }]);
		},
	);
});
