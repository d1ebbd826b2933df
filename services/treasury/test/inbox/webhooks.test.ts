import { createHmac, randomUUID } from "node:crypto";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openPool } from "@lango/postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { callbackRoutes, hashCallbackToken } from "../../src/inbox/callback-token.ts";
import type { NewDelivery } from "../../src/inbox/delivery.ts";
import { clearInbox, listRows, listWaiting } from "./delivery-rows.store.ts";
import { cardKey, setUpInbox } from "./inbox-at.ts";

const at = setUpInbox();
const db = () => at.database.db;
const prefixes = ["", "/api/v1"];
const sign = (raw: string, key = cardKey) => createHmac("sha512", key).update(raw).digest("hex");
const charge = '{"event":"charge.success","data":{"reference":"pay-1", "amount":1.00}}';

/** The gateway's id of a prompt contains the phone: its digest names the object. */
const keyOfPrompt = expect.stringMatching(/^mobile_money\.[0-9a-f]{32}$/);

/** The complete files of the spool, and those that were set aside. One that is being written is neither. */
const listSpool = async (): Promise<string[]> =>
	(await readdir(at.spoolDir)).filter((name) => !name.endsWith(".draft"));

// What a test that failed left behind is not part of the next one.
beforeEach(async () => {
	await rm(at.spoolDir, { recursive: true, force: true });
	await clearInbox(db());
});

describe("a callback of the mobile-money gateway", () => {
	const names = callbackRoutes.filter((name) => name !== "validation");

	test.each(prefixes)(
		"is stored byte for byte on every route below %s/webhooks, and accepted",
		async (prefix) => {
			const sent = names.map((name) => `{"of": "${name}",  "n":1.0}`);
			for (const [index, name] of names.entries()) {
				const answer = await at.post(`${prefix}/webhooks/mobilemoney/${name}`, sent[index] ?? "");
				expect(answer).toEqual({ status: 200, body: { ResultCode: 0, ResultDesc: "Accepted" } });
			}
			const rows = await listRows(db());
			expect(rows.map(({ route }) => route)).toEqual(names);
			expect(rows.map(({ raw }) => raw.toString())).toEqual(sent);
		},
	);

	test("is stored with the profile and the hash of the token; the token is neither stored nor logged", async () => {
		const [profile, token] = [randomUUID(), "0123456789abcdef0123456789abcdef"];
		const url = `/webhooks/mobilemoney/callback/${profile}/${token}`;
		expect((await at.post(url, "{}", { authorization: "Bearer hunter2" })).status).toBe(200);
		const [row] = await listRows(db());
		expect(row).toMatchObject({
			profile_id: profile,
			token_hash: hashCallbackToken(token),
			status: "received",
		});
		expect(JSON.stringify(row)).not.toMatch(/hunter2/);
		expect(at.logged.join()).toContain("/webhooks/mobilemoney/callback/:profile/:token");
		expect(at.logged.join() + JSON.stringify(row)).not.toContain(token);
	});

	test.each([
		["no JSON", "<xml/>"],
		["an empty body", ""],
		["bytes that are not text", Buffer.from([0xff, 0xfe, 0])],
		["a list", "[1]"],
		["null", "null"],
	])("is accepted and stored whatever it holds: %s", async (_what, raw) => {
		expect((await at.post("/webhooks/mobilemoney/timeout/not-a-profile/not-a-token", raw)).status).toBe(200);
		const [row] = await listRows(db());
		expect(row).toMatchObject({ profile_id: null, token_hash: null });
		expect(await listWaiting(db())).toEqual([row?.object_key]);
	});

	test("of the same bytes is one delivery, which counts its duplicates, and one job", async () => {
		const raw = '{"Body":{"stkCallback":{"CheckoutRequestID":"ws_CO_1"}}}';
		const url = "/webhooks/mobilemoney/callback";
		await Promise.all(Array.from({ length: 5 }, () => at.post(url, raw)));
		const [row, ...more] = await listRows(db());
		expect([row, more]).toMatchObject([{ duplicates: 4, object_key: keyOfPrompt }, []]);
		expect(await listWaiting(db())).toEqual([row?.object_key]);
		await at.post(`${url}/${randomUUID()}/${"0".repeat(32)}`, raw);
		expect(await listRows(db())).toHaveLength(2);
	});

	test("of more than 256 KiB is refused with 413, and not stored", async () => {
		const answer = await at.post("/webhooks/mobilemoney/callback", Buffer.alloc(256 * 1024 + 1, 32));
		expect(answer.status).toBe(413);
		expect(await listRows(db())).toEqual([]);
	});
});

