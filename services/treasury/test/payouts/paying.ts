import { randomUUID } from "node:crypto";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { expect, vi } from "vitest";
import { postJournals } from "../../src/ledger/ledger.store.ts";
import { accounts } from "../../src/ledger/postings/account.ts";
import { credit, debit, makePosting, passOn } from "../../src/ledger/postings/posting.ts";
import { recordEvidence } from "../../src/outcomes/evidence/evidence.store.ts";
import { openTill, type Till } from "../till.ts";

/** Makes money of a tenant available, as a settlement does, with fees of its collections that are due. */
export async function makeAvailable(
	db: Database,
	tenantId: string,
	{ amountMinor, feesDueMinor = 0n }: { amountMinor: bigint; feesDueMinor?: bigint },
): Promise<void> {
	await ensureTenant(db, tenantId);
	const [at, id] = [new Date(), randomUUID()];
	await inTenant(db, tenantId, async (tx) => {
		const evidenceId = await recordEvidence(tx, {
			...{ tenantId, objectKind: "query", objectId: id, source: "statement", sourceId: undefined },
			...{ said: { kind: "released" }, at },
		});
		const lines = [debit(accounts.cardUnsettled, amountMinor), credit(accounts.available, amountMinor)];
		const posting = makePosting("collection", "KES", [...lines, ...passOn(feesDueMinor)]);
		await postJournals(tx, tenantId, [{ ...posting, source: { type: "settlement", id }, evidenceId, at }]);
	});
}

/** Two people of the tenant who may approve, and one who may only ask. */
export const people = {
	maker: randomUUID(),
	checker: randomUUID(),
	operator: randomUUID(),
	second: randomUUID(),
};
type Person = keyof typeof people;
type Answer = { status: number; body: Record<string, unknown> };

export type Paying = Till & {
	/** Calls a route of the tenant as a person: the maker, unless another one is named. */
	ask(method: string, path: string, more?: { body?: object; by?: Person; key?: string }): Promise<Answer>;
	/** Calls a route of the platform owner. */
	operate(method: string, path: string, more?: { body?: object; by?: Person }): Promise<Answer>;
	/** Asks for a payout to a recipient, approves it if it waits for it, and sends it. Returns its id. */
	pay(body: object): Promise<string>;
	/**
	 * Registers an account of a bank; its last four digits decide at the sandbox how its transfers
	 * end.
	 */
	addRecipient(lastDigits?: string, more?: { isNew?: boolean }): Promise<string>;
	/** What left the transfer balance for a reference, by the sandbox's truth. */
	moved(reference: string): Promise<number[]>;
	payout(id: string): Promise<Record<string, unknown>>;
	/** Waits until so many events about transfers were stored, and applies them. */
	receive(events: number): Promise<void>;
};

/** A token of the moment, wherever the clock of the service was moved to. */
function validAt(now: Date): { iat: number; exp: number } {
	const iat = Math.floor(now.getTime() / 1000);
	return { iat, exp: iat + 3_600 };
}

let accountNumbers = 0;

/** The till, with what people do about payouts of the tenant `uhai`. */
export async function openPaying(environment: Record<string, string> = {}): Promise<Paying> {
	const till = await openTill(environment);
	const { uhai, lango } = till.tenants;
	const base = `/api/v1/${uhai.slug}/treasury`;
	const { db } = till.database;
	await till.cards("POST", "/_control/top-up", { amount: 100_000_000 });
	const ask: Paying["ask"] = (method, path, { body, by = "maker", key = randomUUID() } = {}) =>
		till.call({
			...{ method, url: `${base}${path}`, body, headers: { "idempotency-key": key } },
			token: till.token(uhai, "admin", { sub: people[by], ...validAt(till.clock.now ?? new Date()) }),
		});
	const payout: Paying["payout"] = async (id) => (await ask("GET", `/payouts/${id}`)).body;
	return {
		...till,
		...{ ask, payout },
		operate: (method, path, { body, by = "operator" } = {}) =>
			till.call({
				...{ method, url: `/api/v1/platform${path}`, body },
				token: till.token(lango, "superuser", { sub: people[by], ...validAt(till.clock.now ?? new Date()) }),
			}),
		pay: async (body) => {
			const asked = await ask("POST", "/payouts", { body: { rail: "card_gateway", ...body } });
			if (asked.status !== 202)
				throw new Error(`the payout was refused: ${asked.status} ${asked.body["code"]}`);
			const id = String(asked.body["id"]);
			if (asked.body["status"] === "awaiting_approval")
				await ask("POST", `/payouts/${id}/approve`, { by: "checker" });
			await till.service.jobs.runDue();
			return id;
		},
		addRecipient: async (lastDigits = "0001", { isNew = false } = {}) => {
			accountNumbers += 1;
			const account_number = `${String(10_000_000 + accountNumbers)}${lastDigits}`;
			const body = { type: "bank", name: "Uhai Hospital", account_number, bank_code: "11", currency: "KES" };
			const added = await ask("POST", "/recipients", { body });
			if (added.status !== 201) throw new Error(`the recipient was refused: ${JSON.stringify(added.body)}`);
			if (!isNew)
				await inTenant(db, uhai.id, (tx) =>
					tx.query(
						"update recipients set created_at = (created_at at time zone 'UTC' - interval '2 days') at time zone 'UTC'",
					),
				);
			return String(added.body["id"]);
		},
		moved: async (reference) => {
			const { movements } = (await till.cards("GET", "/_control/ledger")) as unknown as {
				movements: Array<{ subject: string; account: string; amount: number }>;
			};
			const ofIt = movements.filter(({ subject, account }) => subject === reference && account === "balance");
			return ofIt.map(({ amount }) => amount);
		},
		receive: async (events) => {
			await vi.waitFor(async () => {
				const rows = await db.query("select from webhook_deliveries where route = 'cardgateway'");
				expect(rows.length).toBeGreaterThanOrEqual(events);
			}, 10_000);
			await till.service.jobs.runDue();
		},
	};
}
