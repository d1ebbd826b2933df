import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { afterEach, expect, test } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import { encryptionKeys, greeting, openOffice } from "./office.ts";

const office = setUp(() => openOffice());
const vault = createVault(readKeyEncryptionKeys(encryptionKeys));
afterEach(() => {
	office.clock.now = undefined;
});
const later = (minutes: number) => {
	office.clock.now = new Date((office.clock.now ?? new Date()).getTime() + minutes * 60_000);
};

let made = 0;
const newEmail = () => `c-${randomUUID()}@uhai.example`;
const newPhone = () => `+2547${String(10_000_000 + ++made)}`;
const grant = (tenant = office.uhai) =>
	office.call({
		...{ method: "POST", url: `/api/v1/${tenant.slug}/notifications/credits/grants` },
		headers: { "idempotency-key": randomUUID() },
		...{ token: office.token(office.lango, "superuser"), body: { segments: 50, reason: "test" } },
	});

/** A person who is known since the first call. */
function person(tenant = office.uhai) {
	const id = randomUUID();
	const token = office.token(tenant, "member", { sub: id, email: `p-${id}@uhai.example` });
	const url = `/api/v1/${tenant.slug}/notifications/contact-points`;
	return {
		id,
		add: (address: string, channel = "email") =>
			office.call({ method: "POST", url, token, body: { channel, address } }),
		verify: (contactId: string, code: string) =>
			office.call({ method: "POST", url: `${url}/${contactId}/verify`, token, body: { code } }),
		list: async () => (await office.call({ url, token })).body.items,
		remove: (contactId: string) => office.call({ method: "DELETE", url: `${url}/${contactId}`, token }),
		codes: async () => {
			const rows = await inTenant(office.database.db, tenant.id, (tx) =>
				tx.query<{ data_key_id: string; data: Buffer; has_secret: boolean; class: string }>(
					`select data_key_id, data, has_secret, class from messages
					  where template = 'sign_on/verify_contact' and caller_id = $1 order by id`,
					[id],
				),
			);
			return rows.map((row) => {
				expect([row.has_secret, row.class]).toEqual([true, "urgent"]);
				const data = vault.openData({ keyId: row.data_key_id, sealed: row.data });
				return (data as { values: { code: string } }).values.code;
			});
		},
	};
}
const another = (code: string) => (code === "000000" ? "000001" : "000000");
const refused = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
const deliveriesTo = async (id: string) => {
	const answer = await office.send(
		office.uhai,
		{ ...greeting([`user:${id}`]), channel: "sms" },
		{ headers: { "idempotency-key": randomUUID() } },
	);
	return answer.status;
};

test("messages to a person go to a phone once its code was entered, until it is removed", async () => {
	await grant();
	const [asha, phone] = [person(), newPhone()];
	const added = await asha.add(phone, "sms");
	expect([added.status, added.body]).toMatchObject([
		201,
		{ channel: "sms", verified_at: null, address_masked: expect.stringContaining("•••••") },
	]);
	expect(await deliveriesTo(asha.id)).toBe(400);
	const [code = ""] = await asha.codes();
	expect(code).toMatch(/^\d{6}$/);
	const verified = await asha.verify(added.body.id, code);
	expect([verified.status, verified.body]).toMatchObject([200, { verified_at: expect.any(String) }]);
	expect(await deliveriesTo(asha.id)).toBe(202);
	expect((await asha.add(phone, "sms")).status).toBe(200);
	expect(await asha.codes()).toHaveLength(1);
	expect((await asha.remove(added.body.id)).status).toBe(204);
	expect(await deliveriesTo(asha.id)).toBe(400);
});

test("messages to a person go to each verified e-mail address once, and to the one of the sign-in", async () => {
	const [asha, further] = [person(), newEmail()];
	const reached = async () => {
		const { body } = await office.send(office.uhai, greeting([`user:${asha.id}`]), {
			headers: { "idempotency-key": randomUUID() },
		});
		const [row] = await inTenant(office.database.db, office.uhai.id, (tx) =>
			tx.query<{ recipients: number }>("select recipients from messages where id = $1", [body.requestId]),
		);
		return row?.recipients;
	};
	const verifyOne = async (address: string) => {
		const { body } = await asha.add(address);
		const before = await reached();
		await asha.verify(body.id, (await asha.codes()).at(-1) ?? "");
		return [before, await reached()];
	};
	expect(await verifyOne(further)).toEqual([1, 2]);
	expect(await verifyOne(`P-${asha.id}@uhai.example`)).toEqual([2, 2]);
});

