import { randomUUID } from "node:crypto";
import { authUserDeleted, type PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { addBill } from "./add-bill.ts";
import { addPayout } from "./payouts/add-payout.ts";
import { receive } from "./receive.ts";
import { openSettling, stating } from "./settling.ts";
import { newPhone } from "./till.ts";

const till = setUp(async () => {
	const opened = await openSettling();
	return { ...opened, ...stating(opened) };
});

const head = "date,amount,reference,description\n";
const today = new Date().toISOString().slice(0, 10);
const send = (source: string, lines: string) => sendAs(head, source, lines);
const sendAs = (columns: string, source: string, lines: string) =>
	till.call({
		...{
			method: "POST",
			url: `/api/v1/platform/statements?source=${source}`,
			body: Buffer.from(columns + lines),
		},
		...{ token: till.token(till.tenants.lango, "superuser"), headers: { "content-type": "text/csv" } },
	});
const open = (query: string) => till.exceptions(`${query}&state=open`);

test("a statement that is imported twice changes nothing, and neither do lines that another file had", async () => {
	const lines = `${today},-100.00,RENT,\n${today},50.00,A,first\n${today},50.00,A,second\n`;
	expect(await send("bank", lines)).toMatchObject({ status: 200, body: { lines: 3, added: 3 } });
	expect(await send("bank", lines)).toMatchObject({ status: 200, body: { lines: 3, added: 0 } });
	const more = `${lines}${today},50.00,A,third\n`;
	expect(await send("bank", more)).toMatchObject({ status: 200, body: { lines: 4, added: 1 } });
});

test("a statement with a line that cannot be read is refused with the line and the column, and nothing of it is imported", async () => {
	expect(await send("bank", `${today},75.00,B,\n${today},much,C,\n`)).toMatchObject({
		...{ status: 400, body: { code: "invalid_input", line: 3, column: "amount" } },
	});
	expect(await send("bank", `${today},75.00,B,\n`)).toMatchObject({ body: { added: 1 } });
});

test("a settlement that the bank's statements cover and do not have is late, until they have it", async () => {
	const id = await till.state({ effective: 123_400n, deductions: 0n, lines: [] });
	await till.decide("amount", "waived");
	const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
	await till.database.db.query("update settlements set settled_at = $1 where gateway_id = $2", [
		...[new Date(`${daysAgo(8)}T00:00:00Z`), id],
	]);
	const compare = async () => {
		const range = { from: new Date(), to: new Date() };
		await till.asOperator("POST", "reconciliation/runs", { body: { kind: "expectations", ...range } });
		await till.service.jobs.runDue();
		return (await open("class=late")).map(({ subject }) => subject);
	};
	expect(await compare()).toEqual([]);
	await send("bank", `${daysAgo(9)},1.00,EARLIER,\n${daysAgo(0)},1.00,LATER,\n`);
	expect(await compare()).toEqual([`bank line of settlement ${id}`]);
	await send("bank", `${daysAgo(7)},1234.00,${id},Settlement\n`);
	expect(await open("class=late")).toEqual([]);
	expect(await compare()).toEqual([]);
});

test("what came to a shortcode and is not counted is missing here, until it is; with another amount it differs", async () => {
	const { uhai } = till.tenants;
	const { db } = till.database;
	const counted = await receive(db, uhai.id, { receipt: "SKL1COUNT01" });
	await receive(db, uhai.id, { receipt: "SKL1OTHER01" });
	const lines = ["1000.00,SKL1COUNT01", "999.00,SKL1OTHER01", "70.00,SKL1LATER01", "-20.00,SKL1SPENT01"];
	const file = `${lines.map((line) => `${today},${line},`).join("\n")}\n`;
	expect(await send("600200", file)).toMatchObject({ status: 200, body: { added: 4 } });
	expect(await open("class=amount")).toMatchObject([
		{ amount_minor: 99_900, ours: { amount_minor: 100_000 }, theirs: { receipt: "SKL1OTHER01" } },
	]);
	expect(await open("class=missing_here")).toMatchObject([
		{ amount_minor: 7_000, ours: {}, theirs: { receipt: "SKL1LATER01", shortcode: "600200" } },
	]);
	await receive(db, uhai.id, { receipt: "SKL1LATER01", amountMinor: 7_000n });
	expect(await send("600200", file)).toMatchObject({ body: { added: 0 } });
	expect(await open("class=missing_here")).toEqual([]);
	const [matched] = await db.query<{ object_id: string }>(
		"select object_id from statement_lines where reference = 'SKL1COUNT01'",
	);
	expect(matched?.object_id).toBe(counted.id);
});

test("statements are compared every day: what is counted later is explained, and what a shortcode received or paid out and its statement does not have is late, until it has it", async () => {
	const { uhai } = till.tenants;
	const { db } = till.database;
	const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
	const dayOf = (days: number) => daysAgo(days).toISOString().slice(0, 10);
	const daily = async () => {
		await till.service.jobs.run("reconciliation.plan");
		await till.service.jobs.runDue();
	};
	const late = async () => (await open("class=late")).map(({ subject }) => subject).toSorted();
	const shortcode = "600200";
	await send(shortcode, `${dayOf(20)},10.00,SKL2FIRST01,\n${dayOf(0)},30.00,SKL2AFTER01,\n`);
	expect(await open("class=missing_here")).toHaveLength(2);
	for (const [receipt, amountMinor] of [
		["SKL2FIRST01", 1_000n],
		["SKL2AFTER01", 3_000n],
	] as const)
		await receive(db, uhai.id, { receipt, amountMinor });
	await daily();
	expect(await open("class=missing_here")).toEqual([]);
	await receive(db, uhai.id, { receipt: "SKL2MISS001", at: daysAgo(9) });
	const payout = await addPayout(db, uhai.id, {
		...{ shortcode, grossMinor: 5_000n },
		said: [{ kind: "approved" }, { kind: "submitted" }, { kind: "paid", receipt: "SKL2PAID001" }],
	});
	await inTenant(db, uhai.id, (tx) =>
		tx.query("update payouts set paid_at = $2 where id = $1", [payout.id, daysAgo(9)]),
	);
	await daily();
	const expected = ["statement line of payout SKL2PAID001", "statement line of receipt SKL2MISS001"];
	expect(await late()).toEqual(expected);
	await send(shortcode, `${dayOf(9)},-51.00,SKL2PAID001,\n${dayOf(9)},1000.00,SKL2MISS001,\n`);
	expect(await late()).toEqual(expected.slice(0, 1));
	expect(await open("class=amount")).toContainEqual(
		expect.objectContaining({
			...{
				amount_minor: -5_100,
				ours: expect.objectContaining({ payout_id: payout.id, amount_minor: -5_000 }),
			},
		}),
	);
	await send(shortcode, `${dayOf(9)},-50.00,SKL2PAID001,\n`);
	expect(await late()).toEqual([]);
});

test("a statement with more lines than are compared at once is compared whole", async () => {
	const { db } = till.database;
	const numbers = Array.from({ length: 1_100 }, (_, nth) => `SKL3M${String(nth).padStart(5, "0")}`);
	const lines = numbers.map((number, nth) => `${today},${nth + 1}.00,${number},`);
	await send("600200", `${lines.join("\n")}\n`);
	const missing = async () => {
		const [row] = await db.query<{ count: number }>(
			`select count(*)::int from exceptions
			  where class = 'missing_here' and state = 'open' and subject like 'statement 600200 SKL3M%'`,
		);
		return row?.count;
	};
	expect(await missing()).toBe(1_100);
	for (const nth of [0, 499, 500, 1_099])
		await receive(db, till.tenants.uhai.id, {
			...{ receipt: numbers[nth] ?? "", amountMinor: BigInt(nth + 1) * 100n },
		});
	await till.service.jobs.run("reconciliation.plan");
	await till.service.jobs.runDue();
	expect(await missing()).toBe(1_096);
});

test("money whose confirmation was lost counts once a statement of its shortcode has it and the gateway says the same about its number: neither alone is enough", async () => {
	const { uhai } = till.tenants;
	const body = { shortcode: "600200", account: "", amount_minor: 8_000 };
	const { receipt } = await till.sandbox("POST", "/_control/phones/254711111037/pay", body);
	const askAbout = async () => {
		const url = `/api/v1/${uhai.slug}/treasury/mobile-money`;
		const token = till.token(uhai, "admin");
		const asked = await till.call({ method: "POST", url: `${url}/status`, body: { receipt }, token });
		const isEnded = async () => {
			await till.service.jobs.runDue();
			const shown = await till.call({ method: "GET", url: `${url}/queries/${asked.body["id"]}`, token });
			return shown.body["ended_at"] !== null;
		};
		await expect.poll(isEnded).toBe(true);
	};
	const counted = () =>
		inTenant(till.database.db, uhai.id, (tx) =>
			tx.query("select amount_minor::int, custody, state from receipts where receipt = $1", [receipt]),
		);
	const subject = `statement 600200 ${receipt}`;
	const missing = async () => (await open("class=missing_here")).filter((one) => one["subject"] === subject);
	await askAbout();
	expect(await counted()).toEqual([]);
	await send("600200", `${today},80.00,${receipt},\n`);
	expect(await missing()).toHaveLength(1);
	expect(await counted()).toEqual([]);
	await askAbout();
	expect(await counted()).toEqual([{ amount_minor: 8_000, custody: "tenant", state: "verified" }]);
	await askAbout();
	expect(await counted()).toHaveLength(1);
	await till.service.jobs.run("reconciliation.plan");
	await till.service.jobs.runDue();
	expect(await missing()).toEqual([]);
});

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
