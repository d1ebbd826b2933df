import { createHash, randomUUID } from "node:crypto";
import { uuidV7 } from "@lango/events";
import { acrossTenants, inTenant } from "@lango/postgres";
import { type CardGatewayOptions, defaultSecretKey } from "@lango/sandbox-card-gateway";
import { expect } from "vitest";
import { markListed, saveSettlement } from "../src/settlements/settlement.store.ts";
import { recordLines } from "../src/settlements/settlement-line.store.ts";
import { addBill } from "./add-bill.ts";
import { openTill, type Till } from "./till.ts";

type Request = { body?: object; operator?: string | undefined };

/** Starts a till, with what settles its charges, at a card gateway that has `cardOptions`. */
export async function openSettling(cardOptions: CardGatewayOptions = {}) {
	const till = await openTill({}, cardOptions);
	const empty = [{ shortcode: "600100", utility_minor: 0, working_minor: 0 }];
	await till.sandbox("PUT", "/_control/shortcodes", empty);
	return { ...till, ...charging(till), ...settling(till), ...reading(till) };
}

const fee = "r.fee_minor::int as fee, r.settled_at is not null as is_settled";

/** Charges of the card gateway. */
function charging(till: Till) {
	const { uhai } = till.tenants;
	const { db } = till.database;
	const lose = () =>
		till.cards("PUT", "/_control/faults", [{ operation: "charge.success", fault: "drop", count: 1 }]);
	const pay = (accessCode: string) =>
		till.cards("POST", `/_control/checkouts/${accessCode}`, { action: "pay", channel: "card" });
	const receiptOf = async (intentId: string) => {
		await till.service.jobs.runDue();
		const [row] = await inTenant(db, uhai.id, (tx) =>
			tx.query<{ fee: number; is_settled: boolean }>(
				`select ${fee} from receipts r join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id where a.intent_id = $1`,
				[intentId],
			),
		);
		return row;
	};
	return {
		receiptOf,
		/** A charge of 1,000.00 shillings by card, of which the gateway keeps 35.00. Returns the intent. */
		async charge({ payee = "tenant", isLost = false, isPaid = true }: Charge = {}): Promise<string> {
			const intent = await inTenant(db, uhai.id, (tx) =>
				addBill(tx, uhai.id, { payee, amountMinor: 100_000n }),
			);
			const path = payee === "tenant" ? `intents/${intent.id}` : `bills/${intent.operationId}`;
			const { body } = await till.call({
				...{ method: "POST", url: `/api/v1/${uhai.slug}/treasury/${path}/checkout` },
				...{ token: till.token(uhai, "admin"), body: { email: "amina@example.com" } },
			});
			if (isLost) await lose();
			if (isPaid) await pay(String(body["access_code"]));
			if (isPaid && !isLost) await expect.poll(() => receiptOf(intent.id)).toBeDefined();
			return intent.id;
		},
		/** A charge of 500.00 shillings that the treasury did not ask for. Returns its reference. */
		async payElsewhere({ isLost = true } = {}): Promise<string> {
			const reference = `guest-${randomUUID()}`;
			const opened = await fetch(`${till.cardGateway.url}/transaction/initialize`, {
				method: "POST",
				headers: { authorization: `Bearer ${defaultSecretKey}`, "content-type": "application/json" },
				body: JSON.stringify({
					amount: 50_000,
					email: "guest@example.com",
					reference,
				}),
			});
			const { data } = (await opened.json()) as { data: { access_code: string } };
			if (isLost) await lose();
			await pay(data.access_code);
			return reference;
		},
	};
}

type Charge = { payee?: "tenant" | "platform"; isLost?: boolean; isPaid?: boolean };

/** Settlements, as jobs fetch them. */
function settling(till: Till) {
	const { jobs } = till.service;
	const fetchNow = async () => {
		await jobs.run("settlements.fetch");
		await jobs.runDue();
	};
	return {
		fetchNow,
		async settleNow(): Promise<void> {
			await till.cards("POST", "/_control/settle");
			await fetchNow();
		},
		/** Looks for settlements whose job was lost. */
		async recover(): Promise<void> {
			await jobs.run("settlements.settle.sweep");
			await jobs.runDue();
		},
	};
}

type StatedLine = { transaction: string; amount?: bigint; fee?: bigint | undefined; currency?: string };
type StatedSettlement = {
	effective: bigint;
	fees?: bigint;
	deductions?: bigint;
	lines?: readonly StatedLine[];
};

let settlementNumber = 0;

