import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { authPasswordResetRequested, ispSubscriptionActivated } from "@lango/contracts";
import { testEvent, waitForBlockedQueries } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test, vi } from "vitest";
import { readInbox } from "./inbox-reader.ts";
import { startNotificationProcesses } from "./notification-processes.ts";
import { becomes } from "./sign-on-process.ts";

// What two processes of the notification service do while something around them is away, and while they are
// replaced. Each outage lasts until its effect is seen; one lasts longer than the leases.

const office = setUp(startNotificationProcesses);
const soon = { timeout: 30_000, interval: 100 };

let names = 0;
const newAddresses = (count: number) => Array.from({ length: count }, () => `person${++names}@uhai.example`);
/** How many mails each address got, accepted or not. */
const mailsTo = async (addresses: readonly string[]) => {
	const mails = await office.sandbox.listMails();
	return addresses.map((address) => mails.filter((mail) => mail.address === address).length);
};
const onceEach = (addresses: readonly string[]) =>
	vi.waitFor(async () => expect(await mailsTo(addresses)).toEqual(addresses.map(() => 1)), soon);
const becomeBoth = (status: number) => Promise.all(office.processes.map(({ url }) => becomes(url, status)));

/** A password of a person is to be reset: the mail needs a link of the sign-on service. */
async function requestReset(email: string): Promise<void> {
	const [link_id, user_id] = [randomUUID(), randomUUID()];
	office.issuer.links.set(link_id, `https://accounts.lango.example/reset#${link_id}`);
	const expires_at = new Date(Date.now() + 3_600_000).toISOString();
	const data = { link_id, user_id, name: "Asha", email, expires_at };
	await office.publish(testEvent(authPasswordResetRequested, { subject: user_id, data }));
}

test("without the database the answer is 503 with Retry-After; what was accepted, and what is sent again, is one mail each", async () => {
	const [first, second] = office.processes;
	const [accepted, refused] = [newAddresses(4), newAddresses(2)];
	const sendAt = new Date(Date.now() + 3_000);
	for (const address of accepted)
		expect(await office.send(first, address, { sendAt })).toMatchObject({ status: 202 });
	office.links.database.cut();
	await becomeBoth(503);
	const sendRefused = () =>
		Promise.all(
			refused.map((address, n) => office.send(n === 0 ? first : second, address, { key: `outage-${n}` })),
		);
	for (const answer of await sendRefused()) {
		expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
		expect(answer?.headers.get("retry-after")).toMatch(/^\d+$/);
	}
	office.links.database.restore();
	await becomeBoth(200);
	expect(await sendRefused()).toMatchObject([{ status: 202 }, { status: 202 }]);
	await onceEach([...accepted, ...refused]);
}, 90_000);

test("without the database for longer than a lease after the calls: both are sent; a mail arrives at most twice with one Message-ID, a text once, and its credit is settled once", async () => {
	const [first] = office.processes;
	const [[address = ""], phone] = [newAddresses(1), "+254712345681"];
	const credit = async () => (await office.call(first, "/credits"))?.body as Record<string, number>;
	const before = await credit();
	const sendAt = new Date(Date.now() + 2_000);
	const sent = [
		await office.send(first, address, { sendAt }),
		await office.send(first, phone, { sendAt, channel: "sms" }),
	].map((answer) => answer?.id ?? "");
	const segments = Number((await credit())["reserved"]) - Number(before["reserved"]);
	expect(segments).toBeGreaterThan(0);
	const releases = await Promise.all(sent.map((id) => office.blockResults(id)));
	const textsTo = async () => (await office.sandbox.listTexts()).filter((text) => text.address === phone);
	await vi.waitFor(async () => {
		expect([await mailsTo([address]), await textsTo()]).toMatchObject([[1], [{}]]);
	}, soon);
	await waitForBlockedQueries(office.database.db, { like: "%settle_deliveries%" });
	office.links.database.cut();
	for (const release of releases) await release();
	await sleep(35_000);
	office.links.database.restore();
	const own = async () => (await office.listDeliveries()).filter((one) => sent.includes(one.message_id));
	await vi.waitFor(
		async () => expect(await own()).toMatchObject([{ status: "sent" }, { status: "sent" }]),
		soon,
	);
	await becomeBoth(200);
	const mails = (await office.sandbox.listMails()).filter((mail) => mail.address === address);
	expect(mails.length).toBeLessThanOrEqual(2);
	expect(new Set(mails.map((mail) => mail.message_id)).size).toBe(1);
	expect(await textsTo()).toHaveLength(1);
	expect(await credit()).toMatchObject({
		balance: Number(before["balance"]) - segments,
		reserved: before["reserved"],
	});
}, 150_000);

