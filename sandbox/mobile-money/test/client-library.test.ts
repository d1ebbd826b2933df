/** A published client library of a real gateway of this kind runs against this one unchanged. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Mpesa } from "mpesa-api";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { demoSecrets } from "../src/accounts/demo.ts";
import { type Gateway, openGateway, openReceiver } from "./gateway.ts";

const receiver = await openReceiver();
const folder = mkdtempSync(join(tmpdir(), "lango-client-library-"));
const usualAgent = https.globalAgent;
let gateway: Gateway;
let library: Mpesa;

/**
 * The library knows the addresses of the real gateway only. Its connections end at the sandbox, which does
 * not encrypt them.
 */
function redirect({ url }: Gateway): void {
	const { hostname: host, port } = new URL(url);
	const createConnection = () => connect({ host, port: Number(port) });
	https.globalAgent = Object.assign(new https.Agent(), { createConnection });
}

beforeAll(async () => {
	gateway = await openGateway({ pathAlias: "mpesa", receiptKey: "MpesaReceiptNumber" });
	redirect(gateway);
	const certificatePath = join(folder, "certificate.pem");
	writeFileSync(certificatePath, await (await fetch(`${gateway.url}/certificate`)).text());
	const { consumerKey: clientKey, consumerSecret: clientSecret } = demoSecrets;
	const credentials = { clientKey, clientSecret, initiatorPassword: "Sandbox-2026!", certificatePath };
	library = new Mpesa(credentials, "sandbox");
	// It encrypts the password in the background.
	await vi.waitFor(() => expect(Reflect.get(library, "securityCredential")).toEqual(expect.any(String)));
	const full = { shortcode: "600100", utility_minor: 1_000_000, working_minor: 1_000_000 };
	await gateway.control("PUT shortcodes", [full]);
});
beforeEach(receiver.clear);
afterAll(async () => {
	https.globalAgent = usualAgent;
	await gateway.stop();
	receiver.close();
	rmSync(folder, { recursive: true });
});

/** Waits for what the gateway sends to a path. */
async function received(path: string) {
	await expect.poll(() => receiver.bodies(path)).toHaveLength(1);
	return receiver.bodies(path)[0];
}

const shortcode = 600_100;
const phone = "254712345001";
const urls = { ResultURL: `${receiver.url}/result`, QueueTimeOutURL: `${receiver.url}/timeout` };

/** A phone pays KES 250 by a prompt. Returns the ids of the prompt, and the receipt number. */
async function pay(payer = phone) {
	const prompt = await library.lipaNaMpesaOnline({
		...{ BusinessShortCode: shortcode, Amount: 250, PartyA: payer, PartyB: "600100", PhoneNumber: payer },
		...{ CallBackURL: `${receiver.url}/callback`, AccountReference: "INV-1", passKey: demoSecrets.passkey },
		...{ TransactionType: "CustomerPayBillOnline" as const, TransactionDesc: "Invoice 1" },
	});
	const { stkCallback } = (await received("/callback")).Body;
	const items = stkCallback.CallbackMetadata.Item as Array<{ Name: string; Value: unknown }>;
	const value = (name: string) => items.find(({ Name }) => Name === name)?.Value;
	return { prompt, stkCallback, receipt: String(value("MpesaReceiptNumber")), amount: value("Amount") };
}

test("it asks a phone to pay, reads the receipt of the callback, and asks what became of the prompt", async () => {
	const { prompt, stkCallback, receipt, amount } = await pay();
	expect(prompt).toMatchObject({ ResponseCode: "0", CustomerMessage: expect.any(String) });
	expect(stkCallback).toMatchObject({ ResultCode: 0, CheckoutRequestID: prompt.CheckoutRequestID });
	expect([receipt, amount]).toEqual([expect.stringMatching(/^[A-Z0-9]{10}$/), 250]);
	const { CheckoutRequestID } = prompt;
	const asked = { BusinessShortCode: shortcode, passKey: demoSecrets.passkey, CheckoutRequestID };
	expect(await library.lipaNaMpesaQuery(asked)).toMatchObject({ ResponseCode: "0", ResultCode: "0" });
});

test("it registers its addresses, and a payment over the counter is validated and confirmed", async () => {
	const registered = await library.c2bRegister({
		...{ ShortCode: shortcode, ResponseType: "Completed" as const },
		...{ ConfirmationURL: `${receiver.url}/confirmation`, ValidationURL: `${receiver.url}/validation` },
	});
	expect(registered.ResponseDescription).toMatch(/success/i);
	await library.c2bSimulate({
		...{ ShortCode: shortcode, CommandID: "CustomerPayBillOnline" as const, Amount: 100 },
		...{ Msisdn: 254_712_345_678, BillRefNumber: "INV-2" },
	});
	expect(await received("/validation")).toMatchObject({ BillRefNumber: "INV-2" });
	expect(await received("/confirmation")).toMatchObject({ TransAmount: "100.00", BillRefNumber: "INV-2" });
});

test("it pays a phone, and with the password that it encrypted the result is success", async () => {
	const asked = { Initiator: "sandbox-initiator", PartyA: "600100", PartyB: "254712345678" };
	const payout = { ...asked, ...urls, CommandID: "BusinessPayment" as const, Amount: 100 };
	const accepted = await library.b2c(payout);
	const { Result } = await received("/result");
	expect(Result).toMatchObject({ ResultCode: 0, ConversationID: accepted.ConversationID });
});

test("it asks about a payment and a balance, and reverses the payment", async () => {
	const { receipt } = await pay("254712346001");
	const initiator = { Initiator: "sandbox-initiator", ...urls };
	const shop = { PartyA: "600100", IdentifierType: "4" as const };
	await library.transactionStatus({ ...initiator, ...shop, TransactionID: receipt });
	expect((await received("/result")).Result).toMatchObject({ ResultCode: 0 });
	receiver.clear();
	await library.accountBalance({ ...initiator, ...shop, CommandID: "AccountBalance" });
	expect((await received("/result")).Result).toMatchObject({ ResultCode: "0" });
	receiver.clear();
	await library.reversal({
		...{ ...initiator, CommandID: "TransactionReversal" as const, TransactionID: receipt, Amount: 250 },
		ReceiverParty: "600100",
	});
	expect((await received("/result")).Result).toMatchObject({ ResultCode: 0 });
});
