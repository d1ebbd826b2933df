import { inTenant } from "@lango/postgres";
import { repointTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { startPush } from "../../src/gateways/mobile-money/push.ts";
import { type GatewaysAt, openGatewaysAt } from "../gateways/gateways-at.ts";
import { fixture, startTestGateway, type TestGateway } from "../gateways/test-gateway.ts";

let gateway: TestGateway;
const at = setUp(async (): Promise<GatewaysAt & { close(): Promise<void> }> => {
	gateway = await startTestGateway();
	const opened = await openGatewaysAt(gateway.url);
	return { ...opened, close: () => gateway.close().finally(() => opened.database.drop()) };
});

/** Sends a prompt of a tenant, and returns the token that it was sent with. */
async function pushOf(tenantId: string): Promise<unknown> {
	const account = await at.process().findMobileMoney(tenantId);
	if (account === undefined) throw new Error("the tenant has no shortcode");
	await startPush(account, {
		...{ amountMinor: 10_000n, phone: "254712345678", accountReference: "7K3Q9XW2MA", description: "Test" },
		callbackUrl: "https://pay.example/callback",
	});
	return gateway.received.at(-1)?.headers["authorization"];
}

test("the secrets and the token of a tenant go with its id, and inside of a tenant those of the platform are not seen", async () => {
	let made = 0;
	gateway.answerWith(({ url }) => {
		if (!url.startsWith("/oauth/")) return fixture("mobile-money/push-accepted");
		made += 1;
		return { status: 200, body: { access_token: `token-${made}`, expires_in: "3599" } };
	});
	const secrets = { consumer_key: "consumer", consumer_secret: "secret", passkey: "pass" };
	await at.setPlatform("mobile_money", secrets);
	const { db } = at.database;
	const [from, to] = [await at.addShortcode("600300"), crypto.randomUUID()];
	await at.setTenant({ consumer_key: "own", consumer_secret: "own-secret" }, from);
	expect(await pushOf(from)).toBe("Bearer token-1");
	expect(await pushOf(at.tenantId)).toBe("Bearer token-2");
	const [row] = await db.query<{ slug: string }>("select slug from tenants where id = $1", [from]);
	await repointTenant(db, { slug: row?.slug ?? "", from, to });
	expect(await pushOf(to)).toBe("Bearer token-1");
	for (const table of ["gateway_credentials", "gateway_tokens"]) {
		const within = (name: string) => inTenant(db, to, (tx) => tx.query(`select from ${name}`));
		expect(await within(table), table).toHaveLength(1);
		expect(await within(`platform_${table}`), table).toEqual([]);
		expect(await db.query(`select from platform_${table}`), table).not.toEqual([]);
	}
});