describe("an event of the card gateway", () => {
	test.each(prefixes)("that is signed is stored byte for byte at %s/webhooks/cardgateway", async (prefix) => {
		const answer = await at.post(`${prefix}/webhooks/cardgateway`, charge, {
			"x-cardgw-signature": sign(charge),
			"content-type": "application/json",
		});
		expect(answer).toEqual({ status: 200, body: { received: true } });
		const [row] = await listRows(db());
		expect(row).toMatchObject({
			gateway: "card_gateway",
			route: "cardgateway",
			object_key: "card_gateway.pay-1",
		});
		expect(row?.raw.toString()).toBe(charge);
		expect(await listWaiting(db())).toEqual(["card_gateway.pay-1"]);
	});

	test.each([
		["is missing", {}],
		["is of another key", { "x-cardgw-signature": sign(charge, "sk_other") }],
		["is of other bytes", { "x-cardgw-signature": sign(`${charge} `) }],
	])(
		"whose signature %s is refused with 401, and not stored",
		async (_what, headers: Record<string, string>) => {
			const answer = await at.post("/webhooks/cardgateway", charge, headers);
			expect([answer.status, answer.body["code"]]).toEqual([401, "signature_invalid"]);
			expect(await listRows(db())).toEqual([]);
		},
	);

	test("without a valid signature is in the log with its reason, ten times a minute at most", async () => {
		const from = at.logged.length;
		for (let n = 0; n < 12; n++)
			await at.post("/webhooks/cardgateway", charge, { "x-cardgw-signature": `${n}` });
		const lines = at.logged.slice(from).filter((line) => line.includes("credential rejected"));
		expect(lines.length).toBeGreaterThan(0);
		expect(lines.length).toBeLessThanOrEqual(10);
		const said = { refusal: "signature_invalid", reason: "no key of the card gateway signed the bytes" };
		for (const line of lines) expect(JSON.parse(line)).toMatchObject(said);
	});

	test("of more than 1 MiB is refused with 413", async () => {
		expect((await at.post("/webhooks/cardgateway", Buffer.alloc(1024 * 1024 + 1, 32))).status).toBe(413);
	});
});

describe("while the database does not store", () => {
	/** No row can be inserted while the work runs. Afterwards the service may empty the spool at any time. */
	const withoutTable = async (work: () => Promise<void>) => {
		const owner = openPool({ url: at.database.ownerUrl, name: "test", sizeMax: 1 });
		await owner.query("alter table webhook_deliveries rename to webhook_deliveries_away");
		try {
			await work();
		} finally {
			await owner.query("alter table webhook_deliveries_away rename to webhook_deliveries");
			await owner.close();
		}
	};

	test("a callback goes to the spool and is accepted, and is stored once when the database is back", async () => {
		const raw = '{"Body":{"stkCallback":{"CheckoutRequestID":"ws_CO_9"}}}';
		const url = "/webhooks/mobilemoney/callback";
		await withoutTable(async () => {
			for (let n = 0; n < 2; n += 1) expect((await at.post(url, raw)).status).toBe(200);
			expect(await listSpool()).toHaveLength(2);
		});
		await at.inbox.drain();
		const rows = await listRows(db());
		expect(rows).toMatchObject([{ object_key: keyOfPrompt }]);
		expect(await listWaiting(db())).toEqual(rows.map(({ object_key }) => object_key));
		expect([await at.inbox.drain(), await readdir(at.spoolDir)]).toEqual([0, []]);
	});

	test("a validation is answered, and goes to the spool, too", async () => {
		const raw = '{"TransID":"RKTQDM7W6S","TransAmount":"10","BusinessShortCode":"600638"}';
		const url = "/webhooks/mobilemoney/validation";
		await withoutTable(async () => {
			expect((await at.post(url, raw)).status).toBe(200);
			await expect.poll(listSpool).toHaveLength(1);
		});
		await at.inbox.drain();
		expect(await listRows(db())).toMatchObject([{ route: "validation" }]);
		expect(await listSpool()).toEqual([]);
	});

	test("a file of the spool that cannot be stored is set aside, and those after it are stored", async () => {
		const url = "/webhooks/mobilemoney/callback";
		await mkdir(at.spoolDir, { recursive: true });
		await writeFile(join(at.spoolDir, "1.json"), '{"raw":');
		await writeFile(
			join(at.spoolDir, "2.json"),
			JSON.stringify({ gateway: "other", route: "callback", raw: "", receivedAt: new Date(), headers: {} }),
		);
		await withoutTable(async () => {
			expect((await at.post(url, "{}")).status).toBe(200);
		});
		await at.inbox.drain();
		expect(await listRows(db())).toHaveLength(1);
		expect((await listSpool()).toSorted()).toEqual(["1.json.bad", "2.json.bad"]);
	});

	test("a delivery of the spool is stored although one that waits beside it is refused", async () => {
		await withoutTable(async () => {
			expect((await at.post("/webhooks/mobilemoney/callback", "{}")).status).toBe(200);
		});
		const refused: NewDelivery = {
			...{ gateway: "mobile_money", route: "callback", profileId: "not a UUID", tokenHash: undefined },
			...{ objectKey: "mobile_money.1", receivedAt: new Date(), remoteIp: "127.0.0.1" },
			...{ headers: {}, raw: Buffer.from("{}") },
		};
		const owner = openPool({ url: at.database.ownerUrl, name: "test", sizeMax: 1 });
		const held = await owner.transaction(async (tx) => {
			await tx.query("lock table webhook_deliveries");
			const all = [at.inbox.store(refused), at.inbox.store(refused), at.inbox.drain()];
			const settled = Promise.allSettled(all);
			// By then the drain has read its file, and waits.
			await sleep(300);
			return { settled };
		});
		expect((await held.settled).map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
		await owner.close();
		expect(await listRows(db())).toHaveLength(1);
		expect(await listSpool()).toEqual([]);
	});

	test("a callback that neither database nor spool takes is answered 503", async () => {
		await writeFile(at.spoolDir, "");
		await withoutTable(async () => {
			const answer = await at.post("/webhooks/mobilemoney/callback", "{}");
			expect([answer.status, answer.body["code"]]).toEqual([503, "inbox_unavailable"]);
		});
		await rm(at.spoolDir);
	});

	test("an event of the card gateway is answered 503, since it is sent again", async () => {
		await withoutTable(async () => {
			const headers = { "x-cardgw-signature": sign(charge) };
			const answer = await at.post("/webhooks/cardgateway", charge, headers);
			expect([answer.status, answer.body["code"]]).toEqual([503, "inbox_unavailable"]);
		});
	});
});
