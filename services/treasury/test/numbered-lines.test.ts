import { randomUUID } from "node:crypto";
import { authUserDeleted } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { newPhone } from "./till.ts";
import { lineOf, openUnnumbered, type Paid } from "./unnumbered.ts";

const till = setUp(openUnnumbered);
const today = new Date().toISOString().slice(0, 10);
const sendAs = (columns: string, source: string, lines: string) =>
	till.sendStatement(source, columns + lines);
const open = (query: string) => till.exceptions(`${query}&state=open`);

test.each(["platform", "tenant"] as const)(
	"a prompt for the %s that was found paid without a number gets the one of its line in a statement, and its money is not counted twice",
	async (payee) => {
		const payment = await till.payUnnumbered(till.tenants.uhai, { payee, amountMinor: 61_000n });
		const { receipt, at, counted } = payment;
		await till.findPaid(payment);
		expect(await counted()).toEqual([{ receipt: null, amount: 61_000 }]);
		const source = payee === "platform" ? "600100" : "600200";
		await till.sendLines(source, [`${at},610.00,${receipt}`]);
		// The line of the prompt may be missing yet.
		expect(await counted()).toEqual([{ receipt: null, amount: 61_000 }]);
		await till.sendLines(source, [`${at},610.00,${receipt}`], till.end());
		expect(await counted()).toEqual([{ receipt, amount: 61_000 }]);
		const missing = await open("class=missing_here");
		expect(missing.filter(({ subject }) => String(subject).includes(receipt))).toEqual([]);
	},
);

test("of payments of one amount by several tenants each gets the number of the line that names its account, in any order", async () => {
	const { uhai, kahawa } = till.tenants;
	const payments = [];
	for (const tenant of [uhai, kahawa, uhai])
		payments.push(await till.payUnnumbered(tenant, { payee: "platform", amountMinor: 62_000n }));
	await till.findPaid(...payments);
	const lines = payments.toReversed().map(({ at, receipt, account }) => `${at},620.00,${receipt},${account}`);
	await till.sendLines("600100", lines);
	for (const { receipt, counted } of payments) expect(await counted()).toEqual([{ receipt, amount: 62_000 }]);
});

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
		const payment = await till.payUnnumbered(uhai, prompt);
		await till.findPaid(payment);
		// It would expire while the other one is found paid, on a busy machine.
		const live = await till.push(uhai, { ...prompt, phone: newPhone("is silent") });
		await inTenant(till.database.db, uhai.id, (tx) =>
			tx.query("update attempts set submitted_at = $2 where intent_id = $1", [live.id, payment.at]),
		);
		if (of.includes("erased"))
			await inTenant(till.database.db, uhai.id, (tx) =>
				tx.query("update attempts set phone = null where phone = $1", [payment.payer]),
			);
		const amount = Number(prompt.amountMinor);
		await till.sendLines("600200", [lineOf(payment, amount, names(payment))], till.end());
		expect(await payment.counted()).toEqual([{ receipt: null, amount }]);
	},
);

test("of two lines without account and payer that fit a prompt none gives it its number, nor does one that names another account", async () => {
	const payment = await till.payUnnumbered(till.tenants.uhai, { payee: "tenant", amountMinor: 66_000n });
	await till.findPaid(payment);
	const other = { ...payment, receipt: "SKL9OTHER01" };
	await till.sendLines("600200", [lineOf(other, 66_000), lineOf(payment, 66_000)], till.end());
	expect(await payment.counted()).toEqual([{ receipt: null, amount: 66_000 }]);
	await till.sendLines("600200", [lineOf(other, 66_000, "Rent,"), lineOf(payment, 66_000)], till.end());
	expect(await payment.counted()).toEqual([{ receipt: payment.receipt, amount: 66_000 }]);
});

test("a phone alone does not say for which of two tenants it paid", async () => {
	const { uhai, kahawa } = till.tenants;
	const prompt = { payee: "platform", amountMinor: 67_000n, phone: newPhone("accepts") } as const;
	const first = await till.payUnnumbered(uhai, prompt);
	await till.findPaid(first);
	// The same amount is not asked for again within two minutes.
	await till.wait(130);
	const second = await till.payUnnumbered(kahawa, prompt);
	await till.findPaid(first, second);
	const payments = [second, first];
	await till.sendLines(
		"600100",
		payments.map((one) => lineOf(one, 67_000, `,${one.payer}`)),
		till.end(),
	);
	for (const { counted } of payments) expect(await counted()).toEqual([{ receipt: null, amount: 67_000 }]);
});

test("a line that may be of another payer's prompt gives none its number, until a statement names the payer", async () => {
	const { uhai } = till.tenants;
	const payments = [
		await till.payUnnumbered(uhai, { payee: "tenant", amountMinor: 63_000n }),
		await till.payUnnumbered(uhai, { payee: "tenant", amountMinor: 63_000n }),
	];
	await till.findPaid(...payments);
	const sendNaming = (names: (payment: Paid) => string) =>
		till.sendLines(
			"600200",
			payments.toReversed().map((one) => lineOf(one, 63_000, names(one))),
			till.end(),
		);
	for (const names of [() => ",", ({ payer }: Paid) => `,${masked(payer)}`]) {
		await sendNaming(names);
		for (const { counted } of payments) expect(await counted()).toEqual([{ receipt: null, amount: 63_000 }]);
	}
	await sendNaming(({ payer }) => `,${payer} - A PAYER`);
	for (const { receipt, counted } of payments) expect(await counted()).toEqual([{ receipt, amount: 63_000 }]);
});

test("a number that the callback of a prompt says stays, whatever phone a line shows", async () => {
	const { uhai } = till.tenants;
	const intent = await till.push(uhai, { payee: "tenant", amountMinor: 68_500n });
	const receiptOf = async () => {
		await till.service.jobs.runDue();
		const [row] = await inTenant(till.database.db, uhai.id, (tx) =>
			tx.query<{ receipt: string; at: Date }>(
				`select r.receipt, r.occurred_at as at from receipts r join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id where a.intent_id = $1`,
				[intent.id],
			),
		);
		return row;
	};
	await expect.poll(receiptOf).toBeDefined();
	const said = await receiptOf();
	await till.sendLines(
		"600200",
		[`${said?.at.toISOString()},685.00,${said?.receipt},,${newPhone("accepts")}`],
		till.end(),
	);
	expect(await receiptOf()).toEqual(said);
});

test("the phone of a deleted person in a line of a statement that nothing explains is erased, also for later imports, and no other's", async () => {
	const { uhai } = till.tenants;
	const { db } = till.database;
	const [phone, other, person] = [newPhone("is silent"), newPhone("is silent"), randomUUID()];
	const intent = await till.push(uhai, { payee: "tenant", amountMinor: 65_000n, phone });
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
