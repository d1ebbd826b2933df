import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { accepted, claimFrom, settleAs } from "./dispatch.ts";
import { greeting, openOffice } from "./office.ts";

const office = setUp(openOffice);

/** The events of a message in the order in which they were recorded. */
const eventsOf = async (messageId: string) => {
	const rows = await office.database.db.query<{ type: string; subject: string; data: object }>(
		`select envelope->>'type' as type, envelope->>'subject' as subject, envelope->'data' as data from outbox
		  where envelope->'data'->>'message_id' = $1 order by position`,
		[messageId],
	);
	return rows;
};
const suppress = (address: string) =>
	office.call({
		...{ method: "POST", url: "/api/v1/uhai/notifications/suppressions" },
		...{ token: office.token(office.uhai, "admin"), body: { channel: "email", address } },
	});
const changed = (status: string) => ({
	type: "notifications.delivery.changed",
	data: {
		...{ status, tenant_id: office.uhai.id, template: "shared/generic_notification", user_id: null },
		...{ error_class: null, error_code: null, provider_kind: null },
		...{ address_masked: expect.stringContaining("…"), at: expect.any(String), version: expect.any(Number) },
	},
});
const completed = (counts: object) => ({ type: "notifications.message.completed", data: { counts } });

test("a delivery that ends when its message is accepted is published where the request asked for it", async () => {
	await suppress("gone@uhai.example");
	const to = ["gone@uhai.example", "here@uhai.example"];
	const { body } = await office.send(office.uhai, greeting(to, { events: "deliveries" }));
	const [event, ...others] = await eventsOf(body.requestId);
	expect([event, others]).toMatchObject([changed("suppressed"), []]);
	const lane = { tenantId: office.uhai.id, channel: "email", messageClass: "normal" } as const;
	await settleAs(office, office.uhai.id, (await claimFrom(office, lane)).map(accepted));
	const [, second, last] = await eventsOf(body.requestId);
	expect([second, last].map((one) => one?.type).toSorted()).toEqual([
		...["notifications.delivery.changed", "notifications.message.completed"],
	]);
	expect(await eventsOf(body.requestId)).toContainEqual(
		expect.objectContaining({
			data: expect.objectContaining({ counts: { suppressed: 1, sent: 1 } }),
		}),
	);
});

test.each([
	["suppressed", "email", "gone@uhai.example"],
	["skipped_no_credit", "sms", "+254712345678"],
	["skipped_no_subscription", "whatsapp", "+254712345678"],
])("a message whose only delivery ends as %s is complete at once", async (status, channel, to) => {
	await suppress("gone@uhai.example");
	const asked = await office.send(office.uhai, greeting([to], { channel, events: "deliveries" }));
	const masked = { address_masked: expect.stringMatching(/…|•/) };
	const { data, ...event } = changed(status);
	expect(await eventsOf(asked.body.requestId)).toMatchObject([
		{ ...event, data: { ...data, ...masked } },
		completed({ [status]: 1 }),
	]);
	const unasked = await office.send(office.uhai, greeting([to], { channel }));
	expect(await eventsOf(unasked.body.requestId)).toMatchObject([completed({ [status]: 1 })]);
});
