import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { treasuryPaymentSucceeded } from "@lango/contracts";
import { testEvent, waitForBlockedQueries } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test, vi } from "vitest";
import { startNotificationProcesses } from "./notification-processes.ts";

// Each step of a delivery, and of what follows it, ended by kill -9. Ended leases are looked for every ten
// seconds. A lock on a table holds the statements that write to it, so that a process dies at exactly that
// step.

const office = setUp(startNotificationProcesses);
const afterLease = { timeout: 75_000, interval: 500 };
const soon = { timeout: 20_000, interval: 100 };
/** Jobs whose heartbeat ended are looked for every 15 seconds. */
const restart = { timeout: 45_000, interval: 250 };

let names = 0;
const newAddress = () => `person${++names}@uhai.example`;
const mailsTo = async (address: string, outcome = "accepted") =>
	(await office.sandbox.listMails()).filter((mail) => mail.address === address && mail.outcome === outcome);
const deliveriesOf = async (messageId: string | undefined) =>
	(await office.listDeliveries()).filter((one) => one.message_id === messageId);
const blocked = (statement: string, count = 1) =>
	waitForBlockedQueries(office.database.db, { like: `%${statement}%`, count });
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

test("call, and before its result is recorded: the mail is sent again once its lease has ended, with the same Message-ID", async () => {
	const [first] = office.processes;
	const [during, after] = [newAddress(), newAddress()];
	await office.sandbox.setFaults([{ kind: "smtp", match: { address: during }, do: { hang: true } }]);
	const called = await office.send(first, during);
	await vi.waitFor(async () => expect(await mailsTo(during, "dropped")).toHaveLength(1), soon);
	const taken = await office.send(first, after, { sendAt: new Date(Date.now() + 2_000) });
	const release = await office.blockResults(taken?.id ?? "");
	await vi.waitFor(async () => expect(await mailsTo(after)).toHaveLength(1), soon);
	await blocked("settle_deliveries");
	await killBoth();
	await release();
	await office.sandbox.setFaults([]);
	await office.letTimePass();
	await startBoth();
	await vi.waitFor(async () => {
		expect(await mailsTo(during)).toHaveLength(1);
		expect(await mailsTo(after)).toHaveLength(2);
	}, restart);
	expect(new Set((await mailsTo(after)).map((mail) => mail.message_id)).size).toBe(1);
	for (const answer of [called, taken])
		await vi.waitFor(
			async () => expect(await deliveriesOf(answer?.id)).toMatchObject([{ status: "sent", attempt: 2 }]),
			soon,
		);
}, 90_000);

/** Sends a text message. Returns its message, and the provider's id of it. */
async function sendText(phone: string) {
	const answer = await office.send(office.processes[0], phone, { channel: "sms" });
	const sent = async () => {
		const [one] = await deliveriesOf(answer?.id);
		expect(one).toMatchObject({ status: "sent", ref: expect.any(String) });
		return { messageId: answer?.id, ref: String(one?.ref) };
	};
	return vi.waitFor(sent, soon);
}

/** A rule that collects events for a person. Returns how to make them happen, and what collects them. */
async function openDigest(address: string) {
	const [at] = office.processes;
	const sub = randomUUID();
	const token = office.tokenOf(office.tenant, "staff", { sub, email: address });
	const prefer = { method: "PUT", token, body: { time_zone: "Africa/Nairobi" } } as const;
	expect(await office.call(at, "/preferences", prefer)).toMatchObject({ status: 200 });
	const rule = {
		...{ name: `stock ${randomUUID()}`, event: "custom.stock.low", template: "shared/generic_notification" },
		...{ channels: ["email"], recipients: [`user:${sub}`], digest: { every: "24h", items_max: 50 } },
		map: {
			...{ name: { from: "recipient.name" }, title: { from: "event.title" } },
			...{ message: { value: "See the list." }, action_link: { value: "https://uhai.example/x" } },
		},
	};
	expect(await office.call(at, "/triggers", { body: rule })).toMatchObject({ status: 201 });
	const windows = async (items: number) => {
		const answer = await office.call(office.processes[1], "/digests");
		expect(answer?.body).toMatchObject({ items: [{ items }] });
		return (answer as unknown as { body: { items: [{ id: string }] } }).body.items[0].id;
	};
	return {
		/** Waits until the digest has so many items. Returns its id. */
		collects: (items: number) => vi.waitFor(() => windows(items), soon),
		async happen(...titles: string[]) {
			for (const title of titles) {
				const event = { id: randomUUID(), type: "custom.stock.low", subject: "item", data: { title } };
				expect(await office.call(office.processes[1], "/events", { body: event })).toMatchObject({
					status: 202,
				});
			}
		},
		async sendNow(items: number) {
			const id = await vi.waitFor(() => windows(items), soon);
			const answer = await office.call(office.processes[1], `/digests/${id}/send-now`, { method: "POST" });
			expect(answer).toMatchObject({ status: 202 });
		},
		/** How often each title is in a mail to the person. */
		async counts(titles: readonly string[]) {
			const texts = (await mailsTo(address)).map(({ text }) => text);
			return titles.map((title) => texts.filter((text) => text.includes(title)).length);
		},
	};
}

