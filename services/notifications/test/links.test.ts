import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
	authEmailVerificationRequested,
	authInvitationCreated,
	authPasswordResetRequested,
	authUserDeleted,
} from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { afterAll, expect, test } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import type { Lane } from "../src/dispatch/claim.store.ts";
import { sendDelivery } from "../src/dispatch/send-delivery.ts";
import { createMailLinks } from "../src/links/mail-links.ts";
import { purge } from "../src/purge/purge.ts";
import { erasePerson } from "../src/recipients/erase-person.ts";
import type { Rendered } from "../src/rendering/rendered.ts";
import { claimFrom, sendingIn } from "./dispatch.ts";
import { encryptionKeys, openOffice } from "./office.ts";

const office = setUp(openOffice);
const vault = createVault(readKeyEncryptionKeys(encryptionKeys));

/** A sign-on service that answers what the test sets. */
const answer = { status: 200, body: {} as object };
const asked: Array<string | undefined> = [];
const auth = createServer((request, response) => {
	asked.push(request.headers["x-api-key"]?.toString());
	response.writeHead(answer.status, { "content-type": "application/json" });
	response.end(JSON.stringify(answer.body));
});
await new Promise<void>((resolve) => auth.listen(0, "127.0.0.1", resolve));
afterAll(() => void auth.close());
const authUrl = `http://127.0.0.1:${(auth.address() as AddressInfo).port}`;

const secret = "https://accounts.lango.example/verify-email#token=very-secret";
const links = createMailLinks({ authUrl, apiKey: "lk_test", allowHttp: false });
const sent: Rendered[] = [];
const sending = () => sendingIn(office, { links, sent });

const lane = (): Lane => ({ tenantId: office.lango.id, channel: "email", messageClass: "urgent" });

/** Publishes an event about a link, and claims the mail that it becomes. */
async function mailOf(type: typeof authPasswordResetRequested | typeof authEmailVerificationRequested) {
	const id = randomUUID();
	const data = { link_id: randomUUID(), user_id: id, email: `p-${id}@uhai.example`, name: "Asha" };
	const expires_at = new Date(Date.now() + 3_600_000).toISOString();
	const event = testEvent(type, { subject: id, data: { ...data, expires_at } });
	await office.transport.publish(event);
	await office.transport.publish(event);
	await expect.poll(pending).toBe(1);
	await office.jobs.runDue();
	expect(await pending()).toBe(0);
	const [claimed, ...more] = await claimFrom(office, lane());
	if (claimed === undefined || more.length > 0) throw new Error(`${more.length} mails were claimed`);
	return claimed;
}
const pending = async () =>
	(await office.database.db.query<{ n: number }>("select count(*)::integer as n from link_mails"))[0]?.n;

test("a link of the sign-on is fetched when its mail is sent, and stored nowhere", async () => {
	Object.assign(answer, { status: 200, body: { url: secret } });
	const result = await sendDelivery(sending(), lane(), await mailOf(authEmailVerificationRequested));
	expect(result.status).toBe("sent");
	const mail = sent.at(-1);
	expect(mail).toMatchObject({ channel: "email", text: expect.stringContaining(secret) });
	expect(asked.at(-1)).toBe("lk_test");
	const stored = await inTenant(office.database.db, office.lango.id, (tx) =>
		tx.query<{ row: string }>("select m::text as row from messages m"),
	);
	expect(JSON.stringify([stored, office.logged, result])).not.toContain("very-secret");
});

