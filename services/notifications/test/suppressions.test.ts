import { randomUUID } from "node:crypto";
import { inTenant, openPool } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { describe, expect, onTestFinished, test } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import { acceptMessage } from "../src/messages/accept-message.ts";
import { listOftenBounced } from "../src/reports/report.store.ts";
import { keysOfDeliveries } from "../src/suppressions/delivery-keys.ts";
import { suppressAddresses } from "../src/suppressions/suppress-addresses.ts";
import type { SuppressionReason } from "../src/suppressions/suppression.store.ts";
import { acceptingIn } from "./accepting.ts";
import { claimFrom, claimWith } from "./dispatch.ts";
import { encryptionKeys, greeting, openOffice } from "./office.ts";

const office = setUp(() => openOffice());
const vault = createVault(readKeyEncryptionKeys(encryptionKeys));

let names = 0;
const address = () => `suppressed${++names}@uhai.example`;

type Change = { method?: "GET" | "POST" | "DELETE"; path?: string; body?: unknown; role?: string };
const call = ({ method = "GET", path = "", body, role = "admin" }: Change, tenant = office.uhai) =>
	office.call({
		...{ method, url: `/api/v1/${tenant.slug}/notifications/suppressions${path}`, body },
		token: role === "owner" ? office.token(office.lango, "superuser") : office.token(tenant, role),
	});
/** At the platform's own address: its tenant is named by the query. */
const atPlatform = ({ method = "GET", path = "", body }: Change) =>
	office.call({
		...{ method, body, token: office.token(office.lango, "superuser") },
		url: `/api/v1/lango/notifications/suppressions${path}${path.includes("?") ? "&" : "?"}tenantId=${office.lango.id}`,
	});
const add = (body: object, tenant = office.uhai) => call({ method: "POST", body }, tenant);
const lookUp = (of: string, tenant = office.uhai) =>
	call({ path: `?channel=email&address=${encodeURIComponent(of)}` }, tenant);

async function statusOf(to: string, more: Record<string, unknown> = {}, tenant = office.uhai) {
	const { body } = await office.send(tenant, greeting([to], more));
	const [row] = await inTenant(office.database.db, tenant.id, (tx) =>
		tx.query<{ status: string }>("select status from message_deliveries where message_id = $1", [
			body.requestId,
		]),
	);
	return row?.status;
}

/** A suppression as a report of a provider makes it. */
async function bounced(to: string, expiresAt: Date | null = null) {
	const { body } = await add({ channel: "email", address: to });
	await inTenant(office.database.db, office.uhai.id, (tx) =>
		tx.query("update suppressions set reason = 'bounce', expires_at = $2 where id = $1", [
			body.id,
			expiresAt,
		]),
	);
	return body.id;
}

test("a suppressed address gets nothing until the suppression is lifted, and is shown masked only", async () => {
	const to = address();
	const added = await add({ channel: "email", address: to });
	expect([added.status, added.body]).toMatchObject([
		201,
		{ channel: "email", category: null, reason: "manual", is_platform: false, expires_at: null },
	]);
	expect(JSON.stringify(added.body)).not.toContain(to);
	expect(await statusOf(to)).toBe("suppressed");
	expect(await statusOf(to, {}, office.kahawa)).toBe("queued");
	expect((await call({ method: "DELETE", path: `/${added.body.id}` })).status).toBe(204);
	expect(await statusOf(to, { data: { ...greeting([]).data, name: "again" } })).toBe("queued");
});

test("a suppressed address gets nothing and is found whatever the case of its letters", async () => {
	const to = address();
	const added = await add({ channel: "email", address: to.replace("suppressed", "Suppressed") });
	expect((await add({ channel: "email", address: to.toUpperCase() })).body.id).toBe(added.body.id);
	expect(await statusOf(to)).toBe("suppressed");
	expect((await lookUp(to.toUpperCase())).body.items.map(({ id }) => id)).toEqual([added.body.id]);
});

test("a suppression of a category leaves the others, and none stops a critical message", async () => {
	const [of, all] = [address(), address()];
	await add({ channel: "email", address: of, category: "general" });
	await add({ channel: "email", address: all });
	const credentials = {
		template: "isp/subscription_credentials",
		data: {
			...{ customer_name: "Asha", username: "asha", password: "p4ss-w0rd" },
			...{ package_name: "Home", package_type: "fibre", expiry_at: "2030-01-01T00:00:00Z" },
		},
	};
	const contact = {
		template: "cafe/cafe_contact_form",
		data: { name: "A", email: "a@a.example", message: "Hi", submitted_at: "2026-01-01T00:00:00Z" },
	};
	expect([await statusOf(of), await statusOf(of, contact)]).toEqual(["suppressed", "queued"]);
	expect([await statusOf(all, contact), await statusOf(all, credentials)]).toEqual(["suppressed", "queued"]);
	await bounced(all);
	expect(await statusOf(all, { ...credentials, locale: "sw" })).toBe("suppressed");
});

