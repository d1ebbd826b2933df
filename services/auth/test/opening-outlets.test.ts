import { setTimeout as sleep } from "node:timers/promises";
import { inTenant } from "@lango/postgres";
import { testSubscription } from "@lango/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Firm, fresh, type Office, openOffice } from "./office.ts";
import { claimsOf, codeOf, setUpSignOn } from "./sign-on.ts";

// what happens to members and what the plan must allow when a tenant opens a second outlet

const signOn = setUpSignOn();
const office = openOffice(signOn);
let firm: Firm;
let hq: string;
beforeEach(async () => {
	firm = await office.found();
	[hq = ""] = (await outlets()).map(({ id }) => id);
});
afterEach(() => {
	delete signOn.subscriptions.brokenWith;
	signOn.subscriptions.delayMs = 0;
});

const call = (method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object) =>
	callAs(firm.token, { method, path, ...(body !== undefined && { body }) });
type Asked = { method: Parameters<Office["call"]>[0]; path: string; body?: object };
const callAs = (token: string, { method, path, ...body }: Asked) =>
	office.call(method, `/api/v1/tenants/${firm.slug}/${path}`, { token, ...body });
const outlets = async (): Promise<Array<{ id: string; status: string }>> =>
	(await call("GET", "outlets")).json();
const open = (code = fresh("O").toUpperCase(), token = firm.token) =>
	callAs(token, { method: "POST", path: "outlets", body: { code, name: code, use_case: "retail" } });
const opened = async (): Promise<string> => {
	const response = await open();
	if (response.statusCode !== 201) throw new Error(response.body);
	return response.json().id;
};
const approved = async (...roles: string[]) => {
	const person = await office.join(firm.slug);
	await call("POST", `join-requests/${person.userId}/approve`, { roles });
	return person;
};
const outletsOf = async (userId: string): Promise<string[]> => {
	const { items } = (await call("GET", "members?limit=200")).json();
	return items.find((one: { user_id: string }) => one.user_id === userId).outlet_ids;
};
const planned = (features: string[]) =>
	signOn.subscriptions.answers.set(firm.tenantId, testSubscription(firm.tenantId, { features }));

