import { randomUUID } from "node:crypto";
import { authUserDeleted, type PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import { findReceipt, numberReceipt } from "../src/receipts/receipt.store.ts";
import { addBill } from "./add-bill.ts";
import { addReversal } from "./refunding/add-reversal.ts";
import { openSettling } from "./settling.ts";
import { newPhone } from "./till.ts";

const till = setUp(openSettling);
const today = new Date().toISOString().slice(0, 10);
const sendAs = (columns: string, source: string, lines: string) =>
	till.sendStatement(source, columns + lines);
const open = (query: string) => till.exceptions(`${query}&state=open`);

type Prompt = { payee: "platform" | "tenant"; amountMinor: bigint; phone?: string };

async function push(tenant: PublicTenant, { payee, amountMinor, phone = newPhone("accepts") }: Prompt) {
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
async function payUnnumbered(tenant: PublicTenant, { phone = newPhone("accepts"), ...prompt }: Prompt) {
	const { db } = till.database;
	await till.sandbox("PUT", "/_control/faults", [{ operation: "push", fault: "drop", count: 1 }]);
	const intent = await push(tenant, { ...prompt, phone });
	const paid = async () => {
		const { movements } = await till.sandbox("GET", "/_control/ledger?limit=10000");
		return (movements as Array<Record<string, string>>).find(
			(one) => one["kind"] === "push" && one["reference"] === intent.accountCode,
		);
	};
	await expect.poll(paid).toBeDefined();
	const { receipt = "", at = "" } = (await paid()) ?? {};
	const counted = () =>
		inTenant(db, tenant.id, (tx) =>
			tx.query(
				`select r.receipt, r.amount_minor::int as amount from receipts r join attempts a on a.id = r.attempt_id
				  where a.intent_id = $1`,
				[intent.id],
			),
		);
	return { receipt, at, account: intent.accountCode, payer: phone, counted };
}

/** A line that is later than the others: the statement has all that came before it. */
const end = () => `${new Date((till.clock.now ?? new Date()).getTime() + 600_000).toISOString()},-1.00,END\n`;
const sendLines = (source: string, lines: readonly string[], more = "") =>
	sendAs("date,amount,reference,account,payer\n", source, `${lines.join("\n")}\n${more}`);

/** Waits until questions have found prompts paid. */
const findPaid = (...payments: ReadonlyArray<Awaited<ReturnType<typeof payUnnumbered>>>) =>
	expect
		.poll(async () => {
			await till.wait(25);
			return Promise.all(payments.map(async ({ counted }) => (await counted()).length));
		})
		.toEqual(payments.map(() => 1));

test.each(["platform", "tenant"] as const)(
	"a prompt for the %s that was found paid without a number gets the one of its line in a statement, and its money is not counted twice",
	async (payee) => {
		const payment = await payUnnumbered(till.tenants.uhai, { payee, amountMinor: 61_000n });
		const { receipt, at, counted } = payment;
		await findPaid(payment);
		expect(await counted()).toEqual([{ receipt: null, amount: 61_000 }]);
		const source = payee === "platform" ? "600100" : "600200";
		await sendLines(source, [`${at},610.00,${receipt}`]);
		// The line of the prompt may be missing yet.
		expect(await counted()).toEqual([{ receipt: null, amount: 61_000 }]);
		await sendLines(source, [`${at},610.00,${receipt}`], end());
		expect(await counted()).toEqual([{ receipt, amount: 61_000 }]);
		const missing = await open("class=missing_here");
		expect(missing.filter(({ subject }) => String(subject).includes(receipt))).toEqual([]);
	},
);

test("of payments of one amount by several tenants each gets the number of the line that names its account, in any order", async () => {
	const { uhai, kahawa } = till.tenants;
	const payments = [];
	for (const tenant of [uhai, kahawa, uhai])
		payments.push(await payUnnumbered(tenant, { payee: "platform", amountMinor: 62_000n }));
	await findPaid(...payments);
	const lines = payments.toReversed().map(({ at, receipt, account }) => `${at},620.00,${receipt},${account}`);
	await sendLines("600100", lines);
	for (const { receipt, counted } of payments) expect(await counted()).toEqual([{ receipt, amount: 62_000 }]);
});

type Paid = Awaited<ReturnType<typeof payUnnumbered>>;
const lineOf = ({ at, receipt }: Paid, minor: number, names = ",") =>
	`${at},${minor / 100}.00,${receipt},${names}`;
const masked = (phone: string) => `${phone.slice(0, 4)}*****${phone.slice(-3)}`;

test.each<[string, (payment: Paid) => string]>([
	["names no payer", () => ","],
	["masks the payer", ({ payer }) => `,${masked(payer)}`],
	["names a payer, and the phone of the prompt is erased,", ({ payer }) => `,${payer}`],
])(
	"a line that %s gives no prompt its number while another prompt of the amount is live",
	async (of, names) => {
		const { uhai } = till.tenants;
		const prompt = { payee: "tenant", amountMinor: 64_000n + BigInt(of.length) * 100n } as const;
		await push(uhai, { ...prompt, phone: newPhone("is silent") });
		const payment = await payUnnumbered(uhai, prompt);
		await findPaid(payment);
		if (of.includes("erased"))
			await inTenant(till.database.db, uhai.id, (tx) =>
				tx.query("update attempts set phone = null where phone = $1", [payment.payer]),
			);
		const amount = Number(prompt.amountMinor);
		await sendLines("600200", [lineOf(payment, amount, names(payment))], end());
		expect(await payment.counted()).toEqual([{ receipt: null, amount }]);
	},
);

test("of two lines without account and payer that fit a prompt none gives it its number, nor does one that names another account", async () => {
	const payment = await payUnnumbered(till.tenants.uhai, { payee: "tenant", amountMinor: 66_000n });
	await findPaid(payment);
	const other = { ...payment, receipt: "SKL9OTHER01" };
	await sendLines("600200", [lineOf(other, 66_000), lineOf(payment, 66_000)], end());
	expect(await payment.counted()).toEqual([{ receipt: null, amount: 66_000 }]);
	await sendLines("600200", [lineOf(other, 66_000, "Rent,"), lineOf(payment, 66_000)], end());
	expect(await payment.counted()).toEqual([{ receipt: payment.receipt, amount: 66_000 }]);
});

test("a phone alone does not say for which of two tenants it paid", async () => {
	const { uhai, kahawa } = till.tenants;
	const prompt = { payee: "platform", amountMinor: 67_000n, phone: newPhone("accepts") } as const;
	const first = await payUnnumbered(uhai, prompt);
	await findPaid(first);
	// The same amount is not asked for again within two minutes.
	await till.wait(130);
	const second = await payUnnumbered(kahawa, prompt);
	await findPaid(first, second);
	const payments = [second, first];
	await sendLines(
		"600100",
		payments.map((one) => lineOf(one, 67_000, `,${one.payer}`)),
		end(),
	);
	for (const { counted } of payments) expect(await counted()).toEqual([{ receipt: null, amount: 67_000 }]);
});

test("a line that may be of another payer's prompt gives none its number, until a statement names the payer", async () => {
	const { uhai } = till.tenants;
	const payments = [
		await payUnnumbered(uhai, { payee: "tenant", amountMinor: 63_000n }),
		await payUnnumbered(uhai, { payee: "tenant", amountMinor: 63_000n }),
	];
	await findPaid(...payments);
	const sendNaming = (names: (payment: Paid) => string) =>
		sendLines(
			"600200",
			payments.toReversed().map((one) => lineOf(one, 63_000, names(one))),
			end(),
		);
	for (const names of [() => ",", ({ payer }: Paid) => `,${masked(payer)}`]) {
		await sendNaming(names);
		for (const { counted } of payments) expect(await counted()).toEqual([{ receipt: null, amount: 63_000 }]);
	}
	await sendNaming(({ payer }) => `,${payer} - A PAYER`);
	for (const { receipt, counted } of payments) expect(await counted()).toEqual([{ receipt, amount: 63_000 }]);
});

/** Gives receipts numbers as confirmations do that are joined to a prompt by a guess. */
const guess = (numbers: ReadonlyArray<readonly [of: Paid, number: string]>) =>
	inTenant(till.database.db, till.tenants.uhai.id, async (tx) => {
		for (const [{ account }, receipt] of numbers) {
			const [row] = await tx.query<{ id: string }>(
				`select r.id from receipts r join attempts a on a.id = r.attempt_id join intents i on i.id = a.intent_id
				  where i.account_code = $1`,
				[account],
			);
			const found = await findReceipt(tx, row?.id ?? "");
			if (found === undefined) throw new Error(`the prompt ${account} has no receipt`);
			await numberReceipt(tx, { ...found, receipt });
		}
	});

test("a number that was joined to the prompt of another phone by a guess goes to the phone that its line shows, also along a chain, and no money is counted for it", async () => {
	const { uhai } = till.tenants;
	const pay = () => payUnnumbered(uhai, { payee: "tenant", amountMinor: 68_000n });
	const [first, second, third] = [await pay(), await pay(), await pay()] as const;
	const payments = [first, second, third];
	await findPaid(...payments);
	await guess([
		[first, second.receipt],
		[second, third.receipt],
	]);
	const before = await till.balances(uhai);
	await sendLines(
		"600200",
		payments.map((one) => lineOf(one, 68_000, `,${one.payer}`)),
		end(),
	);
	for (const { receipt, counted } of payments) expect(await counted()).toEqual([{ receipt, amount: 68_000 }]);
	expect(await till.balances(uhai)).toEqual(before);
	const missing = await open("class=missing_here");
	for (const { receipt } of payments)
		expect(missing.filter(({ subject }) => String(subject).includes(receipt))).toEqual([]);
});

test("a reversed receipt keeps the number of another phone, and the prompt of that phone gets the number of its payer", async () => {
	const { uhai } = till.tenants;
	const pay = () => payUnnumbered(uhai, { payee: "tenant", amountMinor: 68_900n });
	const [reversed, other] = [await pay(), await pay()];
	await findPaid(reversed, other);
	await guess([[reversed, other.receipt]]);
	await addReversal(till.database.db, uhai.id, { number: other.receipt });
	const lines = [reversed, other].map((one) => lineOf(one, 68_900, `,${one.payer}`));
	await sendLines("600200", lines, end());
	expect(await reversed.counted()).toEqual([{ receipt: other.receipt, amount: 68_900 }]);
	expect(await other.counted()).toEqual([{ receipt: reversed.receipt, amount: 68_900 }]);
	const missing = await open("class=missing_here");
	for (const { receipt } of [reversed, other])
		expect(missing.filter(({ subject }) => String(subject).includes(receipt))).toEqual([]);
});

describe("a number that was joined to the prompt of another phone, whose own number was counted as a payment without a prompt,", () => {
	/** The prompt, the number of a phone whose prompt expired, and what was counted without a prompt. */
	async function mistake(amountMinor: bigint) {
		const { uhai } = till.tenants;
		await till.registerUrls(uhai);
		const prompt = await payUnnumbered(uhai, { payee: "tenant", amountMinor });
		await findPaid(prompt);
		const foreign = { receipt: `SKL${amountMinor}XX`, at: prompt.at, payer: newPhone("accepts") };
		await guess([[prompt, foreign.receipt]]);
		const receipt = await till.payAtCounter({
			...{ shortcode: "600200", amountMinor: Number(amountMinor), phone: prompt.payer },
		});
		const numbers = () =>
			inTenant(till.database.db, uhai.id, (tx) =>
				tx.query<{ receipt: string; is_prompt: boolean }>(
					"select receipt, attempt_id is not null as is_prompt from receipts where amount_minor = $1 order by 2",
					[amountMinor],
				),
			);
		const minor = Number(amountMinor);
		const line = (one: { receipt: string; at: string; payer: string }) =>
			`${one.at},${minor / 100}.00,${one.receipt},,${one.payer}`;
		const send = () => sendLines("600200", [line(foreign), line({ ...prompt, receipt })], end());
		const missing = async () =>
			(await open("class=missing_here")).filter(({ subject }) =>
				[foreign.receipt, receipt].some((one) => String(subject).includes(one)),
			);
		return { foreign: foreign.receipt, own: receipt, numbers, send, missing };
	}

	test("is exchanged with it, and no money is counted for it", async () => {
		const { foreign, own, numbers, send, missing } = await mistake(69_000n);
		expect(await numbers()).toEqual([
			{ receipt: own, is_prompt: false },
			{ receipt: foreign, is_prompt: true },
		]);
		const before = await till.balances(till.tenants.uhai);
		await send();
		expect(await numbers()).toEqual([
			{ receipt: foreign, is_prompt: false },
			{ receipt: own, is_prompt: true },
		]);
		expect(await till.balances(till.tenants.uhai)).toEqual(before);
		expect(await missing()).toEqual([]);
	});

	test.each([
		["it was", "foreign"],
		["the other payment was", "own"],
	] as const)("stays once %s asked to be reversed by its number", async (_which, which) => {
		const { uhai } = till.tenants;
		const payments = await mistake(which === "own" ? 69_100n : 69_200n);
		const { foreign, own, numbers, send, missing } = payments;
		await addReversal(till.database.db, uhai.id, { number: payments[which] });
		await send();
		expect(await numbers()).toEqual([
			{ receipt: own, is_prompt: false },
			{ receipt: foreign, is_prompt: true },
		]);
		expect(await missing()).toEqual([]);
	});
});

test("a number that the callback of a prompt says stays, whatever phone a line shows", async () => {
	const { uhai } = till.tenants;
	const intent = await push(uhai, { payee: "tenant", amountMinor: 68_500n });
	const receiptOf = async () => {
		await till.service.jobs.runDue();
		const [row] = await inTenant(till.database.db, uhai.id, (tx) =>
			tx.query<{ receipt: string; at: Date }>(
				`select r.receipt, r.occurred_at as at from receipts r join attempts a on a.id = r.attempt_id where a.intent_id = $1`,
				[intent.id],
			),
		);
		return row;
	};
	await expect.poll(receiptOf).toBeDefined();
	const said = await receiptOf();
	await sendLines(
		"600200",
		[`${said?.at.toISOString()},685.00,${said?.receipt},,${newPhone("accepts")}`],
		end(),
	);
	expect(await receiptOf()).toEqual(said);
});

test("the phone of a deleted person in a line of a statement that nothing explains is erased, also for later imports, and no other's", async () => {
	const { uhai } = till.tenants;
	const { db } = till.database;
	const [phone, other, person] = [newPhone("is silent"), newPhone("is silent"), randomUUID()];
	const intent = await push(uhai, { payee: "tenant", amountMinor: 65_000n, phone });
	await inTenant(db, uhai.id, (tx) =>
		tx.query("update intents set customer_user_id = $2 where id = $1", [intent.id, person]),
	);
	const lines = [phone, other].map((payer) => `${today},1.00,P${payer},${payer}`);
	await sendAs("date,amount,reference,payer\n", "600200", `${lines.join("\n")}\n`);
	const payers = async () => {
		const text = "select payer from statement_lines where reference = any($1) order by reference";
		const rows = await db.query<{ payer: string }>(text, [[`P${phone}`, `P${other}`]]);
		return rows.map(({ payer }) => payer);
	};
	expect(await payers()).toEqual([phone, other]);
	const data = { user_id: person, version: 2 };
	await till.transport.publish(testEvent(authUserDeleted, { subject: person, data }));
	await expect.poll(payers).toEqual(["", other]);
	await sendAs("date,amount,reference,payer\n", "600200", `${lines.join("\n")}\n`);
	expect(await payers()).toEqual(["", other]);
});
