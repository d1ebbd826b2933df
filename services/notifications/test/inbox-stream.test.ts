import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { authSessionRevoked, authUserCreated, type PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { addItem } from "../src/inbox/inbox.store.ts";
import { type Office, openOffice } from "./office.ts";

let office: Office;
let url: string;
beforeAll(async () => {
	office = await openOffice({ NOTIFICATIONS_INBOX_STREAMS_MAX: "12" });
	await office.app.listen({ port: 0, host: "127.0.0.1" });
	url = `http://127.0.0.1:${(office.app.server.address() as AddressInfo).port}`;
});
afterAll(() => office.close());

type Event = { event: string; id?: string; data: Record<string, unknown> };

/** A person who is known as a recipient, with a token. */
async function person(tenant: PublicTenant, lifeSeconds = 3_600) {
	const [id, sid] = [randomUUID(), randomUUID()];
	const more = { is_hq: false, outlet_ids: [], roles: ["staff"], version: 1 };
	const data = {
		user_id: id,
		name: "Asha",
		email: `a-${id}@uhai.example`,
		email_verified: true,
		status: "active",
	};
	await office.transport.publish(
		testEvent(authUserCreated, { subject: id, tenant, data: { ...data, ...more } }),
	);
	await expect
		.poll(() =>
			inTenant(office.database.db, tenant.id, (tx) => tx.query("select from recipients where id = $1", [id])),
		)
		.toHaveLength(1);
	const exp = Math.floor(Date.now() / 1_000) + lifeSeconds;
	return { id, sid, tenant, token: office.token(tenant, "staff", { sub: id, sid, exp }) };
}
type Person = Awaited<ReturnType<typeof person>>;

const add = ({ id, tenant }: Person, title: string, now = new Date()) =>
	inTenant(office.database.db, tenant.id, (tx) =>
		addItem(tx, {
			...{ tenantId: tenant.id, id: randomUUID(), userId: id, title, body: "…", category: "general" },
			...{ template: "shared/generic_notification", now },
		}),
	);

/** Opens a stream and collects its events. */
async function open({ token, tenant }: Person, lastEventId?: string, at = url) {
	const events: Event[] = [];
	let comments = 0;
	const leaving = new AbortController();
	onTestFinished(() => leaving.abort());
	const answer = await fetch(`${at}/api/v1/${tenant.slug}/notifications/inbox/stream`, {
		headers: {
			authorization: `Bearer ${token}`,
			...(lastEventId !== undefined && { "last-event-id": lastEventId }),
		},
		signal: leaving.signal,
	});
	const refusal = answer.ok ? undefined : ((await answer.json()) as { code: string });
	let isOver = false;
	const read = (block: string) => {
		if (block.startsWith(":")) comments += 1;
		const lines = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s, 2)));
		if (lines["event"] !== undefined) events.push({ ...lines, data: JSON.parse(lines["data"]) });
	};
	const reading = (async () => {
		let text = "";
		const decoder = new TextDecoder();
		for await (const bytes of (answer.ok && answer.body) || []) {
			text += decoder.decode(bytes, { stream: true });
			const blocks = text.split("\n\n");
			text = blocks.pop() ?? "";
			for (const block of blocks) read(block);
		}
	})()
		.catch(() => {})
		.finally(() => {
			isOver = true;
		});
	return {
		answer,
		events,
		comments: () => comments,
		leave: () => leaving.abort(),
		isOver: () => isOver,
		refusal,
		reading,
	};
}
const titles = (events: readonly Event[]) =>
	events.filter(({ event }) => event === "item").map(({ data }) => data["title"]);
const lastCount = (events: readonly Event[]) => events.findLast(({ event }) => event === "count")?.data;