test("an address that is suppressed after its message was accepted gets nothing", async () => {
	const to = address();
	await office.send(office.kahawa, greeting([to]));
	await add({ channel: "email", address: to }, office.kahawa);
	const claimed = await claimFrom(office, {
		...{ tenantId: office.kahawa.id, channel: "email", messageClass: "normal" },
	});
	expect(claimed.filter(({ verdict }) => verdict === "suppressed")).toHaveLength(1);
});

describe("after the key-encryption keys were rotated", () => {
	const rotated = createVault(
		readKeyEncryptionKeys(`newer:${Buffer.alloc(32, 8).toString("base64")},${encryptionKeys}`),
	);
	const asRotated = (tenantId: string, to: string) =>
		acceptMessage(
			{ ...acceptingIn(office, { limits: { max_emails_per_day: -1 } }), vault: rotated },
			{
				...{ tenantId, source: "rest", channel: "email", overLimit: "refuse", to: [to] },
				...{ template: "shared/generic_notification", data: greeting([]).data },
				requester: { kind: "trigger", id: "test" },
			},
		);
	/** A suppression as a process with the new keys makes it. */
	const suppressNow = (tenantId: string, to: string, reason: SuppressionReason) => {
		const { sealed, keys } = rotated.sealAddress("email", to);
		return inTenant(office.database.db, tenantId, (tx) =>
			tx.query(
				`insert into suppressions (tenant_id, channel, address_key_id, address_key, address_masked, reason, created_at)
				 values ($1, 'email', $2, $3, '', $4, now())`,
				[tenantId, sealed.keyId, keys[0], reason],
			),
		);
	};
	const claimed = async (tenantId: string, vault = rotated) =>
		(await claimWith(vault, office, { lane: { tenantId, channel: "email", messageClass: "normal" } })).map(
			({ verdict }) => verdict,
		);

	test("an address that was suppressed before gets nothing", async () => {
		const tenant = office.tenant({});
		const [before, meanwhile] = [address(), address()];
		await add({ channel: "email", address: before }, tenant);
		expect((await asRotated(tenant.id, before)).counts).toEqual({ suppressed: 1 });
		expect((await asRotated(tenant.id, meanwhile)).counts).toEqual({ queued: 1 });
		// By a process that still has the old keys.
		await add({ channel: "email", address: meanwhile }, tenant);
		expect(await claimed(tenant.id)).toEqual(["suppressed"]);
	});

	test("an address of a message from before that is suppressed now gets nothing", async () => {
		const tenant = office.tenant({});
		const [suppressed, other] = [address(), address()];
		await office.send(tenant, greeting([suppressed]));
		await suppressNow(tenant.id, suppressed, "complaint");
		expect(await claimed(tenant.id)).toEqual(["suppressed"]);
		await office.send(tenant, greeting([other]));
		expect(await claimed(tenant.id)).toEqual(["send"]);
	});

	test.each<[SuppressionReason, string]>([
		["complaint", "send"],
		["bounce", "suppressed"],
	])("a critical message to an address with a %s is claimed as %s", async (reason, verdict) => {
		const tenant = office.tenant({});
		const to = address();
		await office.send(tenant, {
			...{ channel: "email", template: "isp/subscription_credentials", to: [to] },
			data: {
				...{ customer_name: "Asha", username: "asha", password: "p4ss-w0rd" },
				...{ package_name: "Home", package_type: "fibre", expiry_at: "2030-01-01T00:00:00Z" },
			},
		});
		await suppressNow(tenant.id, to, reason);
		expect(await claimed(tenant.id)).toEqual([verdict]);
	});

	test("an address that cannot be reached is invalid wherever it is stored, whatever the key", async () => {
		const [tenant, to, userId] = [office.tenant({}), address(), randomUUID()];
		const { body } = await office.send(tenant, greeting([to]));
		const { sealed, keys } = rotated.sealAddress("email", to);
		const invalid = await inTenant(office.database.db, tenant.id, async (tx) => {
			await tx.query(
				`insert into recipients (tenant_id, id, name, roles, status, created_at, updated_at)
				 values ($1, $2, 'Asha', '{}', 'active', now(), now())`,
				[tenant.id, userId],
			);
			await tx.query(
				`insert into contact_points (tenant_id, user_id, channel, address_key_id, address, address_key, address_masked, created_at)
				 values ($1, $2, 'email', $3, $4, $5, '', now())`,
				[tenant.id, userId, sealed.keyId, sealed.sealed, keys[0]],
			);
			const [row] = await tx.query<{ id: string }>(
				"select id from message_deliveries where message_id = $1",
				[body.requestId],
			);
			const items = [{ deliveryId: row?.id ?? "", reason: "bounce" as const }];
			await suppressAddresses(tx, { tenantId: tenant.id, items, now: new Date(), vault: rotated });
			return tx.query("select invalid_at is not null as is_invalid from contact_points");
		});
		expect(invalid).toEqual([{ is_invalid: true }]);
	});

	test("soft bounces of an address count together, whatever the key of their deliveries", async () => {
		const [tenant, to] = [office.tenant({}), address()];
		await office.send(tenant, greeting([to]));
		await asRotated(tenant.id, to);
		const often = (times: number) =>
			inTenant(office.database.db, tenant.id, async (tx) => {
				const [row] = await tx.query<{ id: string }>(
					"select id from message_deliveries where address_key_id = 'newer'",
				);
				const places = await keysOfDeliveries(tx, rotated, [row?.id ?? ""]);
				return listOftenBounced(tx, {
					tenantId: tenant.id,
					places,
					times,
					since: new Date(Date.now() - 60_000),
				});
			});
		await inTenant(office.database.db, tenant.id, (tx) =>
			tx.query(
				`insert into delivery_events (tenant_id, delivery_id, at, kind, detail)
				 select tenant_id, id, now(), 'report', '{"report": "soft_bounced"}' from message_deliveries where tenant_id = $1
				 on conflict do nothing`,
				[tenant.id],
			),
		);
		expect([await often(2), await often(3)]).toEqual([[expect.any(String)], []]);
	});

	test("a delivery whose key is missing is still claimed, so that sending reports it", async () => {
		const tenant = office.tenant({});
		await office.send(tenant, greeting([address()]));
		const keys = [8, 9].map((n) => `k${n}:${Buffer.alloc(32, n).toString("base64")}`).join(",");
		expect(await claimed(tenant.id, createVault(readKeyEncryptionKeys(keys)))).toEqual(["send"]);
	});
});

