import { randomUUID } from "node:crypto";
import { waitForBlockedQueries } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test, vi } from "vitest";
import { startNotificationProcesses } from "./notification-processes.ts";

// kill -9 on one side of a commit: before it nothing has happened; after it the step has happened, and no
// process knows it.

const office = setUp(startNotificationProcesses);
const soon = { timeout: 20_000, interval: 100 };
/** Jobs whose heartbeat ended are looked for every 15 seconds. */
const restart = { timeout: 45_000, interval: 250 };

let people = 0;
const newAddress = () => `person${++people}@uhai.example`;
const newPhone = () => `+2547123457${String(++people).padStart(2, "0")}`;
const mailsTo = async (address: string) =>
	(await office.sandbox.listMails()).filter((mail) => mail.address === address);
const textsTo = async (phone: string) =>
	(await office.sandbox.listTexts()).filter((text) => text.address === phone);
const deliveriesOf = async (messageId: string | undefined) =>
	(await office.listDeliveries()).filter((one) => one.message_id === messageId);
const becomes = (messageId: string | undefined, state: object) =>
	vi.waitFor(async () => expect(await deliveriesOf(messageId)).toMatchObject([state]), restart);
const blocked = (statement: string, count = 1) =>
	waitForBlockedQueries(office.database.db, { like: `%${statement}%`, count });
const killBoth = () => Promise.all(office.processes.map((one) => one.kill()));

/** What was decided about the only delivery of a message. */
async function decisionsOf(messageId: string | undefined): Promise<string[]> {
	const [delivery] = await deliveriesOf(messageId);
	const found = await office.call(office.processes[1], `/deliveries/${delivery?.id}`);
	const timeline = found?.body["timeline"] as Array<{ detail: { decision?: string } }>;
	return timeline.flatMap(({ detail }) => detail.decision ?? []);
}

/** Lets a held commit happen whose answer reaches no process, and kills processes that wait for it. */
async function killAfter(commit: () => Promise<void>, kill: () => Promise<unknown>): Promise<void> {
	office.links.database.pause();
	await commit();
	await kill();
	office.links.database.restore();
}

async function startBothLater(): Promise<void> {
	await office.letTimePass();
	await Promise.all(office.processes.map((one) => one.start()));
}

/** Sends a text whose delivery is claimed, and waits until `call` is called. */
async function claimText(phone: string) {
	const call = await office.block("platform_providers");
	const answer = await office.send(office.processes[0], phone, { channel: "sms" });
	await blocked("take_provider_pace");
	return { id: answer?.id, call };
}

test("an acceptance is committed and its process dies before the answer: the same key at the other process gives this message, which is one mail", async () => {
	const [first, second] = office.processes;
	const [address, key] = [newAddress(), randomUUID()];
	const commit = await office.holdCommits("messages", "insert");
	const unanswered = office.send(first, address, { key });
	await blocked("commit");
	await killAfter(commit, () => first.kill());
	expect(await unanswered).toBeUndefined();
	const [stored, ...others] = await office.listDeliveries();
	expect(others).toEqual([]);
	const answer = await office.send(second, address, { key });
	expect(answer).toMatchObject({ status: 202, id: stored?.message_id });
	expect(answer?.headers.get("idempotency-replayed")).toBe("true");
	await vi.waitFor(async () => expect(await mailsTo(address)).toHaveLength(1), soon);
	await becomes(stored?.message_id, { status: "sent", attempt: 1 });
	expect(await mailsTo(address)).toHaveLength(1);
	await first.start();
}, 60_000);

test("claims are committed and their processes die before the calls: their leases are lost, and one mail and one text are sent", async () => {
	const [address, phone] = [newAddress(), newPhone()];
	const release = await office.block("platform_providers");
	const [mail, text] = [
		await office.send(office.processes[0], address),
		await office.send(office.processes[0], phone, { channel: "sms" }),
	];
	await blocked("take_provider_pace", 2);
	await killBoth();
	await release();
	for (const answer of [mail, text])
		expect(await deliveriesOf(answer?.id)).toMatchObject([{ status: "sending", attempt: 1 }]);
	await startBothLater();
	for (const answer of [mail, text]) {
		await becomes(answer?.id, { status: "sent", attempt: 2 });
		expect(await decisionsOf(answer?.id)).toEqual(["lease_lost"]);
	}
	expect([await mailsTo(address), await textsTo(phone)]).toMatchObject([[{}], [{}]]);
}, 90_000);

test("a process dies before called_at of a text is committed: the text is queued again, and sent once", async () => {
	const phone = newPhone();
	const { id, call } = await claimText(phone);
	const release = await office.block("message_deliveries");
	await call();
	await blocked("set called_at");
	await killBoth();
	await release();
	await startBothLater();
	await becomes(id, { status: "sent", attempt: 2 });
	expect(await decisionsOf(id)).toEqual(["lease_lost"]);
	expect(await textsTo(phone)).toHaveLength(1);
}, 90_000);

test("called_at of a text is committed and its process dies before the request: its outcome is unknown, and it is never called", async () => {
	const [phone, next] = [newPhone(), newPhone()];
	const { id, call } = await claimText(phone);
	const commit = await office.holdCommits("message_deliveries", "update");
	await call();
	await blocked("commit");
	await killAfter(commit, killBoth);
	await startBothLater();
	await becomes(id, { status: "unknown", attempt: 1 });
	expect(await decisionsOf(id)).toEqual(["outcome_unknown"]);
	const later = await office.send(office.processes[1], next, { channel: "sms" });
	await becomes(later?.id, { status: "sent", attempt: 1 });
	await becomes(id, { status: "unknown", attempt: 1 });
	expect([await textsTo(phone), await textsTo(next)]).toMatchObject([[], [{}]]);
}, 90_000);
