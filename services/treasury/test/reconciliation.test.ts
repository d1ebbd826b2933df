import { acrossTenants, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { closeException } from "../src/exceptions/exception.store.ts";
import { applyOutcome } from "../src/outcomes/apply-outcome.ts";
import { saveSettlement } from "../src/settlements/settlement.store.ts";
import { recordLines } from "../src/settlements/settlement-line.store.ts";
import { openSettling } from "./settling.ts";

const till = setUp(openSettling);
afterEach(() => till.cards("PUT", "/_control/faults", []));

const get = (path: string) => till.asOperator("GET", path);
const post = (path: string, body: object = {}, operator?: string) =>
	till.asOperator("POST", path, { body, operator });
const reconcile = async (kind: string) => {
	const range = { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 86_400_000) };
	const run = await post("reconciliation/runs", { kind, ...range });
	expect(run).toMatchObject({ status: 202, body: { kind, state: "waiting" } });
	await till.service.jobs.runDue();
	const { body } = await get("reconciliation/runs");
	const items = body["items"] as Array<Record<string, unknown>>;
	return items.find(({ id }) => id === run.body["id"]);
};

const [amina, brian] = ["amina", "brian"];

test("a settlement is listed with what its charges come to, and each charge beside its receipt", async () => {
	await till.charge();
	await till.settleNow();
	const { items, total } = (await get("settlements?state=matched&total=true")).body as {
		items: Array<Record<string, unknown>>;
		total: number;
	};
	expect(total).toBe(items.length);
	const [settlement] = items;
	expect(settlement).toMatchObject({
		...{ state: "matched", effective_minor: 96_500, expected_minor: 96_500, fees_minor: 3_500 },
		...{ settles_to: "bank", lines: 1, matched: 1 },
	});
	expect((await get(`settlements/${settlement?.["id"]}`)).body).toEqual(settlement);
	expect((await get(`settlements/${settlement?.["id"]}/lines`)).body["items"]).toMatchObject([
		{
			...{ amount_minor: 100_000, fee_minor: 3_500, state: "matched" },
			receipt: { tenant_id: till.tenants.uhai.id, amount_minor: 100_000, fee_minor: 3_500 },
		},
	]);
	for (const path of ["", "/lines"])
		expect(await get(`settlements/${crypto.randomUUID()}${path}`)).toMatchObject({
			...{ status: 404, body: { code: "settlement_not_found" } },
		});
});

test("settlements of a time are fetched when the operator asks, and a time that is turned round is refused", async () => {
	const intentId = await till.charge();
	await till.cards("POST", "/_control/settle");
	const range = { from: new Date(Date.now() - 86_400_000), to: new Date() };
	expect(await post("settlements/fetch", range)).toMatchObject({
		status: 202,
		body: { kind: "settlements" },
	});
	await till.service.jobs.runDue();
	expect(await till.receiptOf(intentId)).toEqual({ fee: 3_500, is_settled: true });
	expect(await post("settlements/fetch", { from: range.to, to: range.from })).toMatchObject({
		...{ status: 400, body: { code: "invalid_input" } },
	});
});

test("a charge whose event was lost is counted when charges are compared", async () => {
	const intentId = await till.charge({ isLost: true });
	expect(await till.receiptOf(intentId)).toBeUndefined();
	expect(await reconcile("transactions")).toMatchObject({ state: "done", found: 3 });
	expect(await till.receiptOf(intentId)).toEqual({ fee: 3_500, is_settled: false });
});

test("a charge without a request of ours is asked about by its own reference: it is not missing at the gateway", async () => {
	await till.payElsewhere({ isLost: false });
	await expect
		.poll(async () => {
			await till.service.jobs.runDue();
			return inTenant(till.database.db, till.tenants.lango.id, (tx) => tx.query("select from receipts"));
		})
		.toHaveLength(1);
	const later = new Date(Date.now() + 7_200_000);
	await inTenant(till.database.db, till.tenants.lango.id, (tx) =>
		tx.query("update receipts set occurred_at = $1", [later]),
	);
	await post("reconciliation/runs", {
		kind: "transactions",
		from: new Date(Date.now() + 3_600_000),
		to: later,
	});
	await till.service.jobs.runDue();
	expect(await till.exceptions("class=missing_there")).toEqual([]);
});