describe("a suppression of an address that is suppressed already", () => {
	/** What providers said about an e-mail to the address. Returns how many events say so. */
	async function report(to: string, item: { reason: "bounce" | "complaint"; days?: number }) {
		const { body } = await office.send(office.uhai, greeting([to], { locale: "sw" }));
		const deliveryId = await inTenant(office.database.db, office.uhai.id, async (tx) => {
			const [row] = await tx.query<{ id: string }>(
				"select id from message_deliveries where message_id = $1",
				[body.requestId],
			);
			const id = row?.id ?? "";
			const items = [{ deliveryId: id, ...item }];
			await suppressAddresses(tx, { tenantId: office.uhai.id, items, now: new Date(), vault });
			return id;
		});
		const [events] = await office.database.db.query<{ n: number }>(
			`select count(*)::int as n from outbox
			  where envelope->>'type' = 'notifications.address.failed' and envelope->>'subject' = $1`,
			[deliveryId],
		);
		return events?.n;
	}
	const shown = async (to: string) =>
		(await lookUp(to)).body.items.map(({ reason, expires_at }) => [reason, expires_at]);

	test("a hard bounce takes the place of the tenant's own one, and is published", async () => {
		const to = address();
		const { body } = await add({ channel: "email", address: to });
		expect(await report(to, { reason: "bounce", days: 1 })).toBe(0);
		expect(await shown(to)).toEqual([["manual", null]]);
		expect(await report(to, { reason: "bounce" })).toBe(1);
		expect(await shown(to)).toEqual([["bounce", null]]);
		expect((await call({ method: "DELETE", path: `/${body.id}` })).body.code).toBe("suppression_kept");
	});

	test("a bounce takes the place of one that has expired, and is published", async () => {
		const to = address();
		await bounced(to, new Date(Date.now() - 1));
		expect(await report(to, { reason: "bounce", days: 1 })).toBe(1);
		expect(await shown(to)).toEqual([["bounce", expect.any(String)]]);
	});

	test("the administrator's takes the place of one that would expire", async () => {
		const to = address();
		await bounced(to, new Date(Date.now() + 60_000));
		expect((await add({ channel: "email", address: to })).status).toBe(201);
		expect(await shown(to)).toEqual([["manual", null]]);
		expect((await add({ channel: "email", address: to })).status).toBe(200);
	});

	test("the platform owner's lets a bounce that counts for every tenant last", async () => {
		const [to, body] = [address(), { channel: "email" }];
		const { body: added } = await atPlatform({ method: "POST", body: { ...body, address: to } });
		const owner = openPool({ url: office.database.ownerUrl, name: "suppressions", sizeMax: 1 });
		onTestFinished(() => owner.close());
		await owner.query("set role lango_lookup");
		await owner.query(
			"update platform_suppressions set reason = 'bounce', expires_at = now() + interval '1 day' where id = $1",
			[added.id],
		);
		expect((await atPlatform({ method: "POST", body: { ...body, address: to } })).status).toBe(201);
		expect(await shown(to)).toEqual([["bounce", null]]);
	});
});

