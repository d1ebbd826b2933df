import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { startMessagesSandbox } from "@lango/sandbox-messages";
import { setUp } from "@lango/testkit/set-up";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { expect, test } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import { seedDemoNotifications } from "../src/demo.ts";
import { encryptionKeys, greeting, openOffice } from "./office.ts";
import { addPlatformProvider } from "./platform-provider.ts";
import { control, truth } from "./providers/sandbox.ts";

const office = setUp(() => openOffice({ NOTIFICATIONS_DISPATCH: "on" }));
const sandbox = setUp(
	() => startMessagesSandbox({ port: 0, smtpPort: 0, reportAfterMs: 0 }),
	(started) => started.stop(),
);

/** Sends a text through Twilio's imitation. */
async function send(phone: string, provider = "sandbox-twilio"): Promise<void> {
	const { status } = await office.send(
		office.uhai,
		greeting([phone], { channel: "sms", metadata: { provider } }),
		{ headers: { "idempotency-key": randomUUID() } },
	);
	expect(status).toBe(202);
}

const deliveries = () =>
	inTenant(office.database.db, office.uhai.id, (tx) =>
		tx.query<{ status: string; ref: string | null; attempt: number }>(
			"select status, ref, attempt from message_deliveries order by created_at, id",
		),
	);
const statuses = async () => (await deliveries()).map(({ status }) => status);

test("a text whose call had no answer is sent once it is found at the provider, and stays unknown if it is not there or could be another one", async () => {
	const [found, absent, repeated, alsoSent] = ["200", "201", "202", "203"].map((end) => `+254712370${end}`);
	if (!found || !absent || !repeated || !alsoSent) throw new Error("a phone is missing");
	await seedDemoNotifications(office.database.db, {
		...{ now: new Date(), tenants: [office.uhai] },
		environment: {
			NOTIFICATIONS_KEY_ENCRYPTION_KEYS: encryptionKeys,
			MESSAGES_SANDBOX_PORT: new URL(sandbox.url).port,
			MESSAGES_SANDBOX_SMTP_PORT: String(sandbox.smtpPort),
		},
	});
	const lost = { accept_then_reset: true, report: { status: "none" } };
	await control(sandbox, "PUT /control/faults", [
		{ kind: "twilio", match: { nth: 2 }, do: { reset: true } },
		{ kind: "twilio", match: { every: 1 }, do: lost },
	]);
	for (const [at, phone] of [found, absent, repeated, repeated, alsoSent].entries()) {
		await send(phone);
		await expect.poll(statuses).toEqual(Array(at + 1).fill("unknown"));
	}
	const items: Array<{ address: string; provider_id: string; text: string }> = await truth(sandbox);
	const [taken] = items.filter(({ address }) => address === found);
	// Another program sends the same text to the same phone through the same account.
	const account = `AC${"0".repeat(32)}`;
	await fetch(`${sandbox.url}/twilio/2010-04-01/Accounts/${account}/Messages.json`, {
		method: "POST",
		headers: { authorization: `Basic ${Buffer.from(`${account}:sandbox`).toString("base64")}` },
		body: new URLSearchParams({ To: alsoSent, From: "+15005550006", Body: taken?.text ?? "" }),
	}).catch(() => {});
	expect(
		(await truth(sandbox)).filter((item: { address: string }) => item.address === alsoSent),
	).toHaveLength(2);

	office.clock.now = new Date(Date.now() + 61_000);
	await office.jobs.run("deliveries.recover");
	const [first, ...rest] = await deliveries();
	expect(first).toEqual({ status: "sent", ref: taken?.provider_id, attempt: 1 });
	expect(rest).toEqual(Array(4).fill({ status: "unknown", ref: null, attempt: 1 }));
	const events = await inTenant(office.database.db, office.uhai.id, (tx) =>
		tx.query("select detail from delivery_events where kind = 'report'"),
	);
	expect(events).toEqual([{ detail: { report: "sent", looked_up: true } }]);
}, 30_000);

test("a text whose call had no answer is delivered once the provider says so at a look-up, although no report arrives", async () => {
	const { db } = office.database;
	const phone = "+254712370204";
	const vault = createVault(readKeyEncryptionKeys(encryptionKeys));
	const credentials = { accountSid: `AC${"0".repeat(32)}`, authToken: "sandbox", from: "+15005550006" };
	// Without a webhook no call asks for reports.
	await addPlatformProvider(office, {
		...{ channel: "sms", kind: "twilio", name: "without webhook", baseUrl: `${sandbox.url}/twilio` },
		...{ restingWeight: 0, perSecond: 100, inFlightMax: 20, secrets: vault.sealCredentials({ credentials }) },
	});
	await control(sandbox, "PUT /control/faults", [
		{ kind: "twilio", match: { address: phone }, do: { accept_then_reset: true } },
	]);
	office.clock.now = undefined;
	await send(phone, "without webhook");
	const sent = () =>
		inTenant(db, office.uhai.id, (tx) =>
			tx.query<{ id: string; status: string; attempt: number }>(
				`select d.id, d.status, d.attempt from message_deliveries d
				   join messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
				  where m.provider = 'without webhook'`,
			),
		);
	await expect.poll(sent).toMatchObject([{ status: "unknown" }]);
	const atProvider = async () =>
		(await control(sandbox, `GET /api/messages?to=${encodeURIComponent(phone)}`)).items.map(
			({ state }: { state: string | null }) => state,
		);
	await expect.poll(atProvider).toEqual(["delivered"]);

	office.clock.now = new Date(Date.now() + 61_000);
	await office.jobs.run("deliveries.recover");
	const [delivery] = await sent();
	expect(delivery).toMatchObject({ status: "delivered", attempt: 1 });
	const { body } = await office.call({
		url: `/api/v1/uhai/notifications/deliveries/${delivery?.id}`,
		token: office.token(office.uhai, "admin"),
	});
	expect(body).toMatchObject({ status: "delivered" });
	const reports = await inTenant(db, office.uhai.id, (tx) =>
		tx.query("select detail from delivery_events where delivery_id = $1 and kind = 'report'", [delivery?.id]),
	);
	expect(reports).toEqual([{ detail: { report: "delivered", looked_up: true } }]);
	expect(await atProvider()).toEqual(["delivered"]);
}, 30_000);