/** Settlements that the gateway states otherwise than the sandbox does, and what operators decide of them. */
export function stating({ database: { db }, service, tenants, ...till }: Settling) {
	const { uhai } = tenants;
	const receiptOf = (intentId: string) =>
		inTenant(db, uhai.id, async (tx) => {
			const [row] = await tx.query<{ id: string; receipt: string; is_settled: boolean }>(
				`select r.id, r.receipt, r.settled_at is not null as is_settled
				   from receipts r join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id where a.intent_id = $1`,
				[intentId],
			);
			if (row === undefined) throw new Error(`the intent ${intentId} has no receipt`);
			return row;
		});
	return {
		receiptOf,
		/**
		 * Stores a settlement as the gateway states it, and settles it. Without lines its charges are not listed.
		 * Returns its number.
		 */
		async state({ effective, fees, deductions, lines }: StatedSettlement): Promise<string> {
			const [id, now] = [randomUUID(), new Date(Date.now() - 120_000)];
			const gatewayId = `S${++settlementNumber}`;
			await saveSettlement(db, {
				...{
					id,
					gatewayId,
					gatewayStatus: "success",
					state: "paid",
					currency: "KES",
					effectiveMinor: effective,
				},
				...{ processedMinor: undefined, feesMinor: fees, deductionsMinor: deductions },
				...{ settlesTo: "bank", settledAt: new Date(), now },
			});
			if (lines !== undefined) await markListed(db, id, now);
			await recordLines(
				db,
				(lines ?? []).map(({ transaction, amount = 100_000n, fee, currency = "KES" }) => ({
					...{ id: uuidV7(new Date()), settlementId: id, transactionId: transaction, reference: "" },
					...{ amountMinor: amount, feeMinor: fee, currency, channel: "card", paidAt: undefined },
				})),
			);
			await till.recover();
			return gatewayId;
		},
		/** What became of a settlement. */
		async stateOf(gatewayId: string): Promise<string | undefined> {
			const [row] = await db.query<{ state: string }>("select state from settlements where gateway_id = $1", [
				gatewayId,
			]);
			return row?.state;
		},
		/** Resolves the only open exception of a class, and has what was decided done. */
		async decide(of: string, as: string, receipt_ids: readonly string[] = []) {
			const [raised, ...others] = await till.exceptions(`class=${of}&state=open`);
			if (raised === undefined || others.length > 0)
				throw new Error(`${others.length} more exceptions of ${of}: ${JSON.stringify(raised)}`);
			const path = `reconciliation/exceptions/${raised["id"]}/resolve`;
			const body = { as, because: "A test.", receipt_ids };
			const resolved = await till.asOperator("POST", path, { body });
			const { adjustment_id } = resolved.body;
			if (as === "posted" && resolved.status === 200)
				await till.asOperator("POST", `adjustments/${adjustment_id}/approve`, { operator: "brian" });
			await service.jobs.runDue();
			return resolved;
		},
	};
}

type Settling = Awaited<ReturnType<typeof openSettling>>;

/** What the treasury and the sandbox have. */
function reading(till: Till) {
	const { uhai, lango } = till.tenants;
	const { db } = till.database;
	/** Balances of the platform's accounts, by code. */
	const platform = async (): Promise<Record<string, number>> => {
		const rows = await acrossTenants(db, (tx) =>
			tx.query<{ code: string; balance: number }>(
				`select a.code, sum(b.balance_minor)::int as balance from ledger_accounts a join ledger_balances b on b.account_id = a.id
				  where a.tenant_id is null and a.currency = 'KES' group by a.code`,
			),
		);
		return Object.fromEntries(rows.map(({ code, balance }) => [code, balance]));
	};
	const asOperator = (method: string, path: string, { body, operator = "amina" }: Request = {}) =>
		till.call({
			...{ method, url: `/api/v1/platform/${path}`, ...(body !== undefined && { body }) },
			token: till.token(lango, "superuser", { sub: idOf(operator) }),
		});
	return {
		...{ platform, asOperator },
		/** Imports a statement of the bank account or of a shortcode. */
		sendStatement: (source: string, text: string) =>
			till.call({
				...{ method: "POST", url: `/api/v1/platform/statements?source=${source}`, body: Buffer.from(text) },
				...{ token: till.token(lango, "superuser"), headers: { "content-type": "text/csv" } },
			}),
		/** Expects that the ledger has of the gateway's money what the sandbox has. */
		async agree(): Promise<void> {
			const ours = await platform();
			const { balances } = await till.cards("GET", "/_control/ledger");
			const { unsettled, balance, bank } = (balances as Record<string, Record<string, number>>)["KES"] ?? {};
			expect({
				...{ unsettled: ours["card.unsettled"] ?? 0, bank: ours["bank"] ?? 0 },
				balance: ours["card.balance"] ?? 0,
			}).toEqual({ unsettled, bank, balance });
		},
		/** What of the tenant's money is pending and available, and the fees that it owes. */
		async available(): Promise<Record<string, number>> {
			const balances = await till.balances(uhai);
			return Object.fromEntries(
				["pending", "available", "fees_due"].map((name) => [name, balances[`tenant.${name}`] ?? 0]),
			);
		},
		async exceptions(query: string) {
			const { body } = await asOperator("GET", `reconciliation/exceptions?${query}`);
			return body["items"] as Array<Record<string, unknown>>;
		},
	};
}

/** The id of a person by name. */
function idOf(name: string): string {
	const hex = createHash("sha256").update(name).digest("hex");
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
