import { inTenant } from "@lango/postgres";
import { startMessagesSandbox } from "@lango/sandbox-messages";
import { ensureTenant } from "@lango/tenancy";
import { setUp } from "@lango/testkit/set-up";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { expect, test } from "vitest";
import { saveProvider } from "../src/accounts/provider.store.ts";
import { createVault } from "../src/addresses/sealed-address.ts";
import { seedDemoNotifications } from "../src/demo.ts";
import { encryptionKeys, greeting, openOffice } from "./office.ts";
import { control } from "./providers/sandbox.ts";

const office = setUp(() => openOffice({ NOTIFICATIONS_DISPATCH: "on" }));
const sandbox = setUp(
	() => startMessagesSandbox({ port: 0, smtpPort: 0, reportAfterMs: 0 }),
	(started) => started.stop(),
);

const includes = (text: string) => expect.stringContaining(text);

/** The mails to an address, the oldest first. */
async function mailsTo(to: string): Promise<Array<{ kind: string; from: string; tenant: string }>> {
	const { items } = await control(sandbox, `GET /api/messages?to=${to}`);
	return items.toReversed();
}

test("mail comes from a tenant's address by its own provider, and from the platform's by the platform's, also after a failure of its own", async () => {
	const { db } = office.database;
	await seedDemoNotifications(db, {
		...{ now: new Date(), tenants: [] },
		environment: {
			NOTIFICATIONS_KEY_ENCRYPTION_KEYS: encryptionKeys,
			MESSAGES_SANDBOX_PORT: new URL(sandbox.url).port,
			MESSAGES_SANDBOX_SMTP_PORT: String(sandbox.smtpPort),
		},
	});
	await ensureTenant(db, office.uhai.id);
	const vault = createVault(readKeyEncryptionKeys(encryptionKeys));
	const credentials = { serverToken: "sandbox" };
	const own = await saveProvider(db, {
		...{ tenantId: office.uhai.id, now: new Date() },
		change: {
			...{ channel: "email", kind: "postmark", name: "own", baseUrl: `${sandbox.url}/postmark` },
			fromAddress: "info@uhai.example",
			...{ restingWeight: 100, perSecond: 100, inFlightMax: 20, isEnabled: true, createdBy: "test" },
			secrets: vault.sealCredentials({ credentials }),
		},
	});
	const send = (tenant: typeof office.uhai, to: string) => office.send(tenant, greeting([to]));

	expect((await send(office.uhai, "amina@example.com")).status).toBe(202);
	expect((await send(office.kahawa, "juma@example.com")).status).toBe(202);
	await expect
		.poll(() => mailsTo("amina@example.com"))
		.toMatchObject([{ kind: "postmark", from: includes("<info@uhai.example>"), tenant: office.uhai.name }]);
	const byPlatform = { kind: "smtp", from: includes("<no-reply@lango.example>") };
	await expect
		.poll(() => mailsTo("juma@example.com"))
		.toMatchObject([{ ...byPlatform, tenant: office.kahawa.name }]);

	const unavailable = { refuse: { status: 503, code: 100 } };
	await control(sandbox, "PUT /control/faults", [{ kind: "postmark", match: { every: 1 }, do: unavailable }]);
	const { body } = await send(office.uhai, "neema@example.com");
	const messageIds = async () =>
		(await control(sandbox, "GET /control/truth")).items
			.filter(({ address }: { address: string }) => address === "neema@example.com")
			.map(({ message_id, outcome }: Record<string, string>) => `${outcome} ${message_id}`);
	await expect.poll(messageIds).toHaveLength(1);
	const statuses = () =>
		inTenant(db, office.uhai.id, (tx) =>
			tx.query("select status from message_deliveries where message_id = $1", [body.requestId]),
		);
	await expect.poll(statuses).toEqual([{ status: "queued" }]);
	await office.call({
		...{ method: "PATCH", url: `/api/v1/uhai/notifications/providers/${own}` },
		...{ token: office.token(office.uhai, "admin"), body: { enabled: false } },
	});
	office.clock.now = new Date(Date.now() + 16 * 60_000);
	await expect
		.poll(() => mailsTo("neema@example.com"), { timeout: 10_000 })
		.toMatchObject([{ ...byPlatform, tenant: office.uhai.name }]);
	const [first, second] = await messageIds();
	expect(second).toBe(first.replace("refused", "accepted"));
}, 30_000);
