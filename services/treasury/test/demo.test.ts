import { buildService } from "@lango/chassis";
import { inTenant } from "@lango/postgres";
import { startCardGateway } from "@lango/sandbox-card-gateway";
import { startMobileMoneySandbox } from "@lango/sandbox-mobile-money";
import { openStand } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { findBillingMethod } from "../src/billing/methods/billing-method.store.ts";
import { seedDemoTreasury } from "../src/demo.ts";
import { startPush } from "../src/gateways/mobile-money/push.ts";
import { findPayoutConfig } from "../src/gateways/shortcodes/payout-config.store.ts";
import { treasury } from "../src/service.ts";
import { openProcess } from "./gateways/gateways-at.ts";

const environment = { TREASURY_KEY_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}` };
const stand = setUp(() => openStand({ service: treasury, build: buildService, environment }));
const sandbox = setUp(
	() => startMobileMoneySandbox({ port: 0 }),
	({ stop }) => stop(),
);

const cards = setUp(
	() => startCardGateway({ port: 0 }),
	({ stop }) => stop(),
);

test("every demo tenant has a recipient of payouts and a phone that pays its renewals", async () => {
	const { db } = stand.database;
	const { uhai, kahawa } = stand.tenants;
	const seed = () =>
		seedDemoTreasury(db, {
			...{ now: new Date(), tenants: [uhai, kahawa] },
			environment: {
				...environment,
				MOBILE_MONEY_SANDBOX_URL: sandbox.url,
				CARD_GATEWAY_SANDBOX_URL: cards.url,
			},
		});
	await seed();
	const read = (tenantId: string) =>
		inTenant(db, tenantId, async (tx) => [await findPayoutConfig(tx), await findBillingMethod(tx)]);
	const first = [await read(uhai.id), await read(kahawa.id)];
	expect(first).toMatchObject([
		[{ recipientCode: expect.stringMatching(/^RCP_/) }, { kind: "push", phone: "254711000001" }],
		[{ recipientCode: expect.stringMatching(/^RCP_/) }, { kind: "push", phone: "254712000001" }],
	]);
	await seed();
	expect([await read(uhai.id), await read(kahawa.id)]).toEqual(first);
});

test("every demo tenant can send a prompt at the sandbox, also after the demo is created again", async () => {
	const { uhai, kahawa } = stand.tenants;
	const seed = () =>
		seedDemoTreasury(stand.database.db, {
			...{ now: new Date(), tenants: [uhai, kahawa] },
			environment: { ...environment, MOBILE_MONEY_SANDBOX_URL: sandbox.url },
		});
	await seed();
	await seed();
	const gateways = openProcess(stand.database.db);
	for (const [tenant, shortcode, phone] of [
		[uhai, "600200", "254712345678"] as const,
		[kahawa, "600300", "254712345679"] as const,
	]) {
		const account = await gateways.requireMobileMoney(tenant.id);
		expect(account.shortcode).toBe(shortcode);
		const push = {
			amountMinor: 10_000n,
			phone,
			accountReference: "DEMO",
			description: "Demo",
		};
		expect(await startPush(account, { ...push, callbackUrl: "http://127.0.0.1:9/callback" })).toMatchObject({
			is: "accepted",
		});
	}
});
