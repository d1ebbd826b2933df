import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "./harness.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startTestGateway({ outcomeAfterMs: 1_000, transferFee: 500 });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
	await gateway.control("POST reset");
	await gateway.control("PUT otp", { is_required: false });
	await gateway.control("POST top-up", { amount: 100_000 });
});

const advance = (seconds: number) => gateway.control("POST clock", { advance_seconds: seconds });
const register = async (accountNumber = "0100200301") => {
	const asked = { type: "nuban", name: "Duka Mart", account_number: accountNumber, bank_code: "11" };
	return (await gateway.call("POST /transferrecipient", asked)).body.data.recipient_code as string;
};
const send = async (members: object = {}) =>
	gateway.call("POST /transfer", {
		...{
			source: "balance",
			amount: 50_000,
			recipient: await register(),
			currency: "KES",
			reference: "out-1",
		},
		...members,
	});
const verify = async (reference = "out-1") =>
	(await gateway.call(`GET /transfer/verify/${reference}`)).body.data.status;
const balance = async () => (await gateway.call("GET /balance")).body.data[0].balance;

test("a transfer is pending, takes amount and fee from the balance, and succeeds by the clock", async () => {
	const { status, body } = await send();
	expect([status, body.data.status, body.message]).toEqual([200, "pending", "Transfer has been queued"]);
	expect([await balance(), await verify()]).toEqual([49_500, "pending"]);
	await advance(1);
	expect([await balance(), await verify()]).toEqual([49_500, "success"]);
	expect(await gateway.events()).toEqual(["transfer.success"]);
	expect(await gateway.latest("transfer.success")).toMatchObject({ reference: "out-1", fee_charged: 500 });
});

test.each([
	{ ending: "0002", seconds: 1, status: "failed", left: 100_000, events: ["transfer.failed"] },
	{
		...{ ending: "0003", seconds: 2, status: "reversed", left: 99_500 },
		events: ["transfer.success", "transfer.reversed"],
	},
	{ ending: "0004", seconds: 9, status: "pending", left: 49_500, events: [] },
])(
	"a transfer to an account that ends in $ending is $status after $seconds s, and $left is left",
	async ({ ending, seconds, status, left, events }) => {
		await send({ recipient: await register(`010020${ending}`) });
		await advance(seconds);
		expect([await verify(), await balance()]).toEqual([status, left]);
		expect(await gateway.events()).toEqual(events);
	},
);

test("a failed transfer can be reversed, which returns no money twice, and a reversed one stays", async () => {
	await send({ recipient: await register("0100200002") });
	await advance(1);
	await gateway.control("POST transfers/out-1", { outcome: "reversed" });
	await gateway.control("POST transfers/out-1", { outcome: "success" });
	expect([await verify(), await balance()]).toEqual(["reversed", 100_000]);
	expect(await gateway.events()).toEqual(["transfer.failed", "transfer.reversed"]);
});

test("with one-time passwords on a transfer waits, and takes the latest password only", async () => {
	await gateway.control("PUT otp", { is_required: true });
	const { body } = await send();
	expect(body).toMatchObject({ message: "Transfer requires OTP to continue", data: { status: "otp" } });
	const of = { transfer_code: body.data.transfer_code };
	const shown = async () => (await gateway.control("GET overview")).transfers[0].otp;
	const finalize = (otp: string) => gateway.call("POST /transfer/finalize_transfer", { ...of, otp });
	const first = await shown();
	await gateway.call("POST /transfer/resend_otp", { ...of, reason: "transfer" });
	expect((await finalize(first)).body.code).toBe("otp_invalid");
	await advance(1_801);
	expect((await finalize(await shown())).body.code).toBe("otp_expired");
	await gateway.call("POST /transfer/resend_otp", of);
	expect(await balance()).toBe(100_000);
	expect((await finalize(await shown())).body.data.status).toBe("pending");
	expect(await balance()).toBe(49_500);
	expect((await finalize(first)).body.code).toBe("transfer_not_awaiting_otp");
	expect((await gateway.call("POST /transfer/resend_otp", { transfer_code: "none" })).body.code).toBe(
		"invalid_transfer_code",
	);
});

