import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { findBillingMethod, updateBillingMethod } from "../../src/billing/methods/billing-method.store.ts";
import { findPayoutConfig, savePayoutConfig } from "../../src/gateways/shortcodes/payout-config.store.ts";
import { switchHalt } from "../../src/halts/halt.store.ts";
import { listRecipients } from "../../src/recipients/recipient.store.ts";
import { addPayout, getPayout } from "../payouts/add-payout.ts";
import { makeAvailable } from "../payouts/paying.ts";
import { giveShortcode, openTill } from "../till.ts";
import { addAccount, addTwoIds, merge } from "./two-ids.ts";

const till = setUp(openTill);
const [first, second] = [new Date("2026-03-02T08:00:00Z"), new Date("2026-03-02T09:00:00Z")];

/** When something was changed under an id. */
const times = (later: "from" | "to") => ({
	from: later === "from" ? second : first,
	to: later === "to" ? second : first,
});

const bothIds = ["from", "to"] as const;

test.each(bothIds)("of two billing methods the one that was changed later stays: under %s", async (later) => {
	const { db } = till.database;
	const ids = await addTwoIds(db);
	for (const id of bothIds) {
		const put = (phone: string, now: Date) =>
			inTenant(db, ids[id], (tx) =>
				updateBillingMethod(tx, ids[id], { kind: "push", phone, email: null, now }),
			);
		// What counts is the last change.
		await put("254700000009", new Date(first.getTime() - 60_000));
		await put(id === "from" ? "254700000001" : "254700000002", times(later)[id]);
	}
	await merge(db, ids);
	expect(await inTenant(db, ids.to, findBillingMethod)).toMatchObject({
		...{ kind: "push", phone: later === "from" ? "254700000001" : "254700000002", version: 2 },
	});
});

const pairs = bothIds.flatMap((recipient) => bothIds.map((chosen) => [recipient, chosen] as const));

test.each(pairs)(
	"of two active recipients of one account the later one stays, of %s, and is the one that the payout settings, changed later under %s, and open payouts name",
	async (later, chosen) => {
		const { db } = till.database;
		const ids = await addTwoIds(db);
		const recipients = { from: { id: "", code: "" }, to: { id: "", code: "" } };
		const payouts = [];
		for (const id of bothIds) {
			const tenantId = ids[id];
			const recipient = await addAccount(db, tenantId, { account: "the same", at: times(later)[id] });
			recipients[id] = recipient;
			const config = {
				...{ recipientId: recipient.id, recipientCode: recipient.code, schedule: "daily" as const },
				...{ minimumMinor: id === "from" ? 1 : 2, approvalAboveMinor: undefined, setBy: undefined },
			};
			await inTenant(db, tenantId, (tx) =>
				savePayoutConfig(tx, { tenantId, config, now: times(chosen)[id] }),
			);
			await makeAvailable(db, tenantId, { amountMinor: 200_000n });
			payouts.push(await addPayout(db, tenantId, { recipient, said: [{ kind: "approved" }] }));
			await addPayout(db, tenantId, { recipient, said: [{ kind: "failed", code: "abandoned" }] });
		}
		await merge(db, ids);
		const { id: recipientId, code: recipientCode } = recipients[later];
		const kept = await inTenant(db, ids.to, (tx) => listRecipients(tx, { after: undefined, limit: 9 }));
		expect(kept.map(({ id, revokedAt }) => [id, revokedAt === undefined])).toEqual([
			[recipientId, true],
			[recipients[later === "from" ? "to" : "from"].id, false],
		]);
		expect(await inTenant(db, ids.to, findPayoutConfig)).toMatchObject({
			...{ recipientId, recipientCode, minimumMinor: chosen === "from" ? 1 : 2 },
		});
		for (const { id } of payouts)
			expect(await getPayout(db, { tenantId: ids.to, id })).toMatchObject({
				status: "approved",
				recipientId,
			});
		const ended = await inTenant(db, ids.to, (tx) =>
			tx.query<{ recipient_id: string }>("select recipient_id from payouts where status = 'failed'"),
		);
		expect(ended.map(({ recipient_id }) => recipient_id).toSorted()).toEqual(
			[recipients.from.id, recipients.to.id].toSorted(),
		);
	},
);

test.each(bothIds)(
	"of two shortcodes the one that was changed later stays, under %s; what is paid to the other one is still found",
	async (later) => {
		const { db } = till.database;
		const ids = await addTwoIds(db);
		const shortcodes = later === "from" ? { from: "710001", to: "710002" } : { from: "710003", to: "710004" };
		for (const id of bothIds) {
			await giveShortcode(db, { id: ids[id] }, { shortcode: shortcodes[id], kind: "paybill" });
			await inTenant(db, ids[id], (tx) =>
				tx.query("update tenant_gateways set updated_at = $1", [times(later)[id]]),
			);
		}
		await merge(db, ids);
		const read = <T>(text: string) => inTenant(db, ids.to, (tx) => tx.query<{ value: T }>(text));
		expect(await read("select mobile_money_shortcode as value from tenant_gateways")).toEqual([
			{ value: shortcodes[later] },
		]);
		expect(await read("select value from locators where kind = 'shortcode' order by value")).toEqual(
			Object.values(shortcodes).map((value) => ({ value })),
		);
		expect(await read("select 1 as value from gateway_credentials")).toHaveLength(1);
	},
);

const halted = {
	"on, then lifted under the other id": [true, false],
	"lifted, then on under the other id": [false, true],
	"on under both": [true, true],
	"lifted under both": [false, false],
};

describe.each(bothIds)("of two halts, the later one under %s", (later) => {
	test.each(Object.entries(halted))(
		"%s: one stays, and it is on if one was",
		async (_what, [early, late]) => {
			const { db } = till.database;
			const ids = await addTwoIds(db);
			for (const id of bothIds) {
				const isOn = (id === later ? late : early) ?? false;
				const about = { scope: "payouts", tenantId: ids[id], because: id, setBy: "amina" } as const;
				await switchHalt(db, { ...about, isOn, setAt: times(later)[id] }, async () => {});
			}
			await merge(db, ids);
			const kept = await inTenant(db, ids.to, (tx) => tx.query("select is_on, because from halts"));
			const earlier = later === "from" ? "to" : "from";
			expect(kept).toEqual([{ is_on: early || late, because: early && !late ? earlier : later }]);
		},
	);
});
