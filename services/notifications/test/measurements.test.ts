import { randomUUID } from "node:crypto";
import { authUserCreated } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
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

test("operators see which states deliveries reach", async () => {
	const user_id = randomUUID();
	const { uhai, database } = sending;
	const data = {
		user_id,
		email: `p-${user_id}@uhai.example`,
		name: "Asha",
		roles: ["member"],
		status: "active",
	};
	await sending.transport.publish(
		testEvent(authUserCreated, { subject: user_id, data, tenant: { id: uhai.id } }),
	);
	const known = () =>
		inTenant(database.db, uhai.id, (tx) => tx.query("select from recipients where id = $1", [user_id]));
	await expect.poll(known).toHaveLength(1);
	await sending.send(uhai, { ...greeting([`user:${user_id}`]), channel: "in_app" });
	await expect
		.poll(
			async () =>
				(await metrics(sending))[
					"lango_deliveries_settled_total lango_channel=in_app lango_delivery_status=delivered"
				],
		)
		.toBe(1);
});