test("a run whose gateway does not answer has failed, and says why", async () => {
	await till.cards("PUT", "/_control/faults", [{ operation: "balance", fault: "maintenance", count: 1 }]);
	expect(await reconcile("balances")).toMatchObject({ state: "failed", failure: "gateway_unavailable" });
});

test("a receipt that the gateway does not know raises an exception, which an operator waives once", async () => {
	const { uhai } = till.tenants;
	await till.charge({ isPaid: false });
	const said = { kind: "paid", amountMinor: 100_000n, currency: "KES", receipt: "7700000001" } as const;
	const more = { paidAt: undefined, payerMasked: undefined, channel: "card", feeMinor: 3_500n } as const;
	await inTenant(till.database.db, uhai.id, async (tx) => {
		const [attempt] = await tx.query<{ id: string }>(
			"select id from attempts order by created_at desc limit 1",
		);
		const about = { tenantId: uhai.id, attemptId: String(attempt?.id), sourceId: undefined, at: new Date() };
		await applyOutcome(tx, { ...about, source: "query", said: { ...said, ...more } });
	});
	await reconcile("transactions");
	await reconcile("transactions");
	const [raised, ...others] = await till.exceptions("class=missing_there");
	const counted = await get("reconciliation/exceptions?class=missing_there&limit=1&total=true");
	expect(counted.body["total"]).toBe(1 + others.length);
	expect(others).toEqual([]);
	expect(raised).toMatchObject({ ours: { receipt: "7700000001" }, theirs: {}, proposed: null });
	const resolve = (as: string) =>
		post(`reconciliation/exceptions/${raised?.["id"]}/resolve`, { as, because: "A test." });
	expect(await resolve("posted")).toMatchObject({ status: 409, body: { code: "nothing_proposed" } });
	expect(await resolve("waived")).toMatchObject({
		...{ status: 200, body: { adjustment_id: null, exception: { state: "closed" } } },
	});
	expect(await resolve("waived")).toMatchObject({ status: 409, body: { code: "exception_closed" } });
	const unknown = `reconciliation/exceptions/${crypto.randomUUID()}/resolve`;
	expect(await post(unknown, { as: "waived", because: "A test." })).toMatchObject({
		...{ status: 404, body: { code: "exception_not_found" } },
	});
});

test("a charge that is not ours is explained by its proposed journal, which needs a second operator", async () => {
	await till.payElsewhere();
	await till.settleNow();
	const [raised] = await till.exceptions("class=missing_here&state=open");
	expect(raised).toMatchObject({
		proposed: {
			lines: [
				{ side: "debit", code: "card.unsettled", amount_minor: 47_250 },
				{ side: "debit", code: "gateway_fee.card", amount_minor: 2_750 },
				{ side: "credit", code: "suspense.card", amount_minor: 50_000 },
			],
		},
	});
	const decision = { as: "posted", because: "Paid by a guest at another page." };
	const resolved = await post(`reconciliation/exceptions/${raised?.["id"]}/resolve`, decision, amina);
	expect(resolved.body).toMatchObject({ exception: { state: "open" }, adjustment_id: expect.any(String) });
	const approve = `adjustments/${resolved.body["adjustment_id"]}/approve`;
	expect(await post(approve, {}, amina)).toMatchObject({
		...{ status: 403, body: { code: "approver_is_creator" } },
	});
	expect(await post(approve, {}, brian)).toMatchObject({ status: 200, body: { state: "posted" } });
	expect(await post(approve, {}, brian)).toMatchObject({ status: 409, body: { code: "adjustment_closed" } });
	const { adjustment_id: id } = resolved.body;
	const adjusted = `adjustments?exception_id=${raised?.["id"]}`;
	expect((await get(adjusted)).body["items"]).toMatchObject([{ id, state: "posted" }]);
	expect((await get(`adjustments?exception_id=${crypto.randomUUID()}`)).body["items"]).toEqual([]);
	await till.service.jobs.runDue();
	expect(await till.exceptions("class=missing_here&state=open")).toEqual([]);
	expect((await get("settlements?state=paid")).body["items"]).toEqual([]);
	expect((await post(`adjustments/${crypto.randomUUID()}/approve`)).body["code"]).toBe(
		"adjustment_not_found",
	);
});