test("a code is stored as a hash, is used once, and only the newest one counts", async () => {
	const [asha, address] = [person(), newEmail()];
	const { body } = await asha.add(address);
	later(1);
	await asha.add(address);
	const [first = "", second = ""] = await asha.codes();
	if (first !== second) expect(refused(await asha.verify(body.id, first))).toEqual([400, "code_wrong"]);
	expect((await asha.verify(body.id, second)).status).toBe(200);
	expect(refused(await asha.verify(body.id, second))).toEqual([400, "code_wrong"]);
	const stored = await inTenant(office.database.db, office.uhai.id, (tx) =>
		tx.query("select encode(code_hash, 'escape') as hash from contact_codes where user_id = $1", [asha.id]),
	);
	expect(JSON.stringify(stored)).not.toContain(first);
	expect(office.logged.join("")).not.toContain(address);
});

test("a code is valid for ten minutes", async () => {
	const asha = person();
	const { body } = await asha.add(newEmail());
	const [code = ""] = await asha.codes();
	later(10);
	const late = await asha.verify(body.id, code);
	expect([...refused(late), late.body.field]).toEqual([400, "code_wrong", "code"]);
});

test("a code can be tried five times, also when the tries arrive at once", async () => {
	const asha = person();
	const { body } = await asha.add(newEmail());
	const [code = ""] = await asha.codes();
	const tries = await Promise.all(Array.from({ length: 8 }, () => asha.verify(body.id, another(code))));
	const answers = tries.map((one) => refused(one).join(" ")).sort();
	expect(answers).toEqual([...Array(5).fill("400 code_wrong"), ...Array(3).fill("429 code_tries_used")]);
	const late = await asha.verify(body.id, code);
	expect(refused(late)).toEqual([429, "code_tries_used"]);
	const seconds = Number(late.headers["retry-after"]);
	expect([seconds > 500, seconds <= 600]).toEqual([true, true]);
});

test("an address gets three codes an hour, for all callers and tenants together, and also after it was removed", async () => {
	const [asha, baraka, address] = [person(), person(office.kahawa), newEmail()];
	const { body } = await asha.add(address);
	await asha.remove(body.id);
	const answers = await Promise.all([asha, baraka, asha, baraka].map((one) => one.add(address)));
	expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429]);
	const limited = answers.find(({ status }) => status === 429);
	expect(limited?.body.code).toBe("code_limited");
	expect(Number(limited?.headers["retry-after"])).toBeGreaterThan(3_500);
	later(61);
	expect((await baraka.add(address)).status).toBe(201);
});

test("SMS and WhatsApp codes to a number count together, and a person gets ten codes an hour", async () => {
	await grant();
	const [asha, phone] = [person(), newPhone()];
	for (let n = 0; n < 3; n += 1) await asha.add(phone, "sms");
	expect(refused(await asha.add(phone, "whatsapp"))).toEqual([429, "code_limited"]);
	for (let n = 0; n < 7; n += 1) expect((await asha.add(newEmail())).status).toBe(201);
	expect(refused(await asha.add(newEmail()))).toEqual([429, "code_limited"]);
	later(61);
	for (let n = 0; n < 2; n += 1) await asha.add(newEmail());
	expect(refused(await asha.add(newEmail()))).toEqual([409, "too_many_contact_points"]);
	expect(await asha.list()).toHaveLength(10);
});

test("a number of another country, and an address that is not valid, are 400 and get no code", async () => {
	const asha = person();
	for (const [address, channel] of [
		["+256712345678", "sms"],
		["+447911123456", "whatsapp"],
		["no address", "email"],
	]) {
		const answer = await asha.add(address ?? "", channel);
		expect([...refused(answer), answer.body.field]).toEqual([400, "address_invalid", "address"]);
	}
	expect([await asha.codes(), await asha.list()]).toEqual([[], []]);
});

test("without credit no code is sent, and nothing is kept", async () => {
	const asha = person(office.tenant({}));
	expect(refused(await asha.add(newPhone(), "sms"))).toEqual([409, "contact_unreachable"]);
	expect([await asha.codes(), await asha.list()]).toEqual([[], []]);
});

