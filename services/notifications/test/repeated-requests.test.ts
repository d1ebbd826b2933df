import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, onTestFinished, test } from "vitest";
import { greeting, openOffice } from "./office.ts";

const office = setUp(() => openOffice({ NOTIFICATIONS_TENANT_REQUESTS_MAX: "100" }));
let names = 0;
const address = () => `person${++names}@uhai.example`;

test("an identical request within 24 hours gets the first requestId, and is sent again after them (§8)", async () => {
	const body = greeting([address()]);
	const first = await office.send(office.uhai, body);
	const second = await office.send(office.uhai, {
		...body,
		data: Object.fromEntries(Object.entries(body.data).reverse()),
	});
	expect(second.body.requestId).toBe(first.body.requestId);
	expect(second.headers["idempotency-replayed"]).toBe("true");
	await inTenant(office.database.db, office.uhai.id, (tx) =>
		tx.query("update idempotency_keys set expires_at = now() where message_id = $1", [first.body.requestId]),
	);
	const later = await office.send(office.uhai, body);
	expect(later.body.requestId).not.toBe(first.body.requestId);
});

test.each([
	["without a key", {}],
	["with a key", { "idempotency-key": "repeated" }],
])(
	"an identical request %s gets the first requestId, also after its times have passed",
	async (_title, headers) => {
		const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
		const body = greeting([address()], { send_at: inSeconds(60), expires_at: inSeconds(90) });
		const first = await office.send(office.uhai, body, { headers });
		office.clock.now = new Date(Date.now() + 75_000);
		onTestFinished(() => {
			office.clock.now = undefined;
		});
		const second = await office.send(office.uhai, body, { headers });
		office.clock.now = new Date(Date.now() + 120_000);
		const third = await office.send(office.uhai, body, { headers });
		expect([second, third].map(({ status, body: { requestId } }) => ({ status, requestId }))).toEqual(
			Array(2).fill({ status: 202, requestId: first.body.requestId }),
		);
		const other = await office.send(office.uhai, { ...body, locale: "sw" }, { headers });
		expect(other.body).toMatchObject({ code: "invalid_input", field: "expires_at" });
	},
);

test("100 equal requests at once are one message", async () => {
	const body = greeting([address()]);
	const before = await countMessages();
	const answers = await Promise.all(Array.from({ length: 100 }, () => office.send(office.uhai, body)));
	expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
	expect(new Set(answers.map((answer) => answer.body.requestId)).size).toBe(1);
	expect(await countMessages()).toBe(before + 1);
});

const countMessages = async () =>
	(await inTenant(office.database.db, office.uhai.id, (tx) => tx.query("select from messages"))).length;

test("a key used for another body is 400, and belongs to the caller who used it", async () => {
	const headers = { "idempotency-key": `key-${address()}` };
	await office.send(office.uhai, greeting([address()]), { headers });
	const reused = await office.send(office.uhai, greeting([address()]), { headers });
	expect({ status: reused.status, code: reused.body.code }).toEqual({
		status: 400,
		code: "idempotency_key_reused",
	});
	const other = await office.send(office.uhai, greeting([address()]), {
		headers,
		token: office.token(office.uhai, "manager"),
	});
	expect(other.status).toBe(202);
	const refused = { "idempotency-key": `key-${address()}` };
	const wrong = await office.send(office.uhai, greeting(["a@b@c"]), { headers: refused });
	const right = await office.send(office.uhai, greeting([address()]), { headers: refused });
	expect([wrong.status, right.status]).toEqual([400, 202]);
});