/** Buys credit. Returns the function that publishes an event of its payment. */
async function buyCredit() {
	const [at] = office.processes;
	const code = `pack_${randomUUID().replaceAll("-", "")}`;
	const pack = { code, segments: 100, price_minor: 9_000, currency: "KES", is_on_sale: true };
	const asOwner = { slug: office.platform.slug, token: office.tokenOf(office.platform, "superuser") };
	const path = `/credits/packs?tenantId=${office.platform.id}`;
	expect(await office.call(at, path, { ...asOwner, body: pack })).toMatchObject({ status: 201 });
	const bought = await office.call(at, "/credits/top-ups", { body: { pack: pack.code } });
	expect(bought).toMatchObject({ status: 202 });
	const operation_id = String(bought?.body["operation_id"]);
	const payment = { operation_id, tenant_id: office.tenant.id, payment_id: randomUUID() };
	const data = { ...payment, amount_minor: 9_000, currency: "KES", paid_at: new Date().toISOString() };
	return () =>
		office.publish(
			testEvent(treasuryPaymentSucceeded, { subject: operation_id, tenant: office.tenant, data }),
		);
}

test("report, digest close and top-up: each report gives one state, each item is in one digest, each payment books once", async () => {
	const [first, second] = office.processes;
	const [stored, half] = [await sendText("+254712345671"), await sendText("+254712345672")];
	const digest = await openDigest(newAddress());
	await digest.happen("Soap", "Rice");
	// The job of an event would wait for its heartbeat to end if it died with the first process.
	await digest.collects(2);
	const pay = await buyCredit();
	const balance = async () => (await office.call(second, "/credits"))?.body["balance"];
	const before = Number(await balance());
	// Stored by the first process, and not applied.
	const release = await office.block("message_deliveries", "access exclusive");
	expect(await office.report(first, stored.ref, "Success")).toBe(200);
	await blocked("find_reported(");
	await first.kill();
	await release();
	// The second one has applied a report by half, closed a digest that is not sent, and is booking a payment.
	const releases = [await office.block("messages"), await office.block("credit_balances")];
	expect(await office.report(second, half.ref, "Failed")).toBe(200);
	await digest.sendNow(2);
	await pay();
	for (const statement of ["settle_deliveries(", "record_message(", "into credit_balances"])
		await blocked(statement);
	await second.kill();
	for (const one of releases) await one();
	await office.letTimePass();
	await startBoth();
	for (const one of [first, second]) expect(await office.report(one, stored.ref, "Success")).toBe(200);
	await Promise.all([pay(), digest.happen("Oil")]);
	await digest.sendNow(1);
	await vi.waitFor(async () => {
		expect(await digest.counts(["Soap", "Rice", "Oil"])).toEqual([1, 1, 1]);
		expect(await balance()).toBe(before + 100);
		expect(await deliveriesOf(stored.messageId)).toMatchObject([{ status: "delivered", reports: 1 }]);
		expect(await deliveriesOf(half.messageId)).toMatchObject([{ status: "undelivered", reports: 1 }]);
	}, restart);
	await vi.waitFor(async () => expect(await office.countUnapplied()).toBe(0), soon);
	expect(await office.listTopUps()).toEqual([{ segments: 100 }]);
	expect(await office.sandbox.listTexts()).toHaveLength(2);
	expect(await balance()).toBe(before + 100);
}, 120_000);

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
		const mails = await office.sandbox.listMails();
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
		const ids = new Set(accepted.map(({ id }) => id));
		const own = (await office.listDeliveries()).filter(({ message_id }) => ids.has(message_id));
		expect(own.filter(({ status }) => status !== "sent")).toEqual([]);
	}, afterLease);
	const [mails, deliveries] = [await office.sandbox.listMails(), await office.listDeliveries()];
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

test("call of an SMS: it is sent once, and its outcome is unknown", async () => {
	const phone = "+254712345679";
	const hang = { kind: "africastalking", match: { address: phone }, do: { hang: true } };
	await office.sandbox.setFaults([hang]);
	const answer = await office.send(office.processes[0], phone, { channel: "sms" });
	const texts = async () => (await office.sandbox.listTexts()).filter(({ address }) => address === phone);
	await vi.waitFor(async () => expect(await texts()).toHaveLength(1), soon);
	await killBoth();
	await office.sandbox.setFaults([]);
	await office.letTimePass();
	await startBoth();
	await vi.waitFor(
		async () => expect(await deliveriesOf(answer?.id)).toMatchObject([{ status: "unknown", attempt: 1 }]),
		restart,
	);
	expect(await texts()).toHaveLength(1);
}, 90_000);