test("an exception is posted once: while its adjustment waits nothing else resolves it, and a rejected one leaves it open", async () => {
	await till.payElsewhere();
	await till.settleNow();
	const before = (await till.platform())["suspense.card"] ?? 0;
	const [raised] = await till.exceptions("class=missing_here&state=open");
	const resolve = (as: string) =>
		post(`reconciliation/exceptions/${raised?.["id"]}/resolve`, { as, because: "A guest." }, amina);
	const { body: first } = await resolve("posted");
	for (const as of ["posted", "waived", "matched"])
		expect(await resolve(as)).toMatchObject({ status: 409, body: { code: "adjustment_waiting" } });
	const decide = (id: unknown, how: string) => post(`adjustments/${id}/${how}`, {}, brian);
	expect(await decide(first["adjustment_id"], "reject")).toMatchObject({
		...{ status: 200, body: { state: "rejected", approved_by: null } },
	});
	for (const how of ["approve", "reject"])
		expect(await decide(first["adjustment_id"], how)).toMatchObject({
			...{ status: 409, body: { code: "adjustment_closed" } },
		});
	const { body: second } = await resolve("posted");
	expect(await decide(second["adjustment_id"], "approve")).toMatchObject({ status: 200 });
	expect(await resolve("posted")).toMatchObject({ status: 409, body: { code: "exception_closed" } });
	expect((await till.platform())["suspense.card"]).toBe(before + 50_000);
	expect((await decide(crypto.randomUUID(), "reject")).body["code"]).toBe("adjustment_not_found");
});

test("an adjustment is not posted once its exception was closed, or its charge was matched", async () => {
	const { db } = till.database;
	await till.payElsewhere();
	await till.settleNow();
	const before = await till.platform();
	const [raised] = await till.exceptions("class=missing_here&state=open");
	const decision = { as: "posted", because: "A guest." };
	const { body } = await post(`reconciliation/exceptions/${raised?.["id"]}/resolve`, decision, amina);
	const approve = () => post(`adjustments/${body["adjustment_id"]}/approve`, {}, brian);
	await db.query(
		"update settlement_lines set state = 'matched' where id = (select line_id from exceptions where id = $1)",
		[raised?.["id"]],
	);
	expect(await approve()).toMatchObject({ status: 409, body: { code: "line_matched" } });
	const resolution = { as: "waived" as const, because: "Counted.", receiptIds: [], by: "amina" };
	await closeException(db, String(raised?.["id"]), { ...resolution, at: new Date() });
	expect(await approve()).toMatchObject({ status: 409, body: { code: "exception_closed" } });
	expect(await till.platform()).toEqual(before);
	await post(`adjustments/${body["adjustment_id"]}/reject`);
});

