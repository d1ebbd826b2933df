import { startMobileMoneySandbox } from "@lango/sandbox-mobile-money";
import { setUp } from "@lango/testkit/set-up";
import { describe, expect, test } from "vitest";
import type { Answer } from "../../src/gateways/calls/answer.ts";
import type { MobileMoney } from "../../src/gateways/mobile-money/account.ts";
import { registerUrls, simulatePayment } from "../../src/gateways/mobile-money/over-the-counter.ts";
import { payBusiness, payCustomer, payPersonalTill } from "../../src/gateways/mobile-money/payout.ts";
import { queryPush, startPush } from "../../src/gateways/mobile-money/push.ts";
import { makeQrCode } from "../../src/gateways/mobile-money/qr-code.ts";
import { queryBalance, queryTransaction } from "../../src/gateways/mobile-money/query.ts";
import { reverseTransaction } from "../../src/gateways/mobile-money/reversal.ts";
import { createStandingOrder } from "../../src/gateways/mobile-money/standing-order.ts";
import { openGatewaysAt } from "./gateways-at.ts";

const mobileMoney = setUp(
	async () => {
		const sandbox = await startMobileMoneySandbox({ port: 0 });
		const at = await openGatewaysAt(sandbox.url);
		const certificate = await (await fetch(`${sandbox.url}/certificate`)).text();
		await at.setPlatform("mobile_money", {
			...{ consumer_key: "sandbox-consumer-key", consumer_secret: "sandbox-consumer-secret" },
			passkey: "sandbox-passkey",
		});
		await at.setTenant({ initiator_password: "Sandbox-2026!" });
		const found = await at.process().requireMobileMoney(at.tenantId);
		const initiator = { name: "sandbox-initiator", password: "Sandbox-2026!" };
		const now = () => new Date();
		const account = { ...found, initiator, now, profile: { ...found.profile, certificate } };
		return { sandbox, at, account: account as MobileMoney };
	},
	async ({ sandbox, at }) => {
		await sandbox.stop();
		await at.database.drop();
	},
);

const urls = { resultUrl: "http://127.0.0.1:9/result", timeoutUrl: "http://127.0.0.1:9/timeout" };
const payout = { ...urls, amountMinor: 10_000n, remarks: "Payout" };
const order = {
	...{ name: "Growth", amountMinor: 500_000n, phone: "254712345678", accountReference: "7K3Q9XW2MA" },
	...{
		description: "Growth plan",
		frequency: "monthly" as const,
		startOn: "2030-01-01",
		endOn: "2031-01-01",
	},
	callbackUrl: "http://127.0.0.1:9/standing-order",
};
const push = (account: MobileMoney, phone = "254712345001") =>
	startPush(account, {
		...{ amountMinor: 10_000n, phone, accountReference: "7K3Q9XW2MA", description: "Test" },
		callbackUrl: "http://127.0.0.1:9/callback",
	});

// biome-ignore format: reads as a table
const operations: Record<string, (account: MobileMoney) => Promise<Answer<unknown>>> = {
	"push prompt": (one) => push(one),
	"register URLs": (one) => registerUrls(one, { confirmationUrl: "http://127.0.0.1:9/c", validationUrl: "http://127.0.0.1:9/v" }),
	simulate: (one) => simulatePayment(one, { amountMinor: 10_000n, phone: "254712345678", accountCode: "7K3Q9XW2MA" }),
	"payout to customer": (one) => payCustomer(one, { ...payout, originatorId: "out-1", command: "BusinessPayment", phone: "254712345678" }),
	"payout to personal till": (one) => payPersonalTill(one, { ...payout, originatorId: "out-2", till: "700100" }),
	"business to business": (one) => payBusiness(one, { ...payout, originatorId: "out-3", command: "BusinessPayBill", to: "600500", toKind: "paybill", accountReference: "INV-7" }),
	"transaction status": (one) => queryTransaction(one, { ...urls, about: { originatorId: "out-1" }, remarks: "Status" }),
	"account balance": (one) => queryBalance(one, { ...urls, remarks: "Balance" }),
	reversal: (one) =>
		reverseTransaction(one, { ...urls, originatorId: "reversal-1", receipt: "SG722NMVXQ", amountMinor: 10_000n, remarks: "Refund" }),
	"standing order": (one) => createStandingOrder(one, order),
	"QR code": (one) => makeQrCode(one, { merchantName: "Uhai", reference: "7K3Q9XW2MA", amountMinor: 10_000n, trxCode: "PB", size: 300 }),
};

describe("the mobile-money sandbox takes every operation", () => {
	test.each(Object.entries(operations))("%s", async (_name, run) => {
		expect(await run(mobileMoney.account)).toMatchObject({ is: "accepted" });
	});

	test("and answers what became of a prompt", async () => {
		const prompt = await push(mobileMoney.account, "254712346001");
		if (prompt.is !== "accepted") throw new Error(`the prompt was ${prompt.is}`);
		const ask = () => queryPush(mobileMoney.account, prompt.ids.checkoutRequestId);
		await expect.poll(ask).toMatchObject({ is: "accepted", ids: { resultCode: "0" } });
	});
});