describe("the second outlet", () => {
	test("assigns the first one to every member with a role other than member and without an outlet", async () => {
		const cashier = await approved("cashier");
		const both = await approved("member", "staff");
		const customer = await approved("member");
		const waiting = await office.join(firm.slug);
		await opened();
		expect(await outletsOf(cashier.userId)).toEqual([hq]);
		expect(await outletsOf(both.userId)).toEqual([hq]);
		expect(await outletsOf(customer.userId)).toEqual([]);
		expect(claimsOf(await office.tokenOf(cashier.email))).toMatchObject({
			outlet_scope: "selected",
			outlet_id: hq,
		});
		expect(claimsOf(await office.tokenOf(customer.email))).toMatchObject({
			outlet_scope: "unselected",
			outlet_ids: [],
		});
		await call("POST", `join-requests/${waiting.userId}/approve`, { roles: ["cashier"] });
		expect(await outletsOf(waiting.userId)).toEqual([]);
	});

	test("publishes an event of a higher version for each of them", async () => {
		const cashier = await approved("cashier");
		const customer = await approved("member");
		await opened();
		await signOn.jobs.runDue();
		const events = (await office.events("auth.user.updated", cashier.userId)).map(({ data }) => data);
		expect(events.map(({ outlet_ids }) => outlet_ids)).toEqual([[], [hq]]);
		expect(Number(events[1]?.["version"])).toBeGreaterThan(Number(events[0]?.["version"]));
		expect(await office.events("auth.user.updated", customer.userId)).toHaveLength(1);
	});

	test("assigns it to open invitations without outlets, too", async () => {
		const invite = async (...roles: string[]) => {
			const email = `${fresh("guest")}@guests.example`;
			return { email, invitation: (await call("POST", "invitations", { email, roles })).json().token };
		};
		const [cashier, customer] = [await invite("cashier"), await invite("member")];
		await opened();
		for (const [body, expected] of [
			[cashier, [hq]],
			[customer, []],
		] as const) {
			const { user } = (await office.register({ ...body, org_action: "join_existing" })).json();
			expect(await outletsOf(user.id)).toEqual(expected);
		}
	});

	test("can also be a restored or reactivated one", async () => {
		const second = await opened();
		const away = async () => (await approved("cashier")).userId;
		await call("DELETE", `outlets/${second}`);
		const beforeRestoring = await away();
		await call("POST", `outlets/${second}/restore`);
		expect(await outletsOf(beforeRestoring)).toEqual([hq]);
		await call("PATCH", `outlets/${second}`, { status: "inactive" });
		const beforeActivating = await away();
		await call("PATCH", `outlets/${second}`, { status: "active" });
		expect(await outletsOf(beforeActivating)).toEqual([hq]);
	});

	test("does not change members who have an active outlet; a third one changes nothing", async () => {
		const second = await opened();
		const here = await approved("cashier");
		await call("PUT", `members/${here.userId}/outlets`, { outlet_ids: [second] });
		const nowhere = await approved("cashier");
		await opened();
		expect([await outletsOf(here.userId), await outletsOf(nowhere.userId)]).toEqual([[second], []]);
	});

	test("that is refused assigns no member", async () => {
		const cashier = await approved("cashier");
		expect(codeOf(await open("HQ"))).toEqual([409, "outlet_code_taken"]);
		expect(await outletsOf(cashier.userId)).toEqual([]);
	});

	test("is recorded in the audit log with the number of assigned members", async () => {
		await approved("cashier");
		await opened();
		const [row] = await office.audit(firm.slug, firm.token);
		expect(row).toMatchObject({
			action: "outlet.opened",
			after: { assigned_outlet_id: hq, assigned_members: 2 },
		});
	});

	test("two at once while members join: every earlier member has the first outlet and no other", async () => {
		const before = await Promise.all([1, 2, 3].map(() => approved("cashier")));
		const waiting = await Promise.all([1, 2, 3].map(() => office.join(firm.slug)));
		const [one, other] = await Promise.all([
			open(),
			open(),
			...waiting.map(({ userId }) => call("POST", `join-requests/${userId}/approve`, { roles: ["staff"] })),
		]);
		expect([one.statusCode, other.statusCode]).toEqual([201, 201]);
		for (const { userId } of before) expect(await outletsOf(userId)).toEqual([hq]);
		// Each of the others came in before the opening, or after it.
		for (const { userId } of waiting) expect([[], [hq]]).toContainEqual(await outletsOf(userId));
		await signOn.jobs.runDue();
		for (const { userId } of before) {
			const events = await office.events("auth.user.updated", userId);
			expect(events.at(-1)?.data["outlet_ids"]).toEqual([hq]);
		}
	});

	test("in a tenant of a thousand members an event for each is published in batches", async () => {
		const count = 1_000;
		await inTenant(signOn.db, firm.tenantId, async (tx) => {
			await tx.query(
				`with added as (
				   insert into users (email, email_folded, name) select n || $2, n || $2, 'Many' from generate_series(1, $3::int) n returning id
				 )
				 insert into memberships (tenant_id, user_id, roles) select $1, id, '{cashier}' from added on conflict do nothing`,
				[firm.tenantId, `@${firm.slug}.example`, count],
			);
		});
		await opened();
		await signOn.jobs.runDue();
		const events = await signOn.db.query<{ count: number }>(
			`select count(distinct subject)::int as count from outbox
			  where type = 'auth.user.updated' and envelope->>'tenantid' = $1 and envelope->'data'->'outlet_ids' = $2::jsonb`,
			[firm.tenantId, JSON.stringify([hq])],
		);
		// And the founder.
		expect(events[0]?.count).toBe(count + 1);
	}, 60_000);
});