test("a charge of another amount than its receipt is settled once the difference is posted as variance", async () => {
	const { uhai } = till.tenants;
	const { db } = till.database;
	const intentId = await till.charge();
	const before = await till.available();
	const [receipt] = await inTenant(db, uhai.id, (tx) =>
		tx.query<{ receipt: string; id: string }>(
			"select r.receipt from receipts r join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id where a.intent_id = $1",
			[intentId],
		),
	);
	const id = crypto.randomUUID();
	await saveSettlement(db, {
		...{ id, gatewayId: "1", gatewayStatus: "success", state: "paid", currency: "KES" },
		...{ effectiveMinor: 86_500n, processedMinor: 90_000n, feesMinor: 3_500n, deductionsMinor: 0n },
		...{ settlesTo: "bank", settledAt: new Date(), now: new Date(Date.now() - 120_000) },
	});
	await db.query("update settlements set listed_at = now() where id = $1", [id]);
	await recordLines(db, [
		{
			...{
				id: crypto.randomUUID(),
				settlementId: id,
				transactionId: String(receipt?.receipt),
				reference: "",
			},
			...{ amountMinor: 90_000n, feeMinor: 3_500n, currency: "KES", channel: "card", paidAt: undefined },
		},
	]);
	await till.recover();
	expect(await till.available()).toEqual(before);
	const [raised] = await till.exceptions("class=amount&state=open");
	expect(raised).toMatchObject({
		...{ ours: { amount_minor: 100_000 }, theirs: { amount_minor: 90_000 } },
		proposed: { lines: [{ code: "recon_variance", amount_minor: 10_000 }, { code: "card.unsettled" }] },
	});
	const decision = { as: "posted", because: "The gateway kept it." };
	const { body } = await post(`reconciliation/exceptions/${raised?.["id"]}/resolve`, decision, amina);
	await post(`adjustments/${body["adjustment_id"]}/approve`, {}, brian);
	await till.service.jobs.runDue();
	expect(await till.available()).toMatchObject({ available: Number(before["available"]) + 100_000 });
	// The gateway settles it as well, which the treasury has from the other settlement.
	await till.settleNow();
	expect(await till.exceptions("class=duplicate")).toHaveLength(1);
});

test("a transfer balance that differs is explained by a top-up", async () => {
	await till.cards("POST", "/_control/top-up", { amount: 20_000 });
	await reconcile("balances");
	expect(await till.exceptions("class=balance")).toMatchObject([
		{ amount_minor: 20_000, ours: { amount_minor: 0 }, theirs: { amount_minor: 20_000 } },
	]);
	const asked = { purpose: "top_up", currency: "KES", amount_minor: 20_000, because: "Float for payouts." };
	const { body } = await post("adjustments", asked, amina);
	await post(`adjustments/${body["id"]}/approve`, {}, brian);
	expect((await till.platform())["card.balance"]).toBe(20_000);
	const journals = async (type: string) =>
		(await get(`journals?source_type=${type}&source_id=${body["id"]}`)).body["items"];
	const line = { owner: "platform", currency: "KES", amount_minor: 20_000 };
	expect(await journals("adjustment")).toMatchObject([
		{
			...{ tenant_id: null, purpose: "top_up" },
			lines: [
				{ side: "debit", code: "card.balance", ...line },
				{ side: "credit", code: "bank", ...line },
			],
		},
	]);
	expect(await journals("payout")).toEqual([]);
	await reconcile("balances");
	expect(await till.exceptions("class=balance")).toMatchObject([{ state: "closed" }]);
	expect((await get("adjustments?state=posted")).body["items"]).toContainEqual(
		expect.objectContaining({ id: body["id"], purpose: "top_up", state: "posted" }),
	);
});

test("a withdrawal moves money from the transfer balance to the bank account, once another operator than its maker approves it", async () => {
	const ours = async () => {
		const { "card.balance": balance = 0, bank = 0 } = await till.platform();
		return { balance, bank };
	};
	const before = await ours();
	const asked = { purpose: "withdrawal", currency: "KES", amount_minor: 5_000, because: "Salaries." };
	const { body } = await post("adjustments", asked, amina);
	const approve = (operator: string) => post(`adjustments/${body["id"]}/approve`, {}, operator);
	expect(await approve(amina)).toMatchObject({ status: 403, body: { code: "approver_is_creator" } });
	expect(await ours()).toEqual(before);
	expect((await approve(brian)).status).toBe(200);
	expect(await ours()).toEqual({ balance: before.balance - 5_000, bank: before.bank + 5_000 });
	expect(await approve(brian)).toMatchObject({ status: 409, body: { code: "adjustment_closed" } });
	expect((await get("adjustments?state=posted")).body["items"]).toContainEqual(
		expect.objectContaining({ id: body["id"], purpose: "withdrawal", state: "posted" }),
	);
	const { id } = (await post("adjustments", { ...asked, amount_minor: 7_000 }, amina)).body;
	expect((await post(`adjustments/${id}/reject`, {}, brian)).status).toBe(200);
	expect(await ours()).toEqual({ balance: before.balance - 5_000, bank: before.bank + 5_000 });
	// The gateway of these tests has moved nothing.
	const back = { ...asked, purpose: "top_up", because: "The bank did not take it." };
	const returned = await post("adjustments", back, amina);
	await post(`adjustments/${returned.body["id"]}/approve`, {}, brian);
	expect(await ours()).toEqual(before);
});

