import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { hashSecret, readKeyEncryptionKeys } from "@lango/tokens";
import { afterEach, expect, test } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import type { Report } from "../src/provider.ts";
import { applyReports } from "../src/reports/apply-reports.ts";
import { storeReports } from "../src/reports/report.store.ts";
import { accepted, claimFrom, failFor, settleAs } from "./dispatch.ts";
import { encryptionKeys, greeting, openOffice } from "./office.ts";
import { addPlatformProvider } from "./platform-provider.ts";

const office = setUp(() => openOffice());
const vault = createVault(readKeyEncryptionKeys(encryptionKeys));
afterEach(() => {
	office.clock.now = undefined;
});

const provider = setUp(async () => ({
	id: await addPlatformProvider(office, {
		...{ channel: "email", kind: "postmark", name: "postmark" },
		...{ restingWeight: 50, perSecond: 100, inFlightMax: 10 },
		secrets: vault.sealCredentials({ credentials: { serverToken: "test" }, webhookToken: "test" }),
		webhookTokenHash: hashSecret("test"),
	}),
	close: async () => {},
}));

type Sent = { tenant: PublicTenant; id: string; ref: string };

/** Sends e-mails of a tenant: the provider has accepted them. */
async function sendMails(tenant: PublicTenant, count = 1): Promise<Sent[]> {
	await office.send(
		tenant,
		greeting(Array.from({ length: count }, (_, n) => `to${n}@${tenant.slug}.example`)),
	);
	const claimed = await claimFrom(office, { tenantId: tenant.id, channel: "email", messageClass: "normal" });
	const sent = claimed.map((one) => ({ ...one, tenant, ref: randomUUID() }));
	const results = sent.map((one) => ({ ...accepted(one), ref: one.ref, providerId: provider.id }));
	await settleAs(office, tenant.id, results);
	return sent;
}
const store = (reports: readonly Report[]) =>
	storeReports(office.database.db, {
		...{ providerId: provider.id, now: new Date() },
		reports: reports.map((one) => ({ eventKey: hashSecret(one.eventKey), report: vault.sealData(one) })),
	});
const delivered = ({ ref }: Pick<Sent, "ref">): Report => ({ eventKey: ref, kind: "delivered", ref });
const apply = () =>
	applyReports({ db: office.database.db, now: () => office.clock.now ?? new Date(), vault });
const valuesOf = ({ tenant, id }: Sent, text: string) =>
	inTenant(office.database.db, tenant.id, (tx) => tx.query<{ value: string }>(text, [id])).then((rows) =>
		rows.map(({ value }) => value),
	);
const statusesOf = (sent: readonly Sent[]) =>
	Promise.all(
		sent.map((one) => valuesOf(one, "select status as value from message_deliveries where id = $1")),
	).then((statuses) => statuses.flat());

test("texts that a provider passes on from anybody stop no other report", async () => {
	const [strange, sent] = [...(await sendMails(office.tenant({}))), ...(await sendMails(office.tenant({})))];
	if (strange === undefined || sent === undefined) throw new Error("nothing was sent");
	const texts = ["", "not an id", "'; --", "\0", "\ud800", "x".repeat(10_000)];
	const odd = texts.flatMap((text): Report[] => [
		{ ...delivered({ ref: `${text}${randomUUID()}` }), tenantId: text, deliveryId: text },
		{ eventKey: `code ${text}`, kind: "soft_bounced", ref: strange.ref, code: text },
	]);
	await store([...odd, delivered(sent)]);
	await apply();
	expect(await statusesOf([strange, sent])).toEqual(["undelivered", "delivered"]);
	const reports =
		"select detail::text as value from delivery_events where delivery_id = $1 and kind = 'report'";
	expect(await valuesOf(strange, reports)).toHaveLength(texts.length);
});

test("reports of a tenant that cannot be applied stop no other tenant, and are applied later", async () => {
	const sent = (await Promise.all([1, 2, 3].map(() => sendMails(office.tenant({}))))).flat();
	const repair = await failFor(office, sent[1]?.tenant.id ?? "", { table: "message_deliveries" });
	await store(sent.map(delivered));
	await expect(apply()).rejects.toMatchObject({ errors: [{ message: "failed for a test" }] });
	expect(await statusesOf(sent)).toEqual(["delivered", "sent", "delivered"]);
	await repair();
	office.clock.now = new Date(Date.now() + 61_000);
	await apply();
	expect(await statusesOf(sent)).toEqual(["delivered", "delivered", "delivered"]);
});

test("a report that cannot be applied stops no other report of its tenant", async () => {
	const sent = await sendMails(office.tenant({}), 3);
	await failFor(office, sent[1]?.tenant.id ?? "", { table: "message_deliveries", id: sent[1]?.id });
	await store(sent.map(delivered));
	await expect(apply()).rejects.toMatchObject({ errors: [{ message: "failed for a test" }] });
	expect(await statusesOf(sent)).toEqual(["delivered", "sent", "delivered"]);
});

test("a report that cannot be decrypted stops no other report", async () => {
	const sent = await sendMails(office.tenant({}));
	const other = createVault(readKeyEncryptionKeys(`other:${Buffer.alloc(32, 9).toString("base64")}`));
	const report = other.sealData(delivered({ ref: randomUUID() }));
	const unreadable = [{ eventKey: hashSecret(randomUUID()), report }];
	await storeReports(office.database.db, { providerId: provider.id, now: new Date(), reports: unreadable });
	await store(sent.map(delivered));
	await expect(apply()).rejects.toMatchObject({ errors: [expect.any(Error)] });
	expect(await statusesOf(sent)).toEqual(["delivered"]);
});