test("without the bus messages are accepted and sent; events of both directions arrive when it is back, once", async () => {
	const [first, second] = office.processes;
	office.links.bus.cut();
	const [sent, reset] = [newAddresses(4), newAddresses(1)];
	const answers = await Promise.all(sent.map((address, n) => office.send(n < 2 ? first : second, address)));
	expect(answers.map((answer) => answer?.status)).toEqual([202, 202, 202, 202]);
	await requestReset(String(reset));
	await onceEach(sent);
	await vi.waitFor(async () => expect(await office.countUnpublished()).toBeGreaterThanOrEqual(4), soon);
	expect(await mailsTo(reset)).toEqual([0]);
	office.links.bus.restore();
	await onceEach([...sent, ...reset]);
	await vi.waitFor(async () => expect(await office.countUnpublished()).toBe(0), soon);
}, 90_000);

test("without the sign-on service a mail that needs its link waits without a failure, others are sent, and then it is sent once", async () => {
	const [sent, reset] = [newAddresses(2), newAddresses(1)];
	office.issuer.brokenWith = 503;
	await requestReset(String(reset));
	const answers = await Promise.all(sent.map((address) => office.send(office.processes[0], address)));
	expect(answers.map((answer) => answer?.status)).toEqual([202, 202]);
	await onceEach(sent);
	const waiting = async () =>
		(await office.listDeliveries(office.platform.id)).filter(({ tries }) => tries > 1);
	await vi.waitFor(
		async () => expect(await waiting()).toMatchObject([{ status: "queued", failures: 0 }]),
		soon,
	);
	expect(await mailsTo(reset)).toEqual([0]);
	office.issuer.brokenWith = undefined;
	await onceEach([...sent, ...reset]);
}, 90_000);

test("without the subscription service messages are accepted by the last known plan and sent, and usage is reported when it is back", async () => {
	const { subscriptions, tenant } = office;
	const patient = { timeout: 90_000, interval: 200 };
	const reported = () => subscriptions.reported.filter(({ tenantId }) => tenantId === tenant.id).length;
	const [known, sent] = [newAddresses(2), newAddresses(4)];
	for (const [n, address] of known.entries())
		expect(await office.send(office.processes[n % 2 === 0 ? 0 : 1], address)).toMatchObject({ status: 202 });
	await onceEach(known);
	subscriptions.brokenWith = 503;
	const before = { reported: reported(), asked: subscriptions.asked };
	const answers = await Promise.all(
		sent.map((address, n) => office.send(office.processes[n % 2 === 0 ? 0 : 1], address)),
	);
	expect(answers.map((answer) => answer?.status)).toEqual([202, 202, 202, 202]);
	await onceEach(sent);
	await office.reportUsage();
	await vi.waitFor(() => expect(subscriptions.asked).toBeGreaterThan(before.asked), patient);
	expect(reported()).toBe(before.reported);
	subscriptions.brokenWith = undefined;
	await office.reportUsage();
	await vi.waitFor(() => expect(reported()).toBeGreaterThan(before.reported), patient);
	expect(await mailsTo(sent)).toEqual([1, 1, 1, 1]);
}, 240_000);