describe("more than one outlet needs the feature multi_outlet", () => {
	test.each([
		["a plan without it", () => planned(["loyalty_program"])],
		["no plan", () => signOn.subscriptions.answers.delete(firm.tenantId)],
	])("%s: the second one is refused", async (_what, without) => {
		without();
		const response = await open();
		expect(codeOf(response)).toEqual([403, "feature_unavailable"]);
		expect(response.json()).toMatchObject({ feature: "multi_outlet" });
		expect(await outlets()).toHaveLength(1);
	});

	test("active outlets stay active and can be changed; archived and inactive ones cannot be activated", async () => {
		const [kept, archived, inactive] = [await opened(), await opened(), await opened()];
		await call("DELETE", `outlets/${archived}`);
		await call("PATCH", `outlets/${inactive}`, { status: "inactive" });
		planned([]);
		expect((await call("PATCH", `outlets/${kept}`, { name: "Kept", status: "active" })).statusCode).toBe(200);
		expect(codeOf(await call("POST", `outlets/${archived}/restore`))).toEqual([403, "feature_unavailable"]);
		const active = { status: "active" };
		expect(codeOf(await call("PATCH", `outlets/${inactive}`, active))).toEqual([403, "feature_unavailable"]);
	});

	test("the only outlet of a tenant needs no plan", async () => {
		planned([]);
		expect((await call("DELETE", `outlets/${hq}`)).statusCode).toBe(204);
		expect((await open()).statusCode).toBe(201);
	});

	test("while the plan is unknown, a new outlet is refused with 503, and an archived one is restored", async () => {
		const second = await opened();
		await call("DELETE", `outlets/${second}`);
		signOn.now.forward(16 * 60);
		signOn.subscriptions.brokenWith = 500;
		const response = await open();
		expect(codeOf(response)).toEqual([503, "entitlements_unavailable"]);
		expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
		expect((await call("POST", `outlets/${second}/restore`)).statusCode).toBe(200);
	});

	test("a cached answer of the last 15 minutes is used while the service is unavailable", async () => {
		await opened();
		signOn.subscriptions.brokenWith = 500;
		signOn.now.forward(14 * 60);
		expect((await open()).statusCode).toBe(201);
	});

	test("of two second outlets at once without it, both are refused", async () => {
		planned([]);
		const answers = await Promise.all([open(), open()]);
		expect(answers.map(codeOf)).toEqual([
			[403, "feature_unavailable"],
			[403, "feature_unavailable"],
		]);
		expect(await outlets()).toHaveLength(1);
	});

	test("of two first outlets at once without it, one is opened", async () => {
		planned([]);
		await call("DELETE", `outlets/${hq}`);
		const answers = await Promise.all([open(), open()]);
		expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 403]);
	});

	test("the platform's own tenant and its owner need no plan", async () => {
		const root = await office.tokenOf("root@lango.example");
		planned([]);
		expect((await open(undefined, root)).statusCode).toBe(201);
		for (const code of ["A", "B"]) {
			const body = { code, name: code, use_case: "services" };
			const response = await office.call("POST", "/api/v1/tenants/lango/outlets", { token: root, body });
			expect(response.statusCode).toBe(201);
		}
	});

	test("no connection is used while the plan is requested", async () => {
		signOn.subscriptions.delayMs = 1_500;
		const asked = signOn.subscriptions.asked;
		const opening = open();
		await expect.poll(() => signOn.subscriptions.asked, { interval: 5 }).toBe(asked + 1);
		await sleep(600);
		// Younger ones are of other work, such as the relay's.
		const held = await signOn.db.query(
			`select query from pg_stat_activity
			  where datname = current_database() and clock_timestamp() - xact_start > interval '500 milliseconds'`,
		);
		expect(held).toEqual([]);
		expect((await opening).statusCode).toBe(201);
	});
});