test("a stream begins with the counts, and sends each new item of its person once, with the counts", async () => {
	const [asha, baraka] = [await person(office.uhai), await person(office.uhai)];
	await add(asha, "before");
	const stream = await open(asha);
	expect(stream.answer.headers.get("content-type")).toMatch(/^text\/event-stream/);
	await expect.poll(() => lastCount(stream.events)).toEqual({ unread: 1, unseen: 1 });
	await add(baraka, "another person's");
	// Of one millisecond the order would be that of random ids.
	const since = Date.now();
	for (const [nth, title] of ["one", "two", "three"].entries()) await add(asha, title, new Date(since + nth));
	await expect.poll(() => lastCount(stream.events)).toEqual({ unread: 4, unseen: 4 });
	await expect.poll(() => titles(stream.events)).toEqual(["one", "two", "three"]);
	await office.call({
		method: "POST",
		url: `/api/v1/${office.uhai.slug}/notifications/inbox/read-all`,
		token: asha.token,
	});
	await expect.poll(() => lastCount(stream.events)).toEqual({ unread: 0, unseen: 0 });
});

test("a stream that broke continues after its last event", async () => {
	const asha = await person(office.uhai);
	const first = await open(asha);
	await expect.poll(() => lastCount(first.events)).toBeDefined();
	await add(asha, "one");
	await expect.poll(() => titles(first.events)).toEqual(["one"]);
	first.leave();
	await add(asha, "two");
	const second = await open(asha, first.events.find(({ event }) => event === "item")?.id);
	await expect.poll(() => titles(second.events)).toEqual(["two"]);
});

test("a stream that broke before its first item continues where it began", async () => {
	const asha = await person(office.uhai);
	const first = await open(asha);
	await expect.poll(() => lastCount(first.events)).toBeDefined();
	first.leave();
	await add(asha, "one");
	const second = await open(asha, first.events.at(-1)?.id);
	await expect.poll(() => titles(second.events)).toEqual(["one"]);
});

test("an item that was committed after a later one is sent when the stream continues", async () => {
	const asha = await person(office.uhai);
	const first = await open(asha);
	await expect.poll(() => lastCount(first.events)).toBeDefined();
	const created = new Date();
	await add(asha, "later", new Date(created.getTime() + 1_000));
	await expect.poll(() => titles(first.events)).toEqual(["later"]);
	first.leave();
	await add(asha, "earlier", created);
	const second = await open(asha, first.events.at(-1)?.id);
	await expect.poll(() => titles(second.events)).toEqual(["earlier"]);
});

test("a process that stops ends its streams at once, and the client continues at another one", async () => {
	const asha = await person(office.uhai);
	const replica = await office.replica();
	await replica.app.listen({ port: 0, host: "127.0.0.1" });
	const at = `http://127.0.0.1:${(replica.app.server.address() as AddressInfo).port}`;
	const first = await open(asha, undefined, at);
	await add(asha, "one");
	await expect.poll(() => titles(first.events)).toEqual(["one"]);
	const stopping = performance.now();
	await replica.close();
	await first.reading;
	expect(performance.now() - stopping).toBeLessThan(10_000);
	await add(asha, "two");
	const second = await open(asha, first.events.find(({ event }) => event === "item")?.id);
	await expect.poll(() => titles(second.events)).toEqual(["two"]);
});

test("a process has at most as many streams as its setting says, and a place is free when one ends", async () => {
	const opened: Array<Awaited<ReturnType<typeof open>>> = [];
	const openOne = async () => {
		const stream = await open(await person(office.uhai));
		if (stream.answer.status === 200) opened.push(stream);
		return stream.refusal?.code ?? stream.answer.status;
	};
	while (opened.length < 12 && (await openOne()) === 200);
	expect(await openOne()).toBe("too_many_streams");
	opened[0]?.leave();
	await expect.poll(openOne).toBe(200);
	for (const stream of opened) stream.leave();
});