test("equal requests at once make one suppression", async () => {
	const to = address();
	const answers = await Promise.all(Array.from({ length: 8 }, () => add({ channel: "email", address: to })));
	expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
	expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
});

test("a suppression that has expired is not listed, and can be added again", async () => {
	const to = address();
	await bounced(to, new Date(Date.now() - 1));
	expect((await lookUp(to)).body.items).toEqual([]);
	const again = await add({ channel: "email", address: to });
	expect([again.status, again.body.reason]).toEqual([201, "manual"]);
});

test("a hard bounce is lifted by the platform owner only, a soft one by the tenant", async () => {
	const [hard, soft] = [await bounced(address()), await bounced(address(), new Date(Date.now() + 60_000))];
	const refused = await call({ method: "DELETE", path: `/${hard}` });
	expect([refused.status, refused.body.code]).toEqual([403, "suppression_kept"]);
	expect((await call({ method: "DELETE", path: `/${hard}`, role: "owner" })).status).toBe(204);
	expect((await call({ method: "DELETE", path: `/${soft}` })).status).toBe(204);
	const gone = await call({ method: "DELETE", path: `/${soft}` });
	expect([gone.status, gone.body.code]).toEqual([404, "suppression_not_found"]);
});

test("a suppression of the platform owner counts for every tenant, without its origin, and tenants cannot lift it", async () => {
	const to = address();
	const added = await atPlatform({ method: "POST", body: { channel: "email", address: to } });
	expect([added.status, added.body.is_platform]).toEqual([201, true]);
	expect([await statusOf(to), await statusOf(to, {}, office.kahawa)]).toEqual(["suppressed", "suppressed"]);
	expect((await lookUp(to)).body.items).toMatchObject([
		{ id: added.body.id, is_platform: true, created_by: null },
	]);
	const { items } = (await call({ path: "?limit=100" })).body;
	expect(items.filter(({ is_platform }) => is_platform)).toEqual([]);
	const ofPlatform = (await atPlatform({ path: "?limit=100" })).body.items;
	expect(ofPlatform.map(({ id }) => id)).toContain(added.body.id);
	expect(ofPlatform.some(({ id }) => items.some((one) => one.id === id))).toBe(false);
	const refused = await call({ method: "DELETE", path: `/${added.body.id}` });
	expect([refused.status, refused.body.code]).toEqual([403, "suppression_kept"]);
	expect((await atPlatform({ method: "DELETE", path: `/${added.body.id}` })).status).toBe(204);
	expect((await lookUp(to)).body.items).toEqual([]);
});

test("suppressions are listed in pages, the newest first, by channel", async () => {
	const tenant = office.tenant({});
	for (const number of ["0712000001", "0712000002", "0712000003"])
		await add({ channel: "sms", address: number }, tenant);
	await add({ channel: "email", address: address() }, tenant);
	const first = (await call({ path: "?channel=sms&limit=2&total=true" }, tenant)).body;
	const rest = (await call({ path: `?channel=sms&limit=2&cursor=${first.next_cursor}` }, tenant)).body;
	const shown = [...first.items, ...rest.items].map(({ address_masked }) => address_masked);
	expect(shown).toEqual(["+2547•••••03", "+2547•••••02", "+2547•••••01"]);
	expect([first.total, rest.total, rest.next_cursor]).toEqual([3, undefined, null]);
});

const one = { channel: "email", address: "a@b.example" };
const refusals: ReadonlyArray<[title: string, body: object, refusal: [code: string, field: string]]> = [
	["a malformed address", { channel: "email", address: "a@b@c" }, ["address_invalid", "address"]],
	["a person", { channel: "sms", address: `user:${randomUUID()}` }, ["address_invalid", "address"]],
	["a critical category", { ...one, category: "security" }, ["category_critical", "category"]],
	["an unknown category", { ...one, category: "news" }, ["invalid_input", "category"]],
	["the inbox", { ...one, channel: "in_app" }, ["invalid_input", "channel"]],
];
test.each(refusals)("a suppression of %s is 400 and names the field", async (_, body, [code, field]) => {
	const answer = await add(body);
	expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, code, field]);
});

test("an address is looked up with its channel only", async () => {
	const { status, body } = await call({ path: "?address=a@b.example" });
	expect([status, body.code, body.field]).toEqual([400, "address_invalid", "channel"]);
});
