import { randomUUID } from "node:crypto";
import {
	authUserCreated,
	authUserDeleted,
	authUserDisabled,
	authUserLogin,
	authUserUpdated,
	type EventType,
	tenantUpdated,
} from "@lango/contracts";
import { acrossTenants, inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { readKeyEncryptionKeys } from "@lango/tokens";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import { erasePerson } from "../src/recipients/erase-person.ts";
import { encryptionKeys, greeting, openOffice } from "./office.ts";

const office = setUp(openOffice);

type EventData = { tenantId?: string; [member: string]: unknown };
const publish = (type: EventType, id: string, { tenantId, ...data }: EventData) =>
	office.transport.publish(
		testEvent(type, {
			subject: id,
			data: { user_id: id, ...data },
			...(tenantId !== undefined && { tenant: { id: tenantId } }),
		}),
	);
const person = (id: string) => ({
	email: `p-${id}@uhai.example`,
	name: "Asha",
	roles: ["member"],
	status: "active",
	tenantId: office.uhai.id,
});
const change = (id: string, version: number, more: Record<string, unknown> = {}) => ({
	...person(id),
	...{ email_verified: true, is_hq: false, outlet_ids: [], version, ...more },
});
type Row = { name: string; email_masked: string; email_verified: boolean; status: string; version: bigint };
const find = (id: string) =>
	acrossTenants(office.database.db, (tx) =>
		tx.query<Row>(
			"select name, email_masked, email_verified, status, version from recipients where id = $1",
			[id],
		),
	);
const applied = async () => {
	await expect
		.poll(
			async () =>
				(await office.database.db.query<{ n: bigint }>("select count(*) as n from deliveries"))[0]?.n,
		)
		.toBe(0n);
};

test("a new user gets a recipient, and a change of a newer version is applied to it", async () => {
	const id = randomUUID();
	await publish(authUserCreated, id, person(id));
	await expect.poll(() => find(id)).toMatchObject([{ name: "Asha", email_verified: false, version: 0n }]);
	await publish(authUserUpdated, id, change(id, 3, { name: "Asha N." }));
	await expect.poll(() => find(id)).toMatchObject([{ name: "Asha N.", email_verified: true, version: 3n }]);
	const { status } = await office.send(office.uhai, greeting([`user:${id}`]));
	expect(status).toBe(202);
});

test("messages are written in the language of the account, unless the person chose another one for them", async () => {
	const id = randomUUID();
	await publish(authUserUpdated, id, change(id, 1, { locale: "sw" }));
	await expect.poll(() => find(id)).toHaveLength(1);
	const { db } = office.database;
	const localeOfNext = async () => {
		const data = {
			name: "Asha",
			title: randomUUID(),
			message: "Only 3 left.",
			action_link: "https://uhai.example",
		};
		const { body } = await office.send(office.uhai, greeting([`user:${id}`], { data }));
		const query = "select locale from message_deliveries where message_id = $1";
		return inTenant(db, office.uhai.id, (tx) => tx.query(query, [body.requestId]));
	};
	expect(await localeOfNext()).toEqual([{ locale: "sw" }]);
	const chosen = "update recipients set locale = 'en' where id = $1";
	await inTenant(db, office.uhai.id, (tx) => tx.query(chosen, [id]));
	expect(await localeOfNext()).toEqual([{ locale: "en" }]);
});

test("events in any order and number lead to one state", async () => {
	const events = [
		[authUserCreated, {}],
		[authUserUpdated, { version: 2, name: "Second", status: "pending" }],
		[authUserUpdated, { version: 5, name: "Last", status: "active" }],
		[authUserLogin, { client_id: "console", at: "2026-03-01T08:00:00Z" }],
	] as const;
	await fc.assert(
		fc.asyncProperty(
			fc.shuffledSubarray([0, 1, 2, 3, 0, 1, 2, 3], { minLength: 8, maxLength: 8 }),
			async (order) => {
				const id = randomUUID();
				for (const at of order) {
					const [type, more] = events[at] ?? events[0];
					await publish(type, id, { ...change(id, 1), ...more });
				}
				await applied();
				expect(await find(id)).toMatchObject([{ name: "Last", status: "active", version: 5n }]);
			},
		),
		{ numRuns: 4 },
	);
});

test("a disabled person gets nothing, in no tenant", async () => {
	const id = randomUUID();
	await publish(authUserUpdated, id, change(id, 1));
	await publish(authUserUpdated, id, { ...change(id, 1), tenantId: office.kahawa.id });
	await publish(authUserDisabled, id, { version: 2 });
	await expect.poll(() => find(id)).toMatchObject([{ status: "disabled" }, { status: "disabled" }]);
	const { status, body } = await office.send(office.uhai, greeting([`user:${id}`]));
	expect([status, body.code, body.field]).toEqual([400, "address_invalid", "to.0"]);
});

test("an erased person leaves no address, no data and no open delivery, and is not made again", async () => {
	const id = randomUUID();
	const { tenantId, email } = person(id);
	await publish(authUserUpdated, id, change(id, 1));
	await expect.poll(() => find(id)).toHaveLength(1);
	const byUser = await office.send(office.uhai, greeting([`user:${id}`]));
	const byAddress = await office.send(office.uhai, greeting([email, "other@uhai.example"]));
	expect([byUser.status, byAddress.status]).toEqual([202, 202]);
	// Of an old delivery only the key of the address is left.
	const purged = await office.send(office.uhai, greeting([email], { locale: "sw" }));
	const keyOfPurged = () =>
		inTenant(office.database.db, tenantId, (tx) =>
			tx.query<{ address_key: Buffer }>(
				"update message_deliveries set address = null, address_key_id = null where message_id = $1 returning address_key",
				[purged.body.requestId],
			),
		);
	const keyBefore = await keyOfPurged();
	await publish(authUserDeleted, id, { version: 9 });
	await applied();
	await office.jobs.runDue();
	expect(await keyOfPurged()).not.toEqual(keyBefore);
	const left = await inTenant(office.database.db, tenantId, async (tx) => ({
		deliveries: await tx.query(
			`select status, address_masked, address is null as is_erased from message_deliveries
			  where message_id = any ($1) order by status, address_masked`,
			[[byUser.body.requestId, byAddress.body.requestId]],
		),
		data: await tx.query("select data is null as is_erased from messages where id = $1", [
			byUser.body.requestId,
		]),
	}));
	expect(left).toEqual({
		deliveries: [
			{ status: "cancelled", address_masked: "", is_erased: true },
			{ status: "cancelled", address_masked: "", is_erased: true },
			{ status: "queued", address_masked: expect.stringContaining("@uhai.example"), is_erased: false },
		],
		data: [{ is_erased: true }],
	});
	expect(await find(id)).toEqual([]);
	await publish(authUserLogin, id, { ...person(id), client_id: "console", at: "2026-03-01T08:00:00Z" });
	await applied();
	expect(await find(id)).toEqual([]);
});

test("an SMS that may have been sent to an erased person counts as sent, and its credit is used", async () => {
	const [id, tenant] = [randomUUID(), office.tenant({})];
	await publish(authUserUpdated, id, { ...change(id, 1), tenantId: tenant.id });
	await expect.poll(() => find(id)).toHaveLength(1);
	const credits = `/api/v1/${tenant.slug}/notifications/credits`;
	await office.call({
		...{ method: "POST", url: `${credits}/grants`, body: { segments: 9, reason: "test" } },
		token: office.token(office.lango, "superuser"),
	});
	const to = ["+254720000001", "+254720000002", "+254720000003", "+254720000004"];
	expect((await office.send(tenant, greeting(to, { channel: "sms" }))).status).toBe(202);
	const rows = (text: string, values: unknown[] = []) =>
		inTenant(office.database.db, tenant.id, (tx) => tx.query(text, values));
	await rows(
		`update message_deliveries set user_id = $1, status = case when position = 0 then 'queued' when position = 3 then 'unknown' else 'sending' end,
		   called_at = case when position >= 2 then $2::timestamptz end`,
		[id, new Date()],
	);
	const vault = createVault(readKeyEncryptionKeys(encryptionKeys));
	const settings = { platformOwnerSlug: "lango" };
	await erasePerson({ db: office.database.db, now: () => new Date(), vault, settings }, id);
	expect(await rows("select status, error_code from message_deliveries order by position")).toEqual([
		...Array(2).fill({ status: "cancelled", error_code: null }),
		...Array(2).fill({ status: "expired", error_code: "outcome_unknown" }),
	]);
	const credit = await office.call({ url: credits, token: office.token(tenant, "admin") });
	expect(credit.body).toMatchObject({ balance: 7, reserved: 0 });
});

test("an erased person leaves no delivery from before a rotation of keys", async () => {
	const id = randomUUID();
	const { tenantId, email } = person(id);
	await publish(authUserUpdated, id, change(id, 1));
	await expect.poll(() => find(id)).toHaveLength(1);
	const { body } = await office.send(office.uhai, greeting([email]));
	const rotated = createVault(
		readKeyEncryptionKeys(`newer:${Buffer.alloc(32, 8).toString("base64")},${encryptionKeys}`),
	);
	const { sealed, keys } = rotated.sealAddress("email", email);
	await inTenant(office.database.db, tenantId, (tx) =>
		tx.query("update recipients set email_key_id = $2, email = $3, email_address_key = $4 where id = $1", [
			...[id, sealed.keyId, sealed.sealed, keys[0]],
		]),
	);
	const settings = { platformOwnerSlug: "lango" };
	await erasePerson({ db: office.database.db, now: () => new Date(), vault: rotated, settings }, id);
	const deliveries = await inTenant(office.database.db, tenantId, (tx) =>
		tx.query("select status, address_masked from message_deliveries where message_id = $1", [body.requestId]),
	);
	expect(deliveries).toEqual([{ status: "cancelled", address_masked: "" }]);
});

test("the logo and the colour of a tenant are those of the newest version", async () => {
	const publishBranding = (version: number, colour: string) =>
		office.transport.publish(
			testEvent(tenantUpdated, {
				subject: office.kahawa.id,
				tenant: office.kahawa,
				data: {
					...{ tenant_id: office.kahawa.id, slug: "kahawa", name: "Kahawa", status: "active" },
					...{ use_case: null, org_size: null, time_zone: "Africa/Nairobi", currency: "KES" },
					...{ locale: "sw", version, branding: { logo_url: null, colour } },
				},
			}),
		);
	await publishBranding(4, "#aa0000");
	await publishBranding(3, "#00aa00");
	await applied();
	const rows = await inTenant(office.database.db, office.kahawa.id, (tx) =>
		tx.query("select colour, version from tenant_branding"),
	);
	expect(rows).toEqual([{ colour: "#aa0000", version: 4n }]);
});