test("another person's address is not found", async () => {
	const [asha, baraka] = [person(), person()];
	const { body } = await asha.add(newEmail());
	const [code = ""] = await asha.codes();
	const answers = [await baraka.verify(body.id, code), await baraka.remove(body.id)];
	expect(answers.map(refused)).toEqual(Array(2).fill([404, "contact_point_not_found"]));
});

test("a program records an address that it has verified, once whatever the case; the person must be known", async () => {
	const [asha, address] = [person(), newEmail()];
	await asha.add(address);
	const put = (id: string, body: object, token = office.token(office.uhai, "admin")) =>
		office.call({
			...{ method: "PUT", url: `/api/v1/uhai/notifications/people/${id}/contact-points` },
			...{ token, body },
		});
	const bodies = [
		{ channel: "email", address },
		{ channel: "email", address: address.toUpperCase() },
		{ channel: "sms", address: "+256712345678" },
	];
	for (const body of [...bodies, ...bodies])
		expect(await put(asha.id, body)).toMatchObject({
			status: 200,
			body: { verified_at: expect.any(String) },
		});
	expect(await asha.list()).toHaveLength(2);
	expect(await deliveriesTo(asha.id)).toBe(202);
	expect(refused(await put(randomUUID(), bodies[0] ?? {}))).toEqual([404, "person_not_found"]);
	expect(refused(await put(asha.id, { channel: "sms", address: "12" }))).toEqual([400, "address_invalid"]);
	const audit = await office.call({
		...{ url: "/api/v1/uhai/notifications/audit", token: office.token(office.uhai, "admin") },
	});
	expect(JSON.stringify(audit.body)).toContain("contact_point.verified");
	expect(JSON.stringify(audit.body)).not.toContain(address);
});

test("the export has everything that is held of a person and no secret, and is audited", async () => {
	const [asha, baraka, address] = [person(), person(), newEmail()];
	await asha.add(address);
	await baraka.add(newEmail());
	const [code = ""] = await asha.codes();
	const own = { token: office.token(office.uhai, "member", { sub: asha.id }) };
	const base = "/api/v1/uhai/notifications";
	const device = `fcm-${randomUUID()}`;
	const choice = { categories: { reports: { sms: false } }, locale: "sw" };
	await office.call({ method: "PUT", url: `${base}/preferences`, ...own, body: choice });
	await office.call({
		...{ method: "POST", url: `${base}/devices`, ...own, body: { platform: "web", token: device } },
	});
	const admin = { token: office.token(office.uhai, "admin") };
	const suppressed = { channel: "email", address, category: "general" };
	await office.call({ method: "POST", url: `${base}/suppressions`, ...admin, body: suppressed });
	await office.send(office.uhai, greeting([address]));
	for (let n = 0; n < 100; n += 1)
		await office.send(office.uhai, greeting([`p-${asha.id}@uhai.example`], { metadata: { n: String(n) } }));
	const url = `${base}/people/${asha.id}/export`;
	const { status, body } = await office.call({ url, ...admin });
	expect([status, body]).toMatchObject([
		200,
		{
			person: { id: asha.id, email: `p-${asha.id}@uhai.example`, locale: "sw", status: "active" },
			contact_points: [{ channel: "email", address, verified_at: null }],
			devices: [{ platform: "web" }],
			preferences: [{ category: "reports", channel: "sms", is_on: false }],
			suppressions: [{ channel: "email", category: "general", reason: "manual" }],
			inbox: [],
		},
	]);
	type Deliveries = { items: Array<Record<string, unknown>>; next_cursor: string };
	const first = body["deliveries"] as Deliveries;
	const next = await office.call({ url: `${url}?cursor=${first.next_cursor}`, ...admin });
	const all = [...first.items, ...(next.body["deliveries"] as Deliveries).items];
	expect([first.items.length, all.length]).toEqual([100, 102]);
	expect(all[0]).toMatchObject({ data: { title: "Stock is low" }, address: `p-${asha.id}@uhai.example` });
	expect(all.slice(-2).map(({ template, data }) => [template, data === null])).toEqual([
		["shared/generic_notification", false],
		["sign_on/verify_contact", true],
	]);
	for (const secret of [code, device]) expect(JSON.stringify([body, next.body])).not.toContain(`"${secret}"`);
	const audit = await office.call({ url: `${base}/audit`, ...admin });
	expect(JSON.stringify(audit.body)).toContain("person.exported");
	const unknown = await office.call({ url: `${base}/people/${randomUUID()}/export`, ...admin });
	expect(refused(unknown)).toEqual([404, "person_not_found"]);
});
