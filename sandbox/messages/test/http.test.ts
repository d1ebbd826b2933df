import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type MessagesSandbox, startMessagesSandbox } from "../src/index.ts";
import { call } from "./call.ts";

let sandbox: MessagesSandbox;
let statuses: string[] = [];
const receiver = createServer(async (request, response) => {
	statuses.push(new URLSearchParams(await text(request)).get("status") ?? "");
	response.end();
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks?token=abc`;

beforeAll(async () => {
	sandbox = await startMessagesSandbox({ port: 0, smtpPort: 0, reportAfterMs: 0 });
});
afterAll(async () => {
	receiver.close();
	await sandbox.stop();
});
beforeEach(async () => {
	await call(sandbox, "DELETE /control/truth");
	await call(sandbox, "PUT /control/faults", []);
	await call(sandbox, "PUT /control/webhooks", { africastalking: { url: webhook } });
	statuses = [];
});

const send = (message = "Habari", to = "+254712345678") =>
	fetch(`${sandbox.url}/africastalking/version1/messaging`, {
		method: "POST",
		headers: { apikey: "any" },
		body: new URLSearchParams({ username: "lango", to, message }),
	});
const fault = (match: object, action: object) =>
	call(sandbox, "PUT /control/faults", [{ kind: "africastalking", match, do: action }]);
const outcomes = async () =>
	(await call(sandbox, "GET /control/truth")).items.map(({ outcome }: { outcome: string }) => outcome);

test("the inbox shows a text message in its channel, with its segments, and not in another channel", async () => {
	await send("Habari ☕".repeat(10));
	const { items } = await call(sandbox, "GET /api/messages?channel=sms");
	expect(items).toMatchObject([{ kind: "africastalking", to: ["+254712345678"], outcome: "accepted" }]);
	expect((await call(sandbox, "GET /api/messages?channel=email")).items).toEqual([]);
	expect(await call(sandbox, `GET /api/messages/${items[0].id}`)).toMatchObject({
		segments: { encoding: "UCS-2", units: 80, segments: 2 },
		source: expect.stringContaining("POST /africastalking/version1/messaging"),
	});
});

test("a rule by number, by text and by address applies to the requests that match only", async () => {
	await fault({ nth: 2 }, { refuse: { status: 503 } });
	expect([(await send()).status, (await send()).status, (await send()).status]).toEqual([201, 503, 201]);
	await fault({ text: "siri" }, { refuse: { status: 400, code: "no" } });
	expect([(await send("siri 1")).status, (await send()).status]).toEqual([400, 201]);
	await fault({ address: "+254700000009" }, { refuse: { status: 429, after: 5 } });
	const refused = await send("Habari", "+254700000009");
	expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
	expect(await outcomes()).toEqual([
		...["accepted", "refused", "accepted", "refused", "accepted", "refused"],
	]);
});

test("a provider that is down refuses every request without its own format", async () => {
	await fault({ every: 1 }, { down: true });
	const answer = await send();
	expect([answer.status, await answer.text()]).toEqual([503, "Service Unavailable"]);
	expect(await outcomes()).toEqual(["refused"]);
});

test("a message that was taken without an answer is in the ground truth as such", async () => {
	await fault({ every: 1 }, { accept_then_reset: true });
	await expect(send()).rejects.toThrow();
	const { items } = await call(sandbox, "GET /control/truth");
	expect(items).toMatchObject([{ outcome: "accepted", answered: false, text: "Habari" }]);
});

test("reports come as often and in the order that the rule says", async () => {
	await fault({ every: 1 }, { report: { status: "delivered", times: 2, order: "reversed" } });
	await send();
	await expect.poll(() => statuses).toEqual(["Success", "Success", "Sent", "Sent"]);
	const { items } = await call(sandbox, "GET /api/messages");
	await expect
		.poll(async () => (await call(sandbox, `GET /api/messages/${items[0].id}`)).events)
		.toHaveLength(4);
	const { events } = await call(sandbox, `GET /api/messages/${items[0].id}`);
	expect(events[0]).toMatchObject({ url: webhook.replace(/\?.*/, ""), answered: 200, attempts: 1 });
});

test("ids follow from the seed and the ordinal, and times from the clock once it is set", async () => {
	const now = "2026-11-24T08:00:00.000Z";
	const run = async () => {
		const other = await startMessagesSandbox({ port: 0, smtpPort: 0, seed: "one" });
		try {
			await call(other, "PUT /control/clock", { now });
			const body = new URLSearchParams({ username: "lango", to: "+254712345678", message: "Habari" });
			const url = `${other.url}/africastalking/version1/messaging`;
			await fetch(url, { method: "POST", headers: { apikey: "any" }, body });
			return (await call(other, "GET /control/truth")).items;
		} finally {
			await other.stop();
		}
	};
	const [first, second] = [await run(), await run()];
	expect(first).toEqual(second);
	expect(first).toMatchObject([{ at: now, provider_id: expect.stringMatching(/^ATXid_[0-9a-f]{32}$/) }]);
	await call(sandbox, "PUT /control/clock", { now });
	expect((await call(sandbox, "PUT /control/clock", { now: null })).now).not.toBe(now);
});