test("a mail that is not accepted yet goes with its person, or when its link expires", async () => {
	const request = async (expiresInMs: number) => {
		const id = randomUUID();
		const data = { link_id: randomUUID(), user_id: id, email: `p-${id}@uhai.example`, name: "Asha" };
		const expires_at = new Date(Date.now() + expiresInMs).toISOString();
		const event = testEvent(authPasswordResetRequested, { subject: id, data: { ...data, expires_at } });
		await office.transport.publish(event);
		return id;
	};
	const { db } = office.database;
	const id = await request(3_600_000);
	await request(7_200_000);
	await expect.poll(pending).toBe(2);
	await office.transport.publish(
		testEvent(authUserDeleted, { subject: id, data: { user_id: id, version: 9 } }),
	);
	const erasing = () => db.query("select 1 from erased_people where id = $1", [id]);
	await expect.poll(erasing).toHaveLength(1);
	await erasePerson({ db, now: () => new Date(), vault, settings: { platformOwnerSlug: "lango" } }, id);
	expect(await pending()).toBe(1);
	await purge(db, new Date(Date.now() + 7_100_000));
	expect(await pending()).toBe(1);
	await purge(db, new Date(Date.now() + 7_300_000));
	expect(await pending()).toBe(0);
	await office.jobs.runDue();
});

test("a mail whose link is gone expires", async () => {
	Object.assign(answer, { status: 404, body: { error: "not found", code: "link_not_found" } });
	const result = await sendDelivery(sending(), lane(), await mailOf(authPasswordResetRequested));
	expect(result).toMatchObject({ status: "expired", errorCode: "link_gone" });
});

test.each([
	["answers 503", 503, {}],
	["is behind a proxy that answers 404", 404, { error: "no route" }],
	["answers with a link that is not https", 200, { url: "javascript:alert(1)" }],
	["refuses the key", 401, {}],
])("no attempt is used while the sign-on service %s", async (_name, status, body) => {
	Object.assign(answer, { status, body });
	const before = sent.length;
	const claimed = await mailOf(authPasswordResetRequested);
	const result = await sendDelivery(sending(), lane(), claimed);
	expect(result).toMatchObject({ status: "queued", errorClass: "unreachable", isFailure: false });
	expect(result.dueAt?.getTime()).toBeLessThanOrEqual(claimed.expiresAt.getTime());
	expect(sent).toHaveLength(before);
});

test("an invitation is a message of the platform about the inviting tenant, in the language of its event", async () => {
	const expires_at = new Date(Date.now() + 3_600_000).toISOString();
	const data = { link_id: randomUUID(), email: "new@uhai.example", tenant_name: "Uhai", roles: ["nurse"] };
	const about = { ...data, expires_at, locale: "sw" };
	const happened = { subject: randomUUID(), tenant: office.uhai, data: about };
	await office.transport.publish(testEvent(authInvitationCreated, happened));
	await expect.poll(pending).toBe(1);
	await office.jobs.runDue();
	const rows = await inTenant(office.database.db, office.lango.id, (tx) =>
		tx.query(
			`select m.about_tenant_id, m.is_exempt, m.class, m.locale
			   from messages m
			  where m.template = 'sign_on/invitation'`,
		),
	);
	expect(rows).toEqual([{ about_tenant_id: office.uhai.id, is_exempt: true, class: "urgent", locale: "sw" }]);
});

test("an invitation without a language names the roles in the language of its mail, and the inviter", async () => {
	const { db } = office.database;
	const { id } = office.lango;
	await inTenant(db, id, (tx) => tx.query("update tenants set locale = 'sw' where id = $1", [id]));
	const expires_at = new Date(Date.now() + 3_600_000).toISOString();
	const data = {
		...{ link_id: randomUUID(), email: "new@uhai.example", tenant_name: "Uhai", roles: ["manager"] },
		invited_by: "Asha Mwangi",
	};
	const event = { subject: randomUUID(), tenant: office.uhai, data: { ...data, expires_at } };
	await office.transport.publish(testEvent(authInvitationCreated, event));
	await expect.poll(pending).toBe(1);
	// The letterhead of the platform is cached for ten seconds.
	office.clock.now = new Date(Date.now() + 11_000);
	await office.jobs.runDue();
	const [row] = await inTenant(db, id, (tx) =>
		tx.query<{ data: Buffer; data_key_id: string }>(
			"select data, data_key_id from messages where template = 'sign_on/invitation' order by id desc limit 1",
		),
	);
	if (row === undefined) throw new Error("the mail is missing");
	const stored = vault.openData({ keyId: row.data_key_id, sealed: row.data });
	expect(stored).toMatchObject({ values: { roles: "Meneja", invited_by: "Asha Mwangi" } });
});
