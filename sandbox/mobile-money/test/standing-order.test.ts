import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Gateway, openGateway, openReceiver } from "./gateway.ts";
import { fixture, shapeOf } from "./shape.ts";

const receiver = await openReceiver();
let gateway: Gateway;
beforeAll(async () => {
	gateway = await openGateway();
});
afterAll(async () => {
	await gateway.stop();
	receiver.close();
});
beforeEach(async () => {
	await gateway.control("POST reset");
	await gateway.control("PUT clock", { now: "2026-01-20T08:00:00Z" });
	await gateway.signIn();
	receiver.clear();
	await gateway.post("/c2b/v1/registerurl", {
		...{ ShortCode: "600100", ResponseType: "Completed" },
		...{ ConfirmationURL: `${receiver.url}/confirm`, ValidationURL: `${receiver.url}/validate` },
	});
});

const create = (members: object = {}, by = gateway) =>
	by.send("POST", "/standingorder/v1/createStandingOrderExternal", {
		...{ StandingOrderName: "Lango fee", BusinessShortCode: "600100", Amount: "900" },
		...{ TransactionType: "Standing Order Customer Pay Bill", PartyA: "254712345001" },
		...{ ReceiverPartyIdentifierType: "4", CallBackURL: `${receiver.url}/order` },
		...{ AccountReference: "FEE-1", TransactionDesc: "Monthly fee", Frequency: "3" },
		...{ StartDate: "20260131", EndDate: "20260415", ...members },
	});
const answers = () => receiver.bodies("/order");
const executedAt = async () => (await gateway.movements()).map(({ at }: { at: string }) => at.slice(0, 10));
const goTo = (now: string) => gateway.control("PUT clock", { now });

test("a payer who consents is collected from by the clock, and each execution is confirmed", async () => {
	const accepted = await create();
	expect([accepted.status, shapeOf(accepted.text)]).toEqual([200, fixture("order-accepted")]);
	await expect.poll(answers).toHaveLength(1);
	expect(shapeOf(receiver.received()[0]?.text ?? "")).toEqual(fixture("order-consented"));
	expect(answers()[0].responseHeader.responseRefID).toBe(accepted.body.ResponseHeader.responseRefID);
	expect(await executedAt()).toEqual([]);
	await goTo("2026-12-31T00:00:00Z");
	expect(await executedAt()).toEqual(["2026-01-31", "2026-02-28", "2026-03-31"]);
	await expect.poll(() => receiver.bodies("/confirm")).toHaveLength(3);
	expect(receiver.bodies("/confirm")[0]).toMatchObject({ TransAmount: "900.00", BillRefNumber: "FEE-1" });
	expect(receiver.bodies("/validate")).toEqual([]);
});

test.each(["2026-01-19T23:00:00Z", "2026-01-20T08:00:00Z"])(
	"an order that begins today is executed at once, before and after six in the morning: at %s",
	async (now) => {
		await goTo(now);
		await create({ StartDate: "20260120", EndDate: "20260120" });
		await expect.poll(executedAt).toEqual([now.slice(0, 10)]);
	},
);

test("a refusal begins the names of its members with capital letters, and nothing is collected", async () => {
	await create({ PartyA: "254712345032" });
	await expect.poll(answers).toHaveLength(1);
	expect(shapeOf(receiver.received()[0]?.text ?? "")).toEqual(fixture("order-declined"));
	await goTo("2026-12-31T00:00:00Z");
	expect(await executedAt()).toEqual([]);
});

test("a person consents on the phone", async () => {
	await create({ PartyA: "254712345678" });
	const [phone] = (await gateway.control("GET phones")).items;
	expect(phone.prompt).toMatchObject({
		standing_order: { name: "Lango fee", frequency: "3", start_date: "20260131" },
	});
	await gateway.control("POST phones/254712345678/accept");
	await goTo("2026-02-01T00:00:00Z");
	expect(await executedAt()).toEqual(["2026-01-31"]);
});

test("an execution that the payer cannot pay is skipped", async () => {
	await create();
	await expect.poll(answers).toHaveLength(1);
	await gateway.control("PUT phones/254712345001", { balance_minor: 0 });
	await goTo("2026-02-01T00:00:00Z");
	await gateway.control("PUT phones/254712345001", { balance_minor: 100_000 });
	await goTo("2026-03-02T00:00:00Z");
	expect(await executedAt()).toEqual(["2026-02-28"]);
});

test.each([
	["1", ["2026-01-31", "2026-02-01", "2026-02-02"]],
	["2", ["2026-01-31", "2026-02-07", "2026-02-14"]],
	["4", ["2026-01-31"]],
])("the frequency %s collects on %j", async (Frequency, days) => {
	await create({ Frequency });
	await expect.poll(answers).toHaveLength(1);
	await goTo("2026-02-15T00:00:00Z");
	expect((await executedAt()).slice(0, 3)).toEqual(days);
});

test("with the published frequencies, 1 collects once and 4 each month", async () => {
	const other = await openGateway({ frequencies: "published" });
	try {
		await other.control("PUT clock", { now: "2026-01-20T08:00:00Z" });
		await other.signIn();
		await create({ Frequency: "1" }, other);
		await create({ Frequency: "4", PartyA: "254712346001" }, other);
		await expect.poll(answers).toHaveLength(2);
		await other.control("PUT clock", { now: "2026-12-31T00:00:00Z" });
		expect(await other.movements()).toHaveLength(4);
		await other.signIn();
		expect((await create({ Frequency: "9" }, other)).status).toBe(400);
	} finally {
		await other.stop();
	}
});

test.each([
	["BusinessShortCode", { BusinessShortCode: "999999" }],
	["TransactionType", { TransactionType: "Standing Order Customer Pay Merchant" }],
	["Frequency", { Frequency: "7" }],
	["StartDate", { StartDate: "20261340" }],
	["StartDate", { StartDate: "20260119" }],
	["EndDate", { EndDate: "20260101" }],
	["Amount", { Amount: "0" }],
	["StandingOrderName", { StandingOrderName: "Lango fee", PartyA: "254712347001" }],
])("a standing order with a wrong %s is refused in a form of its own", async (name, members) => {
	await create({ PartyA: "254712347001" });
	await expect.poll(answers).toHaveLength(1);
	const refused = await create({ StandingOrderName: "Another", ...members });
	expect([refused.status, shapeOf(refused.text)]).toEqual([400, fixture("order-refused")]);
	expect(refused.body.responseMessage).toContain(`'${name}'`);
});
