import { randomUUID } from "node:crypto";
import { acrossTenants, inTenant, openPool } from "@lango/postgres";
import { createTestDatabase, type TestDatabase } from "@lango/testkit";
import { type PostedJournal, postJournals } from "../../src/ledger/ledger.store.ts";
import { applyToOperation, collectByPlatformShortcode } from "../../src/ledger/postings/collecting.ts";
import type { Journal, Posting } from "../../src/ledger/postings/posting.ts";
import { treasury } from "../../src/service.ts";
import { addTenant } from "../treasury-database.ts";

/** A ledger on a real database, without the service around it. */
export type Book = TestDatabase & {
	close(): Promise<void>;
	/** A new tenant. Returns its id. */
	tenant(): Promise<string>;
	/** Posts journals in a transaction of the tenant. */
	post(tenantId: string, ...journals: readonly Journal[]): Promise<readonly PostedJournal[]>;
	/** Reads as the platform owner. */
	read<R extends Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<R[]>;
	/** The balances of a tenant's accounts, by code; without one, of the platform's. */
	balances(tenantId?: string): Promise<Record<string, number>>;
};

export async function openBook(
	create = () => createTestDatabase({ name: "treasury", sets: treasury.migrations }),
): Promise<Book> {
	const database = await create();
	const { db } = database;
	const read: Book["read"] = (text, values) => acrossTenants(db, (tx) => tx.query(text, values));
	return {
		...database,
		close: () => database.drop(),
		tenant: () => addTenant(db),
		post: (tenantId, ...journals) => inTenant(db, tenantId, (tx) => postJournals(tx, tenantId, journals)),
		read,
		balances: async (tenantId) => {
			const rows = await read<{ code: string; balance: string }>(
				`select a.code, sum(b.balance_minor)::text as balance from ledger_accounts a join ledger_balances b on b.account_id = a.id
				  where a.tenant_id is not distinct from $1 group by a.code having sum(b.balance_minor) <> 0`,
				[tenantId ?? null],
			);
			return Object.fromEntries(rows.map(({ code, balance }) => [code, Number(balance)]));
		},
	};
}

/** A journal of a receipt of its own, unless `id` names another source. */
export const journalOf = (posting: Posting, id: string = randomUUID()): Journal => ({
	...posting,
	source: { type: "receipt", id },
	evidenceId: randomUUID(),
	at: new Date("2027-03-01T08:00:00Z"),
});

/** Money that a payer sends to the platform's shortcode. */
export const paid = (amountMinor: bigint) =>
	journalOf(collectByPlatformShortcode({ shortcode: "174379", amountMinor, currency: "KES" }));

/** Money of a payer that pays an operation. */
export const applied = (amountMinor: bigint) => journalOf(applyToOperation({ amountMinor, currency: "KES" }));

const withPolicies = ["ledger_accounts", "journals", "postings"];
const withTriggers = [...withPolicies, "ledger_balances", "ledger_days", "journal_seals"];

/**
 * Runs statements as the owner of the tables, without their policies and triggers, as somebody with access
 * to the server could.
 */
export async function tamper({ ownerUrl }: Pick<Book, "ownerUrl">, statements: string): Promise<void> {
	const owner = openPool({ url: ownerUrl, name: "owner", sizeMax: 1 });
	const alter = async (triggers: "disable" | "enable", policies: "no force" | "force") => {
		for (const table of withTriggers) await owner.query(`alter table ${table} ${triggers} trigger user`);
		for (const table of withPolicies)
			await owner.query(`alter table ${table} ${policies} row level security`);
	};
	try {
		await alter("disable", "no force");
		for (const statement of statements.split("; ")) await owner.query(statement);
		await alter("enable", "force");
	} finally {
		await owner.close();
	}
}

/** Moves the last journal into the past. */
export async function movePostedAt(database: Pick<Book, "ownerUrl">, age: string): Promise<void> {
	for (const [table, id] of [
		["journals", "id"],
		["postings", "journal_id"],
	])
		await tamper(
			database,
			`update ${table} set posted_at = (posted_at at time zone 'UTC' - interval '${age}') at time zone 'UTC' where ${id} = (select max(id) from journals)`,
		);
}