test("the bus has no code, link or token; a password only in the stream that keeps one day, and an address in none of this service", async () => {
	const [reset, customer] = newAddresses(2) as [string, string];
	const [password, code, token] = ["Pa55-on-the-bus", "K0de-on-the-bus", `unregistered-${randomUUID()}`];
	await requestReset(reset);
	const activated = {
		...{ username: "juma", password, package_name: "Home 10", package_type: "PPPoE" },
		...{ expiry_at: "2026-12-23T00:00:00Z", customer: { id: "c-1", name: "Juma", email: customer } },
	};
	const about = { subject: "c-1", tenant: office.tenant, data: activated };
	await office.publish(testEvent(ispSubscriptionActivated, about));
	const bounced = "bounce@sandbox.example";
	const messages = [
		{ channel: "email", template: "sign_on/verify_contact", to: [bounced], data: { code } },
		{ channel: "push", template: "shared/generic_notification", to: [token] },
	];
	const data = { name: "Asha", title: "Stock", message: "3 left.", action_link: "https://uhai.example/x" };
	for (const message of messages) {
		const body = { data, events: "deliveries", ...message };
		expect(await office.call(office.processes[0], "/messages", { body })).toMatchObject({ status: 202 });
	}
	await onceEach([reset, customer]);
	await vi.waitFor(async () => {
		expect(await office.countUnpublished()).toBe(0);
		const { NOTIFICATIONS = "" } = await office.readStreams();
		expect(NOTIFICATIONS.split("notifications.address.failed ")).toHaveLength(3);
	}, soon);
	const streams = Object.entries(await office.readStreams());
	const holding = (text: string) => streams.filter(([, all]) => all.includes(text)).map(([name]) => name);
	expect([password, code, token, "/reset#"].map(holding)).toEqual([["ISP"], [], [], []]);
	// Events of other services name the person to write to.
	expect([reset, customer, bounced].map(holding)).toEqual([["AUTH"], ["ISP"], []]);
}, 90_000);

type Page = { items: Array<{ title: string }>; next_cursor: string | null };

/** A person with an inbox, and how the tenant writes to it. */
async function openInbox() {
	const sub = randomUUID();
	const token = office.tokenOf(office.tenant, "staff", { sub, email: "amina@uhai.example" });
	const prefer = { method: "PUT", token, body: { time_zone: "Africa/Nairobi" } } as const;
	expect(await office.call(office.processes[0], "/preferences", prefer)).toMatchObject({ status: 200 });
	return {
		token,
		/** Sends items one after the other, each until it is accepted, until `end`. */
		async fill(end: Promise<unknown>): Promise<string[]> {
			const titles: string[] = [];
			let isOver = false;
			void end.finally(() => {
				isOver = true;
			});
			for (let turn = 0; !isOver; turn += 1) {
				const [at = office.processes[0]] = office.processes.slice(turn % 2);
				const [title, key] = [`Item ${titles.length}`, `item-${titles.length}`];
				const answer = await office.send(at, `user:${sub}`, { channel: "in_app", key, data: { title } });
				if (answer?.status === 202) titles.push(title);
				// A stream continues with 50 items at most.
				await sleep(100);
			}
			return titles;
		},
		async listed(): Promise<string[]> {
			const titles: string[] = [];
			for (let cursor: string | undefined = ""; cursor !== undefined; ) {
				const path: string = `/inbox?limit=100${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
				const answer = await office.call(office.processes[0], path, { token });
				expect(answer?.status).toBe(200);
				const page = (answer?.body ?? {}) as Partial<Page>;
				titles.push(...(page.items ?? []).map(({ title }) => title));
				cursor = page.next_cursor ?? undefined;
			}
			return titles;
		},
	};
}

test("a rolling restart ends streams first: their clients continue at the other process, and every item comes", async () => {
	const inbox = await openInbox();
	const path = `/api/v1/${office.tenant.slug}/notifications/inbox/stream`;
	const reader = readInbox({ path, token: inbox.token, processes: office.processes });
	const restarts = (async () => {
		for (const one of office.processes) {
			await vi.waitFor(() => expect(reader.isOpen()).toBe(true), soon);
			// A process with an open stream could not stop: after 20 seconds it would be killed.
			expect(await one.stop()).toBe(0);
			await one.start();
		}
	})();
	const titles = await inbox.fill(restarts);
	await restarts;
	expect(titles.length).toBeGreaterThan(5);
	await vi.waitFor(() => expect(reader.titles().toSorted()).toEqual(titles.toSorted()), soon);
	expect(reader.ends()).toBeGreaterThanOrEqual(1);
	await reader.stop();
	expect((await inbox.listed()).toSorted()).toEqual(titles.toSorted());
}, 120_000);
