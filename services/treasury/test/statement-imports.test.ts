import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { addPayout } from "./payouts/add-payout.ts";
import { receive } from "./receive.ts";
import { addReversal } from "./refunding/add-reversal.ts";
import { openSettling, stating } from "./settling.ts";

const till = setUp(async () => {
	const opened = await openSettling();
	return { ...opened, ...stating(opened) };
});

const head = "date,amount,reference,description\n";
const today = new Date().toISOString().slice(0, 10);
const send = (source: string, lines: string) => sendAs(head, source, lines);
const sendAs = (columns: string, source: string, lines: string) =>
	till.sendStatement(source, columns + lines);
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

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const dayOf = (days: number) => daysAgo(days).toISOString().slice(0, 10);
const daily = async () => {
	await till.service.jobs.run("reconciliation.plan");
	await till.service.jobs.runDue();
};
const late = async () => (await open("class=late")).map(({ subject }) => subject).toSorted();

test("statements are compared every day: what is counted later is explained, and what a shortcode received or paid out and its statement does not have is late, until it has it", async () => {
	const { uhai } = till.tenants;
	const { db } = till.database;
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

test.each([
	["reversal", "SKL4BACK001"],
	["payout", "SKL4BACK002"],
] as const)(
	"what a shortcode returned by a %s and its statement does not have is late, until it has it",
	async (method, number) => {
		const { uhai } = till.tenants;
		const { db } = till.database;
		await send("600200", `${dayOf(20)},-10.00,SKL4FIRST01,\n${dayOf(0)},-30.00,SKL4AFTER01,\n`);
		const { id } = await addReversal(db, uhai.id, {
			...{ method, said: [{ kind: "submitting" }, { kind: "processed", gatewayRef: number }] },
		});
		await daily();
		expect(await late()).toEqual([]);
		await inTenant(db, uhai.id, (tx) =>
			tx.query("update refunds set ended_at = $2 where id = $1", [id, daysAgo(9)]),
		);
		await daily();
		expect(await open("class=late")).toMatchObject([
			{
				...{ subject: `statement line of refund ${number}`, amount_minor: 100_000 },
				ours: { refund_id: id, tenant_id: uhai.id, waits_for: "statement" },
			},
		]);
		await send("600200", `${dayOf(9)},-1000.00,${number},\n`);
		expect(await late()).toEqual([]);
	},
);

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
