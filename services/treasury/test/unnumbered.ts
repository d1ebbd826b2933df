import type { PublicTenant } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import { expect } from "vitest";
import { findReceipt, numberReceipt, removeNumber } from "../src/receipts/receipt.store.ts";
import { addBill } from "./add-bill.ts";
import { openSettling } from "./settling.ts";
import { newPhone } from "./till.ts";

export type Prompt = { payee: "platform" | "tenant"; amountMinor: bigint; phone?: string };

/** A payment that a prompt brought, by the gateway's truth. */
export type Paid = {
	receipt: string;
	at: string;
	account: string;
	payer: string;
	/** The receipts of the prompt, and their numbers. */
	counted: () => Promise<Array<{ receipt: string | null; amount: number }>>;
};

/** A line of a statement about a payment; `names`: its account and its payer. */
export const lineOf = ({ at, receipt }: Pick<Paid, "at" | "receipt">, minor: number, names = ",") =>
	`${at},${minor / 100}.00,${receipt},${names}`;

type Till = Awaited<ReturnType<typeof openSettling>>;

async function push(
	till: Till,
	tenant: PublicTenant,
	{ payee, amountMinor, phone = newPhone("accepts") }: Prompt,
) {
	const { db } = till.database;
	const intent = await inTenant(db, tenant.id, (tx) => addBill(tx, tenant.id, { payee, amountMinor }));
	const path = payee === "platform" ? `bills/${intent.operationId}` : `intents/${intent.id}`;
	const pushed = await till.call({
		...{ method: "POST", url: `/api/v1/${tenant.slug}/treasury/${path}/push`, body: { phone } },
		token: till.token(tenant, "admin"),
	});
	expect(pushed.status).toBe(202);
	return intent;
}

/** A prompt of a bill or of a payment is paid, and its callback is lost. */
async function payUnnumbered(
	till: Till,
	tenant: PublicTenant,
	{ phone = newPhone("accepts"), ...prompt }: Prompt,
): Promise<Paid> {
	await till.sandbox("PUT", "/_control/faults", [{ operation: "push", fault: "drop", count: 1 }]);
	const intent = await push(till, tenant, { ...prompt, phone });
	const paid = async () => {
		const { movements } = await till.sandbox("GET", "/_control/ledger?limit=10000");
		return (movements as Array<Record<string, string>>).find(
			(one) => one["kind"] === "push" && one["reference"] === intent.accountCode,
		);
	};
	await expect.poll(paid).toBeDefined();
	const { receipt = "", at = "" } = (await paid()) ?? {};
	const counted = () =>
		inTenant(till.database.db, tenant.id, (tx) =>
			tx.query<{ receipt: string | null; amount: number }>(
				`select r.receipt, r.amount_minor::int as amount from receipts r join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
				  where a.intent_id = $1`,
				[intent.id],
			),
		);
	return { receipt, at, account: intent.accountCode, payer: phone, counted };
}

/** Waits until questions have found prompts paid. */
const findPaid = (till: Till, payments: readonly Paid[]) =>
	expect
		.poll(async () => {
			await till.wait(25);
			return Promise.all(payments.map(async ({ counted }) => (await counted()).length));
		})
		.toEqual(payments.map(() => 1));

/** A number that a confirmation gives the receipt of a prompt by a guess; null: it has none again. */
type Guess = readonly [of: Paid, number: string | null];

async function guessNumber(tx: Database, [{ account }, number]: Guess): Promise<void> {
	const [row] = await tx.query<{ id: string }>(
		`select r.id from receipts r join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id join intents i on i.tenant_id = a.tenant_id and i.id = a.intent_id
		  where i.account_code = $1`,
		[account],
	);
	const found = row && (await findReceipt(tx, row.id));
	if (found === undefined) throw new Error(`the prompt ${account} has no receipt`);
	if (found.receipt !== null) await removeNumber(tx, found.id);
	const payerMasked = "2547•••••999";
	if (number !== null) await numberReceipt(tx, { ...found, receipt: number, payerMasked });
}

/** Opens a till whose prompts are paid without a number, and whose statements show the numbers. */
export async function openUnnumbered() {
	const till = await openSettling();
	return {
		...till,
		push: (tenant: PublicTenant, prompt: Prompt) => push(till, tenant, prompt),
		payUnnumbered: (tenant: PublicTenant, prompt: Prompt) => payUnnumbered(till, tenant, prompt),
		findPaid: (...payments: readonly Paid[]) => findPaid(till, payments),
		guess: (numbers: readonly Guess[]) =>
			inTenant(till.database.db, till.tenants.uhai.id, async (tx) => {
				for (const one of numbers) await guessNumber(tx, one);
			}),
		/** A line that is later than the others: the statement has all that came before it. */
		end: () => `${new Date((till.clock.now ?? new Date()).getTime() + 600_000).toISOString()},-1.00,END\n`,
		sendLines: (source: string, lines: readonly string[], more = "") =>
			till.sendStatement(source, `date,amount,reference,account,payer\n${lines.join("\n")}\n${more}`),
		/** Which of some numbers statements have that nothing explains. */
		async listMissing(numbers: readonly string[]): Promise<string[]> {
			const missing = await till.database.db.query<{ subject: string }>(
				"select subject from exceptions where class = 'missing_here' and state = 'open'",
			);
			return numbers.filter((one) => missing.some(({ subject }) => subject.endsWith(` ${one}`)));
		},
	};
}
