import { randomUUID } from "node:crypto";
import { type CardGateway, defaultSecretKey, startCardGateway } from "@lango/sandbox-card-gateway";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parts } from "../../tools/up.ts";
import { type Services, startServices } from "./services.ts";

// A subscription that is paid by card, from the bill to what becomes of it when the money is returned:
// the subscription service and the treasury know of each other by events only.

let cards: CardGateway;
let platform: Services;
let root: string;
let clock = Date.now();
beforeAll(async () => {
	platform = await startServices(
		() => new Date(),
		["treasury"],
		async ({ treasury }) => {
			cards = await startCardGateway({ port: 0, webhookUrl: `${treasury}/webhooks/cardgateway` });
			return {
				...{ CARD_GATEWAY_SANDBOX_URL: cards.url, CARDGW_SECRET_KEY: defaultSecretKey },
				...{ HTTP_PUBLIC_BASE_URL: treasury, SUBSCRIPTIONS_SANDBOX_BILLING: "off" },
				TREASURY_KEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
			};
		},
	);
	root = await platform.signIn("root@lango.example", parts.password);
}, 120_000);
afterAll(async () => {
	await platform?.close();
	await cards?.stop();
});

async function control(method: string, path: string, body: object): Promise<Record<string, unknown>> {
	const answer = await fetch(`${cards.url}/_control/${path}`, {
		...{ method, body: JSON.stringify(body), headers: { "content-type": "application/json" } },
	});
	expect(answer.ok).toBe(true);
	return (await answer.json().catch(() => ({}))) as Record<string, unknown>;
}

/** The gateway ends a refund some seconds after it was asked. */
async function wait(seconds: number): Promise<void> {
	clock += seconds * 1_000;
	await control("PUT", "clock", { now: new Date(clock).toISOString() });
}

/** A new tenant that has paid for Growth by card, in the second month of its subscription. */
async function subscribe(slug: string) {
	const email = `owner@${slug}.example`;
	const registered = await platform.call("auth", "/api/v1/auth/register", {
		method: "POST",
		body: {
			...{ name: "Neema Bahari", email, password: parts.password, org_action: "create_new" },
			organization: { name: "Bahari Fish", slug, use_case: "quick_service" },
		},
	});
	expect(registered.status).toBe(201);
	const token = await platform.signIn(email, parts.password);
	const { id: tenantId } = (await platform.call("auth", `/api/v1/tenants/by-slug/${slug}`)).body;
	const subscription = (path = "", body?: object) =>
		platform.call("subscriptions", `/api/v1/tenants/${tenantId}/subscription${path}`, {
			...{ token, ...(body !== undefined && { method: "POST", body }) },
		});
	const treasury = (path: string, body?: object, by = token) =>
		platform.call("treasury", `/api/v1/${slug}/treasury${path}`, {
			...{ token: by, ...(body !== undefined && { method: "POST", body }) },
			headers: { "idempotency-key": randomUUID() },
		});
	expect((await subscription("", { plan: "GROWTH" })).status).toBe(201);
	const asked = await subscription("/checkout", { plan: "GROWTH" });
	expect(asked.status).toBe(202);
	const [bill] = (await findItems(() => treasury("/bills"))) as Array<{ operation_id: string }>;
	const request = { email, channels: ["card"] };
	const opened = await treasury(`/bills/${bill?.operation_id}/checkout`, request);
	await control("POST", `checkouts/${opened.body["access_code"]}`, { action: "pay", channel: "card" });
	const status = async () => (await subscription()).body["status"];
	await expect.poll(status).toBe("ACTIVE");
	// The paid period begins at the end of the trial.
	const at = new Date(Date.now() + 15 * 86_400_000).toISOString();
	const moved = { method: "PUT", token: root, body: { now: at } };
	await platform.call("subscriptions", `/api/v1/test-clock/${tenantId}`, moved);
	expect((await subscription()).body).toMatchObject({ plan: "GROWTH", status: "ACTIVE" });
	return { tenantId, treasury, status, bill, reference: String(opened.body["reference"]) };
}

async function findItems(ask: () => Promise<{ body: Record<string, unknown> }>): Promise<unknown[]> {
	const items = async () => ((await ask()).body["items"] ?? []) as unknown[];
	await expect.poll(items).not.toEqual([]);
	return items();
}

test("a bill that was paid by card and is refunded by the platform owner ends the period that it paid for", async () => {
	const { tenantId, treasury, status, bill } = await subscribe("bahari");
	const ofOwner = `tenantId=${tenantId}`;
	const [receipt] = await findItems(() => treasury(`/receipts?${ofOwner}`, undefined, root));
	const asked = { receipt_id: (receipt as { id: string }).id, reason: "Subscribed by mistake" };
	const refund = await treasury(`/refunds?${ofOwner}`, asked, root);
	expect(refund).toMatchObject({ status: 202, body: { method: "card", status: "requested" } });
	const refunded = async () => {
		await wait(20);
		return (await treasury(`/bills/${bill?.operation_id}`)).body;
	};
	await expect.poll(refunded).toMatchObject({ status: "succeeded", refunded_minor: 450_000 });
	await expect.poll(status).toBe("PAST_DUE");
});

test("a bill that was paid by card and whose chargeback is lost ends the period that it paid for", async () => {
	const { treasury, status, bill, reference } = await subscribe("pwani");
	const { id } = await control("POST", "dispute", { reference });
	await control("POST", `disputes/${id}/resolve`, { resolution: "merchant-accepted" });
	const returned = async () => (await treasury(`/bills/${bill?.operation_id}`)).body;
	await expect.poll(returned).toMatchObject({ refunded_minor: 450_000 });
	await expect.poll(status).toBe("PAST_DUE");
});
