import { buildService } from "@lango/chassis";
import { startMobileMoneySandbox } from "@lango/sandbox-mobile-money";
import { openStand } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { seedDemoTreasury } from "../src/demo.ts";
import { startPush } from "../src/gateways/mobile-money/push.ts";
import { treasury } from "../src/service.ts";
import { openProcess } from "./gateways/gateways-at.ts";

const environment = { TREASURY_KEY_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}` };
const stand = setUp(() => openStand({ service: treasury, build: buildService, environment }));
const sandbox = setUp(
	() => startMobileMoneySandbox({ port: 0 }),
	({ stop }) => stop(),
);

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
