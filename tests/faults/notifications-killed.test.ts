import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { waitForBlockedQueries } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test, vi } from "vitest";
import { startNotificationProcesses } from "./notification-processes.ts";

// Each step of a delivery, ended by kill -9. A lease lasts 30 seconds, and ended leases are looked for
// every ten. A lock on a table holds the statements that write to it, so that a process dies at exactly that
// step.

const office = setUp(startNotificationProcesses);
const afterLease = { timeout: 75_000, interval: 500 };
const soon = { timeout: 20_000, interval: 100 };

let names = 0;
const newAddress = () => `person${++names}@uhai.example`;
const mailsTo = async (address: string, outcome = "accepted") =>
	(await office.listMails()).filter((mail) => mail.address === address && mail.outcome === outcome);
const deliveriesOf = async (messageId: string | undefined) =>
	(await office.listDeliveries()).filter((one) => one.message_id === messageId);
const blocked = (statement: string, count = 1) =>
	waitForBlockedQueries(office.database.db, { like: `%${statement}(%`, count });
const killBoth = () => Promise.all(office.processes.map((one) => one.kill()));
const startBoth = () => Promise.all(office.processes.map((one) => one.start()));

test("accept: no response, and the same key at the other process gives one message and one mail", async () => {
	const [first, second] = office.processes;
	const [address, key] = [newAddress(), randomUUID()];
	const release = await office.block("messages");
	const unanswered = office.send(first, address, { key });
	await blocked("record_message");
	await first.kill();
	await release();
	expect(await unanswered).toBeUndefined();
	const answer = await office.send(second, address, { key });
	expect(answer?.status).toBe(202);
	await vi.waitFor(async () => expect(await mailsTo(address)).toHaveLength(1), soon);
	expect(await deliveriesOf(answer?.id)).toHaveLength(1);
	expect((await office.listDeliveries()).length).toBe(1);
	await first.start();
}, 60_000);

test("claim: the other process sends the mail, once", async () => {
	const [first, second] = office.processes;
	const address = newAddress();
	const answer = await office.send(second, address, { sendAt: new Date(Date.now() + 2_000) });
	const release = await office.block("lanes");
	await blocked("claim_lane", 2);
	await first.kill();
	await release();
	await vi.waitFor(async () => expect(await mailsTo(address)).toHaveLength(1), soon);
	await vi.waitFor(
		async () => expect(await deliveriesOf(answer?.id)).toMatchObject([{ status: "sent", attempt: 1 }]),
		soon,
	);
	await first.start();
}, 60_000);

test("call, and before its result is recorded: the mail is sent again after the lease, with the same Message-ID", async () => {
	const [first] = office.processes;
	const [during, after] = [newAddress(), newAddress()];
	await office.setFaults([{ kind: "smtp", match: { address: during }, do: { hang: true } }]);
	const called = await office.send(first, during);
	await vi.waitFor(async () => expect(await mailsTo(during, "dropped")).toHaveLength(1), soon);
	const taken = await office.send(first, after, { sendAt: new Date(Date.now() + 2_000) });
	const release = await office.blockResults(taken?.id ?? "");
	await vi.waitFor(async () => expect(await mailsTo(after)).toHaveLength(1), soon);
	await blocked("settle_deliveries");
	await killBoth();
	await release();
	await office.setFaults([]);
	await startBoth();
	await vi.waitFor(async () => {
		expect(await mailsTo(during)).toHaveLength(1);
		expect(await mailsTo(after)).toHaveLength(2);
	}, afterLease);
	expect(new Set((await mailsTo(after)).map((mail) => mail.message_id)).size).toBe(1);
	for (const answer of [called, taken])
		await vi.waitFor(
			async () => expect(await deliveriesOf(answer?.id)).toMatchObject([{ status: "sent", attempt: 2 }]),
			soon,
		);
}, 150_000);

/** Sends one message after the other, each under a key of its own until it is accepted, until `end`. */
async function sendUntil(end: Promise<unknown>): Promise<Array<{ address: string; id: string }>> {
	const accepted: Array<{ address: string; id: string }> = [];
	let isOver = false;
	void end.finally(() => {
		isOver = true;
	});
	for (let turn = 0; !isOver; turn += 1) {
		const [address, key] = [newAddress(), randomUUID()];
		for (let attempt = turn; ; attempt += 1) {
			const at = office.processes[attempt % 2 === 0 ? 0 : 1];
			const answer = await office.send(at, address, { key });
			if (answer?.status === 202) {
				accepted.push({ address, id: answer.id });
				break;
			}
			await sleep(50);
		}
	}
	return accepted;
}

test("a rolling restart under load: every accepted message is one mail", async () => {
	const restarts = (async () => {
		for (const one of office.processes) {
			await sleep(500);
			expect(await one.stop()).toBe(0);
			await one.start();
		}
	})();
	const accepted = (await Promise.all([sendUntil(restarts), sendUntil(restarts)])).flat();
	await restarts;
	expect(accepted.length).toBeGreaterThan(20);
	await vi.waitFor(async () => {
		const mails = await office.listMails();
		const counts = accepted.map(({ address }) => mails.filter((mail) => mail.address === address).length);
		expect(counts.filter((count) => count !== 1)).toEqual([]);
	}, afterLease);
}, 150_000);

test("kill -9 of each process under load: every accepted message is delivered, again only with the same Message-ID", async () => {
	const kills = (async () => {
		for (const one of [...office.processes, ...office.processes]) {
			await sleep(500);
			await one.kill();
			await one.start();
		}
	})();
	const accepted = (await Promise.all([sendUntil(kills), sendUntil(kills)])).flat();
	await kills;
	expect(accepted.length).toBeGreaterThan(20);
	await vi.waitFor(async () => {
		const open = (await office.listDeliveries()).filter(({ status }) => status !== "sent");
		expect(open).toEqual([]);
	}, afterLease);
	const [mails, deliveries] = [await office.listMails(), await office.listDeliveries()];
	for (const { address, id } of accepted) {
		const own = deliveries.filter((one) => one.message_id === id);
		const arrived = mails.filter((mail) => mail.address === address && mail.outcome === "accepted");
		expect([address, own.length, new Set(arrived.map((mail) => mail.message_id)).size]).toEqual([
			address,
			1,
			1,
		]);
		expect(arrived.length).toBeLessThanOrEqual(own[0]?.attempt ?? 0);
	}
}, 150_000);