test("a transfer whose one-time password comes after the money is gone is refused", async () => {
	await gateway.control("PUT otp", { is_required: true });
	const { transfer_code: code } = (await send({ amount: 99_000 })).body.data;
	const [{ otp }] = (await gateway.control("GET overview")).transfers;
	await gateway.control("PUT otp", { is_required: false });
	await send({ reference: "out-2", amount: 40_000 });
	const late = await gateway.call("POST /transfer/finalize_transfer", { transfer_code: code, otp });
	expect(late.body.code).toBe("insufficient_balance");
});

test.each([
	["more than the balance and the fee", { amount: 99_501 }, "insufficient_balance"],
	["to an unknown recipient", { recipient: "RCP_none" }, "invalid_transfer_recipient"],
	["in another currency than the recipient's", { currency: "USD" }, "invalid_transfer_recipient"],
	["with a reference of other characters", { reference: "a b" }, "invalid_transfer_reference"],
	["from another source", { source: "card" }, "invalid_params"],
])("a transfer %s is refused", async (_why, members, code) => {
	expect(await send(members)).toMatchObject({ status: 400, body: { code } });
	expect(await balance()).toBe(100_000);
});

test("a reference that was used before is refused, and the transfer of it exists once", async () => {
	await send();
	expect(await send({ amount: 1 })).toMatchObject({
		...{ status: 400, body: { code: "duplicate_transfer_reference" } },
	});
	expect(await balance()).toBe(49_500);
});

test("an unknown transfer is not found", async () => {
	expect(await gateway.call("GET /transfer/verify/none")).toMatchObject({
		...{ status: 404, body: { message: "Transfer not found", code: "transfer_not_found" } },
	});
});

const bulk = async (references: string[], amount = 10_000) => {
	const recipient = await register();
	const transfers = references.map((reference) => ({ amount, recipient, reference, reason: "Payout" }));
	return gateway.call("POST /transfer/bulk", { currency: "KES", source: "balance", transfers });
};

test("several transfers are queued together, or none of them", async () => {
	const queued = await bulk(["out-1", "out-2"]);
	expect(queued.body).toMatchObject({ message: "2 transfers queued.", data: [{ status: "pending" }, {}] });
	expect(await balance()).toBe(79_000);
	const again = await bulk(["out-3", "out-2", "out-3"]);
	expect([again.status, again.body.message]).toEqual([...[404, "Duplicate reference(s) found: out-2,out-3"]]);
	expect((await bulk(["out-4", "out-5"], 39_001)).body.code).toBe("insufficient_balance");
	expect((await bulk(["out-4", "out 5"])).body.code).toBe("invalid_transfer_reference");
	await gateway.control("PUT otp", { is_required: true });
	expect((await bulk(["out-6"])).body.code).toBe("otp_enabled");
	expect(await balance()).toBe(79_000);
});

test("a recipient is registered once for each account, at a bank that is listed", async () => {
	expect(await register()).toBe(await register());
	const asked = { type: "mobile_money", name: "Amina", account_number: "+254712345678", bank_code: "PESA" };
	const wallet = await gateway.call("POST /transferrecipient", asked);
	expect([wallet.status, wallet.body.data.details]).toMatchObject([201, { bank_name: "Pesa Mobile" }]);
	for (const wrong of [{ bank_code: "99" }, { type: "nuban" }, { account_number: "12" }, { currency: "USD" }])
		expect(await gateway.call("POST /transferrecipient", { ...asked, ...wrong })).toMatchObject({
			...{ status: 400, body: { code: "invalid_params" } },
		});
});

test("banks and providers are listed by country, type and use, in pages", async () => {
	const names = async (query: string) =>
		(await gateway.call(`GET /bank?${query}`)).body.data.map(({ name }: { name: string }) => name);
	expect(await names("country=kenya&type=mobile_money")).toEqual(["Pesa Mobile", "Anga Mobile"]);
	expect(await names("country=Kenya&pay_with_bank_transfer=true")).toHaveLength(3);
	expect(await names("currency=NGN")).toEqual(["Lagoon Bank"]);
	const { next } = (await gateway.call("GET /bank?perPage=8")).body.meta;
	expect(await names(`perPage=8&next=${encodeURIComponent(next)}`)).toEqual(["Lagoon Bank"]);
});
