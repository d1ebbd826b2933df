import { defaultSecretKey } from "@lango/sandbox-card-gateway";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeAvailable, openPaying } from "./paying.ts";

const till = setUp(openPaying);
const refused = (status: number, code: string) => ({ status, body: { code } });
let recipient_id: string;

beforeEach(async () => {
	recipient_id ??= await till.addRecipient();
	await makeAvailable(till.database.db, till.tenants.uhai.id, { amountMinor: 10_000n });
});
// The tokens of people are valid for an hour: each test begins at the real time.
afterEach(async () => {
	till.clock.now = undefined;
	await till.cards("PUT", "/_control/faults", []);
	await till.cards("PUT", "/_control/clock", { now: null });
});

const fail = (...faults: ReadonlyArray<readonly [operation: string, fault: string]>) =>
	till.cards(
		"PUT",
		"/_control/faults",
		faults.map(([operation, fault]) => ({ operation, fault, count: 1 })),
	);

/** A transfer that waits for its one-time password. */
async function waitForPassword(): Promise<string> {
	await fail(["transfer", "otp_required"]);
	const id = await till.pay({ recipient_id, amount_minor: 10_000 });
	expect(await till.payout(id)).toMatchObject({ status: "needs_otp" });
	return id;
}

/** The transfer that began to wait for its password last. */
async function lastTransfer(): Promise<{ transfer_code: string; otp: string }> {
	const { transfers } = await till.cards("GET", "/_control/overview");
	const [last] = transfers as Array<{ transfer_code: string; otp: string }>;
	if (last === undefined) throw new Error("no transfer waits for a password");
	return last;
}

/** Gives the password that the gateway sent last. */
async function give(id: string, given?: string) {
	const otp = given ?? (await lastTransfer()).otp;
	return till.operate("POST", `/payouts/${id}/otp`, { body: { otp } });
}

/** The platform owner gives the password at the gateway's own page. */
async function finalizeThere(body: { transfer_code: string; otp: string }): Promise<void> {
	const answer = await fetch(`${till.cardGateway.url}/transfer/finalize_transfer`, {
		...{ method: "POST", body: JSON.stringify(body) },
		headers: { authorization: `Bearer ${defaultSecretKey}`, "content-type": "application/json" },
	});
	expect(answer.status).toBe(200);
}

const others = { list_refunds: true, settlement_lines: true, list_disputes: true };
const setCapabilities = (isOn: boolean) =>
	till.operate("PUT", "/gateways/card-gateway", {
		body: { settings: { capabilities: { ...others, finalize_transfer: isOn, resend_otp: isOn } } },
	});

test("a transfer whose password was given is found out at once if the gateway's answer is lost, and is sent once", async () => {
	const id = await waitForPassword();
	await fail(["finalize_transfer", "reset_after_commit"], ["transfer.success", "drop"]);
	expect(await give(id)).toMatchObject({ status: 202, body: { status: "needs_otp" } });
	await till.service.jobs.runDue();
	expect(await till.payout(id)).toMatchObject({ status: "in_flight" });
	expect(await give(id, "123456")).toMatchObject(refused(409, "payout_closed"));
	await till.wait(35);
	const { status, reference } = await till.payout(id);
	expect([status, await till.moved(String(reference))]).toEqual(["paid", [-10_000]]);
});

test("a transfer whose password never came to the gateway still waits for it, and needs a review 25 minutes after it was sent", async () => {
	const id = await waitForPassword();
	await till.wait(180);
	await fail(["finalize_transfer", "drop"]);
	expect(await give(id)).toMatchObject({ status: 202, body: { status: "needs_otp" } });
	await till.service.jobs.runDue();
	expect(await till.payout(id)).toMatchObject({ status: "needs_otp", needs_review: false });
	await till.wait(25 * 60 - 180 + 2);
	expect(await till.payout(id)).toMatchObject({ status: "needs_otp", needs_review: true });
	expect(await give(id)).toMatchObject({ status: 202, body: { status: "in_flight" } });
});

test("a gateway that takes no passwords by its interface is given none, and asked for none: the transfer is confirmed there, and found out", async () => {
	const id = await waitForPassword();
	expect((await setCapabilities(false)).status).toBe(200);
	expect(await give(id)).toMatchObject(refused(409, "payout_closed"));
	expect(await till.operate("POST", `/payouts/${id}/resend-otp`)).toMatchObject(
		refused(409, "payout_closed"),
	);
	const { transfer_code, otp } = await lastTransfer();
	await finalizeThere({ transfer_code, otp });
	await till.wait(25 * 60 + 2);
	expect(await till.payout(id)).toMatchObject({ status: "paid" });
	await setCapabilities(true);
});