test("a person has at most five streams, and a place is free when one ends", async () => {
	const asha = await person(office.uhai);
	const streams = [];
	for (let n = 0; n < 5; n++) streams.push(await open(asha));
	const sixth = await open(asha);
	expect(streams.map(({ answer }) => answer.status)).toEqual(Array(5).fill(200));
	expect([sixth.answer.status, sixth.refusal]).toMatchObject([429, { code: "too_many_streams" }]);
	expect(sixth.answer.headers.get("retry-after")).toBe("5");
	streams[0]?.leave();
	await expect.poll(async () => (await open(asha)).answer.status).toBe(200);
});

test("a stream ends when its session is revoked", async () => {
	const asha = await person(office.uhai);
	const stream = await open(asha);
	await expect.poll(() => lastCount(stream.events)).toBeDefined();
	const data = { session_id: asha.sid, user_id: asha.id, because: "logout", at: new Date().toISOString() };
	await office.transport.publish(testEvent(authSessionRevoked, { subject: asha.sid, data }));
	await expect.poll(stream.isOver).toBe(true);
});

test("a stream ends when its session is revoked while the keys of tokens are not current", async () => {
	onTestFinished(() => {
		office.clock.now = undefined;
	});
	const [asha, baraka] = [await person(office.uhai), await person(office.uhai)];
	const [revoked, other] = [await open(asha), await open(baraka)];
	for (const { events } of [revoked, other]) await expect.poll(() => lastCount(events)).toBeDefined();
	// Keys are current for five minutes, and a stream lives for fifteen.
	office.clock.now = new Date(Date.now() + 400_000);
	const at = new Date().toISOString();
	const data = { session_id: asha.sid, user_id: asha.id, because: "logout", at };
	await office.transport.publish(testEvent(authSessionRevoked, { subject: asha.sid, data }));
	await expect.poll(revoked.isOver).toBe(true);
	expect(other.isOver()).toBe(false);
});

/** Lets the clock of the service be later, until the test ends. */
function later(seconds: number) {
	office.clock.now = new Date(Date.now() + seconds * 1_000);
	onTestFinished(() => {
		office.clock.now = undefined;
	});
}

test.each([
	["with its token", 300, 420],
	["after 15 minutes", 3_600, 15 * 60],
])("a stream ends %s", async (_title, lifeSeconds, seconds) => {
	const stream = await open(await person(office.uhai, lifeSeconds));
	await expect.poll(() => lastCount(stream.events)).toBeDefined();
	later(Math.min(lifeSeconds, seconds) - 30);
	await expect.poll(stream.comments).toBe(1);
	expect(stream.isOver()).toBe(false);
	later(seconds);
	await expect.poll(stream.isOver).toBe(true);
});

test("a stream has a comment every 25 seconds", async () => {
	const stream = await open(await person(office.uhai));
	await expect.poll(() => lastCount(stream.events)).toBeDefined();
	for (const [seconds, comments] of [
		[26, 1],
		[52, 2],
	] as const) {
		later(seconds);
		await expect.poll(stream.comments).toBe(comments);
	}
});

test("a stream that broke continues with every item since, the oldest first, however many", async () => {
	const asha = await person(office.uhai);
	const first = await open(asha);
	await expect.poll(() => lastCount(first.events)).toBeDefined();
	first.leave();
	const expected = Array.from({ length: 120 }, (_, n) => `item ${n}`);
	const at = Date.now();
	for (const [n, title] of expected.entries()) await add(asha, title, new Date(at + Math.floor(n / 3)));
	const second = await open(asha, first.events.at(-1)?.id);
	await expect.poll(() => lastCount(second.events)).toEqual({ unread: 120, unseen: 120 });
	expect(titles(second.events)).toHaveLength(120);
	expect(new Set(titles(second.events))).toEqual(new Set(expected));
	const times = second.events.filter(({ event }) => event === "item").map(({ data }) => data["created_at"]);
	expect(times).toEqual(times.toSorted());
});

test("an id that no event had is refused", async () => {
	const { refusal } = await open(await person(office.uhai), "yesterday");
	expect(refusal).toMatchObject({ code: "invalid_input", field: "last-event-id" });
});
