import { tenantSuspended } from "@lango/contracts";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { openShop, somebody } from "./shop.ts";
import { hire, me, type OpenTill, openTill, signInAt, typePin } from "./till.ts";

const shop = setUp(() => openShop({ POS_PIN_HASHES_AT_ONCE: "1", POS_PIN_HASHES_WAITING: "1" }));
let till: OpenTill;
beforeAll(async () => {
	till = await openTill(shop);
});

test("a sign-in while the queue is full gets Retry-After, and no failure is counted", async () => {
	const juma = await hire(shop, till);
	const rush = () =>
		Promise.all(Array.from({ length: 4 }, () => typePin(shop, till, { who: juma, pin: "2580" })));
	const answers = (await Promise.all([rush(), rush().then(rush)])).flat();
	const busy = answers.filter(({ status }) => status === 503);
	expect(busy.length).toBeGreaterThan(0);
	for (const { body, headers } of busy)
		expect([body.code, headers["retry-after"]]).toEqual(["pin_sign_in_busy", "2"]);
	expect(answers.filter(({ status }) => status === 401)).toEqual([]);
	for (let n = 0; n < 4; n += 1)
		expect((await typePin(shop, till, { who: juma, pin: "0000" })).status).toBe(401);
	expect((await typePin(shop, till, { who: juma, pin: "2580" })).status).toBe(200);
});

test("many sign-ins without a till token do not delay the tills", async () => {
	const juma = await hire(shop, till);
	const strangers = Array.from({ length: 12 }, () =>
		typePin(shop, { token: "pt_nothing" }, { who: somebody(shop.kahawa, "x"), pin: "0000" }),
	);
	expect((await typePin(shop, till, { who: juma, pin: "2580" })).status).toBe(200);
	const statuses = new Set((await Promise.all(strangers)).map(({ status }) => status));
	expect(statuses).toEqual(new Set([401, 503]));
});

test("many sign-ins at one till do not affect another till behind the same address", async () => {
	const roomy = await openShop();
	try {
		const [rushed, quiet] = [await openTill(roomy), await openTill(roomy)];
		const juma = await hire(roomy, quiet);
		const rush = Promise.all(
			Array.from({ length: 40 }, () =>
				typePin(roomy, rushed, { who: somebody(roomy.kahawa, "cashier"), pin: "0000" }),
			),
		);
		const answers = await Promise.all(
			Array.from({ length: 4 }, () => typePin(roomy, quiet, { who: juma, pin: "2580" })),
		);
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
		const refused = (await rush).filter(({ status }) => status === 429);
		expect(refused.map(({ body }) => body.code)).toContain("too_many_sign_ins");
	} finally {
		await roomy.close();
	}
});

test("at the tills of a suspended tenant sign-in fails, and existing tokens are rejected", async () => {
	const own = await openTill(shop, { tenant: shop.uhai });
	const who = await hire(shop, own);
	const token = await signInAt(shop, own, { who, pin: "2580", tenant: "uhai" });
	const data = { tenant_id: shop.uhai.id, slug: "uhai", version: 2 };
	const event = testEvent(tenantSuspended, { subject: shop.uhai.id, tenant: shop.uhai, data });
	await shop.transport.publish(event);
	await expect.poll(async () => (await me(shop, token, shop.uhai)).body.code).toBe("tenant_inactive");
	expect((await typePin(shop, own, { who, pin: "2580", tenant: "uhai" })).body.code).toBe("pin_refused");
});
