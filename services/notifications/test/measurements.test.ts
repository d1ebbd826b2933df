import { randomUUID } from "node:crypto";
import { authUserCreated } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, onTestFinished, test } from "vitest";
import { claimFrom, settleAs } from "./dispatch.ts";
import { greeting, type Office, openOffice } from "./office.ts";

const office = setUp(() => openOffice());
const sending = setUp(() => openOffice({ NOTIFICATIONS_DISPATCH: "on" }));

/** The values of `GET /metrics`, by name and labels without those of every series. */
async function metrics({ app }: Office): Promise<Record<string, number>> {
	const { body } = await app.inject({ url: "/metrics" });
	const lines = body.split("\n").filter((line) => /^lango_(deliveries|providers)_/.test(line));
	return Object.fromEntries(
		lines.map((line) => {
			const [, name = "", value] = /^(.*) ([^ ]+)$/.exec(line) ?? [];
			const labels = [...name.matchAll(/(lango_\w+)="(\w+)"/g)].map(([, label, of]) => `${label}=${of}`);
			return [`${name.split("{", 1)[0]} ${labels.join(" ")}`.trim(), Number(value)];
		}),
	);
}

test("operators see how long due messages wait, and how many outcomes are unknown", async () => {
	expect(await metrics(office)).toMatchObject({
		"lango_deliveries_due_age_seconds lango_delivery_class=normal": 0,
		"lango_providers_degraded lango_channel=sms": 0,
		lango_deliveries_unknown: 0,
		"lango_deliveries_settled_total lango_channel=whatsapp lango_delivery_status=dead": 0,
	});
	const to = ["a@uhai.example", "b@uhai.example"];
	await office.send(office.uhai, greeting(to));
	const lane = { tenantId: office.uhai.id, channel: "email", messageClass: "normal" } as const;
	const [claimed] = await claimFrom(office, lane, 1);
	await settleAs(office, office.uhai.id, [
		{ id: claimed?.id ?? "", attempt: 1, from: ["sending"], status: "unknown", dueAt: new Date() },
	]);
	const now = new Date(Date.now() + 600_000);
	office.clock.now = now;
	const measured = await metrics(office);
	office.clock.now = undefined;
	expect(measured["lango_deliveries_due_age_seconds lango_delivery_class=normal"]).toBeGreaterThan(590);
	expect(measured["lango_deliveries_unknown"]).toBe(1);
});

/** Makes a user known to the service that sends; returns their address for in-app messages. */
async function knownUser(): Promise<string> {
	const user_id = randomUUID();
	const { uhai, database } = sending;
	const about = { email: `p-${user_id}@uhai.example`, name: "Asha", roles: ["member"], status: "active" };
	const event = { subject: user_id, data: { user_id, ...about }, tenant: { id: uhai.id } };
	await sending.transport.publish(testEvent(authUserCreated, event));
	const known = () =>
		inTenant(database.db, uhai.id, (tx) => tx.query("select from recipients where id = $1", [user_id]));
	await expect.poll(known).toHaveLength(1);
	return `user:${user_id}`;
}

/** How many in-app messages have reached a state. */
const settled = async (status: string) =>
	(await metrics(sending))[
		`lango_deliveries_settled_total lango_channel=in_app lango_delivery_status=${status}`
	];

test("operators see which states deliveries reach", async () => {
	await sending.send(sending.uhai, { ...greeting([await knownUser()]), channel: "in_app" });
	await expect.poll(() => settled("delivered")).toBe(1);
});

test("operators see how many messages were given up, and how many expired", async () => {
	const { uhai, database } = sending;
	const user = await knownUser();
	const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
	const send_at = inMinutes(60).toISOString();
	const send = async (more: object) =>
		(await sending.send(uhai, { ...greeting([user]), channel: "in_app", send_at, ...more })).body.requestId;
	const unreadable = await send({});
	await send({ expires_at: inMinutes(90).toISOString() });
	await inTenant(database.db, uhai.id, async (tx) => {
		await tx.query("update messages set data = 'x' where id = $1", [unreadable]);
		await tx.query("update message_deliveries set failures = 11 where message_id = $1", [unreadable]);
	});
	sending.clock.now = inMinutes(120);
	onTestFinished(() => {
		sending.clock.now = undefined;
	});
	await expect.poll(() => settled("dead")).toBe(1);
	await expect.poll(() => settled("expired")).toBe(1);
});
