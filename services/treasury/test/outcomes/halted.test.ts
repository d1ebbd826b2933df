import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { changeProfile } from "../../src/gateways/profiles/profile.store.ts";
import { switchHalt } from "../../src/halts/halt.store.ts";
import { newPhone, openTill } from "../till.ts";
import { countRequests } from "./count-requests.ts";

/** The calls that make a gateway ask a payer. Every other one only asks the gateway. */
const sending = /\/stkpush\/v1\/processrequest$|\/transaction\/initialize$/;

const till = setUp(async () => {
	const opened = await openTill();
	const { db } = opened.database;
	const phones = await countRequests(opened.mobileMoney.url);
	const cards = await countRequests(opened.cardGateway.url);
	const changes = [
		["mobile_money", { baseUrl: phones.url, settings: { per_second: 1_000 } }],
		["card_gateway", { baseUrl: cards.url }],
	] as const;
	for (const [kind, change] of changes) await changeProfile(db, kind, { change, now: new Date() });
	return {
		...opened,
		/** How many requests to ask a payer the gateways got. */
		countSent: () => [...phones.paths, ...cards.paths].filter((path) => sending.test(path)).length,
		close: async () => {
			await opened.close();
			await Promise.all([phones.close(), cards.close()]);
		},
	};
});

const call = (method: "GET" | "POST", path: string, body?: object) =>
	till.call({
		...{ method, url: `/api/v1/uhai/treasury/${path}`, ...(body && { body }) },
		token: till.token(till.tenants.uhai, "admin"),
	});

async function open(): Promise<string> {
	const order = { amount_minor: 150_000, currency: "KES", description: "Order 17" };
	return String((await call("POST", "intents", order)).body["id"]);
}

const push = (intent: string, phone: string) => call("POST", `intents/${intent}/push`, { phone });
const checkOut = (intent: string) =>
	call("POST", `intents/${intent}/checkout`, { email: "amina@example.com" });

/** A payment that is asked for before the halt, what becomes of it, and whether the gateway reports it. */
const asked = fc.record({
	by: fc.constantFrom("push", "checkout", "busy gateway"),
	...{ isPaid: fc.boolean(), isReported: fc.boolean() },
});
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;
type Live = { intent: string; status: string; act: () => Promise<unknown> };

const nothing = async () => {};

/** How many callbacks about prompts the sandbox has sent or dropped. */
async function countCallbacks(): Promise<number> {
	const { items } = await till.sandbox("GET", "/_control/deliveries?limit=10000");
	return (items as Array<{ operation: string }>).filter(({ operation }) => operation === "push").length;
}

/** The phone answers before the clock moves, which would end the prompt, and before the faults change. */
async function pushUntilAnswered(intent: string, phone: string): Promise<void> {
	const callbacks = await countCallbacks();
	expect((await push(intent, phone)).status).toBe(202);
	await expect.poll(countCallbacks).toBe(callbacks + 1);
}

async function start({ by, isPaid, isReported }: Asked): Promise<Live> {
	const intent = await open();
	if (by === "checkout") {
		const { body } = await checkOut(intent);
		const rule = { operation: "charge.success", fault: "drop", count: 1 };
		const act = async () => {
			await till.cards("PUT", "/_control/faults", isReported ? [] : [rule]);
			const action = isPaid ? "pay" : "decline";
			await till.cards("POST", `/_control/checkouts/${body["access_code"]}`, { action, channel: "card" });
		};
		return { intent, status: isPaid ? "succeeded" : "failed", act };
	}
	const fault = by === "push" ? "drop" : "spike_arrest";
	const rules = by === "push" && isReported ? [] : [{ operation: "push", fault, count: 1 }];
	await till.sandbox("PUT", "/_control/faults", rules);
	const phone = newPhone(isPaid ? "accepts" : "cancels");
	if (by === "busy gateway") {
		expect((await push(intent, phone)).status).toBe(202);
		return { intent, status: "rejected", act: nothing };
	}
	await pushUntilAnswered(intent, phone);
	return { intent, status: isPaid ? "succeeded" : "cancelled", act: nothing };
}

/** What is tried while collections are halted, and how it is answered. */
const tries = {
	push: async ({ fresh }: Trying) => expectHalted(await push(fresh, newPhone("is silent"))),
	checkout: async ({ fresh }: Trying) => expectHalted(await checkOut(fresh)),
	"push again": async ({ started }: Trying) => expectHalted(await push(started, newPhone("accepts"))),
	"checkout again": async ({ started }: Trying) => expectHalted(await checkOut(started)),
	refresh: async ({ fresh }: Trying) =>
		expect((await call("POST", `intents/${fresh}/refresh`)).status).toBe(200),
	balance: async () => expect((await call("POST", "mobile-money/balance")).status).toBe(202),
	status: async () =>
		expect((await call("POST", "mobile-money/status", { receipt: "SGL91XYZ12" })).status).toBe(202),
	wait: () => till.wait(15),
} as const;
type Trying = { fresh: string; started: string };
type Answer = Awaited<ReturnType<typeof call>>;

const expectHalted = ({ status, body }: Answer) => expect([status, body["code"]]).toEqual([503, "halted"]);

const attemptStatus = async ({ intent }: Live) =>
	((await call("GET", `intents/${intent}`)).body["attempts"] as Array<{ status: string }>).map(
		({ status }) => status,
	);

const halt = (isOn: boolean, tenantId: string | undefined) =>
	switchHalt(
		till.database.db,
		{
			...{ scope: "collections", tenantId, isOn, because: "The gateway reports wrong amounts" },
			...{ setBy: "operator", setAt: new Date() },
		},
		async () => {},
	);

async function returnToPresent(): Promise<void> {
	till.clock.now = undefined;
	for (const gateway of [till.sandbox, till.cards])
		await gateway("PUT", "/_control/clock", { now: new Date().toISOString() });
}

const plan = fc.record({
	before: fc.array(asked, { minLength: 1, maxLength: 3 }),
	during: fc.array(fc.constantFrom(...(Object.keys(tries) as Array<keyof typeof tries>)), {
		...{ minLength: 2, maxLength: 6 },
	}),
	isOfAll: fc.boolean(),
});

test("while collections are halted no payer is asked, and every attempt reaches its end, reported or not (I24)", async () => {
	const property = fc.asyncProperty(plan, async ({ before, during, isOfAll }) => {
		const live: Live[] = [];
		for (const one of before) live.push(await start(one));
		const fresh = await open();
		const tenantId = isOfAll ? undefined : till.tenants.uhai.id;
		const sent = till.countSent();
		try {
			await halt(true, tenantId);
			for (const { act } of live) await act();
			for (const name of during) await tries[name]({ fresh, started: live[0]?.intent ?? "" });
			for (const seconds of [20, 25, 30, 60]) await till.wait(seconds);
			const ends = async () => {
				await till.service.jobs.runDue();
				return Promise.all(live.map(attemptStatus));
			};
			await expect.poll(ends).toEqual(live.map(({ status }) => [status]));
			expect(till.countSent()).toBe(sent);
		} finally {
			await halt(false, tenantId);
		}
		await pushUntilAnswered(fresh, newPhone("cancels"));
		expect(till.countSent()).toBe(sent + 1);
		await returnToPresent();
	});
	await fc.assert(property, { numRuns: 12, endOnFailure: true });
}, 120_000);
