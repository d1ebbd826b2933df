import { randomUUID } from "node:crypto";
import { authUserUpdated } from "@lango/contracts";
import { acrossTenants, inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { claimFrom } from "./dispatch.ts";
import { openOffice } from "./office.ts";

// The way through a provider is in ground-truth.test.ts.

const office = setUp(openOffice);

/** An administrator of a tenant; `verified`: the address of the sign-on service is proved. */
async function administrator({ verified = true, tenant = office.uhai } = {}) {
	const id = randomUUID();
	const email = `p-${id}@uhai.example`;
	const person = { user_id: id, email, name: "Asha", roles: ["admin"], status: "active" };
	const data = { ...person, email_verified: verified, is_hq: false, outlet_ids: [], version: 1 };
	await office.transport.publish(
		testEvent(authUserUpdated, { subject: id, data, tenant: { id: tenant.id } }),
	);
	const isKnown = () =>
		acrossTenants(office.database.db, (tx) => tx.query("select from recipients where id = $1", [id]));
	await expect.poll(isKnown).toHaveLength(1);
	const token = office.token(tenant, "admin", { sub: id, email });
	const base = `/api/v1/${tenant.slug}/notifications`;
	return {
		...{ id, token, tenant },
		call: (method: "PUT" | "POST", url: string, body: object) =>
			office.call({ method, url: `${base}${url}`, token, body }),
		test: (body: object, path = "shared/generic_notification") =>
			office.call({ method: "POST", url: `${base}/templates/${path}/test`, token, body }),
	};
}

const inbox = { channel: "in_app", locale: "en" };
const email = { channel: "email", locale: "en" };
const sms = { channel: "sms", locale: "en" };
const refused = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
const testsOf = (tenant = office.uhai) =>
	inTenant(office.database.db, tenant.id, (tx) =>
		tx.query<{ class: string; category: string; status: string; user_id: string; caller_id: string }>(
			`select m.class, m.category, d.status, d.user_id, m.caller_id from messages m
			   join message_deliveries d on d.tenant_id = m.tenant_id and d.message_id = m.id where m.source = 'test'`,
		),
	);

test("a test is queued for its author only, is never urgent, and the same draft can be tested again", async () => {
	const asha = await administrator();
	const path = "sign_on/password_reset";
	for (const _ of [1, 2])
		expect(await asha.test(email, path)).toMatchObject({
			...{
				status: 202,
				body: { status: "accepted", addresses: [expect.stringMatching(/^p….@uhai\.example$/)] },
			},
		});
	const tests = (await testsOf()).filter(({ caller_id }) => caller_id === asha.id);
	const one = { class: "normal", category: "security", status: "queued", user_id: asha.id };
	expect(tests).toMatchObject([one, one]);
});

test("without a verified address on the channel a test is refused", async () => {
	const [stranger, asha] = [await administrator({ verified: false }), await administrator()];
	expect(refused(await stranger.test(email))).toEqual([409, "address_unverified"]);
	for (const channel of ["sms", "whatsapp", "push"])
		expect(refused(await asha.test({ channel, locale: "en" }))).toEqual([409, "address_unverified"]);
	const owner = office.token(office.lango, "superuser");
	const url = "/api/v1/uhai/notifications/templates/shared/generic_notification/test";
	expect(refused(await office.call({ method: "POST", url, token: owner, body: inbox }))).toEqual([
		...[409, "address_unverified"],
	]);
});

test.each<[string, object, { code: string; field: string }]>([
	[
		"a missing variable",
		{ ...inbox, data: { name: "Asha" } },
		{ code: "variable_missing", field: "data.title" },
	],
	["a wrong value", { ...inbox, data: { name: {} } }, { code: "variable_invalid", field: "data.name" }],
	["an unknown channel", { channel: "fax", locale: "en" }, { code: "invalid_input", field: "channel" }],
	["no language", { channel: "in_app" }, { code: "invalid_input", field: "locale" }],
])("a test with %s is refused, and names the field", async (_title, body, refusal) => {
	const asha = await administrator();
	expect(await asha.test(body)).toMatchObject({ status: 400, body: refusal });
});

test("a draft that is not valid, a content that is missing and an unknown template are refused", async () => {
	const asha = await administrator();
	const contents = [{ ...sms, source: "{{ password }}" }];
	const made = { path: "shop/tested", category: "general", variables: [], samples: {}, contents };
	expect((await asha.call("POST", "/templates", made)).status).toBe(201);
	expect(await asha.test(sms, "shop/tested")).toMatchObject({
		...{ status: 400, body: { code: "template_invalid", problems: [{ place: "sms.en.source" }] } },
	});
	expect(refused(await asha.test(email, "shop/tested"))).toEqual([400, "channel_unsupported"]);
	expect(refused(await asha.test(sms, "shop/unknown"))).toEqual([404, "template_not_found"]);
});

test("of many tests at once, a person sends 20 an hour, and another person is not held up", async () => {
	const [asha, juma] = [await administrator(), await administrator()];
	const answers = await Promise.all(Array.from({ length: 26 }, () => asha.test(inbox)));
	expect(answers.filter(({ status }) => status === 202)).toHaveLength(20);
	const late = answers.filter(({ status }) => status !== 202);
	expect(new Set(late.map((answer) => refused(answer).join(" ")))).toEqual(new Set(["429 tests_limited"]));
	const after = Number(late[0]?.headers["retry-after"]);
	expect(after > 3_500 && after <= 3_600).toBe(true);
	expect((await juma.test(inbox)).status).toBe(202);
});

test("a test uses credit and is refused without it; preferences and quiet hours do not hold it up", async () => {
	const asha = await administrator({ tenant: office.kahawa });
	const quiet = { from: "00:00", until: "23:59" };
	await inTenant(office.database.db, office.kahawa.id, async (tx) => {
		await tx.query(
			"update recipients set quiet_from = $2, quiet_until = $3, time_zone = 'UTC' where id = $1",
			[...[asha.id, quiet.from, quiet.until]],
		);
		await tx.query(
			`insert into preferences (tenant_id, user_id, category, channel, is_on, updated_at)
			 values ($1, $2, 'general', 'sms', false, now())`,
			[office.kahawa.id, asha.id],
		);
	});
	const phone = await office.call({
		...{ method: "PUT", url: `/api/v1/kahawa/notifications/people/${asha.id}/contact-points` },
		token: office.token(office.kahawa, "admin"),
		body: { channel: "sms", address: "+254712000001" },
	});
	expect(phone.status).toBe(200);
	expect(await asha.test(sms)).toMatchObject({
		...{ status: 409, body: { code: "test_unreachable", reason: "skipped_no_credit" } },
	});
	expect(await testsOf(office.kahawa)).toEqual([]);
	await office.call({
		...{ method: "POST", url: "/api/v1/kahawa/notifications/credits/grants" },
		...{ headers: { "idempotency-key": randomUUID() }, token: office.token(office.lango, "superuser") },
		body: { segments: 5, reason: "test" },
	});
	expect((await asha.test(sms)).status).toBe(202);
	const lane = { tenantId: office.kahawa.id, channel: "sms", messageClass: "normal" } as const;
	expect(await claimFrom(office, lane)).toMatchObject([{ userId: asha.id, verdict: "send" }]);
	const [credit] = await inTenant(office.database.db, office.kahawa.id, (tx) =>
		tx.query<{ reserved: bigint }>("select reserved from credit_balances"),
	);
	expect(credit).toMatchObject({ reserved: 1n });
});