const line = (side: string, code: string, members: object = {}) => ({
	...{ side, code, owner: "platform", amount_minor: 100, ...members },
});
const refused = {
	"lines that are not equal": {
		lines: [line("debit", "bank"), line("credit", "card.balance", { amount_minor: 99 })],
	},
	"an account that does not exist": { lines: [line("debit", "bank"), line("credit", "bank.other")] },
	"an account of a tenant without the tenant": {
		lines: [line("debit", "bank"), line("credit", "tenant.available", { owner: "tenant" })],
	},
	"no lines": {},
	"a movement without an amount": { purpose: "top_up" },
	"a negative top-up": { purpose: "top_up", amount_minor: -1 },
};
test.each(Object.entries(refused))("an adjustment with %s is refused", async (_what, members) => {
	const body = { purpose: "correction", currency: "KES", because: "A test.", ...members };
	expect(await post("adjustments", body)).toMatchObject({ status: 400, body: { code: "invalid_input" } });
});

test("an adjustment that takes more than an account has is not posted", async () => {
	const asked = {
		...{ purpose: "write_off", currency: "KES", amount_minor: 1, because: "A test." },
		tenant_id: till.tenants.uhai.id,
	};
	const { body } = await post("adjustments", asked, amina);
	expect(await post(`adjustments/${body["id"]}/approve`, {}, brian)).toMatchObject({
		...{ status: 409, body: { code: "account_overdrawn" } },
	});
	const unknown = { ...asked, tenant_id: crypto.randomUUID() };
	expect(await post("adjustments", unknown)).toMatchObject({
		status: 404,
		body: { code: "tenant_not_found" },
	});
});

test("every day shortcodes are asked for their balances: the mirror of a tenant follows, and what the platform's holds more is an exception, which follows the difference and closes with it", async () => {
	const { uhai } = till.tenants;
	const float = (shortcode: string, utility_minor: number) => ({
		shortcode,
		utility_minor,
		working_minor: 0,
	});
	const ours = (await till.platform())["mm.float.600100"] ?? 0;
	const set = (more: number) =>
		till.sandbox("PUT", "/_control/shortcodes", [float("600100", ours + more), float("600200", 123_400)]);
	const raised = () => till.exceptions("class=balance&state=open");
	const ofFloat = async () =>
		(await raised()).filter(({ subject }) => String(subject).startsWith("mm.float.600100"));
	const questions = () =>
		acrossTenants(till.database.db, (tx) =>
			tx.query<{ id: string; shortcode: string; status: string }>(
				"select id, shortcode, status from gateway_queries where kind = 'balance'",
			),
		);
	const daily = async () => {
		const earlier = new Set((await questions()).map(({ id }) => id));
		await till.service.jobs.run("reconciliation.plan");
		const answered = async () => {
			await till.service.jobs.runDue();
			return (await questions())
				.filter(({ id, status }) => status === "answered" && !earlier.has(id))
				.map(({ shortcode }) => shortcode);
		};
		await expect.poll(answered).toEqual(expect.arrayContaining(["600100", "600200"]));
	};
	await set(0);
	await daily();
	expect((await till.balances(uhai))["mm.float.600200"]).toBe(123_400);
	expect(await ofFloat()).toEqual([]);
	await set(7_000);
	await daily();
	await daily();
	expect(await ofFloat()).toMatchObject([
		{ amount_minor: 7_000, ours: { amount_minor: ours }, theirs: { amount_minor: ours + 7_000 } },
	]);
	const [first] = await ofFloat();
	await set(9_000);
	await daily();
	expect(await ofFloat()).toMatchObject([{ id: first?.["id"], amount_minor: 9_000 }]);
	await set(0);
	await daily();
	expect(await ofFloat()).toEqual([]);
});
